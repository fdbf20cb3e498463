import { htmlPage } from './page/html-page.ts'
import { appendHistory, previousRun, readHistory } from './history/history.ts'
import { historyLine, type HistoryLine } from '../verdict/history-line.ts'
import { junitXml } from './junit.ts'
import { clearReports, writeReport } from './folder/reports-folder.ts'
import { summaryMarkdown } from './summaries.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { verdictJson } from '../verdict/json-text.ts'

/** Where the reports of a verdict go. Absolute paths. */
export interface ReportPlaces {
  readonly folder: string
  readonly history: string
}

/** Writes the verdict and all reports that are made from it, and adds its line to the history. Throws ReportsFolderError. */
export async function writeReports(verdict: Verdict, places: ReportPlaces): Promise<void> {
  // First, so that nothing that fails in the others keeps the verdict itself from being written.
  await writeReport(places.folder, 'verdict.json', verdictJson(verdict))
  await rewriteReports(verdict, places)
  await appendHistory(places.history, historyLine(verdict))
}

/** Makes the reports but the verdict and the history again, from these. Throws ReportsFolderError. */
export async function rewriteReports(verdict: Verdict, { folder, history }: ReportPlaces): Promise<void> {
  const earlier = await runsBefore(verdict, history)
  await writeReport(folder, 'junit.xml', junitXml(verdict))
  await writeReport(
    folder,
    'summary.md',
    summaryMarkdown(verdict, previousRun(earlier, historyLine(verdict))),
  )
  await writeReport(folder, 'index.html', htmlPage(verdict, earlier))
}

/** The runs of a history before a verdict, oldest first. Its own line is in the history when reports are made again. */
export async function runsBefore(verdict: Verdict, history: string): Promise<readonly HistoryLine[]> {
  return (await readHistory(history)).filter(({ startedAt }) => startedAt < verdict.startedAt)
}

/**
 * Leaves what it can when reports could not be written: the verdict that says so, without its rules if there is no room for them, and
 * nothing that says otherwise. Never throws.
 */
export async function writeWhatFits(verdict: Verdict, places: ReportPlaces): Promise<void> {
  const bare: Verdict = { ...verdict, rules: [], waivers: [], observations: [] }
  for (const one of [verdict, bare]) {
    if (await hasWritten(one, places.folder)) return rewriteReports(verdict, places).catch(() => {})
  }
}

async function hasWritten(verdict: Verdict, folder: string): Promise<boolean> {
  try {
    await clearReports(folder)
    await writeReport(folder, 'verdict.json', verdictJson(verdict))
    return true
  } catch {
    return false
  }
}
