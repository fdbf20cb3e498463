import { randomUUID } from 'node:crypto'
import { access, constants, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { UnfitFile } from '../../settings/user-file.ts'
import { errorText } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { lockFolder, RefusedFolderError, type FolderLock } from './lock.ts'

/** Reports that every run leaves and that cover only that run, with the verdict first. */
export const reportNames = [
  'verdict.json',
  'index.html',
  'junit.xml',
  'summary.md',
  'requests.http',
  'metrics.prom',
] as const

/** Everything that a run leaves, with the verdict first. The history outlives individual runs. */
export const runNames = [...reportNames, 'allure-results', 'run.sha256', 'attestation.json'] as const
/** Name of the page about all runs. The page is never moved, because it contains relative links to them. */
export const historyName = 'history.html'
/** Temporary files from a killed run, and leftovers from a run without a verdict. */
const unfinishedReport = new RegExp(
  `^\\.(?:${[...runNames, historyName].join('|').replaceAll('.', '\\.')})\\.[0-9a-f-]{36}$`,
)

/** An unusable reports folder. */
export class ReportsFolderError extends UnusableInput {
  override readonly name = 'ReportsFolderError'
}

/** Locks the folder, which is created if needed. Throws {@link ReportsFolderError}, or {@link RefusedFolderError}. */
export async function lockReports(folder: string): Promise<FolderLock> {
  await makeReportsFolder(folder)
  return explained(folder, async () => lockFolder(folder))
}

/** Creates the folder if needed. Throws {@link ReportsFolderError}. */
export async function makeReportsFolder(folder: string): Promise<void> {
  await explained(folder, async () => {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  })
}

/** Creates the folder if needed, and removes the reports from an earlier run. Throws {@link ReportsFolderError}. */
export async function clearReports(folder: string): Promise<void> {
  await makeReportsFolder(folder)
  await explained(folder, async () => {
    await remove(folder, [...runNames, historyName])
    await removeUnfinished(folder)
  })
}

/** Writes a report completely or not at all. Throws {@link ReportsFolderError}. */
export async function writeReport(folder: string, name: string, text: string | Buffer): Promise<void> {
  await explained(join(folder, name), async () => writeWhole(join(folder, name), text))
}

/** Removes a report, which may be a folder. Throws {@link ReportsFolderError}. */
export async function removeReport(folder: string, name: string): Promise<void> {
  await explained(join(folder, name), async () => remove(folder, [name]))
}

/** Writes a file completely or not at all, and flushes it to disk before it replaces another. Throws errors from the file system. */
export async function writeWhole(file: string, content: string | Buffer): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}`)
  await writeNew(temporary, content)
  await rename(temporary, file).catch(async (error: unknown) => {
    await rm(temporary, { force: true })
    throw error
  })
}

/** Writes and flushes a new file, and removes it if that fails. Throws errors from the file system, including EEXIST if the name is taken, even by a dangling link. */
export async function writeNew(file: string, content: string | Buffer): Promise<void> {
  const handle = await open(file, 'wx')
  try {
    await handle.writeFile(content)
    await handle.sync()
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** Removes temporary files left by runs that were killed while writing. */
export async function removeUnfinished(folder: string): Promise<void> {
  await remove(
    folder,
    (await readdir(folder)).filter((name) => unfinishedReport.test(name)),
  )
}

async function remove(folder: string, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}

/** Does some work and converts any error as {@link folderError} does. */
export async function explained<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw folderError(path, error)
  }
}

/** Explains why a folder or a file in it cannot be used, as a {@link ReportsFolderError} or a {@link RefusedFolderError}. */
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

/** Name of the folder within the reports folder that contains the last finished run. */
export const previousFolder = 'previous'

/** Whether a file with this name exists. A dangling link does not count. */
export async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** Makes a folder if needed. Removes a link with that name, because it leads elsewhere. */
export async function makeOwnFolder(folder: string): Promise<void> {
  if (await isLink(folder)) await rm(folder)
  await mkdir(folder, { recursive: true })
}

/** Whether a path is a symbolic link. */
export async function isLink(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null))?.isSymbolicLink() === true
}
