import { createGunzip, gzipSync } from 'node:zlib'
import { Header } from 'tar'
import type { Verdict } from '../../verdict/verdict.ts'
import { codeOf } from '../../text/printable.ts'
import { byName, fileNames, inQuotes, maxArchiveBytes, sha256, type EvidenceFile } from './files.ts'

// A packed archive is one gzip member with a tar archive of plain files in one folder.

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
interface Placement {
  readonly folder: string
  readonly seconds: number
}

/** Makes a tar archive of files whose names fit into a header, as all of a run do. */
export function tarOf(files: readonly EvidenceFile[], { folder, seconds }: Placement): Buffer {
  const blocks = files.toSorted(byName).flatMap(({ name, content }) => {
    const header = Buffer.alloc(blockSize)
    const { length: size } = content
    const mtime = new Date(seconds * 1_000)
    new Header({ path: `${folder}/${name}`, mode: 0o644, uid: 0, gid: 0, size, mtime, type: 'File' }).encode(
      header,
    )
    return [header, content, Buffer.alloc(-size & (blockSize - 1))]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)])
}

/** Packs a tar archive into one gzip member; other versions of Node may compress to other bytes. */
export function pack(tar: Buffer): Buffer {
  const packed = gzipSync(tar, { level: 9 })
  // The byte that names the operating system, which is no part of what is sealed.
  packed.writeUInt8(255, 9)
  return packed
}

/** Packs the files of a run and what vouches for them: the same files are the same bytes with the same version of Node. */
export function archiveOf(files: readonly EvidenceFile[], { startedAt }: Verdict): Buffer {
  const seconds = tarTime(startedAt)
  const day = new Date(seconds * 1_000).toISOString().slice(0, 10)
  const verdict = files.find(({ name }) => name === fileNames.verdict)?.content ?? Buffer.of()
  // A folder of its own, so that unpacked archives do not mix.
  return pack(tarOf(files, { folder: `evidence-${day}-${sha256(verdict).slice(0, 8)}`, seconds }))
}

/** Contents of an archive: no archive, one that cannot be read whole, or its files and what is refused of them, in sentences. */
type ArchiveRead =
  | { readonly kind: 'no archive'; readonly why: string }
  | { readonly kind: 'damaged'; readonly why: string }
  | {
      readonly kind: 'files'
      readonly files: ReadonlyMap<string, Buffer>
      readonly mistakes: readonly string[]
    }

/** Reads an archive in memory, to at most {@link maxArchiveBytes}; nothing is written. */
export async function readArchive(archive: Buffer): Promise<ArchiveRead> {
  const unpacked = await unpack(archive)
  if (unpacked.kind !== 'tar') return unpacked
  const read = membersOf(unpacked.tar)
  if (read.members.length === 0) return { kind: 'no archive', why: 'holds no tar archive' }
  if (read.damage !== null) return { kind: 'damaged', why: read.damage }
  const { files, mistakes } = filesOf(read.members)
  const behind = unpacked.isEnd && read.isEnd ? [] : ['the archive has something behind its end']
  return { kind: 'files', files, mistakes: [...mistakes, ...behind] }
}

/** An unpacked archive, and whether nothing follows the packed bytes. */
type Unpacked =
  | { readonly kind: 'tar'; readonly tar: Buffer; readonly isEnd: boolean }
  | Exclude<ArchiveRead, { kind: 'files' }>

const gzipMagic = Buffer.from([0x1f, 0x8b])
const chunkSize = 256 * 1024

async function unpack(archive: Buffer): Promise<Unpacked> {
  if (archive.length === 0) return { kind: 'no archive', why: 'is empty' }
  if (!archive.subarray(0, 2).equals(gzipMagic)) return { kind: 'no archive', why: 'is not a gzip archive' }
  const stream = createGunzip({ chunkSize })
  stream.end(archive)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxArchiveBytes) return { kind: 'no archive', why: tooLarge }
    }
  } catch (error) {
    const isCut = codeOf(error) === 'Z_BUF_ERROR'
    return { kind: 'damaged', why: isCut ? 'is cut short' : unfitting }
  }
  // Zeros behind the packed bytes end the stream without an error.
  return { kind: 'tar', tar: Buffer.concat(chunks), isEnd: stream.bytesWritten === archive.length }
}

const unfitting = 'is damaged: its packed bytes do not fit together'
const tooLarge = `unpacks to more than ${maxArchiveBytes / 1024 / 1024} MiB, as no archive of ours does; nothing in it was read`

/** A member of a tar archive. */
interface TarMember {
  readonly path: string
  /** Type as in the package `tar`, for example `File` or `SymbolicLink`. */
  readonly type: string
  readonly content: Buffer
}

interface TarRead {
  readonly members: readonly TarMember[]
  /** Why it cannot be read whole, as a sentence without a subject, or null. */
  readonly damage: string | null
  /** Whether only zeros follow the members. */
  readonly isEnd: boolean
}

/** Reads the members one behind the other. Extended headers, which readers understand differently, are members of another type. */
function membersOf(tar: Buffer): TarRead {
  const members: TarMember[] = []
  let at = 0
  for (;;) {
    const last = members.at(-1)
    const place = last === undefined ? '' : ` behind ${inQuotes(last.path)}`
    const unreadable = (damage: string): TarRead => ({ members, damage: `${damage}${place}`, isEnd: false })
    if (at + blockSize > tar.length) return unreadable('is cut short')
    const header = headerAt(tar, at)
    if (header?.nullBlock === true && at + 2 * blockSize <= tar.length) break
    if (header?.nullBlock === true) return unreadable('is cut short')
    if (header?.cksumValid !== true) return unreadable('is damaged')
    const { path = '', size = 0, type } = header
    const start = at + blockSize
    if (!Number.isSafeInteger(size) || size < 0) return unreadable('is damaged')
    if (start + size > tar.length) return unreadable('is cut short')
    members.push({ path, type, content: tar.subarray(start, start + size) })
    at = start + Math.ceil(size / blockSize) * blockSize
  }
  return { members, damage: null, isEnd: tar.subarray(at).every((byte) => byte === 0) }
}

function headerAt(tar: Buffer, at: number): Header | null {
  try {
    return new Header(tar, at)
  } catch {
    return null
  }
}

/** Files of an archive by their names in its folder, and refused members, in sentences. */
function filesOf(members: readonly TarMember[]): {
  readonly files: ReadonlyMap<string, Buffer>
  readonly mistakes: readonly string[]
} {
  const folder = `${members[0]?.path.split('/')[0] ?? ''}/`
  const files = new Map<string, Buffer>()
  const mistakes = new Set<string>()
  for (const member of members) {
    const name = member.path.slice(folder.length)
    const mistake = memberMistake(member, folder) ?? (files.has(name) ? twice(name) : null)
    if (mistake !== null) mistakes.add(mistake)
    else files.set(name, member.content)
  }
  return { files, mistakes: [...mistakes] }
}

function twice(name: string): string {
  return `${inQuotes(name)} is there more than once: which one counts depends on the reader`
}

/** Names that lead out of the folder where an archive is unpacked. */
const hostileNames: readonly (readonly [RegExp, string])[] = [
  [/^(?:\/|[A-Za-z]:)/, 'it is absolute, and would be written outside of any folder'],
  [/\\/, 'it holds a backslash, which some systems take for a slash'],
  [/(?:^|\/)\.\.(?:\/|$)/, 'it leaves the folder into which the archive is unpacked'],
]

const kinds: ReadonlyMap<string, string> = new Map([
  ['Link', 'a hard link'],
  ['SymbolicLink', 'a symbolic link'],
  ['CharacterDevice', 'a device'],
  ['BlockDevice', 'a device'],
  ['FIFO', 'a pipe'],
  ['Directory', 'a folder'],
])

function memberMistake({ path, type }: TarMember, folder: string): string | null {
  const hostile = hostileNames.find(([pattern]) => pattern.test(path))
  if (hostile !== undefined) return `the name ${inQuotes(path)} is refused: ${hostile[1]}`
  if (type !== 'File' && type !== 'OldFile')
    return `${inQuotes(path)} is ${kinds.get(type) ?? 'something else than a file'}: an archive of ours holds files only`
  return path.startsWith(folder) ? null : `${inQuotes(path)} is outside of the folder ${inQuotes(folder)}`
}
