import type { Finding } from '../../judge/record.ts'
import { groupBy } from '../group-by.ts'

/** So many further cases of a finding are named. */
const mostExamples = 3

/** The findings of a rule, each fingerprint once, with all its sightings counted and a few further cases named. */
export function clustered(findings: readonly Finding[]): readonly Finding[] {
  return [...groupBy(findings, ({ fingerprint }) => fingerprint).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [joined(first, others)],
  )
}

function joined(first: Finding, others: readonly Finding[]): Finding {
  if (others.length === 0) return first
  const count = others.reduce((sum, other) => sum + other.count, first.count)
  const further = others.map((other) => ({ case: other.case, summary: other.summary }))
  return { ...first, count, examples: [...first.examples, ...further].slice(0, mostExamples) }
}
