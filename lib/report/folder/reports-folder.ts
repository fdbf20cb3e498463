import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isObject } from '../../drift/shape.ts'
import { verdictFormat } from '../../verdict/verdict.ts'
import { FolderInUseError, lockFolder, type FolderLock } from './lock.ts'
import { errorText } from '../../settings/printable.ts'

/** What a run writes, the verdict first. The history is not part of it: it outlives every run. */
const reportNames = ['verdict.json', 'index.html', 'junit.xml', 'summary.md', 'allure-results'] as const
const otherReports = reportNames.filter((name) => name !== 'verdict.json')
/** The folder, within the reports folder, with the reports of the last finished run before. */
const previousFolder = 'previous'
/** Where reports wait that are being moved. A run that is killed meanwhile leaves it to the next one. */
const movingFolder = '.previous'
/** Verdicts of a run that came to its end. An error says nothing about a target. */
const finished: readonly unknown[] = ['conformant', 'nonconformant', 'incomplete']
/** What a run leaves that is killed while it writes. */
const unfinishedReport = /^\.(?:verdict\.json|index\.html|junit\.xml|summary\.md)\.[0-9a-f-]{36}$/

/** The reports folder cannot be used. */
export class ReportsFolderError extends Error {
  override readonly name = 'ReportsFolderError'
}

/**
 * Prepares the folder for a run: makes and locks it, moves the reports of an earlier finished run into `previous/`, removes those of
 * an unfinished one, and writes this text as `verdict.json`. Throws {@link ReportsFolderError}, or {@link FolderInUseError} when
 * another run writes into the folder.
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

/** Locks the folder, and makes it if it is missing. Throws as {@link beginReports}. */
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
  if (isFinished) {
    await mkdir(join(folder, movingFolder), { recursive: true })
    await move(folder, movingFolder, ['verdict.json'])
  } else {
    await remove(folder, ['verdict.json'])
  }
  await writeReport(folder, 'verdict.json', verdict)
  if (isFinished) {
    await move(folder, movingFolder, otherReports)
    await finishMove(folder)
  }
  await remove(folder, [...otherReports, ...(await unfinishedIn(folder))])
}

/** Puts what is being moved into `previous/`, in place of the run that is there; does nothing if no move was begun. */
async function finishMove(folder: string): Promise<void> {
  const moving = join(folder, movingFolder)
  if (await holdsFinished(moving)) {
    const kept = join(folder, previousFolder)
    await mkdir(kept, { recursive: true })
    for (const name of reportNames) await remove(kept, [name])
    await move(moving, join('..', previousFolder), reportNames)
  }
  await rm(moving, { recursive: true, force: true })
}

async function move(from: string, to: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    try {
      await rename(join(from, name), join(from, to, name))
    } catch (error) {
      if (!isObject(error) || error['code'] !== 'ENOENT') throw error
    }
  }
}

async function holdsFinished(folder: string): Promise<boolean> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, 'verdict.json'), 'utf8'))
    return isObject(value) && value['format'] === verdictFormat && finished.includes(value['verdict'])
  } catch {
    return false
  }
}

/** Makes the folder if it is missing, and removes the reports of a run. Throws {@link ReportsFolderError}. */
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

/**
 * Writes a file whole or not at all, in place of one that is there: it is on the disk before it is moved, so that a crash leaves one
 * or the other. Throws what the file system throws.
 */
export async function writeWhole(file: string, content: string | Buffer): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}`)
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
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
    throw new ReportsFolderError(
      `the reports cannot be written to ${path}: ${errorText(error)}; name another folder with RUN_REPORTS_DIR (--reports-dir)`,
      { cause: error },
    )
  }
}
