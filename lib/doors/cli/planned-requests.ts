import { sumByClient, type RequestsByClient } from '../../engine/plan/cases.ts'
import { openingControl, type PlannedRule } from '../../engine/plan/allot.ts'
import { healthChecks } from '../../engine/plan/plan.ts'

/** Requests of a plan, those of no rule included. */
export interface PlannedRequests {
  /** Health checks, at most. */
  readonly checks: number
  /** All, at most; confirmations and retries come on top. */
  readonly total: number
  readonly byClient: RequestsByClient
}

/** Sums up what a plan sends, with the request before all others and the health checks. */
export function plannedRequests(rules: readonly PlannedRule[]): PlannedRequests {
  const checks = healthChecks(rules)
  const planned = rules.reduce((sum, { requests }) => sum + requests, 0)
  return {
    checks,
    total: planned + openingControl + checks,
    byClient: sumByClient([...rules.map((rule) => rule.byClient), { target: openingControl + checks }]),
  }
}
