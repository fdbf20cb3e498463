import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { codeOf, errorText } from '../../text/printable.ts'

/**
 * Appends text in a single write, so that lines from concurrent runs stay intact, and creates the file if needed. Never blocks: a
 * pipe receives as much as fits into it, provided that it has a reader. `follows` permits a link. `textFor` may read the file,
 * unless it is a pipe. Throws errors from the file system, or an error if the write was incomplete.
 */
export async function appendText(
  { file, follows = true }: { readonly file: string; readonly follows?: boolean },
  textFor: (handle: FileHandle, size: number) => string | Promise<string>,
): Promise<void> {
  const isPipe = (await stat(file).catch(() => null))?.isFIFO() === true
  const access = isPipe ? constants.O_WRONLY : constants.O_RDWR
  const flags = access | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK
  const handle = await open(file, follows ? flags : flags | constants.O_NOFOLLOW)
  try {
    const text = Buffer.from(await textFor(handle, (await handle.stat()).size))
    const { bytesWritten } = await handle.write(text)
    if (bytesWritten < text.length) throw new Error('only part of the text could be written')
  } finally {
    await handle.close()
  }
}

/** Why nothing could be appended, as a phrase, based on an error from {@link appendText}. */
export function appendProblem(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ELOOP') return 'it is a symbolic link, which is followed only if a setting names it (ELOOP)'
  if (code === 'ENXIO') return 'it is a pipe without a reader (ENXIO)'
  return errorText(error)
}
