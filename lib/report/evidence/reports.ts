import { htmlPage } from '../page/html-page.ts'
import { junitXml } from '../render/junit.ts'
import { metricsText } from '../render/metrics.ts'
import { requestsHttp } from '../render/requests.ts'
import { summaryMarkdown } from '../render/summary.ts'
import type { View } from '../view.ts'

/** The reports that depend only on the verdict: the name of each, and the function that generates it. */
export const reportsOf: Readonly<Record<string, (view: View) => string>> = {
  'junit.xml': junitXml,
  'summary.md': summaryMarkdown,
  'requests.http': requestsHttp,
  'metrics.prom': (view) => metricsText(view),
  'index.html': htmlPage,
}
