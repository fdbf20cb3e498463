import { describe, expect, it } from 'vitest'
import { historyLine } from '../verdict/history-line.ts'
import { historyText, parsedLine } from '../verdict/history-text.ts'
import { targetWith, verdictWith } from '../verdict/verdict.testing.ts'
import { lastJudged, runsComparedWith } from './history/last-judged.ts'
import { historyPage } from './page/history-page.ts'
import { metricsText } from './render/metrics.ts'
import { rawReportsOf } from './testing/every-report.ts'
import { view } from './view.ts'

const startedAt = '2026-11-19T02:00:00.000Z'
const first = historyLine(verdictWith({ startedAt, target: targetWith({ build: '41' }) }))
const second = verdictWith({
  target: targetWith({ build: '4\u001b2', label: 'vendor' }),
  profile: 'acceptance',
})
const gate = { ...second, profile: 'gate' } as const
const reports = {
  ...rawReportsOf(second),
  metrics: metricsText(view(second)),
  history: historyPage(gate, [first]),
}

describe('a build', () => {
  it.each(Object.entries(reports))('is named beside the label, as text: %s', (_, text) => {
    expect(text).toContain('vendor')
    expect(text).toMatch(/build"?[ =:,"]*(value=")?4\S*1b\S*2/i)
    expect(text).not.toContain('\u001b')
  })

  it('splits no series: of history and metrics, which name it', () => {
    expect(lastJudged(runsComparedWith([first], historyLine(gate)), historyLine(gate))?.run).toEqual(first)
    expect(parsedLine(historyText(first))?.target.build).toBe('41')
    expect(reports.history).toContain('(build 41 before)')
    const series = metricsText(view(second))
      .split('\n')
      .filter((line) => line.includes('build='))
    expect(series).toEqual([expect.stringMatching(/^card_switch_conformance_run_info\{target="vendor"/)])
  })
})
