import type { Cause } from './causes.ts'
import type { FindingId, Observation, RuleResult, RuleStatus, RunSnapshot } from '../judge/record.ts'
import type { Power, RulePower } from '../judge/power.ts'
import type { ConnectionSetting, RunSettings, TargetSettings } from '../settings/settings.ts'
import type { Waiver } from '../settings/waivers.ts'
import type { Rule } from '../specification/rules.ts'
import type { Specification } from '../specification/specification.ts'

/** The format name of `verdict.json`. */
export const verdictFormat = 'card-switch-conformance/verdict/1'

/** The result of a run in one word. */
export type VerdictWord = 'conformant' | 'nonconformant' | 'incomplete' | 'error'

/** The exit code of a run. */
export type ExitCode = 0 | 1 | 2 | 3 | 4

/** A rule of the verdict. */
export interface VerdictRule
  extends
    Pick<Rule, 'level' | 'section' | 'says'>,
    Pick<RuleResult, 'id' | 'status' | 'answers' | 'sample' | 'findings'> {
  /** Why untested, inconclusive or waived; otherwise null. */
  readonly because: string | null
  /** The breaches that alone leave it inconclusive, or that waive it; absent if there are none. */
  readonly follows?: readonly FindingId[]
  /** The latencies of its requests, added up, in milliseconds. */
  readonly durationMs: number
  /** Its power; only for documented and implied rules. */
  readonly power?: RulePower
}

/** A waiver in the verdict, with its effect. */
export interface VerdictWaiver extends Omit<Waiver, 'rule'> {
  readonly rule: string | null
  readonly expired: boolean
  /** Whether it covers anything in this run. */
  readonly used: boolean
  /** Whether its fault is certainly gone; absent if unknown. */
  readonly gone?: true
  /** Its fingerprints whose fault is certainly gone; absent if none or all are gone. */
  readonly goneFingerprints?: readonly string[]
}

/** An endpoint of the specification or the endpoints file without a judged answer. */
export interface UnjudgedEndpoint {
  /** As in `target.endpoints`. */
  readonly endpoint: string
  readonly because: string
  /** A waiver for it covers exactly this endpoint. */
  readonly fingerprint: string
  /** The reason of the waiver that covers it, if the profile requires every endpoint. */
  readonly waived?: string
}

/** The proxy and certificates between the suite and the target, and which of these a `.env` set. */
export interface TargetConnection {
  /** Scheme, host and port of the proxy, without user and password; null without one. */
  readonly proxy: string | null
  /** Files of trusted certificate authorities, in addition to Node's. */
  readonly caFiles: readonly string[]
  /** File of the client certificate; absent without one. */
  readonly certFile?: string
  /** Settings that came only from an implicit `.env`; absent if none. */
  readonly fromEnvFile?: readonly ConnectionSetting[]
}

/** The contents of `verdict.json`, from which all other reports are made. */
export interface Verdict extends Pick<RunSettings, 'profile' | 'strict' | 'seed' | 'fuzzCases'> {
  readonly format: typeof verdictFormat
  readonly suite: { readonly version: string }
  /** The specification that was judged. */
  readonly specification: Specification
  readonly target: Pick<TargetSettings, 'baseUrl' | 'embedded' | 'version' | 'label' | 'build'> & {
    /** The endpoints with a judged answer: the path from `/api/`, with the method unless it is GET, and the version unless it is the target's. */
    readonly endpoints: readonly string[]
    /** The others. */
    readonly notJudged: readonly UnjudgedEndpoint[]
  }
  /** Absent for a direct connection. */
  readonly connection?: TargetConnection
  readonly selection: {
    readonly only: readonly string[] | null
    /** One case a rule; absent in full runs. */
    readonly essential?: boolean
  }
  readonly startedAt: string
  /** ISO date-time after which the verdict no longer holds; absent if no day was set. */
  readonly validUntil?: string
  readonly durationMs: number
  readonly verdict: VerdictWord
  readonly exitCode: ExitCode
  /** One sentence per reason for nonconformance. */
  readonly because: readonly string[]
  /** The counted findings by cause, worst first. */
  readonly causes: readonly Cause[]
  /** The counts by client, such as `target`, and the reasons for retries are absent if the run failed. */
  readonly requests: Pick<RunSnapshot, 'sent' | 'retried' | 'confirming' | 'byRule'> &
    Partial<Pick<RunSnapshot, 'byClient' | 'retriedFor'>> & { readonly budget: number }
  /** The requested baseline file and its use; absent without one. */
  readonly baseline?: { readonly file: string; readonly did: string }
  readonly latencyMs: RunSnapshot['latencyMs']
  /** Its power; absent if no rule was judged. */
  readonly power?: Power
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

/** The selection of a partial run, each part in a few words. */
export function partsOf({
  selection: { only, essential = false },
}: Pick<Verdict, 'selection'>): readonly string[] {
  return [...(only === null ? [] : [`only ${only.join(', ')}`]), ...(essential ? ['one case a rule'] : [])]
}

/** Whether only some rules or cases were selected. */
export function isPartial(verdict: Pick<Verdict, 'selection'>): boolean {
  return partsOf(verdict).length > 0
}
