import { describe, expect, it } from 'vitest'
import { findingWith, ruleWith } from '../../verdict/verdict.testing.ts'
import { pickForPage } from './findings.ts'

const many = Array.from({ length: 10 }, (_, index) => findingWith({ fingerprint: `fingerprint-${index}` }))

describe('what a page has room for', () => {
  it('gives every rule its first finding before any its second, and counts the rest', () => {
    const rules = [
      ruleWith('fuzz/path', { status: 'failed', findings: many }),
      ruleWith('fuzz/query', { status: 'failed', findings: many.slice(0, 2) }),
      ruleWith('fuzz/version'),
    ]

    const picked = pickForPage(rules, { full: 3, brief: 4 })

    expect(picked.map(({ full, brief, hidden }) => [full.length, brief.length, hidden])).toEqual([
      [2, 3, 5],
      [1, 1, 0],
    ])
  })

  it('begins with what violates', () => {
    const rules = [
      ruleWith('conventions/json-content-type', { status: 'warned', findings: many }),
      ruleWith('fuzz/path', { status: 'failed', findings: many }),
    ]

    expect(pickForPage(rules, { full: 9, brief: 9 }).map(({ rule }) => rule.id)).toEqual([
      'fuzz/path',
      'conventions/json-content-type',
    ])
  })

  it('shows a fingerprint once, with all its sightings and three further cases', () => {
    const same = Array.from({ length: 10_000 }, (_, index) =>
      findingWith({ case: `case-${index}`, count: 2, examples: [] }),
    )

    const [picked] = pickForPage([ruleWith('fuzz/path', { status: 'failed', findings: same })], {
      full: 60,
      brief: 240,
    })

    expect(picked?.full).toMatchObject([{ case: 'case-0', count: 20_000 }])
    expect(picked?.full[0]?.examples.map((one) => one.case)).toEqual(['case-1', 'case-2', 'case-3'])
    expect(picked?.hidden).toBe(0)
  })
})
