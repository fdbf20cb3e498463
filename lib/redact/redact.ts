import { findGrams } from './grams.ts'
import { readings } from './readings.ts'
import { Secret } from './secret.ts'
import { soughtOf, soughtWhole, writingsOf } from './sought.ts'
import type { Sought } from './sought.ts'
import { plainStream } from './streams.ts'

/** Takes credentials out of texts. */
export interface Redactor {
  /** The text with every recognisable part of a credential replaced by `<NAME>`; the same text when there is none. */
  redact(text: string): string
  /**
   * The same for texts that may echo what was sent: masks these values, too, each as a whole (of one longer than 64 characters,
   * any 64 of it), since what was made from a credential holds parts of it that are too short to be recognised.
   */
  besides(sent: readonly Secret[]): Redactor
}

/**
 * A redactor for these credentials. A part is masked from half the credential's length on, but at least 4 and at most 8
 * characters (a credential shorter than 4 only as a whole, and not within a word), in any letter case, forwards or backwards, and also written
 * with the escapes of URLs, JSON, JavaScript or HTML (three deep) or in quoted-printable, in hexadecimal, as a list of bytes,
 * or within base64 or base64url text, these packings also within each other, twice. From 10 letters and digits on (8 where it has
 * no more) a part is masked whatever stands between them: white space, punctuation, tags, codes that steer a terminal.
 * Redacting twice changes nothing more, and the time is linear in the text.
 */
export function redactorFor(secrets: readonly Secret[]): Redactor {
  const parts = lookedFor(secrets, soughtOf)
  const besides = (sent: readonly Secret[]): Redactor =>
    redactorOf(
      [
        lookedFor(
          sent.filter((one) => one.reveal().length >= SHORTEST_WHOLE),
          soughtWhole,
        ),
        parts,
      ],
      besides,
    )
  return redactorOf([parts], besides)
}

/** Values that are looked for in the same way, and what stands for each, by the owner's number. */
interface Wanted {
  readonly sought: Sought
  readonly masks: readonly string[]
}

function lookedFor(secrets: readonly Secret[], soughtIn: typeof soughtOf): Wanted {
  const masks = [...new Set(secrets.map(String))]
  const values = secrets
    .filter((secret) => secret.reveal() !== '')
    .flatMap((secret) => {
      const owner = masks.indexOf(String(secret))
      return writingsOf(secret.reveal()).map((text) => ({ text, owner }))
    })
  return { sought: soughtIn(values), masks }
}

function redactorOf(all: readonly Wanted[], besides: Redactor['besides']): Redactor {
  const wanted = all.filter(({ sought }) => sought.grams.length > 0)
  if (wanted.length === 0) return { redact: (text) => text, besides }

  const masks = [...new Set(wanted.flatMap((one) => one.masks))]
  const plan: Plan = { wanted, masks, apart: new RegExp(masks.map(quoted).join('|'), 'g') }
  return { redact: (text) => scrubFully(text, plan), besides }
}

/** Shorter values hold no more of a credential than may stand anywhere. */
const SHORTEST_WHOLE = 4

/** Deeper plain data is cut off: what writes it (`JSON.stringify`) gives up soon after. */
const MAX_DEPTH = 100

/** Plain data with every string redacted, keys too, and numbers that spell a credential; at most 100 levels deep. */
export function redactJson(value: unknown, redactor: Redactor, depth = 0): unknown {
  if (typeof value === 'string') return redactor.redact(value)
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = String(value)
    const redacted = redactor.redact(text)
    return redacted === text ? value : redacted
  }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Secret) return String(value)
  if (depth >= MAX_DEPTH) return '(deeper than 100 levels)'
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redactor, depth + 1))

  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactor.redact(key), redactJson(item, redactor, depth + 1)]),
  )
}

interface Plan {
  /** What gives a run its name first. */
  readonly wanted: readonly Wanted[]
  /** What stands for a credential, of all that are wanted. */
  readonly masks: readonly string[]
  readonly apart: RegExp
}

const MAX_PASSES = 8

/** Again until nothing is found: a mask may break an escape in two, whose rest then reads differently. */
function scrubFully(text: string, plan: Plan): string {
  let current = text
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const redacted = scrubOnce(current, plan)
    if (redacted === current) break
    current = redacted
  }
  return current
}

function scrubOnce(text: string, plan: Plan): string {
  const { wanted, masks, apart } = plan
  const covered = new Uint16Array(text.length)
  let found = false
  for (const { sought, masks: own } of wanted) {
    if (text.length < sought.shortest) continue
    for (const [stream, grams] of readings(plainStream(text, apart), sought)) {
      findGrams(stream, grams, (first, last, owner) => {
        const start = stream.starts[first] ?? 0
        found = true
        // A run is named after what was found first in it: a whole value goes before its parts.
        const name = covered[start] || masks.indexOf(own[owner] ?? '') + 1
        covered.fill(name, start, stream.ends[last])
      })
    }
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
