import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import { clientTable } from '../../lib/settings/connection-settings.ts'
import type { ProfileName } from '../../lib/settings/profiles.ts'
import type { ClientName } from '../../lib/specification/client-rows.ts'
import type { RuleId } from '../../lib/specification/rules.ts'
import { untestedOfGate } from '../../tests/support/program.ts'

/** The profiles, in ascending order of requests sent. */
export const profileNames = ['gate', 'acceptance', 'nightly'] as const satisfies readonly ProfileName[]

const ours = ['faults', 'variants', 'targets', 'echoes', 'networks', 'rates'] as const

/** The sources of services. */
export const sources = [...ours, 'strangers', 'stacks', 'mutants'] as const

/** A source of services. */
export type Source = (typeof sources)[number]

/** The expected result of every run against a service. */
export interface Expectation {
  /** 0: nothing is blamed, and every rule is judged. 1: a rule is violated. 3: the run is incomplete. */
  readonly exit: 0 | 1 | 3
  /** Not every rule need be judged. */
  readonly inPart?: true
  /** At least one of these rules must be red. If there are none and the exit code is 1, any rule will do. */
  readonly by?: readonly RuleId[]
  /** Apart from this it is conformant: no other rule may be red. */
  readonly only?: true
  /** A warning from a documented rule is enough, because the breach is implied. */
  readonly implied?: true
  /** Rules that may warn although nothing may be blamed. */
  readonly warns?: readonly RuleId[]
  /** Rules that may stay untested although all others must be judged. */
  readonly untested?: readonly RuleId[]
  /** Profiles that need not notice it, because they do not send what shows it or are known to miss it. */
  readonly unnoticed?: readonly ProfileName[]
  /** Rules that it always breaks as well, for a reason that cannot be fixed. */
  readonly stands?: readonly RuleId[]
  /** The run may also be incomplete, because some rules cannot be judged. */
  readonly mayBeIncomplete?: true
  /** It may fail to start or to end. */
  readonly mayNotRun?: true
  /** The expected share of runs that notice it. A single run may notice it or not. */
  readonly share?: number
  /** Maximum number of requests. */
  readonly requests?: number
  /** Texts that the verdict or the terminal must contain. */
  readonly says?: readonly string[]
}

/** Nothing may be blamed, and every rule is judged that a gate without a baseline tests. */
export const ofConformant = { exit: 0, untested: untestedOfGate } as const

/** A running service: the settings of a run against it. */
export interface Started {
  readonly env: Readonly<Record<string, string>>
  readonly close: () => Promise<void>
  /** Whether any request reached its fault. */
  readonly reached?: () => boolean
  /** The reference service, if requests can go to its handler without a socket. */
  readonly handler?: ReferenceService
}

type Named = 'baseline' | 'endpoints-file' | 'described-input'

/** A service to be judged, and the expected result. */
export interface Service {
  readonly of: Source
  /** Unique in its source, in kebab case. */
  readonly name: string
  readonly expects: Expectation
  readonly profiles: readonly ProfileName[]
  /**
   * Additional input of a run: a baseline of the plain service, an endpoints file that describes the list,
   * more endpoints, or these.
   */
  readonly needs?: Named | { readonly endpoints: readonly object[] }
  /**
   * How it is judged: by the engine, whose requests go to a handler in `memory` or over `sockets`; by the
   * `program` in this process, whose reports are searched for credentials; or by the program as a `process`
   * with limited time and memory.
   */
  readonly over: 'memory' | 'sockets' | 'program' | 'process'
  readonly start: (seed?: number | null) => Promise<Started>
}

/** One run. Plain data, so that it can be sent to another process. */
export interface Job {
  readonly of: Source
  readonly name: string
  readonly profile: ProfileName
  readonly over: Service['over']
  /** Null means the seed of the profile. */
  readonly seed: number | null
  readonly sinks: readonly (typeof sinkNames)[number][]
}

/** The destinations of outcomes. All but the page watch running runs. */
export const sinkNames = ['page', 'golden', 'second', 'replay', 'peers'] as const

/** The result of a run for the suite. */
export type Result = 'as expected' | 'missed' | 'blamed' | 'not judged' | 'not run'

/** The outcome of a run, as in JSON. */
export interface Outcome extends Job {
  readonly exit: number | null
  /** Rules that failed or warned. */
  readonly red: readonly RuleId[]
  /** The number of causes in the verdict, including those of warnings. */
  readonly causes: number
  readonly requests: number
  readonly seconds: number
  readonly result: Result
  /** Whether an expected rule noticed the fault. A profile need not notice every fault. */
  readonly noticed: boolean
  /** Set if no request reached the fault. */
  readonly unreached?: true
  /** The differences from the expectation, as sentences. Empty if there are none. */
  readonly because: readonly string[]
}

/** The outcome of a run that could not be performed. Other runs continue. */
export function notRun(job: Job, why: string): Outcome {
  const nothing = { exit: null, red: [], causes: 0, requests: 0, seconds: 0, noticed: false } as const
  return { ...job, ...nothing, result: 'not run', because: [`could not be run: ${why}`] }
}

/** The credentials of the clients that a service knows. */
export type Clients = Readonly<
  Partial<Record<ClientName, { readonly apiKey: string; readonly secretKey: string }>>
>

/** Settings of a run against a service from another source, whose list takes a `limit`. */
export function settingsAt(baseUrl: string, clients: Clients): Readonly<Record<string, string>> {
  const credentials = clientTable.flatMap(({ name, apiKey, secretKey }) => {
    const client = clients[name]
    return client === undefined ? [] : [{ [apiKey]: client.apiKey, [secretKey]: client.secretKey }]
  })
  return Object.assign({ TARGET_BASE_URL: baseUrl, FIXTURE_INVALID_QUERY: 'limit=abc' }, ...credentials)
}
