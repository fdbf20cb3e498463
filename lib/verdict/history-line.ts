import type { Cause } from './causes.ts'
import { isIntermittent, isSteady, type RuleStatus } from '../judge/record.ts'
import { membersNamed } from '../text/members.ts'
import { shownRules } from './counted-rules.ts'
import type { Verdict } from './verdict.ts'

/** The name of the format of a line. */
export const historyFormat = 'card-switch-conformance/history/3'

/** The fields of a verdict that a history keeps unchanged, in the order of a line. */
export const keptAsTheyAre = [
  'suite',
  'target',
  'profile',
  'strict',
  'seed',
  'fuzzCases',
  'selection',
  'startedAt',
  'durationMs',
  'verdict',
  'exitCode',
  'latencyMs',
] as const satisfies readonly (keyof Verdict)[]

/** A run in the history: enough to show changes and their circumstances, without exchanges. */
export interface HistoryLine extends Pick<Verdict, (typeof keptAsTheyAre)[number]> {
  /** SHA-256 of `verdict.json`, in hexadecimal; absent if it was not written. */
  readonly digest?: string
  /** Absent in a run read from a history, which does not keep them. */
  readonly observations?: Verdict['observations']
  readonly requests: { readonly sent: number; readonly budget: number }
  /** Waivers that covered anything; absent if none. */
  readonly exceptions?: number
  /** Most severe first. */
  readonly causes: readonly HistoryCause[]
  readonly rules: readonly HistoryRule[]
}

/** A cause of a run in the history. */
export interface HistoryCause extends Pick<Cause, 'severity' | 'warning' | 'sentence'> {
  /** Its first rule, with the fingerprint of a finding. */
  readonly rule: string
  readonly fingerprint: string
}

/** A rule of a run in the history. */
export interface HistoryRule {
  readonly id: string
  readonly status: RuleStatus
  /** Fingerprints of all findings. */
  readonly fingerprints: readonly string[]
  /** Fingerprints that a waiver covers; absent if none. */
  readonly waived?: readonly string[]
  /** Fingerprints of the waived breaches of other rules that also waive this rule; absent if none. */
  readonly follows?: readonly string[]
  /** Fingerprints of intermittent findings. */
  readonly intermittent: readonly string[]
  /** Fingerprints that were seen once and not sent again; absent if none. */
  readonly unconfirmed?: readonly string[]
  /** Fingerprints of findings that need conditions, which a different run may not send; absent if none. */
  readonly underConditions?: readonly string[]
}

/** A verdict as a run of the history. */
export function historyLine(verdict: Verdict): HistoryLine {
  const { observations, requests } = verdict
  const exceptions = verdict.waivers.filter(({ used }) => used).length
  return {
    ...membersNamed(verdict, keptAsTheyAre),
    observations,
    requests: { sent: requests.sent, budget: requests.budget },
    ...(exceptions === 0 ? {} : { exceptions }),
    causes: verdict.causes.flatMap((cause) => causeOf(cause, verdict.rules)),
    rules: shownRules(verdict.rules).map((rule) => {
      const { id, status, findings } = rule
      const waived = fingerprintsOf(findings.filter((one) => one.waived !== undefined))
      const unconfirmed = fingerprintsOf(findings.filter((one) => !isSteady(one) && !isIntermittent(one)))
      const underConditions = fingerprintsOf(findings.filter(({ sent }) => sent?.conditions !== undefined))
      const follows = status === 'waived' ? fingerprintsOf(rule.follows ?? []) : []
      return {
        id,
        status,
        fingerprints: fingerprintsOf(findings),
        ...(waived.length === 0 ? {} : { waived }),
        ...(follows.length === 0 ? {} : { follows }),
        intermittent: fingerprintsOf(findings.filter(isIntermittent)),
        ...(unconfirmed.length === 0 ? {} : { unconfirmed }),
        ...(underConditions.length === 0 ? {} : { underConditions }),
      }
    }),
  }
}

function fingerprintsOf(found: readonly { readonly fingerprint: string }[]): readonly string[] {
  return found.map(({ fingerprint }) => fingerprint)
}

function causeOf(cause: Cause, rules: Verdict['rules']): readonly HistoryCause[] {
  const { severity, warning, sentence } = cause
  const [rule = ''] = cause.rules
  const own = fingerprintsOf(rules.find(({ id }) => id === rule)?.findings ?? [])
  const fingerprint = cause.fingerprints.find((one) => own.includes(one))
  return fingerprint === undefined ? [] : [{ severity, warning, sentence, rule, fingerprint }]
}

/** The fields that identify a target. */
type JudgedTarget = Pick<HistoryLine['target'], 'baseUrl' | 'embedded' | 'label'>

/** Whether two runs judged the same service, by label or otherwise by address. The embedded service is the same on any port. */
export function isSameTarget(
  { target: one }: { readonly target: JudgedTarget },
  { target: other }: { readonly target: JudgedTarget },
): boolean {
  if (one.embedded !== other.embedded || one.label !== other.label) return false
  return one.embedded || one.label !== null || one.baseUrl === other.baseUrl
}
