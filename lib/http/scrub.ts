import { isUtf8 } from 'node:buffer'

import { findGrams, gramsOf } from './grams.ts'
import type { Grams } from './grams.ts'
import { Secret } from './secret.ts'
import { packedStreams, plainStream, unescaped } from './streams.ts'
import type { Stream } from './streams.ts'

/** Takes credentials out of texts. */
export interface Scrubber {
  /** The text with every recognisable part of a credential replaced by `<NAME>`; the same text when there is none. */
  scrub(text: string): string
}

/**
 * A scrubber for these credentials. A part is masked from half the credential's length on, but at least 4 and at most 8
 * characters (a credential shorter than 4 only as a whole), in any letter case, forwards or backwards, and also written
 * with the escapes of URLs, JSON, JavaScript or HTML (three deep), in hexadecimal, or within base64 or base64url text.
 * Scrubbing twice changes nothing more, and the time is linear in the text.
 */
export function scrubberFor(secrets: readonly Secret[]): Scrubber {
  const masks = [...new Set(secrets.map(String))]
  const values = secrets
    .filter((secret) => secret.reveal() !== '')
    .flatMap((secret) => {
      const owner = masks.indexOf(String(secret))
      return writingsOf(secret.reveal()).map((text) => ({ text, owner, width: widthOf(text) }))
    })
  const grams = [...new Set(values.map(({ width }) => width))].map((width) =>
    gramsOf(
      width,
      values.filter((value) => value.width === width),
    ),
  )
  if (grams.length === 0) return { scrub: (text) => text }

  const apart = new RegExp(masks.map(quoted).join('|'), 'g')
  return { scrub: (text) => scrubFully(text, { grams, masks, apart }) }
}

/** Deeper plain data is cut off: what writes it (`JSON.stringify`) gives up soon after. */
const MAX_DEPTH = 100

/** Plain data with every string scrubbed, keys too, and numbers that spell a credential; at most 100 levels deep. */
export function scrubJson(value: unknown, scrubber: Scrubber, depth = 0): unknown {
  if (typeof value === 'string') return scrubber.scrub(value)
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = String(value)
    const scrubbed = scrubber.scrub(text)
    return scrubbed === text ? value : scrubbed
  }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Secret) return String(value)
  if (depth >= MAX_DEPTH) return '(deeper than 100 levels)'
  if (Array.isArray(value)) return value.map((item) => scrubJson(item, scrubber, depth + 1))

  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [scrubber.scrub(key), scrubJson(item, scrubber, depth + 1)]),
  )
}

interface Plan {
  readonly grams: readonly Grams[]
  /** What stands for a credential, by the owner's number. */
  readonly masks: readonly string[]
  readonly apart: RegExp
}

const MAX_PASSES = 8
const MAX_ESCAPE_LEVELS = 3

/** Again until nothing is found: a mask may break an escape in two, whose rest then reads differently. */
function scrubFully(text: string, plan: Plan): string {
  let current = text
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const scrubbed = scrubOnce(current, plan)
    if (scrubbed === current) break
    current = scrubbed
  }
  return current
}

function scrubOnce(text: string, { grams, masks, apart }: Plan): string {
  if (grams.every(({ width }) => text.length < width)) return text

  const covered = new Uint16Array(text.length)
  let found = false
  for (const [stream, one] of readings(text, grams, apart)) {
    findGrams(stream, one, (first, last, owner) => {
      const start = stream.starts[first] ?? 0
      found = true
      // A run is named after what was found first in it.
      covered.fill(covered[start] || owner + 1, start, stream.ends[last])
    })
  }
  return found ? masked(text, covered, masks) : text
}

function* readings(
  text: string,
  grams: readonly Grams[],
  apart: RegExp,
): Generator<readonly [Stream, Grams]> {
  // In packed text, one to three characters turn up by chance.
  const long = grams.filter(({ width }) => width >= 4)
  const shortest = Math.min(...long.map(({ width }) => width))
  let stream: Stream | null = plainStream(text, apart)
  for (let level = 0; stream !== null && level <= MAX_ESCAPE_LEVELS; level += 1) {
    for (const one of grams) yield [stream, one]
    for (const bits of long.length === 0 ? [] : ([4, 6] as const)) {
      for (const bytes of packedStreams(stream, bits, shortest)) {
        for (const one of long) yield [bytes, one]
      }
    }
    stream = unescaped(stream)
  }
}

function masked(text: string, covered: Uint16Array, masks: readonly string[]): string {
  const parts: string[] = []
  let start = 0
  for (let index = 1; index <= text.length; index += 1) {
    const owner = covered[start] ?? 0
    if (index < text.length && covered[index] === owner) continue
    parts.push(owner === 0 ? text.slice(start, index) : (masks[owner - 1] ?? ''))
    start = index
  }
  return parts.join('')
}

function widthOf(text: string): number {
  return text.length < 4 ? text.length : Math.min(Math.max(Math.floor(text.length / 2), 4), 8)
}

/** A value as characters and as UTF-8 bytes, and as it reads where escapes are undone that it holds itself. */
function writingsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'latin1')
  const asBytes = Buffer.from(value, 'utf8').toString('latin1')
  const asText = bytes.toString('latin1') === value && isUtf8(bytes) ? bytes.toString('utf8') : value
  const found = new Set([value, asBytes, asText])
  for (const one of [value, asBytes, asText]) {
    let stream = unescaped(plainStream(one, null))
    for (let level = 1; stream !== null && level <= MAX_ESCAPE_LEVELS; level += 1) {
      found.add(String.fromCharCode(...stream.codes.subarray(0, stream.length)))
      stream = unescaped(stream)
    }
  }
  return [...found].filter((one) => one === value || one.length >= 4)
}

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
