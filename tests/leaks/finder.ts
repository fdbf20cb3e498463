import { encodedIn } from './encoded.ts'
import { readingsOf, unescaped } from './readings.ts'
import { folded, shortest, telling, writingsOf, type Writing } from './writings.ts'

/** A value that can be read somewhere: its position among the values given, and in which writing. */
export interface Found {
  readonly value: number
  readonly how: string
}

/** Looks through bytes, in time linear in their length. */
export type Finder = (bytes: Uint8Array) => readonly Found[]

/** Every so many bytes (`stride`) a sample is looked up: what is as long as the shortest writing holds one, wherever it stands. */
const sample = 6
const stride = shortest - sample + 1

/** A finder of these values, of which an empty one is never found. */
export function finderOf(values: readonly string[]): Finder {
  const index = indexOf(values)
  const inPieces = inPiecesOf(values)
  const short = values.flatMap((value, at) =>
    folded(value).length >= telling ? [] : wholes(value).map((whole) => ({ whole, at })),
  )

  return (bytes) => {
    const found = new Map<string, Found>()
    const add = (one: Found): void => void found.set(`${one.value} ${one.how}`, one)
    for (const reading of everyReadingOf(bytes)) {
      const buffer = Buffer.from(reading.buffer, reading.byteOffset, reading.length)
      let lower: string | null = null
      search(foldedBytes(reading), index, ({ value, how, exactly }) => {
        lower ??= exactly === undefined ? null : buffer.toString('latin1').toLowerCase()
        if (exactly === undefined || lower?.includes(exactly) === true) add({ value, how })
      })
      for (const { whole, at } of short) if (buffer.includes(whole)) add({ value: at, how: 'as text' })
      const known = new Set(Array.from(found.values(), ({ value }) => value))
      for (const at of inPieces(buffer.toString('latin1')))
        if (!known.has(at)) add({ value: at, how: 'in pieces' })
    }
    return [...found.values()]
  }
}

/** What is encoded is looked for in the bytes and behind one level of escapes only: it takes the time of several readings. */
function* everyReadingOf(bytes: Uint8Array): Generator<Uint8Array> {
  yield* readingsOf(bytes)
  yield* encodedIn(bytes)
  const plain = unescaped(bytes)
  if (plain !== null) yield* encodedIn(plain)
}

/** How long a piece is at least, how far apart two of them may begin, and how much of a value they must hold together. */
const piece = 4
const farthest = 490
const most = 0.75

/** A finder of values most of which stands in a text, in pieces in their order; letter case does not matter. */
function inPiecesOf(values: readonly string[]): (text: string) => ReadonlySet<number> {
  const places = new Map<string, { readonly value: number; readonly start: number }[]>()
  const mayEnd = new Uint8Array(2 ** 22)
  values
    .map((value) => value.toLowerCase())
    .forEach((value, at) => {
      if (value.length < 2 * piece) return
      for (let start = 0; start + piece <= value.length; start += 1) {
        const text = value.slice(start, start + piece)
        places.set(text, [...(places.get(text) ?? []), { value: at, start }])
        mayEnd[slotOf(Buffer.from(text, 'latin1').readUInt32BE())] = 1
      }
    })

  return (given) => {
    const text = given.toLowerCase()
    const found = new Set<number>()
    const met = new Map<number, readonly Met[]>()
    let last = 0
    for (let at = 1 - piece; at + piece <= text.length; at += 1) {
      last = (last << 8) | (text.charCodeAt(at + piece - 1) & 0xff)
      if (mayEnd[slotOf(last)] === 0 || at < 0) continue
      for (const { value, start } of places.get(text.slice(at, at + piece)) ?? []) {
        const near = (met.get(value) ?? []).filter((one) => at - one.at <= farthest)
        const end = start + piece
        const held = near.map((one) => {
          if (one.at + piece <= at && one.end <= start) return one.held + piece
          return one.at + 1 === at && one.end + 1 === end ? one.held + 1 : 0
        })
        const own = { at, end, held: Math.max(piece, ...held) }
        if (own.held >= (values[value]?.length ?? 0) * most) found.add(value)
        const isBeaten = (one: Met): boolean => one.at + 1 < at && one.end >= end && one.held <= own.held
        met.set(value, [...near.filter((one) => !isBeaten(one)), own])
      }
    }
    return found
  }
}

/** Where a piece begins in the text and ends in the value, and how much is held up to there. */
interface Met {
  readonly at: number
  readonly end: number
  readonly held: number
}

interface Index {
  /** Two places for each sample of a writing: nearly every place of a text is ruled out by them. */
  readonly met: Uint8Array
  /** By length, what is looked for. */
  readonly byWidth: ReadonlyMap<number, ReadonlyMap<string, Sought>>
}

type Sought = Found & Pick<Writing, 'exactly'>

const known = new Map<string, readonly Writing[]>()

function indexOf(values: readonly string[]): Index {
  const byWidth = new Map<number, Map<string, Sought>>()
  const met = new Uint8Array(2 ** 22)
  values.forEach((value, at) => {
    const writings = known.get(value) ?? writingsOf(value)
    // The clients of the reference service are looked for again and again; the others pass by.
    if (known.size < 64) known.set(value, writings)
    for (const { written, ...one } of writings) {
      const same = byWidth.get(written.length) ?? new Map<string, Sought>()
      byWidth.set(written.length, same)
      if (same.has(written)) continue
      same.set(written, { value: at, ...one })
      const bytes = Buffer.from(written, 'latin1')
      for (let offset = 0; offset < stride; offset += 1) {
        const number = numberAt(bytes, offset)
        met[slotOf(number)] = 1
        met[anotherSlotOf(number)] = 1
      }
    }
  })
  return { met, byWidth }
}

function search(bytes: Buffer, { met, byWidth }: Index, add: (found: Sought) => void): void {
  for (let at = 0; at + sample <= bytes.length; at += stride) {
    const number = numberAt(bytes, at)
    if (met[slotOf(number)] === 0 || met[anotherSlotOf(number)] === 0) continue

    for (const [width, writings] of byWidth) {
      for (let start = Math.max(0, at - stride + 1); start <= at; start += 1) {
        const found = writings.get(bytes.toString('latin1', start, start + width))
        if (found !== undefined) add(found)
      }
    }
  }
}

/** The bytes of a sample as one number. */
function numberAt(bytes: Buffer, at: number): number {
  return Math.imul(bytes.readUInt32BE(at), 0x2c1b3c6d) ^ Math.imul(bytes.readUInt16BE(at + 4), 0x297a2d39)
}

function slotOf(number: number): number {
  return Math.imul(number, 0x5bd1e995) >>> 10
}

function anotherSlotOf(number: number): number {
  return Math.imul(number ^ (number >>> 13), 0x2c1b3c6d) >>> 10
}

/** For each byte its letter or digit in lower case, or 0. */
const foldedByte = Uint8Array.from({ length: 256 }, (_, code) =>
  folded(String.fromCharCode(code)).charCodeAt(0),
)

function foldedBytes(bytes: Uint8Array): Buffer {
  const made = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = foldedByte[bytes[index] ?? 0] ?? 0
    made[length] = byte
    length += byte === 0 ? 0 : 1
  }
  return made.subarray(0, length)
}

/** A value with too few letters and digits for anything else: as it is, and in base64 and hexadecimal where chance does not write it. */
function wholes(value: string): readonly Buffer[] {
  const bytes = Buffer.from(value)
  const packed =
    bytes.length < 5 ? [] : [bytes.toString('base64').replace(/.?=*$/, ''), bytes.toString('hex')]
  return value === '' ? [] : [value, ...packed].map((text) => Buffer.from(text))
}
