import type { Finding } from '../judge/record.ts'
import { groupBy } from '../spec/group-by.ts'

/** How many further cases of one fingerprint are shown. */
const mostExamples = 3

/** Findings of a rule by fingerprint, in the order of their first appearance: each once, with its count and at most three examples. */
export function clustered(findings: readonly Finding[]): readonly Finding[] {
  const groups = groupBy(findings, ({ fingerprint, waived = '' }) => `${fingerprint} ${waived}`)
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const own = others.map(({ case: name, summary }) => ({ case: name, summary }))
    const examples = [first, ...others].flatMap((one) => one.examples)
    const count = others.reduce((sum, one) => sum + one.count, first.count)
    return [{ ...first, count, examples: [...own, ...examples].slice(0, mostExamples) }]
  })
}
