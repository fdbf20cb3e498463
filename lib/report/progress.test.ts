import { describe, expect, it } from 'vitest'
import { TimeLeft } from './progress-left.ts'
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
    expect(progressText(progress, 'about 3 min left')).toBe(
      'fuzz: 1,204 of 8,410 cases, 2,310 of at most 10,000 requests, about 3 min left',
    )
    expect(progressText({ ...progress, area: null }, null)).toBe(
      'beginning: 1,204 of 8,410 cases, 2,310 of at most 10,000 requests',
    )
  })
})

describe('the time left', () => {
  /** What is foretold when so many cases end in each of so many seconds. */
  function after(seconds: number, perSecond: (second: number) => number, planned: number): string | null {
    const left = new TimeLeft()
    let done = 0
    for (let second = 0; second <= seconds; second += 1) {
      left.note(second * 1_000, done)
      done += perSecond(second)
    }
    return left.of(planned)
  }

  it('comes from the cases done and the pace', () => {
    expect(after(10, () => 10, 1_900)).toBe('about 3 min left')
    expect(after(10, () => 10, 130)).toBe('a few seconds left')
    expect(after(10, () => 10, 350)).toBe('about 30 s left')
    expect(after(60, () => 10, 11_000)).toBe('about 17 min left')
    expect(after(600, () => 10, 114_000)).toBe('about 3 h left')
  })

  it('is not foretold at the beginning, of nothing, or at the end', () => {
    expect(new TimeLeft().of(100)).toBeNull()
    expect(after(4, () => 10, 100)).toBeNull()
    expect(
      after(10, () => 1, 1_000),
      'one case in a hundred',
    ).toBeNull()
    expect(after(10, () => 0, 0)).toBeNull()
    expect(
      after(10, () => 10, 100),
      'all done',
    ).toBeNull()
  })

  it('follows a pace that changes, and says nothing where nothing moves', () => {
    expect(after(60, (second) => (second < 30 ? 100 : 1), 3_090)).toBe('about 1 min left')
    expect(after(90, (second) => (second < 30 ? 10 : 0), 1_000)).toBeNull()
  })
})
