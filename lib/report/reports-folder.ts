import { access, constants, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderInUseError, lockFolder, type FolderLock } from './folder-lock.ts'
import { beginMove, finishMove, holdsFinished, moveOthers, reportNames } from './previous-reports.ts'
import { writeWhole } from './write-whole.ts'

/** What a run leaves that is killed while it writes. */
const unfinishedReport = /^\.(?:verdict\.json|index\.html|junit\.xml|summary\.md)\.[0-9a-f-]{36}$/

/** The reports folder cannot be used. */
export class ReportsFolderError extends Error {
  override readonly name = 'ReportsFolderError'
}

/**
 * Makes the folder ready for a run: makes it where it is missing, locks it, moves the reports of an earlier finished run into
 * `previous/`, removes those of an unfinished one, and writes this text as `verdict.json`. Throws {@link ReportsFolderError}, or
 * {@link FolderInUseError} where another run writes into the folder.
 */
export async function beginReports(folder: string, verdict: string): Promise<FolderLock> {
  const lock = await lockReports(folder)
  try {
    await explained(folder, async () => setAside(folder, verdict))
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Locks the folder, which is made where it is missing. Throws as {@link beginReports}. */
export async function lockReports(folder: string): Promise<FolderLock> {
  return explained(folder, async () => {
    await makeWritable(folder)
    return lockFolder(folder)
  })
}

/** The verdict is replaced before all else, so that no earlier one is found in its place, whatever ends the process. */
async function setAside(folder: string, verdict: string): Promise<void> {
  await finishMove(folder)
  const isFinished = await holdsFinished(folder)
  if (isFinished) await beginMove(folder)
  else await rm(join(folder, 'verdict.json'), { recursive: true, force: true })
  await writeReport(folder, 'verdict.json', verdict)

  if (isFinished) {
    await moveOthers(folder)
    await finishMove(folder)
  }
  const others = reportNames.filter((name) => name !== 'verdict.json')
  await remove(folder, [...others, ...(await unfinishedIn(folder))])
}

/** Makes the folder where it is missing, and removes the reports of a run. Throws {@link ReportsFolderError}. */
export async function clearReports(folder: string): Promise<void> {
  await explained(folder, async () => {
    await makeWritable(folder)
    await remove(folder, [...reportNames, ...(await unfinishedIn(folder))])
  })
}

/** Writes a report whole or not at all. Throws {@link ReportsFolderError}. */
export async function writeReport(folder: string, name: string, text: string): Promise<void> {
  await explained(join(folder, name), async () => writeWhole(join(folder, name), text))
}

/** Removes a report, which may be a folder. Throws {@link ReportsFolderError}. */
export async function removeReport(folder: string, name: string): Promise<void> {
  await explained(join(folder, name), async () => remove(folder, [name]))
}

async function makeWritable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await access(folder, constants.W_OK)
}

async function unfinishedIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => unfinishedReport.test(name))
}

async function remove(folder: string, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}

async function explained<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FolderInUseError || error instanceof ReportsFolderError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ReportsFolderError(
      `the reports cannot be written to ${path}: ${reason}; name another folder with RUN_REPORTS_DIR (--reports-dir)`,
      { cause: error },
    )
  }
}
