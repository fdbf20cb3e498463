import { decoded, levelsOf, placeOf, type Reading } from './readings.ts'
import type { Secret } from './secret.ts'

/** A part of a text that reveals a credential. */
export interface Trace {
  readonly from: number
  readonly to: number
  readonly secret: Secret
  readonly isWhole: boolean
}

/** Limits for a trace. */
interface TraceOptions {
  /** Minimum contiguous share of a credential. */
  readonly share: number
  /** Minimum length of a part, in characters; a shorter credential counts only as a whole. */
  readonly fewest: number
  /** Public text; a part that occurs in it is not a trace. */
  readonly publicWords: readonly string[]
}

/** Finds credentials in the readings of a text, as well as complete `sent` values, longest first. */
export type TraceFinder = (levels: readonly Reading[], sent?: readonly Secret[]) => readonly Trace[]

/** Minimum length of a credential that is searched for within words, in characters, because `ci` occurs in `conclusion`. */
const MIN_WITHIN_WORDS = 4
/** Minimum length of a match in hexadecimal and base64, in characters. Shorter matches occur by chance. */
const MIN_PACKED = 6
/** Characters per lookup. */
const SAMPLE = 4

/** A text that reveals a credential, in lower case, and the minimum length of a revealing part. */
interface Writing {
  readonly secret: Secret
  readonly text: string
  readonly least: number
}

interface Match {
  readonly from: number
  readonly to: number
  readonly writing: Writing
}

/** Creates a finder for credentials in any letter case, which takes time linear in the length of the text. */
export function traceFinder(secrets: readonly Secret[], options: TraceOptions): TraceFinder {
  const publicWords = options.publicWords.map(lowerCased).join('\n')
  const writings = secrets.flatMap((secret) => writingsOf(secret, options))
  const search = searchFor(writings.filter(({ text }) => text.length >= MIN_WITHIN_WORDS))
  const words = writings.filter(({ text }) => text.length > 0 && text.length < MIN_WITHIN_WORDS)

  return (levels, sent = []) => {
    const whole = sent.map((secret): Writing => {
      const text = lowerCased(secret.reveal())
      return { secret, text, least: text.length }
    })
    const long = whole.filter(({ text }) => text.length >= MIN_WITHIN_WORDS)
    const least = Math.min(...[...writings, ...long].map((writing) => writing.least))
    if (least === Infinity) return []
    const packed = levels.flatMap((level) => decoded(level, Math.max(MIN_PACKED, least)))
    return [...levels, ...packed]
      .flatMap((reading, at) => {
        const text = lowerCased(reading.text)
        const found = [...search(text), ...long.flatMap((writing) => occurrences(text, writing))]
        const matches =
          at < levels.length
            ? [...found, ...words.flatMap((writing) => occurrences(text, writing).filter(isWordIn(text)))]
            : found.filter(({ from, to }) => to - from >= MIN_PACKED)
        return matches.flatMap((match) => traceOf(match, reading, text, publicWords))
      })
      .toSorted((a, b) => Number(b.isWhole) - Number(a.isWhole) || b.length - a.length)
  }
}

function traceOf(
  { from, to, writing }: Match,
  reading: Reading,
  text: string,
  publicWords: string,
): readonly (Trace & { readonly length: number })[] {
  const isWhole = to - from === writing.text.length
  if (!isWhole && publicWords.includes(text.slice(from, to))) return []
  return [{ ...placeOf(reading, from, to), secret: writing.secret, isWhole, length: to - from }]
}

/** Spellings of a credential as characters, as UTF-8 bytes, as the characters of those bytes, form-encoded, and decoded. */
function writingsOf(secret: Secret, { share, fewest }: TraceOptions): readonly Writing[] {
  const value = secret.reveal()
  const bytes = Buffer.from(value, 'latin1')
  const ofBytes = bytes.toString('latin1') === value ? bytes.toString('utf8') : value
  const texts = [
    value,
    value.replaceAll(' ', '+'),
    Buffer.from(value).toString('latin1'),
    ...(ofBytes.includes('\uFFFD') ? [] : [ofBytes]),
  ]
  return [...new Set(texts.flatMap(levelsOf).map(({ text }) => lowerCased(text)))].map((text) => {
    const part = Math.max(fewest, Math.ceil(text.length * share))
    return { secret, text, least: Math.min(text.length, part) }
  })
}

/** Converts to lower case but keeps the place of each character, because the lower case of `İ` is longer. */
function lowerCased(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function occurrences(text: string, writing: Writing): readonly Match[] {
  const matches: Match[] = []
  const { length } = writing.text
  for (let from = text.indexOf(writing.text); from >= 0; from = text.indexOf(writing.text, from + length))
    matches.push({ from, to: from + length, writing })
  return matches
}

function isWordIn(text: string): (match: Match) => boolean {
  return ({ from, to }) =>
    !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, from - 2), from)) &&
    !/^[\p{L}\p{N}]/u.test(text.slice(to, to + 2))
}

/** Searches for the longest parts of spellings. Any match of the minimum length contains an indexed sample. */
function searchFor(writings: readonly Writing[]): (text: string) => readonly Match[] {
  const places = new Map<string, (readonly [writing: Writing, at: number])[]>()
  for (const writing of writings)
    for (let at = 0; at + SAMPLE <= writing.text.length; at += 1) {
      const sample = writing.text.slice(at, at + SAMPLE)
      const known = places.get(sample)
      if (known === undefined) places.set(sample, [[writing, at]])
      else known.push([writing, at])
    }
  const stride = Math.min(...writings.map(({ least }) => least)) - SAMPLE + 1

  return (text) => {
    const matches: Match[] = []
    if (writings.length === 0) return matches
    const ends = new Map<Writing, number>()
    for (let at = 0; at + SAMPLE <= text.length; at += stride) {
      const found = (places.get(text.slice(at, at + SAMPLE)) ?? [])
        .filter(([writing]) => at + SAMPLE > (ends.get(writing) ?? 0))
        .map(([writing, start]) => extended(text, at, writing, start))
        .filter(({ from, to, writing }) => to - from >= writing.least)
      for (const { writing, to } of found) ends.set(writing, Math.max(to, ends.get(writing) ?? 0))
      matches.push(...found)
    }
    return matches
  }
}

function extended(text: string, at: number, writing: Writing, start: number): Match {
  let [from, to] = [at, at + SAMPLE]
  const shift = start - at
  while (from > 0 && from + shift > 0 && text[from - 1] === writing.text[from - 1 + shift]) from -= 1
  while (to < text.length && text[to] === writing.text[to + shift]) to += 1
  return { from, to, writing }
}
