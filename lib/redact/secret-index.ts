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
  /** Finds 10 letters and digits in a row (8 if there are no more), or most in pieces of at least 4. */
  findPieces(given: Pick<Decoding, 'text' | 'letters' | 'isOfBytes'>): string | null
}

const MAX_RUN = 8
const MIN_LETTERS = 8
const MAX_LETTERS = 10
/** Maximum number of characters that may be missing between two pieces of a credential. */
const MAX_MISSING = 2

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

/** Consecutive pieces of a value, by their end in it. */
type Chain = Map<number, Link>

interface Link {
  /** Characters that the pieces cover. */
  readonly covered: number
  /** Where the last one began. */
  readonly at: number
  /** Whether one of them tells more than public words do. */
  readonly isTelling: boolean
}

/** Finds a value most of which is in a text, in pieces in their order, not all of them public words. */
function firstInPieces(text: string, pieces: GramIndex, tells: Tells): Value | null {
  const chains = new Map<Value, Chain>()
  return pieces.find(text, (grams, at) => {
    const isTelling = tells(at, PIECE)
    for (const { of, start } of grams) {
      const chain = chains.get(of) ?? new Map()
      chains.set(of, chain)
      const needed = Math.min(20, Math.max(12, Math.ceil(of.text.length * 0.7)))
      const link = lengthened(chain, start, { covered: PIECE, at, isTelling })
      chain.set(start + PIECE, link)
      if (link.isTelling && link.covered >= needed) return of
    }
    return null
  })
}

/** A further piece with those that it follows. */
function lengthened(chain: Chain, start: number, { at, isTelling: tells, covered: own }: Link): Link {
  const before = chain.get(start + PIECE - 1)
  const continues = before?.at === at - 1
  let [covered, isTelling] = continues ? [before.covered + 1, before.isTelling || tells] : [own, tells]
  for (let missing = 0; missing <= MAX_MISSING; missing += 1) {
    const last = chain.get(start - missing)
    if (last === undefined || at - last.at > MAX_GAP) continue
    covered = Math.max(covered, last.covered + PIECE)
    isTelling ||= last.isTelling
  }
  return { covered, at, isTelling }
}
