import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { readBounded, sizeLimits } from '../settings/user-file.ts'
import { historyLine, type HistoryLine } from '../verdict/history-line.ts'
import { asWritten, verdictJson } from '../verdict/verdict-json.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { reportsOf, sealRun } from './evidence/run-folder.ts'
import { sha256 } from './evidence/statement.ts'
import {
  clearReports,
  historyName,
  isThere,
  makeReportsFolder,
  previousFolder,
  writeReport,
} from './folder/reports-folder.ts'
import type { SetAside } from './folder/reports-folder.ts'
import { appendHistory, readHistory } from './history/history.ts'
import { historyPage } from './page/history-page.ts'
import { metricsText } from './render/metrics.ts'
import { view } from './view.ts'

/** Where the reports are written. */
interface ReportPlaces {
  readonly folder: string
  readonly history: string
}

/** Marks the run in the folder as unfinished until it ends. */
export async function beginAside(aside: SetAside, first: Verdict): Promise<void> {
  await aside.begin(verdictJson(first), metricsText(view(first), 'unfinished'))
}

/**
 * Writes the verdict and its reports to a folder, which is created if needed, and appends to the history: `history.jsonl` in that
 * folder, unless another file is given. The evidence is written last. Throws ReportsFolderError.
 */
export async function writeReports(
  verdict: Verdict,
  { folder, history = join(folder, 'history.jsonl') }: Pick<ReportPlaces, 'folder'> & Partial<ReportPlaces>,
  { allure = false, key = null }: { readonly allure?: boolean; readonly key?: KeyObject | null } = {},
): Promise<void> {
  // A run that failed before its end may have left some reports.
  await (verdict.verdict === 'error' ? clearReports(folder) : makeReportsFolder(folder))
  // The verdict comes first, so that it is written even if a report fails.
  await writeReport(folder, 'verdict.json', verdictJson(verdict))
  const written = asWritten(verdict)
  const digest = await rewriteReports(written, { folder, history }, { allure })
  const isNamed = history !== join(folder, 'history.jsonl')
  await appendHistory(history, { ...historyLine(written), digest }, isNamed)
  await sealRun(folder, written, key)
}

/** Rebuilds the reports from the verdict and the history. Returns the SHA-256 of `verdict.json`. Throws ReportsFolderError. */
export async function rewriteReports(
  verdict: Verdict,
  { folder, history }: ReportPlaces,
  { allure = false }: { readonly allure?: boolean } = {},
): Promise<string> {
  const digest = sha256(await readBounded(join(folder, 'verdict.json'), sizeLimits.verdict))
  const shown = view(verdict, { digest })
  for (const [name, made] of Object.entries(reportsOf)) await writeReport(folder, name, made(shown))
  if (allure) {
    const { writeAllureResults } = await import('./allure/allure.ts')
    writeAllureResults(shown, folder)
  }
  const earlier = await runsBefore(verdict, history)
  const hasPrevious = await isThere(join(folder, previousFolder, 'index.html'))
  await writeReport(folder, historyName, historyPage(shown, earlier, hasPrevious))
  return digest
}

/** Runs in a history that started before a verdict, oldest first. When reports are rebuilt, the history also includes the verdict's own line. */
export async function runsBefore(verdict: Verdict, history: string): Promise<readonly HistoryLine[]> {
  return (await readHistory(history)).filter(({ startedAt }) => startedAt < verdict.startedAt)
}

/**
 * Writes as much as possible after a failure: a verdict about the failure, without rules if disk space is short. Removes reports
 * that contradict it. Returns false if even the verdict could not be written; never throws.
 */
export async function writeWhatFits(
  verdict: Verdict,
  places: ReportPlaces,
  key: KeyObject | null,
): Promise<boolean> {
  const { power: _, ...head } = verdict
  const bare: Verdict = { ...head, rules: [], waivers: [], observations: [] }
  for (const one of [verdict, bare]) {
    try {
      await clearReports(places.folder)
      await writeReport(places.folder, 'verdict.json', verdictJson(one))
    } catch {
      continue
    }
    const written = asWritten(one)
    const rest = rewriteReports(written, places).then(() => sealRun(places.folder, written, key))
    await rest.catch(() => {})
    return true
  }
  return false
}
