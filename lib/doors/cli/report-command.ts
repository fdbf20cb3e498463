import { join, resolve } from 'node:path'
import { sealRun } from '../../report/evidence/run-folder.ts'
import { RefusedFolderError } from '../../report/folder/lock.ts'
import { lockReports, removeReport, ReportsFolderError } from '../../report/folder/reports-folder.ts'
import { rewriteReports, type ReportPlaces } from '../../report/write-reports.ts'
import { printable } from '../../text/printable.ts'
import { envFileNotices, readSources } from '../../settings/sources.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { readVerdict, VerdictFileError } from '../../verdict/read-verdict.ts'
import type { ExitCode, Verdict } from '../../verdict/verdict.ts'
import type { Console } from './console.ts'

/** Makes a folder's reports, and what vouches for them, again from its verdict; nobody signs them. */
export async function reportCommand(console: Console, given: string): Promise<ExitCode> {
  const folder = resolve(console.cwd, given)
  const version = packageVersion()
  const { env, cwd } = console
  const { texts, envFile } = await readSources({ env, cwd, flags: {}, envFile: null, now: console.now() })
  for (const notice of envFileNotices(envFile, 'RUN_HISTORY in the environment names a history'))
    console.err(`${notice}\n`)
  const history = resolve(cwd, texts.RUN_HISTORY ?? join(folder, 'history.jsonl'))
  try {
    const verdict = await readVerdict(join(folder, 'verdict.json'), console.now())
    await remake(verdict, { folder, history }, { allure: env })
    console.out(`the reports were made again: ${folder}\n${madeText(verdict, version)}`)
    return 0
  } catch (error) {
    const known = [VerdictFileError, ReportsFolderError, RefusedFolderError]
    if (!(error instanceof Error) || !known.some((one) => error instanceof one)) throw error
    console.err(`${error.message}\n`)
    return 2
  }
}

async function remake(
  verdict: Verdict,
  places: ReportPlaces,
  besides: NonNullable<Parameters<typeof rewriteReports>[2]>,
): Promise<void> {
  const lock = await lockReports(places.folder)
  try {
    await removeReport(places.folder, 'allure-results')
    await rewriteReports(verdict, places, besides)
    await sealRun(places.folder, verdict, null)
  } finally {
    lock.release()
  }
}

function madeText({ suite }: Verdict, version: string): string {
  return [
    `version ${printable(suite.version)} of the suite made the run and verdict.json`,
    `version ${version} made the other reports, run.sha256 and attestation.json again; a signature of the run is gone`,
    '',
  ].join('\n')
}
