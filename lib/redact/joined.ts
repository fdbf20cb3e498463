import { BREAK, derived } from './streams.ts'
import type { Stream } from './streams.ts'

/** Longer ones are no tags; a lone `<` must not swallow a page. */
const longestTag = 200
/** What stands further apart does not belong together, and a mask must not cover a page. */
const widestGap = 400

/** The letters and digits of a stream alone, so that what was spaced out, grouped or quoted piece by piece reads as one. */
export function joined(stream: Stream): Stream {
  const { codes } = stream
  let next = 0
  return derived(stream, (index, append) => {
    const code = codes[index] ?? BREAK
    if (!isLetterOrDigit(code)) return index
    if (index - next > widestGap) append(BREAK, index, index)
    append(code, index, index)
    next = index + 1
    return index
  })
}

/** A stream without line breaks, as base64 has them after 76 characters; null where there are none. */
export function unbroken(stream: Stream): Stream | null {
  const { codes, length } = stream
  const own = codes.subarray(0, length)
  if (!own.includes(LINE_FEED) && !own.includes(CARRIAGE_RETURN)) return null

  return derived(stream, (index, append) => {
    const code = codes[index] ?? BREAK
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) append(code, index, index)
    return index
  })
}

/** A stream without tags (`<b>`) and without the codes that steer a terminal; null where there are none. */
export function untagged(stream: Stream): Stream | null {
  const { codes, length } = stream
  const own = codes.subarray(0, length)
  if (!own.includes(LESS) && !own.includes(ESCAPE)) return null

  const bare = derived(stream, (index, append) => {
    const last = lastOfTag(codes, index, length)
    if (last === index) append(codes[index] ?? BREAK, index, index)
    return last
  })
  return bare.length === length ? null : bare
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
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
