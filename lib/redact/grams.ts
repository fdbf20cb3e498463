import { BREAK } from './streams.ts'
import type { Stream } from './streams.ts'

/** Sequences of one length that must not be seen, each with the number of its owner. */
export interface Grams {
  readonly width: number
  readonly owners: ReadonlyMap<string, number>
  /** A bit for each hash that one of them has: most places of a text are ruled out by it. */
  readonly hashes: Uint8Array
}

/** Called for each place where a sequence was found: first and last index in the stream, and the owner's number. */
export type Hit = (first: number, last: number, owner: number) => void

const HASH_BITS = 18
const FACTOR = 0x01000193
/** Each character without its letter case. */
const folded = Uint16Array.from({ length: 0x10000 }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase()
  return lower.length === 1 ? lower.charCodeAt(0) : code
})

/** Every sequence of `width` characters of the values, in whatever letter case, forwards and backwards. */
export function gramsOf(width: number, values: readonly { text: string; owner: number }[]): Grams {
  const owners = new Map<string, number>()
  for (const { text, owner } of values) {
    const codes = [...Array(text.length).keys()].map((index) => folded[text.charCodeAt(index)] ?? BREAK)
    for (const way of [codes, codes.toReversed()]) {
      for (let index = 0; index + width <= way.length; index += 1) {
        const gram = String.fromCharCode(...way.slice(index, index + width))
        if (!owners.has(gram)) owners.set(gram, owner)
      }
    }
  }
  return { width, owners, hashes: hashesOf([...owners.keys()]) }
}

/** Finds the sequences in a stream, in time linear in its length; those of fewer than four characters only as words of their own. */
export function findGrams({ codes, length }: Stream, { width, owners, hashes }: Grams, hit: Hit): void {
  const leaving = power(width)
  const isWordAt = (index: number): boolean =>
    index >= 0 && index < length && /[\p{L}\p{N}]/u.test(String.fromCharCode(codes[index] ?? BREAK))
  let hash = 0
  let seen = 0
  for (let index = 0; index < length; index += 1) {
    const code = codes[index] ?? BREAK
    if (code === BREAK) {
      hash = 0
      seen = 0
      continue
    }
    hash = (Math.imul(hash, FACTOR) + (folded[code] ?? 0)) | 0
    seen += 1
    if (seen > width) hash = (hash - Math.imul(folded[codes[index - width] ?? 0] ?? 0, leaving)) | 0
    if (seen < width) continue

    const slot = slotOf(hash)
    if (((hashes[slot >> 3] ?? 0) & (1 << (slot & 7))) === 0) continue
    const owner = owners.get(textAt(codes, index + 1 - width, width))
    if (owner === undefined) continue
    if (width < SHORTEST_IN_WORDS && (isWordAt(index - width) || isWordAt(index + 1))) continue
    hit(index + 1 - width, index, owner)
  }
}

/** Shorter values are parts of words by chance: `ci` of `conclusion`. */
const SHORTEST_IN_WORDS = 4

function hashesOf(grams: readonly string[]): Uint8Array {
  const hashes = new Uint8Array(2 ** HASH_BITS / 8)
  for (const gram of grams) {
    let hash = 0
    for (let index = 0; index < gram.length; index += 1)
      hash = (Math.imul(hash, FACTOR) + gram.charCodeAt(index)) | 0
    const slot = slotOf(hash)
    hashes[slot >> 3] = (hashes[slot >> 3] ?? 0) | (1 << (slot & 7))
  }
  return hashes
}

function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (32 - HASH_BITS)
}

function power(exponent: number): number {
  return Array.from({ length: exponent }).reduce<number>((product) => Math.imul(product, FACTOR), 1)
}

function textAt(codes: Uint16Array, start: number, length: number): string {
  let text = ''
  for (let index = start; index < start + length; index += 1)
    text += String.fromCharCode(folded[codes[index] ?? 0] ?? 0)
  return text
}
