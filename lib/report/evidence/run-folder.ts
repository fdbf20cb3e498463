import type { KeyObject } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { packageVersion } from '../../settings/package-version.ts'
import { readBounded } from '../../settings/user-file.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { reportNames, writeReport } from '../folder/reports-folder.ts'
import { htmlPage } from '../page/html-page.ts'
import { junitXml } from '../render/junit.ts'
import { metricsText } from '../render/metrics.ts'
import { requestsHttp } from '../render/requests.ts'
import { summaryMarkdown } from '../render/summary.ts'
import type { View } from '../view.ts'
import {
  checksumsText,
  fileNames,
  isReportName,
  maxArchiveBytes,
  sealedStatement,
  statementOf,
  type Files,
} from './statement.ts'

/** The reports that depend only on the verdict: the name of each, and the function that generates it. */
export const reportsOf: Readonly<Record<string, (view: View) => string>> = {
  'junit.xml': junitXml,
  'summary.md': summaryMarkdown,
  'requests.http': requestsHttp,
  'metrics.prom': (view) => metricsText(view),
  'index.html': htmlPage,
}

/** Writes the evidence for a run, once all reports exist: `run.sha256` and the statement, signed if there is a key. Throws ReportsFolderError. */
export async function sealRun(folder: string, verdict: Verdict, key: KeyObject | null): Promise<void> {
  const reports = new Map([...(await runFiles(folder))].filter(([name]) => isReportName(name)))
  const checksums = checksumsText(reports)
  await writeReport(folder, fileNames.checksums, checksums)
  const files = new Map([...reports, [fileNames.checksums, Buffer.from(checksums)]])
  const statement = statementOf(verdict, files, packageVersion())
  await writeReport(folder, fileNames.statement, sealedStatement(statement, key))
}

/** The files from a run that exist in its folder. Links are not followed, because they may lead anywhere. Throws errors from the file system. */
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
