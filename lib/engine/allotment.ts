import type { RuleId } from '../spec/rules.ts'
import type { Allotment } from './budget.ts'

/** What a rule would send. */
export interface PlannedRule {
  readonly id: RuleId
  readonly cases: number
  /** At most so many requests for its cases. */
  readonly requests: number
  /** It can do with so many, and then says what it left out. */
  readonly least: number
  /** Why it cannot be tested with these settings, or null. */
  readonly untested: string | null
}

/** Every session sends one plain valid request before all others. */
export const openingControl = 1

/** How many health checks a run may send besides what is planned: one for 25 refusals. */
export function healthChecks(planned: number): number {
  return Math.floor(planned / 25)
}

/**
 * Allots the budget: to each rule what it can use, where all of that fits; else first, in order, what it must have, then what it can use
 * besides. A rule whose cases do not fit gets what is left; the cases beyond are not sent, and the rule is inconclusive. What nobody
 * is allotted, a tenth of the budget where it is short, stays common for retries, controls and confirmations.
 */
export function allot(plan: readonly PlannedRule[], limit: number): Allotment {
  const useful = plan.reduce((sum, { requests }) => sum + requests, 0) + openingControl
  if (useful + Math.ceil(limit / 25) <= limit)
    return Object.fromEntries(plan.map(({ id, requests }) => [id, requests]))

  const wanted = plan.reduce((sum, { least }) => sum + least, 0) + openingControl
  const reserve = Math.min(Math.max(limit - wanted, 0), Math.ceil(limit / 10))
  let left = Math.max(0, limit - (wanted <= limit ? reserve : Math.floor(limit / 10)) - openingControl)
  const take = (wish: number): number => {
    const given = Math.min(wish, left)
    left -= given
    return given
  }

  const musts = plan.map(({ id, least }) => [id, take(least)] as const)
  const extras = plan.map(({ requests, least }) => take(requests - least))
  return Object.fromEntries(musts.map(([id, given], index) => [id, given + (extras[index] ?? 0)]))
}
