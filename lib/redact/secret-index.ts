import { isUtf8 } from 'node:buffer'

import { lettersOf, undoEscapes } from './escapes.ts'
import type { Secret } from './secret.ts'

/** Finds traces of credentials in decoded texts; both methods return the credential's name, or null. */
export interface SecretIndex {
  /** Length of the shortest run searched for; Infinity if there is none. */
  readonly shortest: number
  /** Finds a run of half a credential (4 to 8 characters), in any letter case, forwards or backwards. */
  findRun(text: string): string | null
  /** Finds 10 letters and digits in a row (8 if there are no more), or most in pieces of at least 4; `letters` are the text's alone. */
  findPieces(text: string, letters: string): string | null
}

const MIN_RUN = 4
const MAX_RUN = 8
const MIN_LETTERS = 8
const MAX_LETTERS = 10
const PIECE = 4
/** Maximum number of letters between two pieces of a credential, and of characters that may be missing between them. */
const MAX_GAP = 400
const MAX_MISSING = 2

interface Value {
  readonly name: string
  readonly text: string
}

/** Indexes credentials; text from a public word, such as a path, or from a beginning that they share, is no trace. */
export function indexSecrets(secrets: readonly Secret[], publicWords: readonly string[]): SecretIndex {
  const values = secrets.flatMap((secret) =>
    writingsOf(secret.reveal()).map((text): Value => ({ name: secret.name, text: text.toLowerCase() })),
  )
  const valuesOfLetters = values
    .map(({ name, text }): Value => ({ name, text: lettersOf(text) }))
    .filter(({ text }) => text.length >= MIN_LETTERS)
  const words = [...publicWords, ...sharedBeginnings(secrets)].map((word) => word.toLowerCase())
  const lettersOfWords = words.map(lettersOf)

  const runs = new GramIndex(
    values.flatMap(({ name, text }) => {
      const width = Math.min(Math.max(Math.floor(text.length / 2), MIN_RUN), MAX_RUN)
      return bothWays(text).flatMap((way) => gramsOf({ name, text: way }, width))
    }),
    words,
  )
  const rows = new GramIndex(
    valuesOfLetters.flatMap(({ name, text }) =>
      bothWays(text).flatMap((way) => gramsOf({ name, text: way }, Math.min(text.length, MAX_LETTERS))),
    ),
    lettersOfWords,
  )
  const pieces = new GramIndex(
    values.flatMap((value) => gramsOf(value, PIECE)),
    words,
  )
  const piecesOfLetters = new GramIndex(
    valuesOfLetters.flatMap((value) => gramsOf(value, PIECE)),
    lettersOfWords,
  )

  return {
    shortest: Math.min(...runs.widths),
    findRun: (text) => runs.first(text.toLowerCase())?.name ?? null,
    findPieces(text, letters) {
      const folded = letters.toLowerCase()
      const found =
        rows.first(folded) ??
        firstInPieces(folded, piecesOfLetters) ??
        firstInPieces(text.toLowerCase(), pieces)
      return found?.name ?? null
    },
  }
}

/** A credential as characters, as UTF-8 bytes, and with its own escapes undone. */
export function writingsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'latin1')
  const asText = bytes.toString('latin1') === value && isUtf8(bytes) ? bytes.toString('utf8') : value
  const writings = new Set([value, Buffer.from(value, 'utf8').toString('latin1'), asText])
  // The set grows while it is walked: escapes may be nested.
  for (const one of writings) writings.add(undoEscapes(one))
  return [...writings].filter((one) => one.length >= MIN_RUN)
}

/** Common prefixes of credentials, such as `ak_live_`: up to a separator, at most a third of a credential. */
function sharedBeginnings(secrets: readonly Secret[]): readonly string[] {
  const values = [...new Set(secrets.map((secret) => secret.reveal()))]
  const beginnings = values.flatMap((value) =>
    [...value.slice(0, value.length / 3).matchAll(/[_.-]/g)].map(({ index }) => value.slice(0, index + 1)),
  )
  return beginnings.filter((one) => values.filter((value) => value.startsWith(one)).length > 1)
}

function bothWays(text: string): readonly string[] {
  return [text, Array.from(text).toReversed().join('')]
}

/** A run of characters of a value, and its place. */
interface Gram {
  readonly text: string
  readonly of: Value
  readonly start: number
}

function gramsOf(of: Value, width: number): readonly Gram[] {
  return Array.from({ length: Math.max(0, of.text.length - width + 1) }, (_, start) => ({
    text: of.text.slice(start, start + width),
    of,
    start,
  }))
}

const FILTER_BITS = 18

/** Runs of characters by text; a filter on their first four characters rules out most places of a text. */
class GramIndex {
  readonly widths: readonly number[]
  readonly #grams = new Map<string, Gram[]>()
  readonly #filter = new Uint8Array(2 ** FILTER_BITS)

  constructor(grams: readonly Gram[], publicWords: readonly string[]) {
    for (const gram of grams) {
      if (publicWords.some((word) => word.includes(gram.text))) continue
      const same = this.#grams.get(gram.text)
      if (same === undefined) this.#grams.set(gram.text, [gram])
      else same.push(gram)
      let window = 0
      for (let at = 0; at < MIN_RUN; at += 1) window = shifted(window, gram.text, at)
      this.#filter[slotOf(window)] = 1
    }
    this.widths = [...new Set([...this.#grams.keys()].map(({ length }) => length))]
  }

  first(text: string): Value | null {
    return this.find(text, ([gram]) => gram?.of ?? null)
  }

  /** Calls the listener where grams begin, until it returns a value. */
  find(text: string, listener: (grams: readonly Gram[], at: number) => Value | null): Value | null {
    let window = 0
    for (let last = 0; last < text.length; last += 1) {
      window = shifted(window, text, last)
      if (this.#filter[slotOf(window)] === 0) continue
      const at = last - MIN_RUN + 1
      for (const width of this.widths) {
        const grams = this.#grams.get(text.slice(Math.max(0, at), at + width))
        const found = grams === undefined ? null : listener(grams, at)
        if (found !== null) return found
      }
    }
    return null
  }
}

/** The last four characters, one byte each. */
function shifted(window: number, text: string, at: number): number {
  return (window << 8) | (text.charCodeAt(at) & 0xff)
}

function slotOf(window: number): number {
  return Math.imul(window, 0x9e3779b1) >>> (32 - FILTER_BITS)
}

/** Characters covered by consecutive pieces of a value, and where the last one began, by its end in the value. */
type Chain = Map<number, { readonly covered: number; readonly at: number }>

/** Finds a value most of which is in a text, in pieces in their order. */
function firstInPieces(text: string, pieces: GramIndex): Value | null {
  const chains = new Map<Value, Chain>()
  return pieces.find(text, (grams, at) => {
    for (const { of, start } of grams) {
      const chain = chains.get(of) ?? new Map()
      chains.set(of, chain)
      const needed = Math.min(20, Math.max(12, Math.ceil(of.text.length * 0.7)))
      if (lengthen(chain, start, at) >= needed) return of
    }
    return null
  })
}

function lengthen(chain: Chain, start: number, at: number): number {
  const end = start + PIECE
  const before = chain.get(end - 1)
  let covered = before?.at === at - 1 ? before.covered + 1 : PIECE
  for (let missing = 0; missing <= MAX_MISSING; missing += 1) {
    const last = chain.get(start - missing)
    if (last !== undefined && at - last.at <= MAX_GAP) covered = Math.max(covered, last.covered + PIECE)
  }
  chain.set(end, { covered, at })
  return covered
}
