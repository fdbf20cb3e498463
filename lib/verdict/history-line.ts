import { isIntermittent, isSteady, type RuleStatus } from '../judge/record.ts'
import { membersNamed } from '../text/members.ts'
import type { Cause } from './causes.ts'
import { shownRules, type Verdict } from './verdict.ts'

/** The format name in each line. */
export const historyFormat = 'card-switch-conformance/history/3'

/** The fields of a verdict that are kept unchanged in a history, in the order in which a line contains them. */
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

/** A run in the history, with enough data to show changes and their circumstances, but without exchanges. */
export type HistoryLine = Pick<Verdict, (typeof keptAsTheyAre)[number]> &
  Readonly<{
    /** SHA-256 of `verdict.json`, in hexadecimal; absent if it was not written. */
    digest?: string
    requests: Readonly<{ sent: number; budget: number }>
    /** Number of waivers that covered anything; absent if there were none. */
    exceptions?: number
    /** Most severe first. */
    causes: readonly HistoryCause[]
    rules: readonly HistoryRule[]
  }>

/** A cause in a run from the history. */
export type HistoryCause = Pick<Cause, 'severity' | 'warning' | 'sentence'> &
  Readonly<{
    /** Its first rule, with the fingerprint of one of that rule's findings. */
    rule: string
    fingerprint: string
  }>

/** A rule in a run from the history. */
export type HistoryRule = Readonly<{
  id: string
  status: RuleStatus
  /** Fingerprints of all findings. */
  fingerprints: readonly string[]
  /** Fingerprints that are covered by a waiver; absent if there are none. */
  waived?: readonly string[]
  /** Fingerprints of waived breaches in other rules that cause this rule to be waived as well; absent if there are none. */
  follows?: readonly string[]
  /** Fingerprints of intermittent findings. */
  intermittent: readonly string[]
  /** Fingerprints that occurred once and were not tested again; absent if there are none. */
  unconfirmed?: readonly string[]
  /** Fingerprints of findings that require conditions, which other runs may not send; absent if there are none. */
  underConditions?: readonly string[]
}>

/** Turns a verdict into a run for the history. */
export function historyLine(verdict: Verdict): HistoryLine {
  const exceptions = verdict.waivers.filter(({ used }) => used).length
  return {
    ...membersNamed(verdict, keptAsTheyAre),
    requests: membersNamed(verdict.requests, ['sent', 'budget']),
    ...(exceptions === 0 ? {} : { exceptions }),
    causes: causesOf(verdict),
    rules: shownRules(verdict.rules).map(ruleLine),
  }
}

function ruleLine({ id, status, findings, follows = [] }: Verdict['rules'][number]): HistoryRule {
  const optional = {
    waived: findings.filter(({ waived }) => waived !== undefined),
    follows: status === 'waived' ? follows : [],
    unconfirmed: findings.filter((one) => !isSteady(one) && !isIntermittent(one)),
    underConditions: findings.filter(({ sent }) => sent?.conditions !== undefined),
  }
  const found = Object.entries(optional).filter(([, { length }]) => length > 0)
  return {
    id,
    status,
    fingerprints: fingerprintsOf(findings),
    intermittent: fingerprintsOf(findings.filter(isIntermittent)),
    ...Object.fromEntries(found.map(([name, of]) => [name, fingerprintsOf(of)])),
  }
}

function fingerprintsOf(found: readonly { readonly fingerprint: string }[]) {
  return found.map(({ fingerprint }) => fingerprint)
}

function causesOf({ causes, rules }: Verdict): readonly HistoryCause[] {
  return causes.flatMap((cause) => {
    const [rule = ''] = cause.rules
    const own = fingerprintsOf(rules.find(({ id }) => id === rule)?.findings ?? [])
    const known = cause.fingerprints.filter((one) => own.includes(one)).slice(0, 1)
    const told = membersNamed(cause, ['severity', 'warning', 'sentence'])
    return known.map((fingerprint) => ({ ...told, rule, fingerprint }))
  })
}

/** The fields that determine which cases are sent to which target. */
export type Circumstances = Pick<
  HistoryLine,
  'suite' | 'target' | 'profile' | 'seed' | 'fuzzCases' | 'selection'
>

/** Whether two runs judged the same service, identified by its label or else by its URL. The embedded service is the same on any port. */
export function isSameTarget({ target: one }: Circumstances, { target: other }: Circumstances) {
  if (one.embedded !== other.embedded || one.label !== other.label) return false
  return one.embedded || one.label !== null || one.baseUrl === other.baseUrl
}

/** Whether two runs judged the same target, version and part of the rules with the same profile. */
export function isSameSeries(one: Circumstances, other: Circumstances) {
  const [first, second] = [one, other].map(({ profile, target, selection: { only, essential = false } }) =>
    JSON.stringify([profile, target.version, only, essential]),
  )
  return isSameTarget(one, other) && first === second
}
