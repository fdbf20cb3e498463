import type { Finding } from '../judge/record.ts'
import { reproducedOf, type Reproduced } from '../judge/reproduced.ts'
import { groupBy } from './group-by.ts'

/** How many further cases of one fingerprint a finding names. */
const keptExamples = 3

/**
 * The findings of a rule in several parts of a run, joined by fingerprint. The first that was met stands for the others, which
 * become its examples; a waiver, or that it only warns, holds where it does in every part.
 */
export function joinedFindings(parts: readonly (readonly Finding[])[]): readonly Finding[] {
  return [...groupBy(parts.flat(), ({ fingerprint }) => fingerprint).values()].flatMap(joined)
}

function joined(same: readonly Finding[]): readonly Finding[] {
  const [first, ...others] = same
  if (first === undefined || others.length === 0) return same

  const { waived, warning, ...kept } = first
  const further = others.flatMap(({ case: name, summary, examples }) => [
    { case: name, summary },
    ...examples,
  ])
  return [
    {
      ...kept,
      count: same.reduce((sum, { count }) => sum + count, 0),
      examples: [...first.examples, ...further].slice(0, keptExamples),
      reproduced: reproducedIn(same),
      ...(warning !== undefined && same.every((one) => one.warning === true) ? { warning } : {}),
      ...(waived !== undefined && same.every((one) => one.waived !== undefined) ? { waived } : {}),
    },
  ]
}

/** Each part has confirmed it by itself: how often it was seen of how often it was tried, in all. */
function reproducedIn(same: readonly Finding[]): string {
  const parts = same.map(reproducedOf)
  const sum = (of: keyof Reproduced): number => parts.reduce((total, part) => total + part[of], 0)
  return `${sum('seen')} of ${sum('tried')}`
}
