import type { ProfileName } from '../../lib/settings/profiles.ts'
import type { RuleId } from '../../lib/specification/rules.ts'

/** What kind of service a run of the proof is about. */
export type SubjectKind = 'fault' | 'variant' | 'cannot be judged' | 'hostile' | 'echo'

/** What must come of every run against a subject. */
export type Expectation =
  /** At least one of these rules must be red; from this profile on, where a gate does not send enough. */
  | {
      readonly kind: 'caught'
      readonly by: readonly RuleId[]
      readonly from: ProfileName
      /** Whether no other profile sends enough, not even a later one. */
      readonly inNoOther?: true
      /** Whether it keeps to the specification otherwise, so that nothing else may blame it. */
      readonly alone: boolean
      /** Whether a documented rule need only warn of it, where warnings do not count. */
      readonly implied?: true
    }
  /** Nothing may fail, or warn but `warns`, and all be judged but `untested`. */
  | {
      readonly kind: 'conformant'
      readonly untested: readonly RuleId[]
      readonly warns?: readonly RuleId[]
    }
  /** The exit code; with 1 one of these rules must have failed; `because` must hold each of these pieces. */
  | {
      readonly kind: 'ends'
      readonly exit: 0 | 1 | 3
      readonly rules: readonly RuleId[]
      readonly says: readonly string[]
    }

/** A service that is running, and the environment of a run against it. */
export interface StartedSubject {
  readonly env: Readonly<Record<string, string>>
  readonly close: () => Promise<void>
}

/** A service that the whole program is run against, and what must come of it. */
export interface Subject {
  readonly kind: SubjectKind
  /** Unique within its kind, in kebab-case. */
  readonly name: string
  /** One sentence. */
  readonly about: string
  readonly expects: Expectation
  readonly profiles: readonly ProfileName[]
  /** What the run is given besides: a baseline of the plain service, an endpoints file that describes the list, or further endpoints. */
  readonly needs: 'baseline' | 'endpoints-file' | 'described-input' | null
  readonly start: () => Promise<StartedSubject>
}

/** One run: a subject by kind and name, and how it is judged; plain data, so that it crosses to another process. */
export interface Job {
  readonly kind: SubjectKind
  readonly name: string
  readonly profile: ProfileName
  /** Fuzz cases for each rule; null leaves it to the profile. */
  readonly fuzzCases: number | null
  /** What replay lines ended in; empty before they are followed, absent if they are not. */
  readonly replays?: readonly string[]
}

/** The outcome of a run, as it stands in `reports/proof/proof.json`. */
export interface Outcome extends Job {
  readonly code: number | null
  /** Rules that failed or were warned of. */
  readonly red: readonly RuleId[]
  /** Those of the red rules that failed. */
  readonly failed: readonly RuleId[]
  readonly notJudged: readonly RuleId[]
  /** How many causes the verdict names, those of warnings included. */
  readonly causes: number
  readonly requests: number
  readonly seconds: number
  readonly memoryMiB: number | null
  readonly result: Result
  /** What is wrong with it, as sentences; none is what is wanted. */
  readonly shortcomings: readonly string[]
}

/**
 * What a run says of the suite. `beyond`: a fault that this profile need not notice, and did not; `wrong rule`: noticed, but by
 * no rule that is named for it.
 */
export type Result =
  | 'caught'
  | 'missed'
  | 'wrong rule'
  | 'beyond'
  | 'passed'
  | 'false alarm'
  | 'ended well'
  | 'ended wrongly'
  | 'not run'
