import type { RuleStatus } from '../../judge/record.ts'
import { plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import { clientNames } from '../../specification/client-rows.ts'
import { isRuleId, ruleOf, type Level } from '../../specification/rules.ts'
import { statuses, type Verdict } from '../../verdict/verdict.ts'

/** Sentence of a rule, as the verdict has it, safe to show; a run of the history has none. */
export function sentenceOf({ id, says }: { readonly id: string; readonly says?: string }): string {
  if (says !== undefined) return beginning(printable(says), longestSentence)
  return isRuleId(id) ? ruleOf(id).says : 'a rule that the catalogue of this version does not have'
}

/** Maximum length of a sentence, in characters; that of a verdict from elsewhere may be longer. */
const longestSentence = 1_000

type Settled = readonly { readonly status: RuleStatus }[]

/** The rules about the service: all but those about the expectations of the suite and the endpoints file, which count for no service. */
export function aboutService<One extends { readonly id: string; readonly level?: Level }>(
  rules: readonly One[],
): readonly One[] {
  return rules.filter(
    ({ id, level = isRuleId(id) ? ruleOf(id).level : 'documented' }) => level !== 'expectation',
  )
}

/** Number of rules with a status. */
export function statusCount(rules: Settled, status: RuleStatus): number {
  return rules.filter((rule) => rule.status === status).length
}

/** `21 passed, 0 failed, 2 untested`: always passed and failed, others only if any. */
export function outcomes(rules: Settled): string {
  return statuses
    .filter((status) => statusCount(rules, status) > 0 || status === 'passed' || status === 'failed')
    .map((status) => `${statusCount(rules, status)} ${status}`)
    .join(', ')
}

/** `40 rules: 38 passed, 0 failed, 2 untested; and 3 of the suite's own expectations`. */
export function ruleCounts(rules: Verdict['rules']): string {
  const service = aboutService(rules)
  const others = rules.length - service.length
  const rest = others === 0 ? '' : `; and ${others} of the suite's own expectations`
  return `${plural(service.length, 'rule')}: ${outcomes(service)}${rest}`
}

/** `target 325, second 14, others 10`: requests of each client at most; from the fourth on, clients are told by the largest number. */
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
