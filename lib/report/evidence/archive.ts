import { gunzipSync, gzipSync } from 'node:zlib'
import { Header } from 'tar'
import { codeOf } from '../../text/printable.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { fileNames, inOrder, maxArchiveBytes, sha256, type Files } from './statement.ts'

// A packed archive is a single gzip member that contains a tar archive of plain files in one folder.

/** Size of a tar block, in bytes. A header takes one block, contents are padded to whole blocks, and two blocks of zeros mark the end. */
const blockSize = 512

/** Makes the tar archive for a run. The same files always produce the same bytes. */
export function tarOf(files: Files, { startedAt }: Verdict): Buffer {
  // A tar header cannot store a time before 1970, and readers refuse a verdict from the future.
  const mtime = new Date(Math.max(0, Math.floor(Date.parse(startedAt) / 1_000) * 1_000))
  // A separate folder, so that the files of unpacked archives do not get mixed up.
  const digest = sha256(files.get(fileNames.verdict) ?? Buffer.of())
  const folder = `evidence-${mtime.toISOString().slice(0, 10)}-${digest.slice(0, 8)}`
  const blocks = inOrder(files).flatMap(([name, content]) => {
    const header = Buffer.alloc(blockSize)
    const { length: size } = content
    const path = `${folder}/${name}`
    new Header({ path, mode: 0o644, uid: 0, gid: 0, size, mtime, type: 'File' }).encode(header)
    return [header, content, Buffer.alloc(-size & (blockSize - 1))]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)])
}

/** Packs a tar archive into a single gzip member. Other versions of Node may produce different bytes. */
export function pack(tar: Buffer): Buffer {
  const packed = gzipSync(tar, { level: 9 })
  // The byte that identifies the operating system.
  packed.writeUInt8(255, 9)
  return packed
}

/** Contents of an archive: either an error, or the tar archive and the files in it. */
type ArchiveRead =
  | { readonly kind: 'no archive'; readonly why: string }
  | { readonly kind: 'damaged'; readonly why: string }
  | { readonly kind: 'files'; readonly tar: Buffer; readonly files: Files }

/** Reads an archive in memory, up to {@link maxArchiveBytes}, and writes nothing. Its packing can be checked only against {@link tarOf}. */
export function readArchive(archive: Buffer): ArchiveRead {
  const gzipMagic = Buffer.from([0x1f, 0x8b])
  if (!archive.subarray(0, 2).equals(gzipMagic))
    return { kind: 'no archive', why: archive.length === 0 ? 'is empty' : 'is not a gzip archive' }
  let tar
  try {
    tar = gunzipSync(archive, { chunkSize: 256 * 1024, maxOutputLength: maxArchiveBytes })
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return { kind: 'no archive', why: tooLarge }
    const isCut = codeOf(error) === 'Z_BUF_ERROR'
    const why = isCut ? 'is cut short' : 'is damaged: its compressed data is inconsistent'
    return { kind: 'damaged', why }
  }
  // The flags announce no name or comment, and the file ends with the size of all that it packs.
  if (archive[3] !== 0 || archive.readUInt32LE(archive.length - 4) !== tar.length)
    return { kind: 'damaged', why: 'contains something before or after its compressed data' }
  const files = membersOf(tar)
  if (files.size > 0) return { kind: 'files', tar, files }
  return { kind: 'no archive', why: 'contains no tar archive' }
}

const tooLarge = `unpacks to more than ${maxArchiveBytes / 1024 / 1024} MiB, more than any archive of this suite; nothing in it was read`

/** Reads as many members as possible, whatever their kind or folder. */
function membersOf(tar: Buffer): Files {
  const files = new Map<string, Buffer>()
  try {
    for (let at = 0; at + blockSize <= tar.length;) {
      const { path = '', size = 0, cksumValid } = new Header(tar, at)
      const start = at + blockSize
      if (!cksumValid || size < 0 || start + size > tar.length) break
      files.set(path.slice(path.indexOf('/') + 1), tar.subarray(start, start + size))
      at = start + Math.ceil(size / blockSize) * blockSize
    }
  } catch {
    // A header with an impossible number ends what can be read.
  }
  return files
}
