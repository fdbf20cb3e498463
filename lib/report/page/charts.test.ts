import { describe, expect, it } from 'vitest'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { Markup } from '../render/markup.ts'
import { chartsSection, comparableRuns, latencyChart, requestsChart } from './charts.ts'

/** What the rows of a chart say, and how long their bars are, in hundredths. */
function rowsOf(chart: Markup): readonly (readonly string[])[] {
  return [
    ...chart.toString().matchAll(/scope="row">([^<]*)<.*?number">([^<]*)<.*?<rect width="([^"]*)"/gs),
  ].map(([, ...parts]) => parts)
}

describe('the chart of latencies', () => {
  it('has the four numbers of a verdict on one scale from nothing', () => {
    const chart = latencyChart(verdictWith({ latencyMs: { p50: 5, p95: 10, p99: 15, max: 20 } }))

    expect(rowsOf(chart)).toEqual([
      ['half within', '5 ms', '25.00'],
      ['95 % within', '10 ms', '50.00'],
      ['99 % within', '15 ms', '75.00'],
      ['slowest', '20 ms', '100.00'],
    ])
  })

  it('is not there where nothing was answered', () => {
    expect(latencyChart(verdictWith({ latencyMs: null })).toString()).toBe('')
  })
})

describe('the chart of requests', () => {
  it('holds every area against the budget, and what belongs to no rule', () => {
    const byRule = { 'fuzz/path': 60, 'fuzz/query': 40, 'quota/exhausted': 10 }
    const requests = { sent: 115, retried: 0, confirming: 0, budget: 200, byRule }

    expect(rowsOf(requestsChart(verdictWith({ requests })))).toEqual([
      ['all', '115', '57.50'],
      ['fuzz', '100', '50.00'],
      ['quota', '10', '5.00'],
      ['of no rule', '5', '2.50'],
    ])
  })

  it('has no length where there is no budget', () => {
    const requests = { sent: 0, retried: 0, confirming: 0, budget: 0, byRule: { 'fuzz/path': 0 } }

    expect(rowsOf(requestsChart(verdictWith({ requests })))).toContainEqual(['fuzz', '0', '0.00'])
  })
})

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

describe('the runs that are drawn', () => {
  const shown = (...earlier: readonly HistoryLine[]): string =>
    chartsSection(failing, earlier, new Map([['fuzz/path', 'fuzz/path']]))
      .toString()
      .replaceAll(/\s+/g, ' ')

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
    const section = shown(runOf(19))

    expect(section).toContain('The last 2 runs')
    expect(section).toMatch(/2026-11-20 02:00 UTC.*nonconformant: 40 passed, 1 failed.*2026-11-19 02:00 UTC/)
    expect(section).toContain('<strong>newly failing</strong>: <a href="#fuzz/path">fuzz/path</a>')
  })

  it('are none where nothing is comparable, and that is said', () => {
    expect(shown(runOf(19, { profile: 'nightly' }))).toContain('No earlier run')
  })
})
