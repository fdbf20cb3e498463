import { describe, expect, it } from 'vitest'
import { joinedFindings } from './merge-findings.ts'
import { findingWith } from './verdict.testing.ts'

describe('findings of several shards', () => {
  it('are one where the fingerprint is: counts and confirmations added, other cases as examples, at most three', () => {
    const first = findingWith({ case: 'a', count: 2, examples: [{ case: 'a2', summary: 's' }] })
    const second = findingWith({
      case: 'b',
      summary: 'of b',
      count: 3,
      reproduced: '1 of 3',
      examples: [
        { case: 'b2', summary: 's' },
        { case: 'b3', summary: 's' },
      ],
    })
    const other = findingWith({ fingerprint: 'another fingerprint' })

    expect(joinedFindings([[first], [other], [second]])).toEqual([
      {
        ...first,
        count: 5,
        reproduced: '4 of 6',
        examples: [
          { case: 'a2', summary: 's' },
          { case: 'b', summary: 'of b' },
          { case: 'b2', summary: 's' },
        ],
      },
      other,
    ])
  })

  it('are waived, or a warning, where they are in every shard', () => {
    const both = findingWith({ waived: 'known', warning: true })

    expect(joinedFindings([[both], [both]])).toMatchObject([{ waived: 'known', warning: true }])
    for (const parts of [
      [[both], [findingWith()]],
      [[findingWith()], [both]],
    ]) {
      const [joined] = joinedFindings(parts)
      expect(joined).not.toHaveProperty('waived')
      expect(joined).not.toHaveProperty('warning')
    }
  })
})
