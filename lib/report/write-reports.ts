import { htmlPage } from './html/page.ts'
import { appendHistory, historyLine, previousRun, readHistory } from './history.ts'
import { junitXml } from './junit.ts'
import { writeReport } from './reports-folder.ts'
import { summaryMarkdown } from './summary.ts'
import type { Verdict } from './verdict.ts'

/** Where the reports of a verdict go. Absolute paths. */
export interface ReportPlaces {
  readonly folder: string
  readonly history: string
}

/** Writes all that is made from a verdict, and adds its line to the history. Throws ReportsFolderError. */
export async function writeReports(verdict: Verdict, places: ReportPlaces): Promise<void> {
  // First, so that nothing that fails in the others keeps the verdict itself from being written.
  await writeReport(places.folder, 'verdict.json', `${JSON.stringify(verdict, null, 2)}\n`)
  await rewriteReports(verdict, places)
  await appendHistory(places.history, historyLine(verdict))
}

/** Makes the reports but the verdict and the history again, from these. Throws ReportsFolderError. */
export async function rewriteReports(verdict: Verdict, { folder, history }: ReportPlaces): Promise<void> {
  const own = historyLine(verdict)
  // The run's own line is in it when the reports are made again.
  const earlier = (await readHistory(history)).filter(({ startedAt }) => startedAt < own.startedAt)
  await writeReport(folder, 'junit.xml', junitXml(verdict))
  await writeReport(folder, 'summary.md', summaryMarkdown(verdict, previousRun(earlier, own)))
  await writeReport(folder, 'index.html', htmlPage(verdict, earlier))
}
