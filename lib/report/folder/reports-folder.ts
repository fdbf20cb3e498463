import { randomUUID } from 'node:crypto'
import { access, constants, copyFile, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { reportNames } from '../names.ts'
import { lockFolder, RefusedFolderError, type FolderLock } from './lock.ts'
import { codeOf, errorText } from '../../text/printable.ts'
import { UnfitFile } from '../../settings/user-file.ts'
import { UnusableInput } from '../../text/unusable-input.ts'

/** Everything that a run leaves, the verdict first. The history outlives runs. */
export const runNames = [...reportNames, 'allure-results', 'run.sha256', 'attestation.json'] as const
/** Name of the page about all runs. It never moves, because its links to them are relative. */
export const historyName = 'history.html'
/** Temporary files of a killed run, and leftovers of a run without a verdict. */
const unfinishedReport = new RegExp(
  `^\\.(?:${[...runNames, historyName].join('|').replaceAll('.', '\\.')})\\.[0-9a-f-]{36}$`,
)

/** An unusable reports folder. */
export class ReportsFolderError extends UnusableInput {
  override readonly name = 'ReportsFolderError'
}

/** Locks the folder and makes it if needed. Throws {@link ReportsFolderError}, or {@link RefusedFolderError}. */
export async function lockReports(folder: string): Promise<FolderLock> {
  return explained(folder, async () => {
    await makeWritable(folder)
    return lockFolder(folder)
  })
}

/** Makes the folder if needed. Throws {@link ReportsFolderError}. */
export async function makeReportsFolder(folder: string): Promise<void> {
  await explained(folder, async () => makeWritable(folder))
}

/** Makes the folder if needed, and removes a run's reports. Throws {@link ReportsFolderError}. */
export async function clearReports(folder: string): Promise<void> {
  await explained(folder, async () => {
    await makeWritable(folder)
    await remove(folder, [...runNames, historyName])
    await removeUnfinished(folder)
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

/** Writes a new file whole or not at all. Throws the file system's error, EEXIST if its name is taken, even by a dangling link. */
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

/** Writes and flushes a temporary file, then lets `place` give it its final name. */
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

/** Removes the temporary files of runs that were killed while they wrote. */
export async function removeUnfinished(folder: string): Promise<void> {
  await remove(
    folder,
    (await readdir(folder)).filter((name) => unfinishedReport.test(name)),
  )
}

async function remove(folder: string, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}

/** As {@link folderError} says. */
export async function explained<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw folderError(path, error)
  }
}

/** Why a folder or a file in it cannot be used: {@link ReportsFolderError}, or {@link RefusedFolderError}. */
export function folderError(path: string, error: unknown): Error {
  if (error instanceof RefusedFolderError || error instanceof ReportsFolderError) return error
  if (error instanceof UnfitFile)
    return new RefusedFolderError(
      `${path} cannot be used, because verdict.json or the lock in it is ${error.message}: remove that, or name another folder with RUN_REPORTS_DIR (--reports-dir)`,
    )
  return new ReportsFolderError(
    `the reports cannot be written to ${path}: ${errorText(error)}; name another folder with RUN_REPORTS_DIR (--reports-dir)`,
    { cause: error },
  )
}
