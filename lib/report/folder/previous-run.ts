import { access, lstat, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readVerdict } from '../../verdict/read-verdict.ts'

/** Name of the folder within the reports folder that contains the last finished run. */
export const previousFolder = 'previous'

/** The start time of the run whose page is in `previous/`; null if there is none. */
export async function previousStart(folder: string): Promise<string | null> {
  const previous = join(folder, previousFolder)
  if (!(await isThere(join(previous, 'index.html')))) return null
  return (await readVerdict(previous).catch(() => null))?.startedAt ?? null
}

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
