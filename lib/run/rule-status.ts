import { followedBy, reasonOf, type Reason, type RuleResult } from '../judge/record.ts'
import { covers, waiverReason, type Waivable, type Waiver } from '../settings/waivers.ts'
import type { Level } from '../specification/rules.ts'
import { groupBy } from '../text/counts.ts'
import { statusOfBreach } from '../verdict/conclude.ts'

/** The outcome of a rule before its status is known. */
export interface RuleOutcome extends Omit<RuleResult, 'status'> {
  readonly level: Level
}

/** The settings that decide a rule's status. */
export interface StatusTerms {
  readonly strict: boolean
  readonly waivers: readonly Waiver[]
  readonly today: string
  /** Whether a waiver may also cover a documented rule that is untested. */
  readonly waivesUntested: boolean
}

type Settled = Pick<RuleResult, 'status' | 'reasons'>

const nothingJudged: Reason = { kind: 'untested', text: 'the run got no answer that this rule judges' }

/** The status of a rule; pure. A breach outweighs inconclusive cases, which outweigh passed cases. */
export function ruleStatus({ level, reasons, ...outcome }: RuleOutcome, terms: StatusTerms): RuleResult {
  const findings = outcome.findings.map((finding) => {
    const waiver = waiverOf({ rule: outcome.id, fingerprint: finding.fingerprint }, terms)
    return waiver === null ? finding : { ...finding, waived: waiverReason(waiver) }
  })
  return { ...outcome, findings, ...settledBy({ ...outcome, level, findings, reasons }, terms) }
}

function settledBy(outcome: RuleOutcome, terms: StatusTerms): Settled {
  const { id, findings, reasons, answers } = outcome
  const told = distinct(reasons.filter(({ kind }) => kind !== 'untested'))
  const untested = reasons.find(({ kind }) => kind === 'untested')
  const consequences = told.flatMap((reason) => consequence(reason, terms) ?? [])
  const isUnjudged = consequences.length < told.length
  const open = findings.filter((finding) => finding.waived === undefined)
  const waivers = findings.map(({ waived: text = '' }): Reason => ({ kind: 'waived', text }))

  if (open.length > 0) return { status: statusOfBreach(outcome.level, open, terms.strict), reasons: [] }
  // If a waiver accepts any breach of the rule, the rule is decided.
  const isCutShort = told.some(({ kind }) => kind === 'cut-short')
  const isDecided = !isUnjudged || (!isCutShort && waiverOf({ rule: id, fingerprint: null }, terms) !== null)
  if (findings.length > 0 && isDecided)
    return { status: 'waived', reasons: distinct([...waivers, ...consequences]) }
  if (isUnjudged) return { status: 'inconclusive', reasons: told }
  if (untested !== undefined) return settledByUntested(outcome, untested, terms)
  if (consequences.length > 0) return { status: 'waived', reasons: consequences }
  return answers === 0 ? settledByUntested(outcome, nothingJudged, terms) : { status: 'passed', reasons: [] }
}

/** The waived form of a reason that follows only from waived breaches; null for any other reason. */
function consequence({ text, follows = [] }: Reason, terms: StatusTerms): Reason | null {
  const waivers = follows.map((id) => waiverOf(id, terms))
  if (follows.length === 0 || waivers.includes(null)) return null
  const rules = [...new Set(follows.map(({ rule }) => rule))].join(', ')
  const reasons = [...new Set(waivers.flatMap((waiver) => (waiver === null ? [] : waiverReason(waiver))))]
  return { kind: 'waived', text: `${text}; follows from ${rules}, waived: ${reasons.join('; ')}`, follows }
}

function settledByUntested({ id, level }: RuleOutcome, reason: Reason, terms: StatusTerms): Settled {
  const waiver = waiverOf({ rule: id, fingerprint: null }, terms)
  if (waiver === null || !terms.waivesUntested || level !== 'documented')
    return { status: 'untested', reasons: [reason] }
  const text = `untested (${reason.text}); waived: ${waiverReason(waiver)}`
  return { status: 'waived', reasons: [{ kind: 'waived', text }] }
}

function waiverOf(waivable: Waivable, { waivers, today }: StatusTerms): Waiver | null {
  return waivers.find((one) => covers(one, waivable, today)) ?? null
}

/** The reasons without duplicates, each with all the findings from which it follows. */
function distinct(reasons: readonly Reason[]): readonly Reason[] {
  return [...groupBy(reasons, ({ text }) => text).values()].flatMap((alike) => {
    const [first] = alike
    return first === undefined ? [] : [reasonOf(first.kind, first.text, followedBy(alike))]
  })
}
