import type { Finding, RuleStatus } from '../../judge/record.ts'
import { clustered } from '../clustered.ts'
import type { VerdictRule } from '../../verdict/verdict.ts'

/** The findings of a rule that the page has: some to open, some in a line, and how many it leaves to `verdict.json`. */
export interface PickedRule {
  readonly rule: VerdictRule
  readonly full: readonly Finding[]
  readonly brief: readonly Finding[]
  readonly hidden: number
}

/** How many findings a page has, over all rules. */
export interface Bounds {
  readonly full: number
  readonly brief: number
}

/** What violates comes first, what a waiver covers last. */
const urgency: readonly RuleStatus[] = ['failed', 'warned', 'inconclusive', 'waived', 'untested', 'passed']

/** Picks findings for a page of bounded size; the first finding of each rule comes before the second of any. */
export function pickForPage(rules: readonly VerdictRule[], bounds: Bounds): readonly PickedRule[] {
  const found = rules
    .filter(({ findings }) => findings.length > 0)
    .map((rule) => ({ rule, findings: clustered(rule.findings) }))
    .toSorted((a, b) => urgency.indexOf(a.rule.status) - urgency.indexOf(b.rule.status))
  const inTurn = found
    .flatMap(({ rule, findings }) => findings.map((_, turn) => ({ rule, turn })))
    .toSorted((a, b) => a.turn - b.turn)
  const shares = (from: number, to: number): ReadonlyMap<VerdictRule, number> => {
    const share = new Map<VerdictRule, number>()
    for (const { rule } of inTurn.slice(from, to)) share.set(rule, (share.get(rule) ?? 0) + 1)
    return share
  }
  const full = shares(0, bounds.full)
  const brief = shares(bounds.full, bounds.full + bounds.brief)

  return found.map(({ rule, findings }) => {
    const opened = full.get(rule) ?? 0
    const named = opened + (brief.get(rule) ?? 0)
    return {
      rule,
      full: findings.slice(0, opened),
      brief: findings.slice(opened, named),
      hidden: Math.max(0, findings.length - named),
    }
  })
}
