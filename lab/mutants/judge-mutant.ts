import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { judge, readSettings, type Settings } from 'card-switch-conformance'
import { settingsOf } from '../../lib/doors/cli/serve-command.ts'
import { clients } from '../../lib/serve/reference/clients.ts'
import { disposableQuota } from '../../lib/serve/reference/quota.ts'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import { errorText } from '../../lib/text/printable.ts'
import { asking, type Situations } from '../second-judge/comparison.ts'
import { httpMutants } from './http/http-mutants.ts'
import { serveHttpMutant } from './http/serve.ts'
import type { Job, MutantOutcome } from './job.ts'
import { closeAll } from './open-sockets.ts'

/** How long an answer is waited for, in milliseconds: a mutant that never answers is soon told, if only a busy machine does not answer later. */
const patiences = [1_000, 10_000] as const
/** A service that never listens does not run; the watchdog waits twice as long, in milliseconds. */
const startsWithinMs = 60_000

interface Served {
  readonly service: ReferenceService
  /** Whether the changed code ran. */
  readonly reached: () => boolean
}

/** The names by which Stryker's instrumentation finds the active mutant and counts how often it was asked for. */
interface Switch {
  activeMutant?: string
  hitCount: number
  hitLimit: number
}

const mutantSwitch: Switch = { hitCount: 0, hitLimit: Infinity }
Reflect.set(globalThis, '__stryker__', mutantSwitch)

let loaded = 0
/** Whether an answer did not come in time. */
let isUnheard = false

/**
 * Serves a mutant, judges it, and says what came of it. Loads code anew, so that its constants are mutated, too. What both judges
 * say of each exchange is added to the situations.
 */
export async function judgeMutant(
  job: Job,
  hasCrashed: () => boolean,
  met: Situations,
): Promise<MutantOutcome> {
  const [brief, long] = patiences
  const first = await judgedWithin(brief, job, hasCrashed, met)
  return isUnheard && !hasCrashed() ? judgedWithin(long, job, hasCrashed, met) : first
}

async function judgedWithin(
  patienceMs: number,
  job: Job,
  hasCrashed: () => boolean,
  met: Situations,
): Promise<MutantOutcome> {
  isUnheard = false
  const started = performance.now()
  const seconds = (): number => Math.round((performance.now() - started) / 10) / 100
  const nothing = { ...named(job), failed: [], warned: [], requests: 0 }
  const served = await Promise.race([serve(job).then(listening), tooLong()]).catch((error: unknown) =>
    errorText(error),
  )
  try {
    if (typeof served === 'string' || hasCrashed()) {
      const because = [typeof served === 'string' ? served : 'the process ended at the start']
      return { ...nothing, result: 'does not run', because, seconds: seconds(), crashed: hasCrashed() }
    }
    const came = await judged(job, served, met, patienceMs)
    return { ...nothing, ...came, seconds: seconds(), crashed: hasCrashed() }
  } finally {
    await Promise.race([typeof served === 'string' ? null : closed(served.service), soon()])
    closeAll()
    delete mutantSwitch.activeMutant
  }
}

function named({ id, profile }: Job): Pick<Job, 'id' | 'profile'> {
  return { id, profile }
}

async function judged(
  { profile }: Job,
  { service, reached }: Served,
  met: Situations,
  patienceMs: number,
): Promise<Pick<MutantOutcome, 'result' | 'failed' | 'warned' | 'because' | 'requests'>> {
  const { settings, suites } = await settingsFor(service, profile, patienceMs)
  const { verdict } = await judge(settings, suites, asking(settings, met))
  const rulesThat = (status: string): readonly string[] =>
    verdict.rules.filter((rule) => rule.status === status).map(({ id }) => id)
  const warned = rulesThat('warned')
  const conformant = warned.length > 0 ? 'warned' : reached() ? 'survived' : 'not reached'
  const resultOf = { 0: conformant, 1: 'caught', 3: 'incomplete' } as const
  const { exitCode, because, requests } = verdict
  isUnheard = requests.retriedFor?.['timeout'] !== undefined
  return {
    result: exitCode === 2 || exitCode === 4 ? 'error' : resultOf[exitCode],
    failed: rulesThat('failed'),
    warned,
    because,
    requests: requests.sent,
  }
}

async function serve({ id, code }: Job): Promise<Served> {
  if (code === null) {
    const mutant = httpMutants.find((one) => one.id === id)
    if (mutant === undefined) throw new Error(`no mutant of answers is called ${id}`)
    const { service, applied } = await serveHttpMutant(mutant)
    return { service, reached: () => applied() > 0 }
  }
  mutantSwitch.activeMutant = code.active
  mutantSwitch.hitCount = 0
  loaded += 1
  const module: { readonly startReference: () => Promise<ReferenceService> } = await import(
    `${pathToFileURL(code.module).href}?mutant=${String(loaded)}`
  )
  return { service: await module.startReference(), reached: () => mutantSwitch.hitCount > 0 }
}

/** The service, if a connection to its address can be made; throws otherwise. */
async function listening(served: Served): Promise<Served> {
  const { hostname, port, protocol } = new URL(served.service.baseUrl)
  if (protocol !== 'http:' || port === '') throw new Error('the service has no address with a port')
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: startsWithinMs })
    socket.once('connect', () => resolve(void socket.destroy()))
    socket.once('error', reject)
    socket.once('timeout', () => reject(new Error('the service cannot be connected to')))
  })
  return served
}

/** Settings with every fixture, as the provider gave them: those of the plain service, whatever the mutant knows. */
async function settingsFor(
  service: ReferenceService,
  profile: Job['profile'],
  patienceMs: number,
): Promise<{ readonly settings: Settings; readonly suites: Parameters<typeof judge>[1] }> {
  const given = settingsOf({
    ...service,
    clients,
    disposableQuota,
    invalidQuery: 'limit=abc',
    settings: {},
  })
  const env = { ...given, RUN_PROFILE: profile, RUN_TIMEOUT_MS: String(patienceMs) }
  const read = await readSettings({ env, cwd: tmpdir() })
  if (read.kind === 'issues')
    throw new Error(`the settings of a run are wrong: ${JSON.stringify(read.issues)}`)
  return read
}

async function closed(service: ReferenceService): Promise<void> {
  await service.close().catch(() => undefined)
}

async function tooLong(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, startsWithinMs).unref())
  throw new Error(`the service does not listen within ${String(startsWithinMs)} ms`)
}

function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 500).unref())
}
