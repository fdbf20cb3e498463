import { findGrams } from './grams.ts'
import { readings } from './readings.ts'
import { Secret } from './secret.ts'
import { soughtOf, writingsOf } from './sought.ts'
import type { Sought } from './sought.ts'
import { plainStream } from './streams.ts'

/** Takes credentials out of texts. */
export interface Scrubber {
  /** The text with every recognisable part of a credential replaced by `<NAME>`; the same text when there is none. */
  scrub(text: string): string
}

/**
 * A scrubber for these credentials. A part is masked from half the credential's length on, but at least 4 and at most 8
 * characters (a credential shorter than 4 only as a whole), in any letter case, forwards or backwards, and also written
 * with the escapes of URLs, JSON, JavaScript or HTML (three deep) or in quoted-printable, in hexadecimal, as a list of bytes,
 * or within base64 or base64url text, these packings also within each other, twice. From 10 letters and digits on (8 where it has
 * no more) a part is masked whatever stands between them: white space, punctuation, tags, codes that steer a terminal.
 * Scrubbing twice changes nothing more, and the time is linear in the text.
 */
export function scrubberFor(secrets: readonly Secret[]): Scrubber {
  const masks = [...new Set(secrets.map(String))]
  const values = secrets
    .filter((secret) => secret.reveal() !== '')
    .flatMap((secret) => {
      const owner = masks.indexOf(String(secret))
      return writingsOf(secret.reveal()).map((text) => ({ text, owner }))
    })
  if (values.length === 0) return { scrub: (text) => text }

  const plan = { sought: soughtOf(values), masks, apart: new RegExp(masks.map(quoted).join('|'), 'g') }
  return { scrub: (text) => scrubFully(text, plan) }
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
  readonly sought: Sought
  /** What stands for a credential, by the owner's number. */
  readonly masks: readonly string[]
  readonly apart: RegExp
}

const MAX_PASSES = 8

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

function scrubOnce(text: string, { sought, masks, apart }: Plan): string {
  if (text.length < sought.shortest) return text

  const covered = new Uint16Array(text.length)
  let found = false
  for (const [stream, one] of readings(plainStream(text, apart), sought)) {
    findGrams(stream, one, (first, last, owner) => {
      const start = stream.starts[first] ?? 0
      found = true
      // A run is named after what was found first in it.
      covered.fill(covered[start] || owner + 1, start, stream.ends[last])
    })
  }
  return found ? masked(text, covered, masks) : text
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

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
