import { describe, expect, it } from 'vitest'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { findingWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { failing, violated } from '../testing/verdicts.ts'
import { comparableRuns, ledger, trends } from './runs.ts'

const current = historyLine(violated(failing('fuzz/path', findingWith())))

/** The run of an hour of a day of November, before the one that is shown. */
function runOf(day: number, changes: Partial<Verdict> = {}, hour = '02'): HistoryLine {
  const startedAt = `2026-11-${`${day}`.padStart(2, '0')}T${hour}:00:00.000Z`
  return historyLine(verdictWith({ startedAt, ...changes }))
}

/** The ledger and the drawings of the failing verdict after these runs. */
function textOf(earlier: readonly HistoryLine[], kept: string | null = null): string {
  const runs = comparableRuns(earlier, current)
  return [ledger(runs, kept), trends(runs)].join('').replaceAll(/\s+/g, ' ')
}

describe('the runs that are shown', () => {
  it('are the comparable ones, oldest first, and this one last, thirty at most', () => {
    const earlier = [runOf(17), runOf(18, { profile: 'nightly' }), runOf(19)]
    const many = Array.from({ length: 19 }, (_, day) =>
      ['00', '06', '12'].map((hour) => runOf(day + 1, {}, hour)),
    )

    expect(comparableRuns(earlier, current)).toEqual([earlier[0], earlier[2], current])
    expect(comparableRuns(many.flat(), current)).toHaveLength(30)
    expect(textOf([runOf(19)])).toContain('The last 2 runs')
    expect(textOf([runOf(19, { profile: 'nightly' })])).toContain('This run')
  })

  it('have a row each with date, counts, latency, duration and what changed since the run before', () => {
    const latencyMs = { p50: 4.26, p95: 1_200, p99: 2_000, max: 3_000 }
    const text = textOf([runOf(18, { latencyMs, durationMs: 65_000 }), runOf(19, { latencyMs: null })])
    const rows = text
      .split('<tbody>')[1]
      ?.split('</tr>')
      .map((row) =>
        row
          .replaceAll(/<[^>]*>|\s+/g, ' ')
          .replaceAll(/ +/g, ' ')
          .trim(),
      )

    expect(rows?.slice(0, 3)).toEqual([
      `2026-11-20 02:00 UTC build 42 nonconformant ${serviceRules - 1} passed, 1 failed 3 ms 9 ms 1.8 s newly failing : fuzz/path`,
      `2026-11-19 02:00 UTC build 42 conformant ${serviceRules} passed, 0 failed none none 1.8 s none`,
      `2026-11-18 02:00 UTC build 42 conformant ${serviceRules} passed, 0 failed 4.3 ms 1,200 ms 1 min 5 s the first that is shown`,
    ])
  })

  it('lead to the reports that are kept of one, and to those of this run', () => {
    const text = textOf([runOf(17), runOf(18)], '2026-11-18T02:00:00.000Z')

    expect(text.match(/<a href="[^"]*"><time datetime="[^"]*"/g)).toEqual([
      '<a href="index.html"><time datetime="2026-11-20T02:00:00.000Z"',
      '<a href="previous/index.html"><time datetime="2026-11-18T02:00:00.000Z"',
    ])
  })

  it('draw latency and duration from zero, each run at its place, without a point for no latency', () => {
    const latencyMs = { p50: 0, p95: 30, p99: 30, max: 30 }
    const text = textOf([runOf(18, { latencyMs, durationMs: 917 }), runOf(19, { latencyMs: null })])

    expect(text.match(/points="[^"]*"/g)).toEqual([
      'points="0.0,30.0 100.0,27.0"',
      'points="0.0,0.0 100.0,21.0"',
      'points="0.0,15.0 50.0,0.0 100.0,0.0"',
    ])
    expect(text).toContain('at most 30 ms')
  })
})
