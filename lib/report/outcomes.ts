import type { RuleStatus } from '../judge/record.ts'
import { statuses, type VerdictRule } from '../verdict/verdict.ts'

/** How many of these rules came out so. */
export function countOf(rules: readonly VerdictRule[], status: RuleStatus): number {
  return rules.filter((rule) => rule.status === status).length
}

/** `21 passed, 0 failed, 2 untested`: what passed and what failed always, the others where there are any. */
export function outcomes(rules: readonly VerdictRule[]): string {
  return statuses
    .map((status) => ({ status, count: countOf(rules, status) }))
    .filter(({ status, count }) => count > 0 || status === 'passed' || status === 'failed')
    .map(({ status, count }) => `${count} ${status}`)
    .join(', ')
}
