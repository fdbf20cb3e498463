import type { RuleStatus } from '../../judge/record.ts'
import { plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import { clientNames } from '../../specification/client-rows.ts'
import { isRuleId, ruleOf } from '../../specification/rules.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { statuses, type Verdict } from '../../verdict/verdict.ts'

/** The sentence for a rule, from the verdict, safe to display. Runs in the history have no sentences. */
export function sentenceOf({ id, says }: { readonly id: string; readonly says?: string }): string {
  if (says !== undefined) return beginning(printable(says), longestSentence)
  return isRuleId(id) ? ruleOf(id).says : 'a rule that is not in the catalogue of this version'
}

/** Maximum length of a sentence, in characters. A verdict from elsewhere may exceed it. */
const longestSentence = 1_000

type Settled = readonly { readonly status: RuleStatus }[]

export function statusCount(rules: Settled, status: RuleStatus): number {
  return rules.filter((rule) => rule.status === status).length
}

/** `21 passed, 0 failed, 2 untested`: passed and failed are always included, other statuses only if they occur. */
export function outcomes(rules: Settled): string {
  return statuses
    .filter((status) => statusCount(rules, status) > 0 || status === 'passed' || status === 'failed')
    .map((status) => `${statusCount(rules, status)} ${status}`)
    .join(', ')
}

/** `40 rules: 38 passed, 0 failed, 2 untested`. */
export function ruleCounts(rules: Verdict['rules']): string {
  const counted = countedRules(rules)
  return `${plural(counted.length, 'rule')}: ${outcomes(counted)}`
}

/** `target 325, second 14, others 10`: maximum number of requests per client. From the fourth client on, only the largest number is shown. */
export function clientCounts(byClient: Readonly<Record<string, number>>): string {
  const counts = clientNames
    .filter((client) => Object.hasOwn(byClient, client))
    .map((client) => [client, byClient[client] ?? 0] as const)
  const [named, others] = counts.length > 3 ? [counts.slice(0, 2), counts.slice(2)] : [counts, []]
  return [
    ...named.map(([client, count]) => `${client} ${count}`),
    ...(others.length === 0 ? [] : [`others ${Math.max(...others.map(([, count]) => count))}`]),
  ].join(', ')
}
