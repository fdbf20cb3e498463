import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a run writes, and what of an earlier one must not pass for it. The history is never removed. */
const reportNames = [
  'verdict.json',
  'index.html',
  'junit.xml',
  'summary.md',
  'allure-results',
  'allure.html',
] as const

/** What a run leaves that is killed while it writes: {@link writeReport}. */
const unfinishedReport =
  /^\.(?:verdict\.json|index\.html|junit\.xml|summary\.md|allure\.html|allure-history\.jsonl)\.[0-9a-f-]{36}$/

/** The reports folder cannot be used. */
export class ReportsFolderError extends Error {
  override readonly name = 'ReportsFolderError'
}

/** Makes the folder where it is missing, and removes the reports of an earlier run. Throws {@link ReportsFolderError}. */
export async function clearReports(folder: string): Promise<void> {
  await explained(folder, async () => {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
    const unfinished = (await readdir(folder)).filter((name) => unfinishedReport.test(name))
    const names = [...reportNames, ...unfinished]
    await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })))
  })
}

/** Writes a report whole or not at all. Throws {@link ReportsFolderError}. */
export async function writeReport(folder: string, name: string, text: string): Promise<void> {
  const temporary = join(folder, `.${name}.${randomUUID()}`)
  await explained(join(folder, name), async () => {
    try {
      await writeFile(temporary, text, { flag: 'wx' })
      await rename(temporary, join(folder, name))
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  })
}

async function explained(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ReportsFolderError(
      `the reports cannot be written to ${path}: ${reason}; name another folder with RUN_REPORTS_DIR (--reports-dir)`,
      {
        cause: error,
      },
    )
  }
}
