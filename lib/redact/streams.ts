import { escapeAt, hexByteAt, mayEscape } from './escapes.ts'

/** A reading of a text: characters, and from where to where in the text each of them was written. */
export interface Stream {
  readonly length: number
  readonly codes: Uint16Array
  readonly starts: Int32Array
  readonly ends: Int32Array
}

/** Stands between characters that do not follow each other (U+FFFF is no character). */
export const BREAK = 0xffff

/** The text as it stands. What `apart` matches is taken out, so that nothing is found in or across it. */
export function plainStream(text: string, apart: RegExp | null): Stream {
  const stream = emptyStream(text.length)
  for (let index = 0; index < text.length; index += 1)
    append(stream, text.charCodeAt(index), index, index + 1)

  for (const match of apart === null ? [] : text.matchAll(apart)) {
    stream.codes.fill(BREAK, match.index, match.index + match[0].length)
  }
  return stream
}

/** The characters of a stream. */
export function textOf({ codes, length }: Stream): string {
  return Buffer.from(codes.buffer, codes.byteOffset, length * 2).toString('utf16le')
}

/** Adds a character that the characters from `first` to `last` of the stream before it stand for. */
export type Append = (code: number, first: number, last: number) => void

/** A stream made from another, of which it is no longer: `read` is told where to go on, and says where it ended. */
export function derived(from: Stream, read: (index: number, append: Append) => number): Stream {
  const made = emptyStream(from.length)
  const add: Append = (code, first, last) => append(made, code, from.starts[first] ?? 0, from.ends[last] ?? 0)
  for (let index = 0; index < from.length; index += 1) index = read(index, add)
  return made
}

/** The stream with one level of escapes (URL, JSON, HTML) undone, or null when there is none. */
export function unescaped(stream: Stream): Stream | null {
  const { codes, length } = stream
  if (!codes.subarray(0, length).some(mayEscape)) return null

  const plain = derived(stream, (index, add) => {
    const code = codes[index] ?? BREAK
    const escape = mayEscape(code) ? escapeAt(codes, index) : null
    const last = index + (escape?.length ?? 1) - 1
    add(escape?.code ?? code, index, last)
    return last
  })
  return plain.length === length ? null : plain
}

/** The stream with quoted-printable undone (`=41`), or null when there is none. */
export function unquoted(stream: Stream): Stream | null {
  const { codes, length } = stream
  if (!codes.subarray(0, length).includes(EQUALS)) return null

  const plain = derived(stream, (index, add) => {
    const code = codes[index] ?? BREAK
    const byte = code === EQUALS ? hexByteAt(codes, index + 1) : null
    const last = byte === null ? index : index + 2
    add(byte ?? code, index, last)
    return last
  })
  return plain.length === length ? null : plain
}

/** The bytes that a list of decimal numbers stands for, as a buffer is printed: `[107, 101, 121]`. */
export function listedBytes(stream: Stream): Stream {
  const { codes } = stream
  return derived(stream, (index, add) => {
    let [value, at] = [0, index]
    for (; isDigit(codes[at]) && at < index + 4; at += 1) value = value * 10 + (codes[at] ?? 0) - ZERO
    if (at > index && value <= 0xff) add(value, index, at - 1)
    else if (!between.has(codes[index] ?? BREAK)) add(BREAK, index, index)
    return Math.max(index, at - 1)
  })
}

/**
 * The bytes that hexadecimal (4 bits a digit) or base64 text (6 bits) stands for, wherever it begins: once from each
 * offset at which a byte may begin. Only stretches that hold `minBytes` bytes are read.
 */
export function* packedStreams(stream: Stream, bits: 4 | 6, minBytes: number): Generator<Stream> {
  const values = bits === 4 ? hexValues : base64Values
  const runs = runsOf(stream, values, Math.ceil((minBytes * 8) / bits))
  if (runs.length === 0) return

  for (let offset = 0; offset < 8 / (bits === 4 ? 4 : 2); offset += 1) {
    const bytes = emptyStream(stream.length)
    for (const [start, end] of runs) unpack(stream, { values, bits, start: start + offset, end }, bytes)
    yield bytes
  }
}

type Growing = { -readonly [K in keyof Stream]: Stream[K] }

function emptyStream(capacity: number): Growing {
  return {
    length: 0,
    codes: new Uint16Array(capacity),
    starts: new Int32Array(capacity),
    ends: new Int32Array(capacity),
  }
}

function append(stream: Growing, code: number, start: number, end: number): void {
  stream.codes[stream.length] = code
  stream.starts[stream.length] = start
  stream.ends[stream.length] = end
  stream.length += 1
}

function runsOf(
  { codes, length }: Stream,
  values: Int8Array,
  minimum: number,
): (readonly [number, number])[] {
  const runs: (readonly [number, number])[] = []
  let start = 0
  for (let index = 0; index <= length; index += 1) {
    if (index < length && (values[codes[index] ?? BREAK] ?? -1) >= 0) continue
    if (index - start >= minimum) runs.push([start, index])
    start = index + 1
  }
  return runs
}

interface Run {
  readonly values: Int8Array
  readonly bits: number
  readonly start: number
  readonly end: number
}

function unpack({ codes, starts, ends }: Stream, { values, bits, start, end }: Run, into: Growing): void {
  let held = 0
  let value = 0
  // The digit in which the byte at hand begins: the one before, when that still holds some of its bits.
  let first = start
  for (let index = start; index < end; index += 1) {
    value = ((value << bits) | (values[codes[index] ?? BREAK] ?? 0)) & 0x3fff
    held += bits
    if (held < 8) continue
    held -= 8
    const byte = (value >> held) & 0xff
    // In UTF-16 every other byte is 0.
    if (byte !== 0) append(into, byte, starts[first] ?? 0, ends[index] ?? 0)
    first = held === 0 ? index + 1 : index
  }
  // Bytes are fewer than digits, so there is room: at most 3 for 4.
  append(into, BREAK, 0, 0)
}

function valuesOf(alphabets: readonly string[]): Int8Array {
  const values = new Int8Array(0x10000).fill(-1)
  for (const alphabet of alphabets) {
    for (let value = 0; value < alphabet.length; value += 1) values[alphabet.charCodeAt(value)] = value
  }
  return values
}

const ZERO = 0x30
const EQUALS = 0x3d
/** What stands between the numbers of a list. */
const between: ReadonlySet<number> = new Set(Array.from(', \t\r\n;', (one) => one.charCodeAt(0)))

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= ZERO && code <= 0x39
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const base64Values = valuesOf([`${LETTERS}+/`, `${LETTERS}-_`])
const hexValues = valuesOf(['0123456789abcdef', '0123456789ABCDEF'])
