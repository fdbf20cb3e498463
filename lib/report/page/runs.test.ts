import { describe, expect, it } from 'vitest'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { comparableRuns, ledger, trends } from './runs.ts'

const failing = verdictWith({
  verdict: 'nonconformant',
  exitCode: 1,
  rules: rulesWith([ruleWith('fuzz/path', { status: 'failed', findings: [findingWith()] })]),
})

/** The run of a day of November, before the one that is shown. */
function runOf(day: number, changes: Partial<Verdict> = {}): HistoryLine {
  return historyLine(
    verdictWith({ startedAt: `2026-11-${`${day}`.padStart(2, '0')}T02:00:00.000Z`, ...changes }),
  )
}

/** The ledger and the drawings of the failing verdict after these runs. */
function textOf(earlier: readonly HistoryLine[], kept: string | null = null): string {
  const runs = comparableRuns(earlier, historyLine(failing))
  return [ledger(runs, kept), trends(runs)].join('').replaceAll(/\s+/g, ' ')
}

describe('the runs that are shown', () => {
  it('are the comparable ones, oldest first, and this one last', () => {
    const earlier = [runOf(17), runOf(18, { profile: 'nightly' }), runOf(19)]
    const current = historyLine(failing)

    expect(comparableRuns(earlier, current)).toEqual([earlier[0], earlier[2], current])
  })

  it('are bounded', () => {
    const earlier = Array.from({ length: 19 }, (_, hour) => runOf(hour + 1)).flatMap((line) =>
      ['00', '06', '12'].map((hour) => ({ ...line, startedAt: line.startedAt.replace('T02', `T${hour}`) })),
    )

    expect(comparableRuns(earlier, historyLine(failing))).toHaveLength(30)
  })

  it('say how many rules came out how, with what changed since the last', () => {
    const section = textOf([runOf(19)])

    expect(section).toContain('The last 2 runs')
    expect(section).toMatch(
      new RegExp(
        `2026-11-20 02:00 UTC.*nonconformant<.*${serviceRules - 1} passed, 1 failed.*2026-11-19 02:00 UTC`,
      ),
    )
    expect(section).toContain('<strong>newly failing</strong>: fuzz/path')
  })

  it('have a row each with date, latency, duration and what changed since the run before', () => {
    const slow = runOf(18, {
      latencyMs: { p50: 4.26, p95: 1_200, p99: 2_000, max: 3_000 },
      durationMs: 65_000,
    })
    const rows = textOf([slow, runOf(19, { latencyMs: null })])
      .split('<tbody>')[1]
      ?.split('</tr>')
      .map((row) =>
        row
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      )

    expect(rows?.slice(0, 3)).toEqual([
      `2026-11-20 02:00 UTC build 42 nonconformant ${serviceRules - 1} passed, 1 failed 3 ms 9 ms 1.8 s newly failing : fuzz/path`,
      `2026-11-19 02:00 UTC build 42 conformant ${serviceRules} passed, 0 failed none none 1.8 s none`,
      `2026-11-18 02:00 UTC build 42 conformant ${serviceRules} passed, 0 failed 4.3 ms 1,200 ms 1 min 5 s the first that is shown`,
    ])
  })

  it('lead to the reports that are kept of one, and to those of this run', () => {
    const links = [
      ...textOf([runOf(17), runOf(18)], '2026-11-18T02:00:00.000Z').matchAll(
        /<a href="([^"]*)"><time datetime="([^"]*)"/g,
      ),
    ]

    expect(links.map(([, link, run]) => [link, run])).toEqual([
      ['index.html', '2026-11-20T02:00:00.000Z'],
      ['previous/index.html', '2026-11-18T02:00:00.000Z'],
    ])
  })

  it('draw latency and duration from zero, each run at its place, without a point for no latency', () => {
    const earlier = [
      runOf(18, { latencyMs: { p50: 0, p95: 30, p99: 30, max: 30 }, durationMs: 917 }),
      runOf(19, { latencyMs: null }),
    ]
    const points = [...textOf(earlier).matchAll(/points="([^"]*)"/g)].map(([, one]) => one)

    expect(points).toEqual(['0.0,30.0 100.0,27.0', '0.0,0.0 100.0,21.0', '0.0,15.0 50.0,0.0 100.0,0.0'])
    expect(textOf(earlier)).toContain('at most 30 ms')
  })

  it('are this one alone where nothing is comparable', () => {
    expect(textOf([runOf(19, { profile: 'nightly' })])).toContain('This run')
  })
})
