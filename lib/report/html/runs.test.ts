import { describe, expect, it } from 'vitest'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { comparableRuns, runsSection } from './runs.ts'

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

  it('stand in a table as well, with what changed since the last', () => {
    const section = runsSection(failing, [runOf(19)])
      .toString()
      .replaceAll(/\s+/g, ' ')

    expect(section).toContain('2026-11-19 02:00 UTC')
    expect(section).toContain('<strong>newly failing</strong> <a href="#fuzz/path">fuzz/path</a>')
    expect(section).toContain('aria-label="Rules by status in the last 2 runs')
  })

  it('are none where nothing is comparable, and that is said', () => {
    expect(runsSection(failing, [runOf(19, { profile: 'nightly' })]).toString()).toContain('No earlier run')
  })
})
