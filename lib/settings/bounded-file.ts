import { constants } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'

/** A file that is there and is not read: it is no plain file, or too large. The message is a phrase that says what it is. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile'
}

/** Maximum size of a user's files, by what they hold, in bytes: far beyond any real one, and read in a moment. */
export const sizeLimits = {
  /** An env file, or a key. */
  lines: 256 * 1024,
  /** A list in JSON: endpoints with their schemas, or waivers. */
  list: 512 * 1024,
  /** Certificates; those of a whole system take some 200 KiB. */
  certificates: 4 * 1024 * 1024,
  baseline: 16 * 1024 * 1024,
  verdict: 64 * 1024 * 1024,
} as const

/**
 * Reads a plain file of at most so many bytes. Throws {@link UnfitFile} for a larger one, and for a pipe, a socket or a device, which
 * might never end or never begin; else what the file system throws.
 */
export async function readBounded(path: string, most: number): Promise<Buffer> {
  // Without this flag, opening a pipe waits for somebody who writes.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await handle.stat()
    if (!stats.isFile() && !stats.isDirectory()) throw new UnfitFile(noPlainFile)
    if (stats.isFile() && stats.size > most) throw tooLarge(most)
    return await readUpTo(handle, most)
  } finally {
    await handle.close()
  }
}

/** What keeps a path from being read as a file at all, as a phrase; null where nothing does, or where nothing is there. */
export async function whyNoFile(path: string): Promise<string | null> {
  return stat(path).then(
    (stats) => (stats.isFile() || stats.isDirectory() ? null : noPlainFile),
    () => null,
  )
}

const noPlainFile = 'no plain file, but a pipe or a device'

const blockBytes = 256 * 1024

/** What a file says of its size is not always so. */
async function readUpTo(handle: FileHandle, most: number): Promise<Buffer> {
  const blocks: Buffer[] = []
  let length = 0
  for (;;) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(blockBytes), 0, blockBytes)
    if (bytesRead === 0) return Buffer.concat(blocks)
    blocks.push(buffer.subarray(0, bytesRead))
    length += bytesRead
    if (length > most) throw tooLarge(most)
  }
}

function tooLarge(most: number): UnfitFile {
  const size = most < 1024 * 1024 ? `${most / 1024} KiB` : `${most / 1024 / 1024} MiB`
  return new UnfitFile(`larger than ${size}, and no more is read of such a file`)
}
