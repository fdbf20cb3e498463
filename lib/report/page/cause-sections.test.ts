import { describe, expect, it } from 'vitest'
import { causesOf } from '../../explain/causes.ts'
import type { Finding } from '../../judge/record.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { pageCauses } from './cause-sections.ts'

/** Findings that no other is like: each is a cause of its own. */
function unlike(count: number, name: string): readonly Finding[] {
  return Array.from({ length: count }, (_, index) =>
    findingWith({ fingerprint: `${name}-${index}`, case: `${name}-${index}`, summary: `${name} ${index}` }),
  )
}

function verdictOf(...rules: readonly VerdictRule[]): Verdict {
  return verdictWith({ rules: rulesWith(rules), causes: causesOf(rules) })
}

describe('what a page has room for', () => {
  const failing = ruleWith('fuzz/path', { status: 'failed', findings: unlike(10, 'path') })

  it('shows each finding once: with its exchange, in a line, or counted', () => {
    const shown = pageCauses(verdictOf(failing), { full: 3, brief: 4 })
    const sum = (of: (one: (typeof shown)[number]) => number): number =>
      shown.reduce((total, one) => total + of(one), 0)

    expect([
      sum(({ full }) => full.length),
      sum(({ brief }) => brief.length),
      sum(({ hidden }) => hidden),
    ]).toEqual([3, 4, 3])
  })

  it('gives every cause its first finding before any its second', () => {
    const shown = pageCauses(
      verdictOf(failing, ruleWith('fuzz/query', { status: 'failed', findings: unlike(2, 'query') })),
    )
    const all = shown.map(({ full, brief, hidden }) => full.length + brief.length + hidden)
    const tight = pageCauses(
      verdictOf(failing, ruleWith('fuzz/query', { status: 'failed', findings: unlike(2, 'query') })),
      { full: all.length, brief: 0 },
    )

    expect(tight.map(({ full }) => full.length)).toEqual(all.map(() => 1))
  })

  it('begins with what violates, and ends with what is waived', () => {
    const shown = pageCauses(
      verdictOf(
        ruleWith('conventions/json-content-type', { status: 'warned', findings: unlike(1, 'type') }),
        ruleWith('quota/exhausted', {
          status: 'waived',
          findings: unlike(1, 'quota').map((one) => ({ ...one, waived: 'agreed' })),
        }),
        failing,
      ),
    )

    expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(['failed', 'warned', 'waived']))
    expect(shown[0]?.status).toBe('failed')
    expect(shown.at(-1)?.status).toBe('waived')
  })

  it('shows a fingerprint once, with all its sightings and three further cases', () => {
    const same = Array.from({ length: 10_000 }, (_, index) =>
      findingWith({ case: `case-${index}`, count: 2, examples: [] }),
    )

    const [shown] = pageCauses(verdictOf(ruleWith('fuzz/path', { status: 'failed', findings: same })))

    expect(shown?.full.map(({ finding }) => finding)).toMatchObject([{ count: 20_000 }])
    expect(shown?.full[0]?.finding.examples).toHaveLength(3)
    expect(shown?.hidden).toBe(0)
  })
})
