import type { Finding, RuleResult, RuleStatus } from '../judge/record.ts'
import { covers, waiverReason, type Waiver } from '../settings/waivers.ts'
import type { Level, RuleId } from '../spec/rules.ts'

/** All that a rule's status depends on. */
export interface Settling {
  readonly id: RuleId
  readonly level: Level
  readonly strict: boolean
  readonly findings: readonly Finding[]
  readonly answers: number
  readonly sample: RuleResult['sample']
  /** Why it cannot be tested with these settings, or null. */
  readonly untested: string | null
  /** Why some of its cases could not be judged. */
  readonly unjudged: readonly string[]
  readonly waivers: readonly Waiver[]
  readonly today: string
  /** Whether a waiver may also cover a documented rule that cannot be tested. */
  readonly waivesUntested: boolean
}

/** Why a rule is untested whose cases, if it has any, met no answer that it judges. */
const nothingSaid = 'no answer of the run was one that this rule speaks of'

/** What became of a rule; pure. A breach outweighs what could not be judged, and that outweighs what passed. */
export function settle(settling: Settling): RuleResult {
  const { id, answers, sample } = settling
  const findings = settling.findings.map((finding) => waived(finding, settling))
  const { status, because } = statusOf({ ...settling, findings })

  return { id, status, because, answers, sample, findings }
}

function statusOf(settling: Settling): { readonly status: RuleStatus; readonly because: string | null } {
  const { findings, unjudged, untested, answers } = settling
  if (findings.length > 0) return statusOfFindings(settling)
  if (unjudged.length > 0) return { status: 'inconclusive', because: unjudged.join('; ') }
  if (untested !== null) return statusOfUntested(settling, untested)
  if (answers === 0) return statusOfUntested(settling, nothingSaid)
  return { status: 'passed', because: null }
}

function statusOfFindings({ findings, level, strict }: Settling): {
  readonly status: RuleStatus
  readonly because: string | null
} {
  const open = findings.filter((finding) => finding.waived === undefined)
  if (open.length === 0) {
    return { status: 'waived', because: [...new Set(findings.map((finding) => finding.waived))].join('; ') }
  }
  const warns = (level === 'implied' && !strict) || open.every(({ warning }) => warning === true)
  return { status: warns ? 'warned' : 'failed', because: null }
}

function statusOfUntested(
  { id, level, waivers, today, waivesUntested }: Settling,
  because: string,
): { readonly status: RuleStatus; readonly because: string } {
  const waiver = waivers.find(
    (one) =>
      one.rule === id && one.fingerprint === null && covers(one, { rule: id, fingerprint: null }, today),
  )
  if (waiver === undefined || !waivesUntested || level !== 'documented')
    return { status: 'untested', because }
  return { status: 'waived', because: `untested (${because}); waived: ${waiverReason(waiver)}` }
}

function waived(finding: Finding, { id, waivers, today }: Settling): Finding {
  const waiver = waivers.find((one) => covers(one, { rule: id, fingerprint: finding.fingerprint }, today))
  return waiver === undefined ? finding : { ...finding, waived: waiverReason(waiver) }
}
