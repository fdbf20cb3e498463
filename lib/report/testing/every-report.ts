import type { Verdict } from '../../verdict/verdict.ts'
import { allureEnvironment } from '../allure/allure-run.ts'
import { compared } from '../compare/comparison.ts'
import { comparisonPage } from '../compare/comparison-page.ts'
import { comparisonText } from '../compare/comparison-text.ts'
import { sideOf } from '../compare/side.ts'
import { junitXml } from '../render/junit.ts'
import { htmlPage } from '../page/html-page.ts'
import { requestsHttp } from '../render/requests.ts'
import { summaryMarkdown } from '../render/summary.ts'
import { terminalSummary } from '../render/terminal-summary.ts'
import { view } from '../view.ts'

/** Each report of a verdict. */
export function rawReportsOf(verdict: Verdict): Readonly<Record<string, string>> {
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

/** What each report says of a verdict, in lower case, white space made even. */
export function reportsOf(verdict: Verdict): Readonly<Record<string, string>> {
  const known = made.get(verdict) ?? evenReportsOf(verdict)
  made.set(verdict, known)
  return known
}

const made = new WeakMap<Verdict, Readonly<Record<string, string>>>()

function evenReportsOf(verdict: Verdict): Readonly<Record<string, string>> {
  const { page = '', ...others } = rawReportsOf(verdict)
  return Object.fromEntries(
    Object.entries({ ...others, page: withoutLegend(page) }).map(([name, text]) => [
      name,
      text.toLowerCase().replaceAll(/\s+/g, ' '),
    ]),
  )
}

/** The legend explains every word, whether the page uses it or not. */
function withoutLegend(page: string): string {
  return page.replace(/<summary>Words and codes.*?<\/details>/s, '')
}
