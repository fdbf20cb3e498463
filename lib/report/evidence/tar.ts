import { Header } from 'tar'
import type { BundleFile } from './layout.ts'

/** The size of a block: a header is one, contents fill whole ones, and two of zeros end an archive. */
export const blockSize = 512

/** More seconds than fit into the header, as of the year 2242. */
const latest = 0o77777777777

/** Seconds since 1970 as the files of an archive carry them, from an ISO date; 0 for what is none that a header can hold. */
export function tarTime(date: string): number {
  const seconds = Math.floor(Date.parse(date) / 1_000)
  return seconds >= 0 && seconds <= latest ? seconds : 0
}

/**
 * The header of a file: a plain one (ustar) that says name, size and time, and of owner and mode the same for every file. Null where
 * the name or the size do not fit into it.
 */
export function tarHeader(name: string, size: number, seconds: number): Buffer | null {
  const block = Buffer.alloc(blockSize)
  const header = new Header({
    path: name,
    mode: 0o644,
    uid: 0,
    gid: 0,
    size,
    mtime: new Date(seconds * 1_000),
    type: 'File',
  })
  return header.encode(block) ? null : block
}

/** How many zeros follow contents of this size. */
export function paddingOf(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize
}

/** The archive that holds these files in this order: of the same files the same bytes. */
export function tarOf(files: readonly BundleFile[], seconds: number): Buffer {
  const blocks = files.flatMap(({ name, content }) => {
    const header = tarHeader(name, content.length, seconds)
    if (header === null) throw new RangeError(`no header holds the name ${JSON.stringify(name)}`)
    return [header, content, Buffer.alloc(paddingOf(content.length))]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)])
}
