import type { Cause } from './causes.ts'
import { isIntermittent, isSteady, type RuleStatus } from '../judge/record.ts'
import { membersNamed } from '../text/members.ts'
import { shownRules } from './counted-rules.ts'
import type { Verdict } from './verdict.ts'

/** The name of the format of a line. */
export const historyFormat = 'card-switch-conformance/history/3'

/** What a history keeps of a verdict as it is, in the order of a line. */
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

/** A run as the history knows it: enough to say what changed and under which circumstances; no exchange. */
export interface HistoryLine extends Pick<Verdict, (typeof keptAsTheyAre)[number]> {
  /** SHA-256 of `verdict.json`, in hexadecimal; absent if it was not written. */
  readonly digest?: string
  /** Absent in a run that was read from a history, which keeps none. */
  readonly observations?: Verdict['observations']
  readonly requests: { readonly sent: number; readonly budget: number }
  /** Waivers that covered anything; absent if none. */
  readonly exceptions?: number
  /** The gravest first. */
  readonly causes: readonly HistoryCause[]
  readonly rules: readonly HistoryRule[]
}

/** A cause of a run in the history. */
export interface HistoryCause extends Pick<Cause, 'severity' | 'warning' | 'sentence'> {
  /** The first of its rules, and a fingerprint of a finding there. */
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
  /** Fingerprints of waived breaches of any rule because of which it is waived, too; absent if none. */
  readonly follows?: readonly string[]
  /** Fingerprints not met on every try. */
  readonly intermittent: readonly string[]
  /** Fingerprints that were met once and not asked for again; absent if none. */
  readonly unconfirmed?: readonly string[]
  /** Fingerprints of findings that need conditions, which another run need not send; absent if none. */
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

/** What identifies a target. */
type JudgedTarget = Pick<HistoryLine['target'], 'baseUrl' | 'embedded' | 'label'>

/** Whether two runs judged the same service, by its label, else its address. The embedded one is the same whatever its port. */
export function isSameTarget(
  { target: one }: { readonly target: JudgedTarget },
  { target: other }: { readonly target: JudgedTarget },
): boolean {
  if (one.embedded !== other.embedded || one.label !== other.label) return false
  return one.embedded || one.label !== null || one.baseUrl === other.baseUrl
}
