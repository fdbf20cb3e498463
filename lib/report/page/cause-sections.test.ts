import { describe, expect, it } from 'vitest'
import { findingWith, ruleWith } from '../../verdict/verdict.testing.ts'
import type { VerdictRule } from '../../verdict/verdict.ts'
import { failing, unlike, violated } from '../testing/verdicts.ts'
import { pageCauses } from './cause-sections.ts'

describe('what a page has room for', () => {
  const path = failing('fuzz/path', ...unlike(10, 'path'))
  const query = failing('fuzz/query', ...unlike(2, 'query'))
  const shown = (rules: readonly VerdictRule[], room?: { full: number; brief: number }) =>
    pageCauses(violated(...rules), room)
  const counts = (causes: ReturnType<typeof shown>) =>
    causes.map(({ full, brief, hidden }) => [full.length, brief.length, hidden] as const)

  it('shows each finding once: with its exchange, in a line, or counted', () => {
    const all = counts(shown([path], { full: 3, brief: 4 }))
    const sums = [0, 1, 2].map((place) => all.reduce((sum, one) => sum + (one[place] ?? 0), 0))

    expect(sums).toEqual([3, 4, 3])
  })

  it('gives every cause its first finding before any its second', () => {
    const { length } = shown([path, query])

    expect(counts(shown([path, query], { full: length, brief: 0 })).map(([full]) => full)).toEqual(
      Array.from({ length }, () => 1),
    )
  })

  it('begins with what violates, and ends with what is waived', () => {
    const findings = unlike(1, 'quota').map((one) => ({ ...one, waived: 'agreed' }))
    const waived = ruleWith('quota/exhausted', { status: 'waived', findings })
    const warned = ruleWith('conventions/json-content-type', {
      status: 'warned',
      findings: unlike(1, 'type'),
    })
    const statuses = shown([warned, waived, path]).map(({ status }) => status)

    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 'failed'), 'warned', 'waived'])
  })

  it('shows a fingerprint once, with all its sightings and three further cases', () => {
    const same = Array.from({ length: 10_000 }, (_, index) =>
      findingWith({ case: `case-${index}`, count: 2, examples: [] }),
    )
    const [cause] = shown([failing('fuzz/path', ...same)])

    expect(cause?.full.map(({ finding }) => finding)).toMatchObject([{ count: 20_000 }])
    expect(cause?.full[0]?.finding.examples).toHaveLength(3)
    expect(cause?.hidden).toBe(0)
  })
})
