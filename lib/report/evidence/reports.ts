import type { Verdict } from '../../verdict/verdict.ts'
import { htmlPage } from '../page/html-page.ts'
import { junitXml } from '../render/junit.ts'
import { metricsText } from '../render/metrics.ts'
import { summaryMarkdown } from '../render/summaries.ts'

/** The reports that follow from a verdict alone, each made when asked. `digest`: the SHA-256 of `verdict.json`. */
export const reportsOf: Readonly<Record<string, (verdict: Verdict, digest: string) => string>> = {
  'junit.xml': junitXml,
  'summary.md': summaryMarkdown,
  'metrics.prom': (verdict) => metricsText(verdict),
  'index.html': htmlPage,
}
