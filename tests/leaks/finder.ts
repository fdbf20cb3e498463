import { entities } from './spellings.ts'

/** A value that was found: its position among the given values, and its encoding. */
export interface Found {
  readonly value: number
  readonly how: string
}

/** Searches bytes, in time linear in their length. */
export type Finder = (bytes: Uint8Array) => readonly Found[]

/**
 * Minimum consecutive characters of a credential that are a leak, and their minimum share of it. The redactor promises to leave fewer
 * than eight or half.
 */
const fewest = 10
const share = 0.5
/** Maximum levels of nested escapes: JSON in JSON in HTML, and one to spare. */
const deepest = 4

/** A finder for these values, independent of the product's redactor. An empty value is never found. */
export function finderOf(values: readonly string[]): Finder {
  const sought = values.map((text, value) => ({ value, ...soughtOf(text) }))

  return (bytes) => {
    const found = new Map<string, Found>()
    for (const { text, how } of readingsOf(Buffer.from(bytes).toString('latin1'))) {
      const lower = folded(text)
      for (const { value, whole, pieces, least } of sought)
        if (!found.has(`${value}`) && pieces.some((piece) => holds(lower, whole, piece, least)))
          found.set(`${value}`, { value, how })
    }
    return [...found.values()]
  }
}

/** In lower case, with spaces instead of plus signs, which stand for spaces in forms. */
const folded = (text: string): string => text.toLowerCase().replaceAll('+', ' ')

interface Sought {
  readonly whole: string
  /** Pieces of the value with their positions. Every part that is long enough to be a leak contains one of them. */
  readonly pieces: readonly { readonly start: number; readonly text: string }[]
  readonly least: number
}

function soughtOf(text: string): Sought {
  const whole = folded(Buffer.from(text).toString('latin1'))
  const least = Math.min(whole.length, Math.max(fewest, Math.ceil(whole.length * share)))
  const width = Math.ceil(least / 2)
  const starts = Array.from({ length: Math.floor(whole.length / Math.max(width, 1)) }, (_, at) => at * width)
  return { whole, least, pieces: starts.map((start) => ({ start, text: whole.slice(start, start + width) })) }
}

function holds(text: string, whole: string, piece: Sought['pieces'][number], least: number): boolean {
  for (let at = text.indexOf(piece.text); at >= 0; at = text.indexOf(piece.text, at + 1)) {
    let [before, after] = [0, piece.text.length]
    while (before < piece.start && text[at - before - 1] === whole[piece.start - before - 1]) before += 1
    while (piece.start + after < whole.length && text[at + after] === whole[piece.start + after]) after += 1
    if (before + after >= least) return true
  }
  return false
}

/** All decoded forms of a text. */
function* readingsOf(given: string): Generator<{ readonly text: string; readonly how: string }> {
  let text = given
  for (let level = 0; level <= deepest; level += 1) {
    yield { text, how: level === 0 ? 'as text' : 'in escapes' }
    const base64 = runsOf(text.replaceAll(/\r?\n\s*/g, ''), /[\w+/-]{10,}/g)
    const hexadecimal = runsOf(text, /[\da-f]{16,}/gi)
    for (const offset of [0, 1, 2, 3]) yield { text: joined(base64, offset, 'base64'), how: 'in base64' }
    for (const offset of [0, 1]) yield { text: joined(hexadecimal, offset, 'hex'), how: 'in hexadecimal' }
    const lists = runsOf(text, /\d{1,3}(?:[^\d"\n]{1,8}\d{1,3}){7,}/g)
    const bytes = lists.map((list) => Buffer.from((list.match(/\d+/g) ?? []).map(Number)))
    yield { text: bytes.map((one) => one.toString('latin1')).join('\0'), how: 'as bytes' }
    const next = unescaped(text)
    if (next === text) return
    text = next
  }
}

/** Matches without duplicates, because reports repeat themselves. */
const runsOf = (text: string, pattern: RegExp): readonly string[] => [...new Set(text.match(pattern))]

function joined(runs: readonly string[], offset: number, encoding: 'base64' | 'hex'): string {
  return runs.map((run) => Buffer.from(run.slice(offset), encoding).toString('latin1')).join('\0')
}

/** `\u0041`, `%41`, `\x41`, `&#x41;`, `&#65;`, `\n`, `+` for a space, `&amp;`. */
const escape =
  /\\u([\da-f]{4})|(?:%|\\x)([\da-f]{2})|&#x([\da-f]{1,10});?|&#(\d{1,10});?|\\([^xu])|&([a-z]{1,24});/gi
const named = Object.fromEntries(Object.entries(entities).map(([sign, name]) => [name, sign]))

function unescaped(text: string): string {
  return text.replaceAll(escape, (_, four, two, hex, decimal, sign, name) => {
    const digits: string | undefined = four ?? two ?? hex
    if (digits !== undefined) return byteOf(Number.parseInt(digits, 16))
    if (decimal !== undefined) return byteOf(Number.parseInt(String(decimal), 10))
    if (name !== undefined) return named[String(name).toLowerCase()] ?? ''
    return 'bfnrt'.includes(String(sign)) ? ' ' : String(sign)
  })
}

/** The search covers only bytes, so larger code points become NUL. */
const byteOf = (code: number): string => (code <= 0xff ? String.fromCharCode(code) : '\0')
