import { randomUUID } from 'node:crypto'
import { access, constants, copyFile, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isObject } from '../../json/json-value.ts'
import { verdictFormat } from '../../verdict/verdict.ts'
import { isLink, makeOwnFolder, previousFolder } from './kept-runs.ts'
import { lockFolder, RefusedFolderError, type FolderLock } from './lock.ts'
import { codeOf, errorText } from '../../text/printable.ts'
import { readBounded, sizeLimits, UnfitFile } from '../../settings/user-file.ts'

/** Folder of the statement that a run signed at its end, in the reports folder. */
export const attestationFolder = 'run.attestation'
/** Reports of a run, the verdict first; the history outlives runs. */
const reportNames = [
  'verdict.json',
  'index.html',
  'junit.xml',
  'summary.md',
  'metrics.prom',
  'allure-results',
  'run.sha256',
  attestationFolder,
] as const
const otherReports = reportNames.filter((name) => name !== 'verdict.json')
/** Name of the page that tells of other runs; it is never moved, since it leads to them from where it stands. */
export const historyName = 'history.html'
/** Subfolder for reports being moved; the next run finishes a broken move. */
const movingFolder = '.previous'
/** Verdicts of a finished run; an error says nothing about a target. */
const finished: readonly unknown[] = ['conformant', 'nonconformant', 'incomplete']
/** Temporary files of a run killed while writing, and what a run left that came to no verdict. */
const unfinishedReport = new RegExp(
  `^\\.(?:${[...reportNames, historyName].join('|').replaceAll('.', '\\.')})\\.[0-9a-f-]{36}$`,
)

/** An unusable reports folder. */
export class ReportsFolderError extends Error {
  override readonly name = 'ReportsFolderError'
}

/** Texts of the reports that say from the first request on that a run did not finish. */
interface FirstReports {
  readonly verdict: string
  readonly metrics: string
}

/**
 * Prepares the folder for a run: makes and locks it, moves an earlier finished run's reports into `previous/`, removes an unfinished
 * run's, and writes the first reports. Throws {@link ReportsFolderError}, or {@link RefusedFolderError} if another run uses the folder,
 * or a pipe or a device is in the place of a file.
 */
export async function beginReports(folder: string, first: FirstReports): Promise<FolderLock> {
  const lock = await lockReports(folder)
  try {
    await explained(folder, async () => setAside(folder, first))
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Locks the folder and makes it if needed. Throws as {@link beginReports}. */
export async function lockReports(folder: string): Promise<FolderLock> {
  return explained(folder, async () => {
    await makeWritable(folder)
    return lockFolder(folder)
  })
}

/** Replaces the verdict first, so that no earlier one remains if the process ends. */
async function setAside(folder: string, { verdict, metrics }: FirstReports): Promise<void> {
  await finishMove(folder)
  const isFinished = await holdsFinished(folder)
  if (isFinished) {
    await makeOwnFolder(join(folder, movingFolder))
    await move(folder, movingFolder, ['verdict.json'])
  } else {
    await remove(folder, ['verdict.json'])
  }
  await writeReport(folder, 'verdict.json', verdict)
  if (isFinished) {
    await move(folder, movingFolder, otherReports)
    await finishMove(folder)
  }
  await remove(folder, [...otherReports, historyName, ...(await unfinishedIn(folder))])
  await writeReport(folder, 'metrics.prom', metrics)
}

/** Completes a move into `previous/`, replacing the run there; does nothing if none was begun. */
async function finishMove(folder: string): Promise<void> {
  const moving = join(folder, movingFolder)
  if (!(await isLink(moving)) && (await holdsFinished(moving))) {
    const kept = join(folder, previousFolder)
    await makeOwnFolder(kept)
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
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

async function holdsFinished(folder: string): Promise<boolean> {
  try {
    const text = (await readBounded(join(folder, 'verdict.json'), sizeLimits.verdict)).toString()
    const value: unknown = JSON.parse(text)
    return isObject(value) && value['format'] === verdictFormat && finished.includes(value['verdict'])
  } catch (error) {
    if (error instanceof UnfitFile) throw error
    return false
  }
}

/** Makes the folder if needed. Throws {@link ReportsFolderError}. */
export async function makeReportsFolder(folder: string): Promise<void> {
  await explained(folder, async () => makeWritable(folder))
}

/** Makes the folder if needed, and removes a run's reports. Throws {@link ReportsFolderError}. */
export async function clearReports(folder: string): Promise<void> {
  await explained(folder, async () => {
    await makeWritable(folder)
    await remove(folder, [...reportNames, historyName, ...(await unfinishedIn(folder))])
  })
}

/** Writes a report whole or not at all. Throws {@link ReportsFolderError}. */
export async function writeReport(folder: string, name: string, text: string | Buffer): Promise<void> {
  await explained(join(folder, name), async () => writeWhole(join(folder, name), text))
}

/** Removes a report, which may be a folder. Throws {@link ReportsFolderError}. */
export async function removeReport(folder: string, name: string): Promise<void> {
  await explained(join(folder, name), async () => remove(folder, [name]))
}

/** Writes a file whole or not at all, flushed to the disk before it replaces another. Throws the file system's error. */
export function writeWhole(file: string, content: string | Buffer): Promise<void> {
  return placed(file, content, (temporary) => rename(temporary, file))
}

/** Writes a new file whole or not at all. Throws the file system's error, EEXIST if anything has its name, a link to nothing included. */
export function writeNew(file: string, content: string | Buffer): Promise<void> {
  return placed(file, content, async (temporary) => {
    await link(temporary, file).catch(async (error: unknown) => {
      if (!linkless.includes(codeOf(error))) throw error
      await copyFile(temporary, file, constants.COPYFILE_EXCL)
    })
    await rm(temporary)
  })
}

/** Codes of file systems that have no hard links. */
const linkless: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Writes and flushes a temporary file, which `place` gives its name. */
async function placed(
  file: string,
  content: string | Buffer,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}`)
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await place(temporary)
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
    if (error instanceof RefusedFolderError || error instanceof ReportsFolderError) throw error
    if (error instanceof UnfitFile)
      throw new RefusedFolderError(
        `${path} cannot be used, since verdict.json or the lock in it is ${error.message}: remove that, or name another folder with RUN_REPORTS_DIR (--reports-dir)`,
      )
    throw new ReportsFolderError(
      `the reports cannot be written to ${path}: ${errorText(error)}; name another folder with RUN_REPORTS_DIR (--reports-dir)`,
      { cause: error },
    )
  }
}
