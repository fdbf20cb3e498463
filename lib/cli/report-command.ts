import { join, resolve } from 'node:path'
import { readVerdict, VerdictFileError } from '../verdict/read-verdict.ts'
import { RefusedFolderError } from '../report/folder/lock.ts'
import { lockReports, removeReport, ReportsFolderError } from '../report/folder/reports-folder.ts'
import { writeDigests } from '../report/folder/run-digests.ts'
import type { ExitCode, Verdict } from '../verdict/verdict.ts'
import { rewriteReports, type ReportPlaces } from '../report/write-reports.ts'
import { envFileNotices, readSources } from '../settings/sources.ts'
import type { Console } from './console.ts'

/** Rebuilds a folder's reports from its verdict. */
export async function reportCommand(given: string, console: Console): Promise<ExitCode> {
  const folder = resolve(console.cwd, given)
  const { env, cwd } = console
  const { texts, envFile } = await readSources({ env, cwd, flags: {}, envFile: null, now: console.now() })
  for (const notice of envFileNotices(envFile, 'RUN_HISTORY in the environment names a history'))
    console.err(`${notice}\n`)
  const history = resolve(cwd, texts.RUN_HISTORY ?? join(folder, 'history.jsonl'))
  try {
    await remake(await readVerdict(join(folder, 'verdict.json'), console.now()), { folder, history }, env)
  } catch (error) {
    const known = [VerdictFileError, ReportsFolderError, RefusedFolderError]
    if (!(error instanceof Error) || !known.some((one) => error instanceof one)) throw error
    console.err(`${error.message}\n`)
    return 2
  }
  console.out(`the reports were made again: ${folder}\n`)
  return 0
}

async function remake(verdict: Verdict, places: ReportPlaces, env: Console['env']): Promise<void> {
  const lock = await lockReports(places.folder)
  try {
    await rewriteReports(verdict, places)
    await removeReport(places.folder, 'allure-results')
    const { writeAllureResults } = await import('../report/allure/allure.ts')
    writeAllureResults(verdict, { reportsDir: places.folder, env })
    await writeDigests(places.folder, { allure: true })
  } finally {
    lock.release()
  }
}
