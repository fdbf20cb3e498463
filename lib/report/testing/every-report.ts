import type { Verdict } from '../../verdict/verdict.ts'
import { allureEnvironment } from '../allure/allure.ts'
import { comparisonPage } from '../compare/comparison-page.ts'
import { comparisonText } from '../compare/comparison-text.ts'
import { compared } from '../compare/comparison.ts'
import { sideOf } from '../compare/side.ts'
import { htmlPage } from '../page/html-page.ts'
import { junitXml } from '../render/junit.ts'
import { requestsHttp } from '../render/requests.ts'
import { summaryMarkdown } from '../render/summary.ts'
import { terminalSummary } from '../render/terminal-summary.ts'
import { view } from '../view.ts'

/** Every report for a verdict. */
export function reportsOf(verdict: Verdict): Readonly<Record<string, string>> {
  const shown = view(verdict)
  const comparison = compared(sideOf('a', verdict), [sideOf('b', verdict)])
  return {
    terminal: terminalSummary(shown, { colour: false, width: 200, reportsDir: '/reports' }),
    summary: summaryMarkdown(shown),
    page: htmlPage(shown),
    junit: junitXml(shown),
    requests: requestsHttp(shown),
    allure: JSON.stringify(allureEnvironment(shown)),
    comparison: comparisonText(comparison, { colour: false, width: 200 }),
    'comparison as a page': comparisonPage(comparison),
  }
}
