import { historyLine } from '../../verdict/history-line.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { allureResults } from '../allure/allure.ts'
import { comparisonPage } from '../compare/compare-page.ts'
import { comparisonText } from '../compare/compare-text.ts'
import { compared, comparisonJson, sideOf } from '../compare/comparison.ts'
import { historyText } from '../history/history.ts'
import { htmlPage } from '../page/html-page.ts'
import { annotations } from '../render/annotations.ts'
import { junitXml } from '../render/junit.ts'
import { metricsText } from '../render/metrics.ts'
import { requestsHttp } from '../render/requests.ts'
import { summaryMarkdown } from '../render/summary.ts'
import { terminalSummary } from '../render/terminal.ts'
import { view, type View } from '../view.ts'

/** The verdict in a terminal of this width. */
export function terminal(shown: View, width = 100): string {
  return terminalSummary(shown, { colour: false, width, reportsDir: 'reports/' })
}

/** Every form of a view. */
export const forms: Readonly<Record<string, (shown: View) => string>> = {
  terminal,
  summary: summaryMarkdown,
  page: htmlPage,
  junit: junitXml,
  annotations: (shown) => annotations(shown).join('\n'),
  requests: requestsHttp,
  metrics: (shown) => metricsText(shown),
  allure: allureLines,
}

/** The content of the Allure files, one value per line. */
function allureLines(shown: View): string {
  const results = allureResults(shown, (text) => `${text.split('\n').length} lines`)
  const told = results.filter(({ status, attachments }) => status !== 'passed' || attachments.length > 0)
  return JSON.stringify([shown.properties, ...told], null, 1)
}

/** Every report for a verdict. */
export function reportsOf(verdict: Verdict): Readonly<Record<string, string>> {
  const shown = view(verdict)
  // The texts of the verdict are also in observations, which differ.
  const observations = verdict.notCovered.map((text) => ({ id: text, value: { [text]: text } }))
  const comparison = compared(sideOf('a', verdict), [sideOf('b', { ...verdict, observations })])
  return {
    ...Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, form(shown)])),
    comparison: comparisonText(comparison, { colour: false, width: 200 }),
    'comparison as a page': comparisonPage(comparison),
    'comparison.json': comparisonJson(comparison),
    'line.json': historyText(historyLine(verdict)),
  }
}
