import { constants } from 'node:fs'
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { errorText } from '../text/printable.ts'

/** An existing file that is not read: no plain file, or too large; the message is a phrase that says which. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile'
}

/** Why a file could not be read, by what reading it threw. */
export function readFailure(error: unknown): string {
  return `${error instanceof UnfitFile ? 'it is ' : ''}${errorText(error)}`
}

/** What a pipe, socket or device is instead of a file. */
export const notPlain = 'no plain file, but a pipe or a device'

/** Maximum sizes of a user's files, by content, in bytes; far above real ones. */
export const sizeLimits = {
  /** An env file, or a key. */
  lines: 256 * 1024,
  /** A list in JSON: endpoints with their schemas, or waivers. */
  list: 8 * 1024 * 1024,
  /** An OpenAPI document. */
  document: 8 * 1024 * 1024,
  /** Certificates; those of a whole system take some 200 KiB. */
  certificates: 4 * 1024 * 1024,
  baseline: 16 * 1024 * 1024,
  verdict: 64 * 1024 * 1024,
} as const

/**
 * Reads a plain file of at most `limit` bytes. Throws {@link UnfitFile} for a larger one, and for a pipe, socket or device, which
 * might block; otherwise the file system's error.
 */
export async function readBounded(path: string, limit: number): Promise<Buffer> {
  // Without this flag, opening a pipe waits for a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await handle.stat()
    if (!stats.isFile() && !stats.isDirectory()) throw new UnfitFile(notPlain)
    if (stats.isFile() && stats.size > limit) throw tooLarge(limit)
    return await readUpTo(handle, { limit, expected: stats.size })
  } finally {
    await handle.close()
  }
}

/** Minimum size of a read, in bytes. */
const blockBytes = 4 * 1024

/** The reported size may be wrong. A file of that size takes one read, and another one for its end. */
async function readUpTo(
  handle: FileHandle,
  { limit, expected }: { readonly limit: number; readonly expected: number },
): Promise<Buffer> {
  const blocks: Buffer[] = []
  let length = 0
  for (;;) {
    const size = Math.max(blockBytes, expected - length)
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(size), 0, size)
    if (bytesRead === 0) return Buffer.concat(blocks)
    blocks.push(buffer.subarray(0, bytesRead))
    length += bytesRead
    if (length > limit) throw tooLarge(limit)
  }
}

function tooLarge(limit: number): UnfitFile {
  const size = limit < 1024 * 1024 ? `${limit / 1024} KiB` : `${limit / 1024 / 1024} MiB`
  return new UnfitFile(`larger than ${size}, and no more is read of such a file`)
}

/** Where a link leads; any other path as it is. */
export async function behindLink(path: string): Promise<string> {
  const target = await readlink(path).catch(() => null)
  if (target === null) return path
  return realpath(path).catch(() => resolve(dirname(path), target))
}

/** Text of a user's file, or a phrase that says why it could not be read, for brackets after its path. */
export type TextFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' | 'unreadable'; readonly why: string }

/** Reads UTF-8 text of at most `limit` bytes, without its byte order mark. */
export async function readTextFile(path: string, limit: number): Promise<TextFile> {
  let bytes: Buffer
  try {
    bytes = await readBounded(path, limit)
  } catch (error) {
    return failure(error)
  }
  if (bytes.includes(0)) return unreadable('a file that holds NUL bytes, so it is not UTF-8 text')
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return unreadable('a file that is not UTF-8 text')
  }
}

function failure(error: unknown): TextFile {
  if (error instanceof UnfitFile) return unreadable(error.message)
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown trouble'
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing', why: 'a file that does not exist' }
  if (code === 'EISDIR') return unreadable('a folder')
  const isForbidden = code === 'EACCES' || code === 'EPERM'
  return unreadable(
    isForbidden ? 'a file that this user may not read' : `a file that cannot be read (${code})`,
  )
}

function unreadable(why: string): TextFile {
  return { kind: 'unreadable', why }
}
