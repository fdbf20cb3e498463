import type { ProfileName } from '../../lib/settings/profiles.ts'
import type { RuleId } from '../../lib/specification/rules.ts'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'

/** The profiles from the one that sends least to the one that sends most. */
export const profileNames = ['gate', 'acceptance', 'nightly'] as const satisfies readonly ProfileName[]

/** Where services come from. */
export const sources = [
  'faults',
  'variants',
  'targets',
  'echoes',
  'networks',
  'rates',
  'strangers',
  'stacks',
  'mutants',
] as const

/** Where a service comes from. */
export type Source = (typeof sources)[number]

/** What must come of every run against a service. */
export interface Expectation {
  /** 0: nothing is blamed, and all is judged. 1: something is violated. 3: the run is incomplete. */
  readonly exit: 0 | 1 | 3
  /** Not all need be judged. */
  readonly inPart?: true
  /** At least one of these must be red: with 1 any will do where there are none. */
  readonly by?: readonly RuleId[]
  /** The first profile that sends enough to notice it; gate unless said. */
  readonly from?: ProfileName
  /** No other profile sends what shows it, not even a later one. */
  readonly inNoOther?: true
  /** It keeps to the specification otherwise: nothing else may be red. */
  readonly only?: true
  /** A warning of a documented rule is enough: the breach is implied. */
  readonly implied?: true
  /** Rules that may warn where nothing may be blamed. */
  readonly warns?: readonly RuleId[]
  /** Rules that may stay untested where all must be judged. */
  readonly untested?: readonly RuleId[]
  /** Profiles in which it is known to be missed. */
  readonly unnoticed?: readonly ProfileName[]
  /** Rules that it breaks for good besides, since what breaks them cannot be mended. */
  readonly stands?: readonly RuleId[]
  /** The run may be incomplete instead: some rules cannot be judged. */
  readonly mayBeIncomplete?: true
  /** It need not start, nor end. */
  readonly mayNotRun?: true
  /** The share of runs that notice it, where each may or may not. */
  readonly share?: number
  /** More requests than this may not be sent. */
  readonly requests?: number
  /** Pieces of what the verdict or the terminal must say. */
  readonly says?: readonly string[]
}

/** A service that runs: the settings of a run against it. */
export interface Started {
  readonly env: Readonly<Record<string, string>>
  readonly close: () => Promise<void>
  /** Whether what is wrong with it was ever asked for. */
  readonly reached?: () => boolean
  /** The reference service, where requests may go to its handler without a socket. */
  readonly handler?: ReferenceService
}

/** A service to be judged, and what must come of it. */
export interface Service {
  readonly of: Source
  /** Unique in its source, in kebab-case. */
  readonly name: string
  /** One sentence. */
  readonly about: string
  readonly expects: Expectation
  readonly profiles: readonly ProfileName[]
  /** What a run is given besides: a baseline of the plain service, an endpoints file that describes the list, further endpoints, or these. */
  readonly needs?:
    | 'baseline'
    | 'endpoints-file'
    | 'described-input'
    | { readonly endpoints: readonly object[] }
  /**
   * How it is judged: by the engine, whose requests go to a handler in `memory` or over `sockets`; by the `program` in this process, whose
   * reports are searched for credentials; or by the program as a `process`, whose time and memory are bounded.
   */
  readonly over: 'memory' | 'sockets' | 'program' | 'process'
  readonly start: (seed: number | null) => Promise<Started>
}

/** One run: plain data, so that it crosses to another process. */
export interface Job {
  readonly of: Source
  readonly name: string
  readonly profile: ProfileName
  readonly over: Service['over']
  /** Null leaves it to the profile. */
  readonly seed: number | null
  readonly sinks: readonly Watching[]
}

/** What watches a run while it lasts. */
export type Watching = 'golden' | 'second' | 'replay' | 'peers'

/** What a run says of the suite. */
export type Result = 'as expected' | 'missed' | 'blamed' | 'not judged' | 'not run'

/** The outcome of a run, as JSON has it. */
export interface Outcome extends Pick<Job, 'of' | 'name' | 'profile' | 'seed'> {
  readonly exit: number | null
  /** Rules that failed or were warned of. */
  readonly red: readonly RuleId[]
  /** How many causes the verdict names, those of warnings included. */
  readonly causes: number
  readonly requests: number
  readonly seconds: number
  readonly result: Result
  /** Whether a rule that is expected to notice it did; a profile need not notice everything. */
  readonly noticed: boolean
  /** Where what is wrong with the service was never asked for. */
  readonly unreached?: true
  /** What is wrong with it, as sentences; none is what is wanted. */
  readonly because: readonly string[]
}

/** What is said of a run that could not be made: the others go on. */
export function notRun({ of, name, profile, seed }: Job, why: string): Outcome {
  const nothing = { exit: null, red: [], causes: 0, requests: 0, seconds: 0, noticed: false } as const
  return { of, name, profile, seed, ...nothing, result: 'not run', because: [`could not be run: ${why}`] }
}
