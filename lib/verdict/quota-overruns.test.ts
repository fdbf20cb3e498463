import { describe, expect, it } from 'vitest'
import { quotaOverrun } from '../judge/judge.ts'
import { historyLine, wasOverrunBefore } from './history-line.ts'
import { verdictWith } from './verdict.testing.ts'

const startedAt = new Date('2026-11-22T02:00:00Z')

function before(at: string, value: unknown = { quota: 20, served: 21 }, baseUrl = 'https://a.example') {
  const verdict = verdictWith({ startedAt: at, observations: [{ id: quotaOverrun, value }] })
  return historyLine({ ...verdict, target: { ...verdict.target, baseUrl } })
}

function wasOverrun(...lines: readonly ReturnType<typeof before>[]): boolean {
  const { target } = before('2026-11-22T02:00:00Z')
  return wasOverrunBefore(lines, { target, quota: 20, startedAt })
}

describe('an answer too many after a declared quota', () => {
  it.each([
    ['a minute ago', '2026-11-22T01:59:00Z'],
    ['an hour ago', '2026-11-22T01:00:00Z'],
    ['yesterday, at another time', '2026-11-21T02:06:00Z'],
    ['yesterday, earlier', '2026-11-21T01:54:00Z'],
    ['a week ago, in the evening', '2026-11-15T19:00:00Z'],
  ])('that was met %s was met before', (_, at) => {
    expect(wasOverrun(before(at))).toBe(true)
  })

  it.each([
    ['yesterday', '2026-11-21T02:00:00Z'],
    ['yesterday, four minutes earlier', '2026-11-21T01:56:00Z'],
    ['yesterday, four minutes later', '2026-11-21T02:04:00Z'],
    ['a week ago', '2026-11-15T02:01:00Z'],
  ])('that was met %s at the same time may be the daily reset', (_, at) => {
    expect(wasOverrun(before(at))).toBe(false)
  })

  it('of another target, of another quota or of nothing that can be read says nothing', () => {
    const anHourAgo = '2026-11-22T01:00:00Z'
    expect(wasOverrun()).toBe(false)
    expect(wasOverrun(before(anHourAgo, undefined, 'https://b.example'))).toBe(false)
    expect(wasOverrun(before(anHourAgo, { quota: 30, served: 31 }))).toBe(false)
    expect(wasOverrun(before(anHourAgo, 'twenty'))).toBe(false)
    expect(wasOverrun(before(anHourAgo, null))).toBe(false)
  })

  it('is found among many runs', () => {
    expect(wasOverrun(before('2026-11-21T02:00:00Z'), before('2026-11-20T14:00:00Z'))).toBe(true)
  })
})
