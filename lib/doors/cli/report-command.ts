import { join, resolve } from 'node:path'
import { lockReports, removeReport } from '../../report/folder/reports-folder.ts'
import { sealRun, rewriteReports } from '../../report/write-reports.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { envFileNotices, inputWith, readSources } from '../../settings/sources.ts'
import { printable } from '../../text/printable.ts'
import { readVerdict } from '../../verdict/read-verdict.ts'
import type { Declare } from './command.ts'
import type { Console } from './console.ts'

/** `report`: recreates the reports in a folder, and their digests, from its verdict. They are unsigned. */
export const reportCommand: Declare = (program, acts) =>
  program
    .command('report')
    .description('recreate the reports in a folder from its verdict.json')
    .argument('<folder>', 'the reports folder')
    .action(acts(remakeReports))

async function remakeReports(console: Console, given: string): Promise<void> {
  const { env, cwd } = console
  const folder = resolve(cwd, given)
  const { texts, envFile } = await readSources(inputWith({ env, cwd, now: console.now() }))
  for (const notice of envFileNotices(envFile, 'set RUN_HISTORY in the environment to name a history'))
    console.err(`${notice}\n`)
  const history = resolve(cwd, texts.RUN_HISTORY ?? join(folder, 'history.jsonl'))
  const verdict = await readVerdict(join(folder, 'verdict.json'), console.now())
  const lock = await lockReports(folder)
  try {
    await removeReport(folder, 'allure-results')
    await rewriteReports(verdict, { folder, history }, { allure: true })
    await sealRun(folder, verdict, null)
  } finally {
    lock.release()
  }
  console.out(
    `the reports were made again: ${folder}
version ${printable(verdict.suite.version)} of the suite made the run and verdict.json
version ${packageVersion()} made the other reports, run.sha256 and attestation.json again; a signature of the run is gone
`,
  )
}
