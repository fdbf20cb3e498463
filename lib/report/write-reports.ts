import type { KeyObject } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { packageVersion } from '../settings/package-version.ts'
import { readBounded, sizeLimits } from '../settings/user-file.ts'
import { historyLine, type HistoryLine } from '../verdict/history-line.ts'
import { type Verdict, asWritten, verdictJson } from '../verdict/verdict.ts'
import {
  checksumsText,
  fileNames,
  isReportName,
  maxArchiveBytes,
  sealedStatement,
  statementOf,
  type Files,
  sha256,
} from './evidence/statement.ts'
import {
  reportNames,
  writeReport,
  clearReports,
  historyName,
  isThere,
  makeReportsFolder,
  previousFolder,
  type SetAside,
} from './folder/reports-folder.ts'
import { appendHistory, readHistory } from './history/history.ts'
import { historyPage } from './page/history-page.ts'
import { htmlPage } from './page/html-page.ts'
import { junitXml } from './render/junit.ts'
import { metricsText } from './render/metrics.ts'
import { requestsHttp } from './render/requests.ts'
import { summaryMarkdown } from './render/summary.ts'
import { type View, view } from './view.ts'

/**
 * The reports that depend only on the verdict: the name of each, and the function that generates it.
 * @internal
 */
export const reportsOf: Readonly<Record<string, (view: View) => string>> = {
  'junit.xml': junitXml,
  'summary.md': summaryMarkdown,
  'requests.http': requestsHttp,
  'metrics.prom': (shown) => metricsText(shown),
  'index.html': htmlPage,
}

/**
 * Writes the evidence for a run, once all reports exist: `run.sha256` and the statement, signed if there is a key. Throws ReportsFolderError.
 * @internal
 */
export async function sealRun(folder: string, verdict: Verdict, key: KeyObject | null) {
  const reports = new Map([...(await runFiles(folder))].filter(([name]) => isReportName(name)))
  const checksums = checksumsText(reports)
  await writeReport(folder, fileNames.checksums, checksums)
  const files = new Map([...reports, [fileNames.checksums, Buffer.from(checksums)]])
  const statement = statementOf(verdict, files, packageVersion())
  await writeReport(folder, fileNames.statement, sealedStatement(statement, key))
}

/**
 * The files from a run that exist in its folder. Links are not followed, because they may lead anywhere. Throws errors from the file system.
 * @internal
 */
export async function runFiles(folder: string): Promise<Files> {
  const isLinked = (await lstat(join(folder, 'allure-results')).catch(() => null))?.isSymbolicLink() ?? false
  const results = isLinked ? [] : await readdir(join(folder, 'allure-results')).catch(() => [])
  const named = results.map((name) => `allure-results/${name}`).filter(isReportName)
  const files = new Map<string, Buffer>()
  for (const name of [...reportNames, fileNames.checksums, fileNames.statement, ...named]) {
    const file = join(folder, name)
    const stats = await lstat(file).catch(() => null)
    if (stats?.isFile() === true) files.set(name, await readBounded(file, maxArchiveBytes))
  }
  return files
}

/** Where the reports are written. */
type ReportPlaces = Readonly<{
  folder: string
  history?: string
  /** Whether Allure's results are among the reports. @internal */
  allure?: boolean
  /** The key that signs the digests; null by default. @internal */
  key?: KeyObject | null
}>

/** Marks the run in the folder as unfinished until it ends. @internal */
export async function beginAside(aside: SetAside, first: Verdict) {
  await aside.begin(verdictJson(first), metricsText(view(first), 'unfinished'))
}

/**
 * Writes the verdict, its reports and, last of all, their unsigned digests to a folder, which is created if necessary. Appends to the
 * history, by default `history.jsonl` in that folder. Throws ReportsFolderError.
 */
export async function writeReports(verdict: Verdict, places: ReportPlaces): Promise<void> {
  const { folder, key = null } = places
  const usual = join(folder, 'history.jsonl')
  const { history = usual } = places
  // A run that failed before its end may have left some reports.
  await (verdict.verdict === 'error' ? clearReports(folder) : makeReportsFolder(folder))
  // The verdict comes first, so that it is written even if a report fails.
  await writeReport(folder, 'verdict.json', verdictJson(verdict))
  const written = asWritten(verdict)
  const digest = await rewriteReports(written, { ...places, history })
  await appendHistory(history, { ...historyLine(written), digest }, history !== usual)
  await sealRun(folder, written, key)
}

/**
 * Rebuilds the reports from the verdict and the history. Returns the SHA-256 of `verdict.json`. Throws ReportsFolderError.
 * @internal
 */
export async function rewriteReports(
  verdict: Verdict,
  { folder, history, allure = false }: ReportPlaces & { readonly history: string },
) {
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

/**
 * Runs in a history that started before a verdict, oldest first. When reports are rebuilt, the history also includes the verdict's own line.
 * @internal
 */
export async function runsBefore(verdict: Verdict, history: string): Promise<readonly HistoryLine[]> {
  return (await readHistory(history)).filter(({ startedAt }) => startedAt < verdict.startedAt)
}

/**
 * Writes as much as possible after a failure: a verdict about the failure, without rules if disk space is short. Removes reports
 * that contradict it. Returns false if even the verdict could not be written; never throws.
 * @internal
 */
export async function writeWhatFits(
  verdict: Verdict,
  { folder, history, key }: Required<Omit<ReportPlaces, 'allure'>>,
) {
  const { power: _, ...head } = verdict
  const bare: Verdict = { ...head, rules: [], waivers: [], observations: [] }
  for (const one of [verdict, bare]) {
    try {
      await clearReports(folder)
      await writeReport(folder, 'verdict.json', verdictJson(one))
    } catch {
      continue
    }
    const written = asWritten(one)
    const rest = rewriteReports(written, { folder, history }).then(() => sealRun(folder, written, key))
    await rest.catch(() => {})
    return true
  }
  return false
}
