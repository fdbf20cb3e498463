import { isUtf8 } from 'node:buffer'

import type { Decoding } from './decodings.ts'
import { lettersOf, MAX_GAP, undoEscapes } from './escapes.ts'
import { GramIndex, gramsOf, MIN_RUN, PIECE, type Value } from './gram-index.ts'
import { placesOfLetters, PublicWords, wholeWordsOf } from './public-words.ts'
import type { Secret } from './secret.ts'

/** Finds traces of credentials in decoded texts; both methods return the credential's name, or null. */
export interface SecretIndex {
  /** Length of the shortest run searched for; Infinity if there is none. */
  readonly shortest: number
  /** Finds a run of half a credential (4 to 8 characters), in any letter case, forwards or backwards. */
  findRun(given: Pick<Decoding, 'text' | 'isOfBytes'>): string | null
  /** Finds 10 letters and digits in a row (8 if there are no more), or three quarters in pieces of at least 4. */
  findPieces(given: Pick<Decoding, 'text' | 'letters' | 'isOfBytes'>): string | null
}

const MAX_RUN = 8
const MIN_LETTERS = 8
const MAX_LETTERS = 10
/** Share of a credential that is a trace in pieces, and what is enough of a long one, in characters. */
const MOST = 0.75
const ENOUGH = 20

/**
 * Indexes credentials. What public words explain, such as a path, is no trace, unless it was read from encoded bytes; a beginning that
 * credentials share never is one.
 */
export function indexSecrets(secrets: readonly Secret[], publicWords: readonly string[]): SecretIndex {
  const values = secrets.flatMap((secret) =>
    writingsOf(secret.reveal()).map((text): Value => ({ name: secret.name, text: text.toLowerCase() })),
  )
  const valuesOfLetters = values
    .map(({ name, text }): Value => ({ name, text: lettersOf(text) }))
    .filter(({ text }) => text.length >= MIN_LETTERS)
  const beginnings = sharedBeginnings(secrets).map((one) => one.toLowerCase())
  const words = new PublicWords([...publicWords, ...beginnings])
  const isBeginning = (text: string): boolean => beginnings.some((one) => one.includes(text))
  const areOfBeginning = (text: string): boolean => beginnings.some((one) => lettersOf(one).includes(text))

  const runsBut = (isLeftOut: (text: string) => boolean): GramIndex =>
    new GramIndex(
      values.flatMap(({ name, text }) => {
        const width = Math.min(Math.max(Math.floor(text.length / 2), MIN_RUN), MAX_RUN)
        return bothWays(text).flatMap((way) => gramsOf({ name, text: way }, width, isLeftOut))
      }),
    )
  const [runs, runsOfBytes] = [runsBut((text) => words.hold(text)), runsBut(isBeginning)]
  const rows = new GramIndex(
    valuesOfLetters.flatMap(({ name, text }) =>
      bothWays(text).flatMap((way) =>
        gramsOf({ name, text: way }, Math.min(text.length, MAX_LETTERS), areOfBeginning),
      ),
    ),
  )
  const pieces = new GramIndex(values.flatMap((value) => gramsOf(value, PIECE)))
  const piecesOfLetters = new GramIndex(valuesOfLetters.flatMap((value) => gramsOf(value, PIECE)))

  return {
    shortest: Math.min(...runsOfBytes.widths),
    findRun: ({ text, isOfBytes }) =>
      (isOfBytes ? runsOfBytes : runs).first(text.toLowerCase())?.name ?? null,
    findPieces({ text, letters, isOfBytes }) {
      const [lower, folded] = [text.toLowerCase(), letters.toLowerCase()]
      let known: readonly number[] | null = null
      /** Whether characters of the text, or letters of it alone, tell more than public words do. */
      const tells: Tells = (at, length) => isOfBytes || !words.explain(wholeWordsOf(lower, at, at + length))
      const lettersTell: Tells = (at, length) => {
        const places = (known ??= placesOfLetters(lower))
        const [first = 0, last = lower.length] = [places[at], places[at + length - 1]]
        return tells(first, last + 1 - first)
      }
      const found =
        rows.find(folded, ([gram], at) =>
          gram !== undefined && lettersTell(at, gram.text.length) ? gram.of : null,
        ) ??
        firstInPieces(folded, piecesOfLetters, lettersTell) ??
        firstInPieces(lower, pieces, tells)
      return found?.name ?? null
    },
  }
}

type Tells = (at: number, length: number) => boolean

/** A credential as characters, as UTF-8 bytes, and with its own escapes undone. */
export function writingsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'latin1')
  const asText = bytes.toString('latin1') === value && isUtf8(bytes) ? bytes.toString('utf8') : value
  const writings = new Set([value, Buffer.from(value, 'utf8').toString('latin1'), asText])
  // The set grows while it is walked: escapes may be nested.
  for (const one of writings) writings.add(undoEscapes(one))
  return [...writings]
}

/** Common prefixes of credentials, such as `ak_live_`: up to a separator, at most a third of a credential. */
function sharedBeginnings(secrets: readonly Secret[]): readonly string[] {
  const values = [...new Set(secrets.map((secret) => secret.reveal()))]
  const beginnings = values.flatMap((value) =>
    [...value.slice(0, value.length / 3).matchAll(/[_.-]/g)].map(({ index }) => value.slice(0, index + 1)),
  )
  return beginnings.filter((one) => values.filter((value) => value.startsWith(one)).length > 1)
}

/** A text, and the same backwards. */
export function bothWays(text: string): readonly string[] {
  return [text, Array.from(text).toReversed().join('')]
}

/** Pieces of a value that follow each other, in the value and in the text. */
interface Chain {
  /** Characters that they cover. */
  readonly covered: number
  /** Where the last one began in the text, and where it ends in the value. */
  readonly at: number
  readonly end: number
  /** Whether one of them tells more than public words do. */
  readonly isTelling: boolean
}

/** Finds a value most of which is in a text, in pieces in their order, not all of them public words. */
function firstInPieces(text: string, pieces: GramIndex, tells: Tells): Value | null {
  const chainsOf = new Map<Value, readonly Chain[]>()
  return pieces.find(text, (grams, at) => {
    const isTelling = tells(at, PIECE)
    for (const { of, start } of grams) {
      const near = (chainsOf.get(of) ?? []).filter((one) => at - one.at <= MAX_GAP)
      const chain = lengthened(near, { covered: PIECE, at, end: start + PIECE, isTelling })
      if (chain.isTelling && chain.covered >= Math.min(of.text.length * MOST, ENOUGH)) return of
      chainsOf.set(of, [...near.filter((one) => !isNeedless(one, chain)), chain])
    }
    return null
  })
}

/** The longest of the chains that a piece continues, with it. */
function lengthened(chains: readonly Chain[], piece: Chain): Chain {
  let { covered, isTelling } = piece
  for (const one of chains) {
    const gap = piece.at - one.at
    const isNext = gap >= PIECE && one.end <= piece.end - PIECE
    if (!isNext && !(gap === 1 && one.end === piece.end - 1)) continue
    covered = Math.max(covered, one.covered + (isNext ? PIECE : 1))
    isTelling ||= one.isTelling
  }
  return { ...piece, covered, isTelling }
}

/** Whether a newer chain can be continued wherever this one can, to more. */
function isNeedless(older: Chain, { covered, at, end, isTelling }: Chain): boolean {
  return at - older.at > 1 && end <= older.end && covered >= older.covered && (isTelling || !older.isTelling)
}
