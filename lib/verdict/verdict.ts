import type { Cause } from '../judge/causes.ts'
import type { Finding, Observation, RuleStatus, RunSnapshot, ShownExchange } from '../judge/record.ts'
import type { ProfileName } from '../settings/profiles.ts'
import type { Level, RuleId } from '../spec/rules.ts'

/** The name of the format of `verdict.json`. */
export const verdictFormat = 'card-switch-conformance/verdict/1'

/** What a run comes to. */
export type VerdictWord = 'conformant' | 'nonconformant' | 'incomplete' | 'error'

/** What a run ends with. */
export type ExitCode = 0 | 1 | 2 | 3 | 4

/** A rule of the verdict. */
export interface VerdictRule {
  readonly id: RuleId
  readonly level: Level
  readonly section: string
  readonly status: RuleStatus
  /** Why untested, inconclusive or waived; else null. */
  readonly because: string | null
  readonly answers: number
  readonly sample: ShownExchange | null
  readonly findings: readonly Finding[]
}

/** A waiver as it stands in the verdict, with what became of it. */
export interface VerdictWaiver {
  readonly rule: string | null
  readonly fingerprint: string | null
  readonly reason: string
  readonly owner: string
  readonly expires: string
  readonly expired: boolean
  /** Whether it covers anything in this run. */
  readonly used: boolean
  /** Whether the fault that it was for is gone for certain; absent where that is not known. */
  readonly gone?: true
}

/** What stands between the suite and the target. */
export interface TargetConnection {
  /** Scheme, host and port of the proxy, without its user and password; null where none is used. */
  readonly proxy: string | null
  /** Files of certificate authorities that are trusted beside those of Node. */
  readonly caFiles: readonly string[]
}

/** The whole verdict: the contents of `verdict.json`, from which all other reports are made. */
export interface Verdict {
  readonly format: typeof verdictFormat
  readonly suite: { readonly version: string }
  readonly target: {
    readonly baseUrl: string | null
    readonly embedded: boolean
    readonly version: string
    readonly label: string | null
    /** The paths of the endpoints that are judged, from `/api/`; absent in verdicts of earlier versions. */
    readonly endpoints?: readonly string[]
  }
  /** Absent where nothing stands between. */
  readonly connection?: TargetConnection
  readonly profile: ProfileName
  readonly strict: boolean
  readonly seed: number
  readonly fuzzCases: number
  readonly selection: {
    readonly only: readonly string[] | null
    /** The share of the cases that was sent, as `2/8`; null where it was all of them. Only verdicts of version 0.1 have it. */
    readonly shard?: string | null
  }
  readonly startedAt: string
  readonly durationMs: number
  readonly verdict: VerdictWord
  readonly exitCode: ExitCode
  /** One sentence for each reason why not conformant. */
  readonly because: readonly string[]
  /** The findings that count, by what is wrong, the gravest first; absent in verdicts of version 0.1. */
  readonly causes?: readonly Cause[]
  readonly requests: {
    readonly sent: number
    readonly retried: number
    readonly confirming: number
    readonly budget: number
    readonly byRule: Readonly<Record<string, number>>
  }
  /** The baseline file that was asked for, and what was done with it; absent without one. */
  readonly baseline?: { readonly file: string; readonly did: string }
  readonly latencyMs: RunSnapshot['latencyMs']
  readonly rules: readonly VerdictRule[]
  readonly waivers: readonly VerdictWaiver[]
  readonly observations: readonly Observation[]
  readonly notCovered: readonly string[]
}

/** Every status, in the order of reports. */
export const statuses: readonly RuleStatus[] = [
  'passed',
  'warned',
  'failed',
  'waived',
  'inconclusive',
  'untested',
]

/** Whether only a part of the rules, or of their cases, was asked for. */
export function isPartial({ selection: { only, shard = null } }: Pick<Verdict, 'selection'>): boolean {
  return only !== null || shard !== null
}
