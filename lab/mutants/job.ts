import type { ProfileName } from '../../lib/settings/profiles.ts'
import type { Situation } from '../second-judge/comparison.ts'

/** The profiles in which mutants are judged. */
export const judgedProfiles = ['gate', 'acceptance'] as const

/** A profile in which mutants are judged. */
export type JudgedProfile = Extract<ProfileName, (typeof judgedProfiles)[number]>

/** One run against one mutant: plain data, so that it crosses to another process. */
export interface Job {
  readonly id: string
  readonly profile: JudgedProfile
  /** The module that exports `startReference`, and the mutant to activate in it; null for a mutant of answers. */
  readonly code: { readonly module: string; readonly active: string } | null
}

/**
 * What came of a mutant: `caught`, a violation (exit 1); `warned`, conformant with a warning; `survived`, conformant without one; `incomplete` (3); `error`, the suite itself failed (4);
 * `timeout`, the process had to be ended; `does not run`, nothing listened; `not reached`, conformant, and the changed code never ran.
 */
export const results = [
  'caught',
  'warned',
  'survived',
  'incomplete',
  'error',
  'timeout',
  'does not run',
  'not reached',
] as const

/** What came of a mutant in one profile. */
export type MutantResult = (typeof results)[number]

/** The outcome of a run, as it stands in the raw results. */
export interface MutantOutcome {
  readonly id: string
  readonly profile: JudgedProfile
  readonly result: MutantResult
  /** Rules that failed. */
  readonly failed: readonly string[]
  /** Rules that were warned of. */
  readonly warned: readonly string[]
  /** Why the run is not conformant, or the mutant does not run. */
  readonly because: readonly string[]
  readonly requests: number
  readonly seconds: number
  /** Whether an uncaught error of the service would have ended its process. */
  readonly crashed: boolean
}

/** What a worker says: that it can work, that it is alive, what came of a job. */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'alive' }
  | {
      readonly kind: 'outcome'
      readonly outcome: MutantOutcome
      /** What both judges said of the exchanges of the run, as pairs of a name and a situation. */
      readonly situations: readonly (readonly [string, Situation])[]
    }
