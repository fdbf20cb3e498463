import { Header } from 'tar'
import { byName, type BundleFile } from './layout.ts'
import { nameMistakes } from './name-mistakes.ts'
import { blockSize, paddingOf, tarHeader } from './tar.ts'
import { named } from './verdict-bytes.ts'

/** A file as it lies in an archive. */
export interface TarFile extends BundleFile {
  /** Seconds since 1970. */
  readonly seconds: number
}

/** What could be read of a tar archive. Nothing of it is ever written to a disk. */
export interface TarRead {
  /** Ordinary files with names that an archive of ours may have, in their order; the first of each name. */
  readonly files: readonly TarFile[]
  /** The names of what is there, but was refused. */
  readonly refused: ReadonlySet<string>
  /** Sentences. */
  readonly mistakes: readonly string[]
  /** Whether it could be read to its end. */
  readonly whole: boolean
}

/**
 * Reads a tar archive as `bundle` writes it. Every byte of it counts: of headers, paddings and the end, too, for what one program
 * passes over another may act on.
 */
export function readTar(tar: Buffer): TarRead {
  const { members, wrong } = membersOf(tar)
  const names = nameMistakes(members.map(({ name }) => name))
  const mistakes: string[] = []
  const refused = new Set(names.refused)
  const files = new Map<string, TarFile>()
  for (const member of members) {
    const mistake = memberMistake(member)
    if (mistake !== null) mistakes.push(mistake)
    if (member.kind !== null) refused.add(member.name)
    if (!refused.has(member.name) && !files.has(member.name)) files.set(member.name, member)
  }
  const ordered = members.toSorted(byName).every((member, index) => member === members[index])
  const disorder = ordered ? [] : ['the files are not in the order in which `bundle` writes them']

  return {
    files: [...files.values()],
    refused,
    mistakes: [...(wrong === null ? [] : [wrong]), ...names.mistakes, ...mistakes, ...disorder],
    whole: wrong === null,
  }
}

interface Member extends TarFile {
  /** What it is, where it is no ordinary file; else null. */
  readonly kind: string | null
  readonly header: Buffer
  readonly padding: Buffer
}

interface Members {
  readonly members: readonly Member[]
  /** Why the archive could not be read to its end, as a sentence; null where it could. */
  readonly wrong: string | null
}

function membersOf(tar: Buffer): Members {
  const members: Member[] = []
  let at = 0
  while (at < tar.length) {
    const block = tar.subarray(at, at + blockSize)
    const header = headerIn(block)
    if (header === 'end') return { members, wrong: endMistake(tar.subarray(at)) }
    if (header === null) {
      return {
        members,
        wrong: `the archive is damaged: what should be a file's header at byte ${at} is none`,
      }
    }

    const start = at + blockSize
    const end = start + header.size
    const next = end + paddingOf(header.size)
    if (next > tar.length) {
      return { members, wrong: `the archive is cut short within ${named(header.name)}` }
    }
    members.push({
      ...header,
      content: tar.subarray(start, end),
      header: block,
      padding: tar.subarray(end, next),
    })
    at = next
  }
  return { members, wrong: 'the archive is cut short: it has no end' }
}

function headerIn(
  block: Buffer,
): (Pick<Member, 'name' | 'seconds' | 'kind'> & { size: number }) | 'end' | null {
  if (block.every((byte) => byte === 0)) return 'end'
  try {
    const header = new Header(block)
    const { path, size, mtime } = header
    if (!header.cksumValid || path === undefined || size === undefined) return null
    const seconds = (mtime?.getTime() ?? 0) / 1_000
    return { name: path, size, seconds, kind: header.typeKey === '0' ? null : kindOf(header.typeKey) }
  } catch {
    // A size or a time that no number holds, or less than a block.
    return null
  }
}

function kindOf(type: string): string {
  return kinds.get(type) ?? 'something else than a file'
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['1', 'a hard link'],
  ['2', 'a symbolic link'],
  ['3', 'a device'],
  ['4', 'a device'],
  ['5', 'a folder'],
  ['6', 'a pipe'],
  ['g', 'an extended header, which changes the names and sizes of files'],
  ['x', 'an extended header, which changes the names and sizes of files'],
  ['K', 'an extended header, which changes the names and sizes of files'],
  ['L', 'an extended header, which changes the names and sizes of files'],
])

function memberMistake({ name, content, seconds, kind, header, padding }: Member): string | null {
  if (kind !== null) return `${named(name)} is ${kind}: an archive of ours holds files only`
  if (tarHeader(name, content.length, seconds)?.equals(header) !== true) {
    return `the header of ${named(name)} was changed: it says more than \`bundle\` writes`
  }
  return padding.every((byte) => byte === 0) ? null : `something is hidden behind ${named(name)}`
}

function endMistake(rest: Buffer): string | null {
  if (rest.length < 2 * blockSize) return 'the archive is cut short at its end'
  if (rest.length === 2 * blockSize && rest.every((byte) => byte === 0)) return null
  return 'something is behind the end of the archive'
}
