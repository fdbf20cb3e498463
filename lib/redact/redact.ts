import { opaqueIn } from './opaque.ts'
import { levelsOf } from './readings.ts'
import { Secret } from './secret.ts'
import { traceFinder, type Trace } from './traces.ts'

/** Removes credentials from text. */
export interface Redactor {
  /** Replaces each complete value in a text with `<NAME>`, and each half with `<part of NAME>`. Idempotent, and linear in the length. */
  redact(text: string): string
  /**
   * A redactor for the text in an answer and for quotations from it. Also masks the secrets that were sent, and shortens data that may be
   * packed to its start and length, unless the request contained that data.
   */
  ofAnswer(sent?: Sent): Redactor
}

/** Parts of a request that an answer may repeat. */
export interface Sent {
  readonly secrets: readonly Secret[]
  /** All other text. */
  readonly text: string
}

/** Minimum length of a sent value that is masked, in characters; shorter values occur by chance. */
const MIN_SENT = 4
/** Minimum share of a credential that is hidden, and its minimum length in characters. */
const trace = { share: 0.5, fewest: 8 }
/** Number of characters of an opaque text that are shown. */
const SHOWN = 8

/** A part of a text and its replacement. */
interface Hidden {
  readonly from: number
  readonly to: number
  readonly shown: string
}

/** Creates a redactor for these credentials. Leaves a part visible if it also occurs in public words, such as paths and field names. */
export function redactorFor(secrets: readonly Secret[], publicWords: readonly string[] = []): Redactor {
  const tracesIn = traceFinder(secrets, { ...trace, publicWords })
  const redactor = (sent: Sent | null): Redactor => {
    const own = (sent?.secrets ?? []).filter((secret) => secret.reveal().length >= MIN_SENT)
    const held = levelsOf(sent?.text ?? '').map(({ text }) => text)
    const isKnown = (words: string): boolean =>
      [held, publicWords].some((known) => known.some((text) => text.includes(words)))
    return {
      redact(text) {
        const levels = levelsOf(text)
        const traces = tracesIn(levels, own)
        const masked = traces.length === 0 ? text : hidden(text, masksFor(text, traces, [...secrets, ...own]))
        if (sent === null) return masked
        return hidden(
          masked,
          opaqueIn(masked === text ? levels : levelsOf(masked), isKnown).map(shownOf(masked)),
        )
      },
      ofAnswer: (more = { secrets: [], text: '' }) => redactor(more),
    }
  }
  return redactor(null)
}

/** Masks for traces, except traces within an existing mask in the text. */
function masksFor(text: string, traces: readonly Trace[], secrets: readonly Secret[]): readonly Hidden[] {
  const masks = new RegExp(secrets.flatMap(masksOf).map(escapeRegExp).join('|'), 'g')
  const there = Array.from(
    text.matchAll(masks),
    ({ 0: mask, index }) => [index, index + mask.length] as const,
  )
  return traces
    .filter(({ from, to }) => !there.some(([start, end]) => start <= from && to <= end))
    .map(({ from, to, secret, isWhole }) => ({ from, to, shown: masksOf(secret)[isWhole ? 0 : 1] }))
}

function masksOf(secret: Secret): readonly [whole: string, part: string] {
  return [String(secret), `<part of ${secret.name}>`]
}

function shownOf(text: string): (place: Omit<Hidden, 'shown'>) => Hidden {
  return ({ from, to }) => ({
    from,
    to,
    shown: `${text.slice(from, from + SHOWN)}… (opaque: ${to - from} characters)`,
  })
}

/** Returns a text with its parts hidden; the first of any overlapping parts wins. */
function hidden(text: string, parts: readonly Hidden[]): string {
  const merged: (Hidden & { readonly rank: number })[] = []
  const ranked = parts.map((part, rank) => ({ ...part, rank }))
  for (const part of ranked.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last === undefined || part.from >= last.to) merged.push(part)
    else {
      const { shown, rank } = part.rank < last.rank ? part : last
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, part.to), shown, rank }
    }
  }
  let [made, end] = ['', 0]
  for (const { from, to, shown } of merged) {
    made += text.slice(end, from) + shown
    end = to
  }
  return made + text.slice(end)
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}

/** Maximum depth of plain data; `JSON.stringify` fails soon after. */
const MAX_DEPTH = 100

/** Redacts every string in plain data, including keys, and numbers that spell a credential, down to 100 levels. */
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
