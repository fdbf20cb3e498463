import { isRuleId, ruleOf, type Level } from '../specification/rules.ts'
import type { VerdictRule } from './verdict.ts'

/** The counted rules, that is, rules about the service. Expectations about the suite or the endpoints file are not counted. */
export function countedRules<One extends { readonly id: string; readonly level?: Level }>(
  rules: readonly One[],
): readonly One[] {
  return rules.filter(
    ({ id, level = isRuleId(id) ? ruleOf(id).level : 'documented' }) => level !== 'expectation',
  )
}

/** The listed rules: counted rules, and expectations that were not met. */
export function shownRules(rules: readonly VerdictRule[]): readonly VerdictRule[] {
  const counted = new Set(countedRules(rules))
  return rules.filter((rule) => counted.has(rule) || rule.status === 'failed' || rule.findings.length > 0)
}
