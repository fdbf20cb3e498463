import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { embeddedNotice } from '../../report/embedded-notice.ts'
import { plural } from '../../report/plural.ts'
import { printable } from '../../report/printable.ts'
import { readVerdict, VerdictFileError } from '../../report/read-verdict.ts'
import { ReportsFolderError, writeReport } from '../../report/reports-folder.ts'
import type { ExitCode, Verdict } from '../../report/verdict.ts'
import { envFileNotices } from '../../settings/env-file.ts'
import { gather } from '../../settings/gather.ts'
import type { Console } from '../console.ts'
import { AllureError, generate } from './generate.ts'
import { historyFor, historyText, type RunName } from './history.ts'
import { OutsideError, selfContained } from './page.ts'

const pageName = 'allure.html'
const historyName = 'allure-history.jsonl'

/**
 * Makes `allure.html` of the results in a reports folder, the one of the settings by default, and adds the run to the history beside it;
 * gives the exit code.
 */
export async function allureReport(given: string | null, console: Console): Promise<ExitCode> {
  const folder = await folderOf(given, console)
  const results = join(folder, 'allure-results')
  try {
    const run = runName(await readVerdict(join(folder, 'verdict.json')))
    if (!(await holdsResults(results))) {
      console.err(
        `${results} holds no results of Allure: a run writes them, report and merge do not; make the run again\n`,
      )
      return 2
    }
    const history = historyFor(await textOf(join(folder, historyName)), run)
    const made = await generate({ results, history: history.comparable, name: run.name, env: console.env })
    const page = selfContained(made.html)
    await writeReport(folder, pageName, page)
    await writeReport(folder, historyName, historyText(history, made.history))
    const megabytes = (Buffer.byteLength(page) / 1_000_000).toFixed(1)
    console.out(
      `Allure's report: ${join(folder, pageName)} (${megabytes} MB, ${plural(history.comparable.length + 1, 'run')} in its history)\n`,
    )
    return 0
  } catch (error) {
    const known = [VerdictFileError, ReportsFolderError, AllureError, OutsideError]
    if (!(error instanceof Error) || !known.some((one) => error instanceof one)) throw error
    console.err(`${error.message}\n`)
    return error instanceof VerdictFileError ? 2 : 4
  }
}

/** npm runs a script in the folder of package.json; a folder counts from where it was named. */
async function folderOf(given: string | null, console: Console): Promise<string> {
  const { env, cwd } = console
  if (given !== null) return resolve(env['INIT_CWD'] ?? cwd, given)
  const { texts, envFile } = await gather({ env, cwd, flags: {}, envFile: null, now: console.now() })
  for (const notice of envFileNotices(envFile, 'RUN_REPORTS_DIR in the environment names a folder'))
    console.err(`${notice}\n`)
  return resolve(cwd, texts.RUN_REPORTS_DIR ?? 'reports')
}

/** The embedded service listens on another port every time, and is the same all the same. */
function runName({ target, profile, selection, startedAt }: Verdict): RunName {
  const service = target.embedded ? embeddedNotice : (target.baseUrl ?? 'no target')
  const part = [selection.only?.join(','), selection.shard ?? undefined].filter((one) => one !== undefined)
  const subject = printable(
    [service, target.label ?? '', profile, ...part].filter((one) => one !== '').join(', '),
  )
  return { subject, name: `${subject}, ${startedAt}` }
}

async function holdsResults(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((): readonly string[] => [])
  return names.some((name) => name.endsWith('-result.json'))
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}
