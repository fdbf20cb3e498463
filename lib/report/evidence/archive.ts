import { crc32, createGunzip, createInflateRaw, gzipSync } from 'node:zlib'
import { Header, Parser, type ReadEntry } from 'tar'
import { byName, maxArchiveBytes, inQuotes, type BundleFile } from './files.ts'

// A packed archive is one gzip member with a tar archive whose bytes follow from folder, files and time.

/** Size of a tar block, in bytes: one for a header, whole ones for contents, two of zeros at the end. */
export const blockSize = 512

/** Maximum time in a tar header, in seconds: in the year 2242. */
const latestTime = 0o77777777777

/** Converts an ISO date to seconds since 1970; 0 for a date that no tar header holds. */
export function tarTime(date: string): number {
  const seconds = Math.floor(Date.parse(date) / 1_000)
  return seconds >= 0 && seconds <= latestTime ? seconds : 0
}

/** Folder of the files in an archive, and their time in seconds since 1970. */
export interface Placement {
  readonly folder: string
  readonly seconds: number
}

/** Makes a tar archive; null if a name does not fit into a header. */
export function tarOf(files: readonly BundleFile[], { folder, seconds }: Placement): Buffer | null {
  const blocks: Buffer[] = []
  for (const { name, content } of files.toSorted(byName)) {
    const header = Buffer.alloc(blockSize)
    const { length: size } = content
    const fields = {
      mode: 0o644,
      uid: 0,
      gid: 0,
      size,
      mtime: new Date(seconds * 1_000),
      type: 'File',
    } as const
    // Anything that does not fit into a plain header would need an extended one.
    if (new Header({ path: `${folder}/${name}`, ...fields }).encode(header)) return null
    blocks.push(header, content, Buffer.alloc(-size & (blockSize - 1)))
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)])
}

/** A member of a tar archive. */
export interface TarMember {
  readonly path: string
  /** Type as in the package `tar`, for example `File` or `SymbolicLink`. */
  readonly type: string
  readonly content: Buffer
}

/** Members of a tar archive in order, or why it cannot be read, as a sentence without a subject. */
type TarRead =
  | { readonly kind: 'members'; readonly members: readonly TarMember[] }
  | { readonly kind: 'unreadable'; readonly why: string }

/** Maximum members read from an archive, far above what a run writes. */
export const maxMembers = 50_000

/** Reads a tar archive as unpacking programs do, in memory. */
export function readTar(tar: Buffer): TarRead {
  const members: TarMember[] = []
  let isWhole = false
  let isDamaged = false
  let seen = 0
  const onReadEntry = (entry: ReadEntry): void => {
    seen += 1
    if (seen > maxMembers) parser.abort(new Error('too many members'))
    const chunks: Buffer[] = []
    entry.on('end', () => {
      members.push({ path: entry.path, type: entry.type, content: Buffer.concat(chunks) })
    })
    entry.on('data', (chunk) => void chunks.push(chunk))
  }
  // A nested archive counts as damage: its size would not be bounded.
  const parser = new Parser({ maxDecompressionRatio: 0, zstd: false, onReadEntry })
  parser.on('warn', (code) => void (isDamaged ||= code !== 'TAR_BAD_ARCHIVE'))
  parser.on('error', () => void (isDamaged = true))
  parser.on('ignoredEntry', ({ path, type }: ReadEntry) => {
    members.push({ path, type, content: Buffer.alloc(0) })
  })
  parser.on('eof', () => void (isWhole = true))
  try {
    parser.end(tar)
  } catch {
    isDamaged = true
  }

  if (seen > maxMembers) return { kind: 'unreadable', why: `holds more than ${maxMembers} files` }
  if (isWhole && !isDamaged) return { kind: 'members', members }
  const last = members.at(-1)
  const place = last === undefined ? '' : ` behind ${inQuotes(last.path)}`
  return { kind: 'unreadable', why: `is ${isDamaged ? 'damaged' : 'cut short'}${place}` }
}

/** Gzip header: best deflate, no name, time or system. */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255])

/** Packs a tar archive into one gzip member; other versions of Node may compress to other bytes. */
export function pack(tar: Buffer): Buffer {
  const packed = gzipSync(tar, { level: 9 })
  gzipHeader.copy(packed)
  return packed
}

/** An unpacked archive. */
type Unpacked =
  | {
      readonly kind: 'tar'
      readonly tar: Buffer
      /** Mistake around the tar archive, as a sentence without a subject, or null. */
      readonly wrong: string | null
    }
  | { readonly kind: 'unreadable'; readonly why: string }

/** Unpacks an archive in memory, to at most {@link maxArchiveBytes}. */
export async function unpack(archive: Buffer): Promise<Unpacked> {
  if (archive.length === 0) return { kind: 'unreadable', why: 'is empty' }
  if (!gzipHeader.subarray(0, 2).equals(archive.subarray(0, 2))) {
    return { kind: 'unreadable', why: 'is not a gzip archive' }
  }
  // The raw stream tells its end; `createGunzip` would continue with what follows.
  const isOurs = archive.subarray(0, gzipHeader.length).equals(gzipHeader)
  const packed = isOurs ? archive.subarray(gzipHeader.length) : archive
  const stream = isOurs ? createInflateRaw({ chunkSize }) : createGunzip({ chunkSize })
  stream.end(packed)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxArchiveBytes) return { kind: 'unreadable', why: tooLarge }
    }
  } catch (error) {
    const isCut = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR'
    return { kind: 'unreadable', why: isCut ? 'is cut short' : damaged }
  }
  const tar = Buffer.concat(chunks)
  return {
    kind: 'tar',
    tar,
    wrong: isOurs ? trailerMistake(packed.subarray(stream.bytesWritten), tar) : otherPacker,
  }
}

/** Maximum size of a beginning, in bytes: several files of an archive. */
export const beginningBytes = 64 * 1024

/** What unpacks of the beginning of a damaged archive, and whether its gzip header is ours. */
export async function beginningOf(
  archive: Buffer,
): Promise<{ readonly unpacked: Buffer; readonly hasOurHeader: boolean }> {
  const hasOurHeader = archive.subarray(0, gzipHeader.length).equals(gzipHeader)
  // A changed gzip header hides nothing that follows it.
  const raw = await begun(createInflateRaw({ chunkSize: blockSize }), archive.subarray(gzipHeader.length))
  const unpacked = raw.length > 0 ? raw : await begun(createGunzip({ chunkSize: blockSize }), archive)
  return { unpacked, hasOurHeader }
}

async function begun(stream: ReturnType<typeof createGunzip>, packed: Buffer): Promise<Buffer> {
  const blocks: Buffer[] = []
  stream.end(packed)
  try {
    for await (const block of stream) {
      blocks.push(block)
      if (blocks.length * blockSize >= beginningBytes) break
    }
  } catch {
    // What came before the damage is enough.
  }
  return Buffer.concat(blocks)
}

const chunkSize = 256 * 1024
const tooLarge = `unpacks to more than ${maxArchiveBytes / 1024 / 1024} MiB, as no archive of ours does; nothing in it was read`
const damaged = 'is damaged: its packed bytes do not fit together'
const otherPacker = 'was packed again by another program: its gzip header is not the one that `bundle` writes'

/** Mistake after the packed bytes: checksum and size end the archive (RFC 1952, 2.3.1). */
function trailerMistake(rest: Buffer, tar: Buffer): string | null {
  if (rest.length < 8) return 'is cut short at its end'
  if (rest.readUInt32LE(0) !== crc32(tar) || rest.readUInt32LE(4) !== tar.length) return damaged
  return rest.length === 8 ? null : 'has something behind its end'
}
