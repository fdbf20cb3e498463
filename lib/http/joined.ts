import { BREAK, derived } from './streams.ts'
import type { Stream } from './streams.ts'

/** Longer ones are no tags; a lone `<` must not swallow a page. */
const longestTag = 200
/** What stands further apart does not belong together, and a mask must not cover a page. */
const widestGap = 400

/**
 * The letters and digits of a stream alone, so that what was spaced out, broken into groups or quoted piece by piece reads
 * as one; without tags (`<b>`) and the codes that steer a terminal, or with what is in them.
 */
export function joined(stream: Stream, tags: 'with tags' | 'without tags'): Stream {
  const { codes, length } = stream
  let next = 0
  return derived(stream, (index, append) => {
    const last = tags === 'with tags' ? index : lastOfTag(codes, index, length)
    const code = codes[index] ?? BREAK
    if (last > index || !isLetterOrDigit(code)) return last
    if (index - next > widestGap) append(BREAK, index, index)
    append(code, index, index)
    next = index + 1
    return index
  })
}

/** Whether a stream has something that begins a tag or steers a terminal. */
export function mayHaveTags({ codes, length }: Stream): boolean {
  const own = codes.subarray(0, length)
  return own.includes(LESS) || own.includes(ESCAPE)
}

const ESCAPE = 0x1b
const LESS = 0x3c

/** Where the tag, or the terminal's code, ends that begins at an index; the index itself where none begins. */
function lastOfTag(codes: Uint16Array, index: number, length: number): number {
  const code = codes[index]
  if (code !== LESS && code !== ESCAPE) return index

  const isTitle = codes[index + 1] === 0x5d
  const end = Math.min(length, index + longestTag)
  for (let at = index + (code === LESS ? 1 : 2); at < end; at += 1) {
    const one = codes[at] ?? BREAK
    if (code === LESS && one === LESS) return index
    const ends = code === LESS ? one === 0x3e : isTitle ? one === 7 : one >= 0x40 && one <= 0x7e
    if (ends) return at
  }
  return index
}

function isLetterOrDigit(code: number): boolean {
  const lower = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (code < 0x80 && lower >= 0x61 && lower <= 0x7a)
}
