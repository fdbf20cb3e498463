import type { RuleId } from '../../specification/rules.ts'
import type { RequestsByClient } from './cases.ts'

/** What a rule would send. */
export interface PlannedRule {
  readonly id: RuleId
  /** Settings that it needs besides a permitted client, if any. */
  readonly needs?: string
  readonly cases: number
  readonly requests: number
  /** Minimum requests; with fewer than `requests`, it says what it left out. */
  readonly least: number
  /** Requests of its first case, the most telling one. */
  readonly first: number
  /** Requests that the budget leaves it. */
  readonly allotted: number
  /** Those requests by the client whose quota they use. */
  readonly byClient: RequestsByClient
  /** The labels of the endpoints that its cases are for, as `GET /api/customizations/list`. */
  readonly endpoints: readonly string[]
  /** Why it cannot be tested with these settings, or null. */
  readonly untested: string | null
}

/** Requests that each rule may send for its cases, allotted before the first one. */
export type Allotment = Readonly<Record<RuleId, number>>

/** Maximum rejections between two health checks; half of it after a lockout. */
export const rejectionsBetween = 50

/** The plain valid request that opens every run. */
export const openingControl = 1

/** Whether all that rules can use fits, with room for health checks. */
export function isAmple(rules: readonly PlannedRule[], limit: number): boolean {
  const useful = rules.reduce((sum, { requests }) => sum + requests, 0) + openingControl
  return useful + Math.ceil(limit / rejectionsBetween) <= limit
}

/**
 * Allots the budget: all that rules can use, if it fits; else the first case of each, then minimums, then extras, in order. A reserve of
 * at most a tenth stays common.
 */
export function allot(rules: readonly PlannedRule[], limit: number): Allotment {
  if (isAmple(rules, limit)) return Object.fromEntries(rules.map(({ id, requests }) => [id, requests]))

  const wanted = rules.reduce((sum, { least }) => sum + least, 0) + openingControl
  const reserve = Math.min(Math.max(limit - wanted, 0), Math.ceil(limit / 10))
  let left = Math.max(0, limit - (wanted <= limit ? reserve : Math.floor(limit / 10)) - openingControl)
  const take = (wish: number): number => {
    const given = Math.min(wish, left)
    left -= given
    return given
  }
  const firsts = rules.map(({ first }) => take(first))
  const musts = rules.map(({ least, first }) => take(least - first))
  const extras = rules.map(({ requests, least }) => take(requests - least))
  return Object.fromEntries(
    rules.map(({ id }, at) => [id, (firsts[at] ?? 0) + (musts[at] ?? 0) + (extras[at] ?? 0)]),
  )
}

/** The rules in the order in which a small budget is spent; those without a rank come last. */
export function byRank(
  rules: readonly PlannedRule[],
  ranks: ReadonlyMap<RuleId, number>,
): readonly PlannedRule[] {
  const rankOf = ({ id }: PlannedRule): number => ranks.get(id) ?? Number.MAX_SAFE_INTEGER
  return rules.toSorted((a, b) => rankOf(a) - rankOf(b))
}
