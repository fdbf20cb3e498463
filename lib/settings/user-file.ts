import { constants } from 'node:fs'
import { open, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path'
import { errorText } from '../text/printable.ts'

/** Thrown for an existing file that is not a plain file or is too large. The message is a phrase that gives the reason. */
export class UnfitFile extends Error {}

/** Why a file could not be read, according to the error thrown. */
export function readFailure(error: unknown) {
  return `${error instanceof UnfitFile ? 'it is ' : ''}${errorText(error)}`
}

/** Describes a pipe, socket or device. */
export const notPlain = 'not a plain file, but a pipe or a device'

/** Maximum sizes of user files in bytes, by content; far larger than real files. */
export const sizeLimits = {
  /** An env file, or a key. */
  lines: 256 * 1024,
  /** A JSON list of endpoints with their schemas, or of waivers. */
  list: 8 * 1024 * 1024,
  /** An OpenAPI document. */
  document: 8 * 1024 * 1024,
  /** Certificates; a system bundle has about 200 KiB. */
  certificates: 4 * 1024 * 1024,
  baseline: 16 * 1024 * 1024,
  verdict: 64 * 1024 * 1024,
} as const

/**
 * Reads a plain file of at most `limit` bytes. Throws {@link UnfitFile} for a larger one, and for a pipe, socket or device, which might
 * block. Other failures throw the file system's error.
 */
export async function readBounded(path: string, limit: number) {
  // Without this flag, opening a pipe waits for a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await handle.stat()
    if (!stats.isFile() && !stats.isDirectory()) throw new UnfitFile(notPlain)
    // Not from its size: a file may be larger than it reports, as those in /proc are.
    const blocks: Buffer[] = []
    for await (const block of handle.createReadStream({ end: limit, autoClose: false }))
      blocks.push(Buffer.from(block))
    const bytes = Buffer.concat(blocks)
    if (bytes.length <= limit) return bytes
    const size = limit < 1024 * 1024 ? `${limit / 1024} KiB` : `${limit / 1024 / 1024} MiB`
    throw new UnfitFile(`larger than ${size}, the maximum for this kind of file`)
  } finally {
    await handle.close()
  }
}

/** The target of a link; any other path is returned unchanged. */
export async function behindLink(path: string) {
  const target = await readlink(path).catch(() => null)
  if (target === null) return path
  return realpath(path).catch(() => resolve(dirname(path), target))
}

/** Reads UTF-8 text of at most `limit` bytes, without its byte order mark. `why` is a phrase that says why the file could not be read, for use in brackets after its path. */
export async function readTextFile(path: string, limit: number) {
  try {
    const bytes = await readBounded(path, limit)
    if (bytes.includes(0)) throw new UnfitFile('a file with NUL bytes, so it is not UTF-8 text')
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), why: null } as const
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown trouble'
    const why = error instanceof UnfitFile ? error.message : whyUnreadable[code]
    return { text: null, why: why ?? `a file that cannot be read (${code})` } as const
  }
}

const whyUnreadable: Readonly<Record<string, string>> = {
  ENOENT: 'a file that does not exist',
  ENOTDIR: 'a file that does not exist',
  EISDIR: 'a folder',
  EACCES: 'a file that this user may not read',
  EPERM: 'a file that this user may not read',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'a file that is not UTF-8 text',
}

/** A file as shown in reports, which are shared: its path if it is in the working folder, otherwise only its name. */
export function shownPath(file: string, cwd: string) {
  const path = relative(cwd, resolve(cwd, file))
  return path.startsWith('..') || isAbsolute(path) ? `…/${basename(file)}` : path
}

/** Returns a text without the path of the working folder, because reports are shared. */
export function withoutFolder(text: string, cwd: string) {
  return cwd === '/' ? text : text.replaceAll(`${cwd}/`, '').replaceAll(cwd, '.')
}
