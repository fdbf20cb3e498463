import { describe, expect, it } from 'vitest'
import type { RuleStatus } from '../../judge/record.ts'
import { night, nights, remembered, type Failing } from '../page/nights.testing.ts'
import type { HistoryLine } from '../../verdict/history-line.ts'
import { ruleWith, rulesWith } from '../../verdict/verdict.testing.ts'
import { coursesOf, wilson, type Course } from './courses.ts'

const steady: Failing = ['fuzz/path']
const flaky: Failing = ['fuzz/path', { reproduced: '1 of 3' }]

/** Runs of a rule: `x` failed, `~` failed on some tries only, `.` passed, `-` not judged. */
function runs(course: string): readonly HistoryLine[] {
  const of = (status: RuleStatus) => ({ rules: rulesWith([ruleWith('fuzz/path', { status })]) })
  return [...course].map((sign, index) =>
    remembered(
      sign === 'x'
        ? night(index + 1, [steady])
        : sign === '~'
          ? night(index + 1, [flaky])
          : night(index + 1, [], of(sign === '.' ? 'passed' : 'inconclusive')),
    ),
  )
}

function courseIn(course: string): Course | undefined {
  return coursesOf(runs(course))[0]?.course
}

const since = (day: number): string => `2026-11-${`${day}`.padStart(2, '0')}T02:00:00.000Z`

describe('the course of a rule over runs', () => {
  it.each<[string, Course]>([
    ['x', { kind: 'always', since: since(1) }],
    ['..xxx', { kind: 'always', since: since(3) }],
    ['.x-x', { kind: 'always', since: since(2) }],
    ['xx.', { kind: 'recovered', since: since(3) }],
    ['xx-.', { kind: 'recovered', since: since(4) }],
  ])('%s is always red, or recovered', (course, expected) => {
    expect(courseIn(course)).toEqual(expected)
  })

  it.each([
    ['x.x', 2, 3],
    ['~', 1, 1],
    ['.~..', 1, 4],
    ['x.x.', 2, 4],
    ['x.x..', 2, 5],
    ['~~', 2, 2],
  ])('%s is red sometimes', (course, red, judged) => {
    expect(courseIn(course)).toEqual({ kind: 'sometimes', red, judged, interval: wilson(red, judged) })
  })

  it('has recovered from what came sometimes once chance no longer explains so many green runs', () => {
    // Seen in 2 of 3 runs, which Laplace makes 3 of 5: three green runs have a chance of 6 %, four of 3 %.
    expect(courseIn('x.x...')?.kind).toBe('sometimes')
    expect(courseIn('x.x....')).toEqual({ kind: 'recovered', since: since(4) })
  })

  it('is told of rules that ever failed, in the order of the catalogue, with a cell a run', () => {
    const courses = coursesOf(nights.map(remembered))

    expect(courses.map(({ rule, course }) => [rule, course.kind])).toEqual([
      ['authentication/api-key-missing', 'always'],
      ['errors/body-shape', 'sometimes'],
      ['fuzz/path', 'recovered'],
      ['fuzz/query', 'recovered'],
      ['security/no-secret-echo', 'always'],
    ])
    expect(courses.every(({ cells }) => cells.length === nights.length)).toBe(true)
  })
})

describe('the interval of a rate', () => {
  it.each([
    [0, 10, 0, 0.278],
    [10, 10, 0.722, 1],
    [7, 30, 0.118, 0.409],
  ])('of %i in %i is that of Wilson', (count, tries, low, high) => {
    const [from, to] = wilson(count, tries)

    expect(from).toBeCloseTo(low, 3)
    expect(to).toBeCloseTo(high, 3)
  })
})
