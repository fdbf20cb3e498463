import { access, lstat, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readVerdict } from '../../verdict/read-verdict.ts'

/** Name of the folder of the last finished run, in the reports folder. */
export const previousFolder = 'previous'

/** The start of the run whose page stands in `previous/`; null without one. */
export async function previousStart(folder: string): Promise<string | null> {
  const previous = join(folder, previousFolder)
  if (!(await isThere(join(previous, 'index.html')))) return null
  return (await readVerdict(previous).catch(() => null))?.startedAt ?? null
}

/** Whether a file of this name exists; a dangling link does not. */
export async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** Makes a folder if needed. Removes a link of that name, because it leads elsewhere. */
export async function makeOwnFolder(folder: string): Promise<void> {
  if (await isLink(folder)) await rm(folder)
  await mkdir(folder, { recursive: true })
}

/** Whether a name is a symbolic link. */
export async function isLink(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null))?.isSymbolicLink() === true
}
