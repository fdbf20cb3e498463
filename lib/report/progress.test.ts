import { describe, expect, it } from 'vitest'
import { casesDone, progressText } from './progress.ts'

describe('how far a run has come', () => {
  const plan = [
    { id: 'a/a', cases: 10 },
    { id: 'a/b', cases: 5 },
    { id: 'b/a', cases: 0 },
  ]

  it('counts the cases that ended, and all cases of rules that ended', () => {
    expect(casesDone(plan, new Set(), {})).toEqual({ done: 0, planned: 15 })
    expect(casesDone(plan, new Set(['a/b']), { 'a/a': 3, 'a/b': 1 })).toEqual({ done: 8, planned: 15 })
    expect(casesDone(plan, new Set(), { 'a/a': 30, 'c/c': 9 }), 'never more than there are').toEqual({
      done: 10,
      planned: 15,
    })
  })

  it('reads as a line', () => {
    const progress = {
      area: 'fuzz',
      cases: { done: 1_204, planned: 8_410 },
      requests: { sent: 2_310, budget: 10_000 },
    }
    expect(progressText(progress)).toBe('fuzz: 1,204 of 8,410 cases, 2,310 of at most 10,000 requests')
    expect(progressText({ ...progress, area: null })).toBe(
      'beginning: 1,204 of 8,410 cases, 2,310 of at most 10,000 requests',
    )
  })
})
