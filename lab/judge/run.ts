import { rm } from 'node:fs/promises'
import { describeIssues, judge, readSettings } from '../../lib/doors/library/library.ts'
import type { JudgeOptions, Verdict } from '../../lib/doors/library/library.ts'
import { urlOf } from '../../lib/text/url.ts'
import { credentialsIn, leaks } from '../../tests/leaks/leaks.ts'
import { runInProcess } from '../../tests/support/in-process.ts'
import {
  argumentsOf,
  emptyFolder,
  reportsFolderOf,
  rulesThat,
  runProgram,
} from '../../tests/support/program.ts'
import type { ProgramOptions, ProgramResult } from '../../tests/support/program.ts'
import { asking, type Situations } from '../second-judge/comparison.ts'
import { serviceOf } from './all-services.ts'
import { judgeOutcome, type Left } from './expect.ts'
import { given } from './given.ts'
import { lineOf, type GoldenLine } from './golden-line.ts'
import { memoryTransport } from './memory.ts'
import { soughtByPeers, soughtByRun, type SoughtBy } from './seekers.ts'
import type { Job, Outcome, Service, Started } from './service.ts'
import { digestOf, whileWatched } from './wire.ts'

/** The outcome of a run, and the observations of those that watched it. */
export interface Ran {
  readonly outcome: Outcome
  /** The opinions of both judges about its exchanges. */
  readonly situations?: Situations
  readonly line?: GoldenLine
  /** The results of replaying its findings. */
  readonly replays?: readonly string[]
  /** Which other tools would have noticed the fault. */
  readonly sought?: SoughtBy
}

type Env = Readonly<Record<string, string>>

/** The results of a run, and the digest of the bytes it sent if golden watches. */
type Came = Left & { readonly wrong: readonly string[] }

/**
 * Maximum resident memory of any run of the program, in MiB: a small CI runner has 512. Node starts with
 * about 150. Eight answers of up to 4 MiB, read concurrently as bytes, text and JSON, use the rest.
 */
const mostMemoryMiB = 400

/** Cases per rule in a nightly run of the lab, enough to show the behaviour of its classes. */
const nightlyCases = '200'

/** The same bytes in every run, with one request at a time. */
const fixed: Env = { RUN_SEED: '1', RUN_CONCURRENCY: '1' }

/** Judges the service of a job, over sockets if nothing else can show its behaviour, and returns the outcome. */
export async function judgeJob(job: Job): Promise<Ran> {
  const service = await serviceOf(job)
  const ran = await judged(service, job)
  if (!job.sinks.includes('peers')) return ran
  const essential = await judged(service, { ...job, sinks: [] }, { RUN_ESSENTIAL: 'true' })
  const [gate, ofEssential] = [soughtByRun(ran.outcome), soughtByRun(essential.outcome)]
  return { ...ran, sought: { gate, essential: ofEssential, ...(await soughtByPeers(service)) } }
}

/** Starts the service and judges it over this transport, or over sockets if only these can show its behaviour. */
async function judged(service: Service, job: Job, more: Env = {}, over = job.over): Promise<Ran> {
  const start = performance.now()
  const [folder, started] = [await emptyFolder(), await service.start(job.seed)]
  const situations: Situations = new Map()
  try {
    const env: Env = {
      RUN_PROFILE: job.profile,
      // Any output on standard error is a mistake, and on a busy machine a run would report its progress
      // there.
      RUN_QUIET: 'true',
      ...(job.profile === 'nightly' ? { RUN_FUZZ_CASES: nightlyCases } : {}),
      ...(job.seed === null ? {} : { RUN_SEED: String(job.seed) }),
      ...(job.sinks.includes('golden') ? fixed : {}),
      ...(await given(service, folder)),
      ...started.env,
      ...more,
    }
    const pieces: string[] = []
    const came = await ways[over]({ ...started, env, job, cwd: folder, situations, pieces })
    if (came === null) return await judged(service, job, more, 'sockets')
    const seconds = Math.round((performance.now() - start) / 10) / 100
    const { replays, acquitted } = job.sinks.includes('replay')
      ? await followReplays(job.name, came.verdict, { env, cwd: folder })
      : { replays: [], acquitted: [] }
    const outcome = outcomeOf(job, service, { ...came, wrong: [...came.wrong, ...acquitted] }, seconds)
    const unreached = started.reached?.() === false ? ({ unreached: true } as const) : {}
    const ran = { outcome: { ...outcome, ...unreached }, situations, replays }
    if (!job.sinks.includes('golden')) return ran
    return { ...ran, line: lineOf(job, came, digestOf(pieces.join(''))) }
  } finally {
    await started.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function outcomeOf(job: Job, service: Service, came: Came, seconds: number): Outcome {
  const { result, noticed, because } = judgeOutcome(service.expects, came)
  const { code: exit, verdict, wrong } = came
  return {
    ...job,
    exit,
    red: rulesThat(verdict, 'failed', 'warned'),
    causes: verdict?.causes?.length ?? 0,
    requests: verdict?.requests.sent ?? 0,
    seconds,
    result: result === 'as expected' && wrong.length > 0 ? 'not judged' : result,
    noticed,
    because: [...because, ...wrong],
  }
}

interface Run extends Pick<Started, 'env' | 'handler'> {
  readonly job: Job
  /** The working folder. */
  readonly cwd: string
  readonly situations: Situations
  /** The written bytes, if golden watches. */
  readonly pieces: string[]
}

/** Performs a run. Returns null if only sockets can show the behaviour of the service. */
const ways: Readonly<Record<Service['over'], (run: Run) => Promise<Came | null>>> = {
  memory: (run) => {
    const { job, handler, pieces } = run
    if (handler === undefined) throw new Error(`${job.name} has no handler for requests`)
    const note = job.sinks.includes('golden') ? (piece: string): unknown => pieces.push(piece) : undefined
    return byEngine(run, ({ concurrency: connections, timeoutMs }) =>
      memoryTransport(handler, { connections, timeoutMs }, note),
    )
  },
  sockets: (run) => overSockets(run, () => byEngine(run, () => ({}))),
  program: async (run) => {
    const came = await overSockets(run, () => runInProcess([], { env: run.env, cwd: run.cwd }))
    return { ...came, wrong: await leaksIn(came, run.env) }
  },
  process: async ({ env, cwd }) => {
    const came = await runProgram([], { env, cwd })
    const { memoryMiB } = came
    const wrong = await leaksIn(came, env)
    if (came.code === null) wrong.unshift('it was killed: it did not end by itself')
    if ((memoryMiB ?? 0) > mostMemoryMiB) wrong.push(`it took ${Math.round(memoryMiB ?? 0)} MiB of memory`)
    return { ...came, wrong }
  },
}

async function byEngine(
  { job, env, cwd, situations }: Run,
  optionsOf: (run: { readonly concurrency: number; readonly timeoutMs: number }) => JudgeOptions,
): Promise<Came | null> {
  const read = await readSettings({ env, cwd })
  if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
  const asked = job.sinks.includes('second') ? asking(read.settings, situations) : {}
  const options = optionsOf(read.settings.run)
  const { verdict } = await judge(read.settings, read.suites, { ...asked, ...options })
  if (options.signal?.aborted === true) return null
  return { code: verdict.exitCode, verdict, stdout: '', stderr: '', wrong: [] }
}

/** The outcome of a run over sockets. */
function overSockets<T>({ job, env, pieces }: Run, run: () => Promise<T>): Promise<T> {
  const ports = Object.values(env).map((value) => Number(urlOf(value)?.port ?? 0))
  return job.sinks.includes('golden') ? whileWatched(ports, (piece) => pieces.push(piece), run) : run()
}

/** The credentials that can be found in the files or the output of a run. */
async function leaksIn(came: Pick<ProgramResult, 'stdout' | 'stderr' | 'cwd'>, env: Env) {
  const { stdout, stderr, cwd } = came
  const found = await leaks({ stdout, stderr, reportsFolder: reportsFolderOf(cwd) }, credentialsIn(env))
  return found.map((sentence) => `a credential leaks: ${sentence}`)
}

/**
 * Faults whose replay lines may find nothing. If a scene of several cases gets no answer, each case is blamed
 * and sent again on its own. Other faults need what the run sent before: a success within the last second, or
 * several requests on one connection.
 */
const exempt: ReadonlySet<string> = new Set([
  'inactive-endpoint-drips',
  'unauthorized-client-never-answered',
  'errors-cut-where-the-connection-closes',
  'invalid-parameters-body-cut',
  'list-fails-late-on-connection',
  'secret-key-not-compared-late-on-connection',
  'success-cached-by-url',
  'success-cached-by-url-and-key',
  'success-cached-by-url-and-secret',
  'success-cached-for-other-connections',
])

/**
 * The results of replaying the first finding of each red rule, given the service and the settings of its run.
 * None may acquit the service.
 */
async function followReplays(service: string, verdict: Verdict | null, options: ProgramOptions) {
  const replays: string[] = []
  const acquitted: string[] = []
  for (const rule of rulesThat(verdict, 'failed', 'warned')) {
    const { findings = [] } = verdict?.rules.find(({ id }) => id === rule) ?? {}
    const finding = findings.find(({ replay }) => replay !== null)
    if (finding === undefined) continue
    const { code, stdout, stderr } = await runInProcess(argumentsOf(finding), options)
    // An intermittent fault may be right 20 times, and the replay claims no more than that.
    const isUnseen = code === 0 && stdout.includes(': not seen. ')
    replays.push(isUnseen ? 'not seen' : String(code))
    if (code !== 1 && code !== 3 && !isUnseen && !exempt.has(service))
      acquitted.push(`a replay of ${rule} ends in ${code}: ${finding.replay}\n${stdout}${stderr}`)
  }
  return { replays, acquitted }
}
