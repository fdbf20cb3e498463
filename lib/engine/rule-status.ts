import type { Finding, Reason, RuleResult, RuleStatus, ShownExchange } from '../judge/record.ts'
import { covers, waiverReason, type Waiver } from '../settings/waivers.ts'
import type { Level, RuleId } from '../spec/rules.ts'

/** The outcome of a rule. */
export interface RuleOutcome {
  readonly id: RuleId
  readonly level: Level
  /** Why its breach does not count, if it does not. */
  readonly notScored?: string
  readonly findings: readonly Finding[]
  readonly answers: number
  readonly sample: ShownExchange | null
  /** Why it could not be tested, or some of its cases not judged. */
  readonly reasons: readonly Reason[]
}

/** What a rule's status depends on besides its outcome. */
export interface StatusTerms {
  readonly strict: boolean
  readonly waivers: readonly Waiver[]
  readonly today: string
  /** Whether a waiver may also cover a documented rule that cannot be tested. */
  readonly waivesUntested: boolean
}

type Settled = Pick<RuleResult, 'status' | 'reasons'>

const nothingJudged: Reason = {
  kind: 'untested',
  text: 'no answer of the run was one that this rule speaks of',
}

/** The status of a rule; pure. A breach outweighs inconclusive cases, which outweigh passed ones. */
export function ruleStatus(
  { level, reasons, notScored, ...outcome }: RuleOutcome,
  terms: StatusTerms,
): RuleResult {
  const findings = outcome.findings.map((finding) => waived(outcome.id, finding, terms))
  const settled = settledBy({ ...outcome, level, findings, reasons }, terms)
  return { ...outcome, findings, ...(notScored === undefined ? settled : unscored(settled, notScored)) }
}

/** Keeps what came of a rule, but a breach of it only warns. */
function unscored({ status, reasons }: Settled, text: string): Settled {
  return {
    status: status === 'failed' ? 'warned' : status,
    reasons: [...reasons, { kind: 'not-scored', text }],
  }
}

function settledBy(outcome: RuleOutcome, terms: StatusTerms): Settled {
  const { findings, reasons, answers } = outcome
  const unjudged = distinct(reasons.filter(({ kind }) => kind !== 'untested'))
  const untested = reasons.find(({ kind }) => kind === 'untested')
  const isCutShort = reasons.some(({ kind }) => kind === 'cut-short')
  const open = findings.filter((finding) => finding.waived === undefined)

  if (open.length > 0) return { status: statusOfBreach(outcome.level, open, terms), reasons: [] }
  if (findings.length > 0 && !isCutShort) {
    const waivers = findings.map(({ waived: text = '' }): Reason => ({ kind: 'waived', text }))
    return { status: 'waived', reasons: distinct(waivers) }
  }
  if (unjudged.length > 0) return { status: 'inconclusive', reasons: unjudged }
  if (untested !== undefined) return settledByUntested(outcome, untested, terms)
  return answers === 0 ? settledByUntested(outcome, nothingJudged, terms) : { status: 'passed', reasons: [] }
}

function statusOfBreach(level: Level, open: readonly Finding[], { strict }: StatusTerms): RuleStatus {
  const isImplied = level === 'implied' && !strict
  return isImplied || open.every(({ warning }) => warning === true) ? 'warned' : 'failed'
}

function settledByUntested(
  { id, level }: RuleOutcome,
  reason: Reason,
  { waivers, today, waivesUntested }: StatusTerms,
): Settled {
  const waiver = waivers.find(
    (one) => one.fingerprint === null && covers(one, { rule: id, fingerprint: null }, today),
  )
  if (waiver === undefined || !waivesUntested || level !== 'documented')
    return { status: 'untested', reasons: [reason] }
  const text = `untested (${reason.text}); waived: ${waiverReason(waiver)}`
  return { status: 'waived', reasons: [{ kind: 'waived', text }] }
}

function waived(id: RuleId, finding: Finding, { waivers, today }: StatusTerms): Finding {
  const waiver = waivers.find((one) => covers(one, { rule: id, fingerprint: finding.fingerprint }, today))
  return waiver === undefined ? finding : { ...finding, waived: waiverReason(waiver) }
}

function distinct(reasons: readonly Reason[]): readonly Reason[] {
  return [...new Map(reasons.map((reason) => [reason.text, reason])).values()]
}
