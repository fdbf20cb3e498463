import { rm } from 'node:fs/promises'
import { describeIssues, judge, readSettings, type JudgeOptions } from '../../lib/doors/library/library.ts'
import { clients } from '../../lib/serve/reference/clients.ts'
import { leaks } from '../../tests/leaks/leaks.ts'
import { runInProcess } from '../../tests/support/in-process.ts'
import { emptyFolder, reportsFolderOf, rulesThat, runProgram } from '../../tests/support/program.ts'
import { asking, type Situations } from '../second-judge/comparison.ts'
import { serviceOf } from './all-services.ts'
import { judgeOutcome, type Left } from './expect.ts'
import { given } from './given.ts'
import { lineOf, type GoldenLine } from './golden-line.ts'
import { memoryTransport, noting, type AboutBytes } from './memory.ts'
import { followReplays } from './replays.ts'
import { soughtByPeers, soughtByRun, type SoughtBy } from './seekers.ts'
import type { Job, Outcome, Service, Started } from './service.ts'
import { digestOf, written } from './wire.ts'

/** What came of a run, and what watched it. */
export interface Ran {
  readonly outcome: Outcome
  /** What both judges said of its exchanges. */
  readonly situations: Situations
  readonly line: GoldenLine | null
  /** What the replay lines of its findings ended in. */
  readonly replays: readonly string[]
  /** Who else would have found what is wrong with the service; null where nobody asks. */
  readonly sought: SoughtBy | null
}

type Env = Readonly<Record<string, string>>

/** What a run left behind, and the digest of what it sent where golden watches. */
type Came = Left & { readonly bytes: string; readonly wrong: readonly string[] }

/**
 * No run of the program may hold more resident memory, in MiB: a small CI runner has 512. Node takes about 150 to begin with; eight answers
 * of at most 4 MiB that are read at once, as bytes, text and JSON, are the rest.
 */
const mostMemoryMiB = 400

/** A nightly run of the lab draws so many cases for each rule: they show what its classes do. */
const nightlyCases = '200'

/** The same bytes at every run, one request at a time. */
const fixed: Env = { RUN_SEED: '1', RUN_CONCURRENCY: '1' }

/** Judges the service of a job, over sockets where only they can show what it does, and says what came of it. */
export async function judgeJob(job: Job): Promise<Ran> {
  const service = await serviceOf(job)
  const ran = await judged(service, job)
  if (!job.sinks.includes('peers')) return ran
  const essential = await judged(service, { ...job, sinks: [] }, { RUN_ESSENTIAL: 'true' })
  const sought = {
    gate: soughtByRun(ran.outcome),
    essential: soughtByRun(essential.outcome),
    ...(await soughtByPeers(service)),
  }
  return { ...ran, sought }
}

async function judged(service: Service, job: Job, more: Env = {}): Promise<Ran> {
  const ran =
    (await judgedOver(job.over, service, job, more)) ?? (await judgedOver('sockets', service, job, more))
  if (ran === null) throw new Error('over sockets a run is made in any case')
  return ran
}

/** Starts the service and judges it in this way; null where only sockets can show what it does. */
async function judgedOver(over: Job['over'], service: Service, job: Job, more: Env): Promise<Ran | null> {
  const start = performance.now()
  const [folder, started] = [await emptyFolder(), await service.start(job.seed)]
  const situations: Situations = new Map()
  try {
    const env: Env = {
      RUN_PROFILE: job.profile,
      // Anything on standard error is a mistake, and a run on a busy machine would tell of its progress there.
      RUN_QUIET: 'true',
      ...(job.profile === 'nightly' ? { RUN_FUZZ_CASES: nightlyCases } : {}),
      ...(job.seed === null ? {} : { RUN_SEED: String(job.seed) }),
      ...(job.sinks.includes('golden') ? fixed : {}),
      ...(await given(service, folder)),
      ...started.env,
      ...more,
    }
    const came = await ways[over](started, { env, folder }, { job, situations })
    if (came === null) return null
    const seconds = Math.round((performance.now() - start) / 10) / 100
    const { replays, acquitted } = job.sinks.includes('replay')
      ? await followReplays(job.name, came.verdict, { env, cwd: folder })
      : { replays: [], acquitted: [] }
    const outcome = outcomeOf(job, service, { ...came, wrong: [...came.wrong, ...acquitted] }, seconds)
    const unreached = started.reached?.() === false ? ({ unreached: true } as const) : {}
    const line = job.sinks.includes('golden')
      ? lineOf(`${job.of} ${job.name}`, came.exit, came.verdict, came.bytes)
      : null
    return { outcome: { ...outcome, ...unreached }, situations, line, replays, sought: null }
  } finally {
    await started.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function outcomeOf(job: Job, service: Service, came: Came, seconds: number): Outcome {
  const { result, noticed, because } = judgeOutcome(service.expects, came)
  const { of, name, profile, seed } = job
  const { exit, verdict, wrong } = came
  return {
    of,
    name,
    profile,
    seed,
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

interface Given {
  readonly env: Env
  readonly folder: string
}

interface Watched {
  readonly job: Job
  readonly situations: Situations
}

/** Makes a run; null where only sockets can show what the service does. */
type Way = (started: Started, given: Given, watched: Watched) => Promise<Came | null>

const ways: Readonly<Record<Service['over'], Way>> = {
  memory: async ({ handler }, where, watched) => {
    if (handler === undefined) throw new Error(`${watched.job.name} has no handler to send requests to`)
    const ending = new AbortController()
    const pieces: string[] = []
    const isGolden = watched.job.sinks.includes('golden')
    const came = await byEngine(where, watched, ({ concurrency, timeoutMs }) => {
      const aboutBytes = (why: AboutBytes): void => ending.abort(why)
      const transport = memoryTransport(handler, { connections: concurrency, timeoutMs }, aboutBytes)
      const noted = isGolden ? noting(transport, (piece) => pieces.push(piece)) : transport
      return { signal: ending.signal, transport: noted }
    })
    return ending.signal.aborted ? null : { ...came, bytes: digestOf(pieces.join('')) }
  },
  sockets: async (_, where, watched) => {
    const { came, bytes } = await bytesOf(watched, where.env, () => byEngine(where, watched, () => ({})))
    return { ...came, bytes }
  },
  program: async (_, { env, folder: cwd }, watched) => {
    const { came, bytes } = await bytesOf(watched, env, () => runInProcess([], { env, cwd }))
    return { ...came, exit: came.code, bytes, wrong: await leaksIn(came, env) }
  },
  process: async (_, { env, folder: cwd }) => {
    const came = await runProgram([], { env, cwd })
    const { memoryMiB, code } = came
    const wrong = [
      ...(code === null ? ['it was killed: it did not end by itself'] : []),
      ...(memoryMiB !== null && memoryMiB > mostMemoryMiB
        ? [`it took ${Math.round(memoryMiB)} MiB of memory`]
        : []),
      ...(await leaksIn(came, env)),
    ]
    return { ...came, exit: code, bytes: '', wrong }
  },
}

async function byEngine(
  { env, folder: cwd }: Given,
  { job, situations }: Watched,
  optionsOf: (run: { readonly concurrency: number; readonly timeoutMs: number }) => JudgeOptions,
): Promise<Came> {
  const read = await readSettings({ env, cwd })
  if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
  const asked = job.sinks.includes('second') ? asking(read.settings, situations) : {}
  const { verdict } = await judge(read.settings, read.suites, { ...asked, ...optionsOf(read.settings.run) })
  return { exit: verdict.exitCode, verdict, stdout: '', stderr: '', bytes: '', wrong: [] }
}

/** What a run came to, with the digest of what it wrote to sockets where golden watches. */
async function bytesOf<T>(
  { job }: Watched,
  env: Env,
  run: () => Promise<T>,
): Promise<{ readonly came: T; readonly bytes: string }> {
  return job.sinks.includes('golden') ? written(portsIn(env), run) : { came: await run(), bytes: '' }
}

function portsIn(env: Env): readonly number[] {
  return Object.values(env).flatMap((value) => (URL.canParse(value) ? [Number(new URL(value).port)] : []))
}

/** Credentials that can be read in anything that a run wrote or printed. */
async function leaksIn(
  { stdout, stderr, cwd }: { readonly stdout: string; readonly stderr: string; readonly cwd: string },
  env: Env,
): Promise<readonly string[]> {
  const told = Object.entries(env).flatMap(([name, value]) =>
    /_(?:API|SECRET)_KEY$/.test(name) ? [value] : [],
  )
  const issued = Object.values(clients).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
  const secrets = [...new Set([...told, ...issued])]
  const found = await leaks({ stdout, stderr, reportsFolder: reportsFolderOf(cwd) }, secrets)
  return found.map((sentence) => `a credential leaks: ${sentence}`)
}
