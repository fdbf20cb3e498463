import { decodings, UndecodableText } from './decodings.ts'
import { lettersOf } from './escapes.ts'
import { GramIndex, gramsOf, type Gram } from './gram-index.ts'
import { base64Of, escapeRegExp } from './patterns.ts'
import { PublicWords } from './public-words.ts'
import { bothWays, writingsOf } from './secret-index.ts'
import type { Secret } from './secret.ts'

/** Finds a credential, or most of it, in a text; gives its name, or null. */
export type LikenessFinder = (text: string) => string | null

/** What is no likeness of a credential. */
interface Exceptions {
  /** Texts that anybody may read: a part of one is none. */
  readonly publicWords: readonly string[]
  /** Minimum length of a likeness, in characters. */
  readonly fewest: number
}

/** Minimum share of a credential, in a row. */
const SHARE = 0.75
/** Minimum length of a credential that is found within words (`dev` occurs in `devices`), and of one that is found within a text. */
const MIN_WITHIN_WORDS = 4
const MIN_WITHIN_TEXT = 3
/** Maximum length of a part that is none if it is a mere word or number, as `sandbox` of `sandbox1`: it occurs by chance. */
const MAX_WORD = 7
const wordOrNumber = /^(?:[A-Z]?[a-z_.-]*|[A-Z_.-]*|[\d_.-]*)$/
/** Minimum number of letters and digits that are found whatever stands between them. */
const MIN_LETTERS = 8
/** Length up to which the share is exact, in characters; it is a little lower for a longer credential, which saves time. */
const EXACT_UP_TO = 100
/** Minimum length of a credential that is found in base64 of another letter case. */
const MIN_PACKED = 6

/**
 * Makes a finder for texts that users type: three quarters of a credential or more, in a row, in any spelling that {@link decodings}
 * undoes, in any letter case, forwards or backwards.
 */
export function likenessFinder(secrets: readonly Secret[], exceptions: Exceptions): LikenessFinder {
  const words = exceptions.publicWords.join('\n').toLowerCase()
  const known = new PublicWords([words, lettersOf(words)].flatMap(bothWays))
  const long = secrets.filter((secret) => secret.reveal().length >= Math.max(exceptions.fewest, 1))
  const index = new GramIndex(long.flatMap((secret) => likenessesOf(secret, exceptions.fewest, known)))
  const shortest = Math.min(...index.widths)
  const short = long.filter((secret) => secret.reveal().length < MIN_WITHIN_WORDS)

  return (text) => {
    const whole = short.find((secret) => holdsWord(text.toLowerCase(), secret.reveal().toLowerCase()))
    if (whole !== undefined) return whole.name
    if (text.length < shortest) return null
    try {
      for (const way of new Set([text, text.replaceAll('+', ' '), ...bothWays(text)]))
        for (const { text: plain, letters } of decodings(way, shortest)) {
          const found = index.first(plain.toLowerCase()) ?? index.first(letters.toLowerCase())
          if (found !== null) return found.name
        }
      return null
    } catch (error) {
      if (error instanceof UndecodableText) return 'a credential'
      throw error
    }
  }
}

function holdsWord(text: string, word: string): boolean {
  if (word.length < MIN_WITHIN_TEXT) return text === word
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${escapeRegExp(word)}(?![\p{L}\p{N}])`, 'u').test(text)
}

/** Parts of a credential that tell it: of its characters, of its letters alone, and of its base64, in lower case. */
function likenessesOf(secret: Secret, fewest: number, known: PublicWords): readonly Gram[] {
  const value = secret.reveal()
  const share = Math.max(SHARE, fewest / value.length)
  const partsOf = (text: string, least = MIN_WITHIN_WORDS): readonly Gram[] => {
    const width = Math.max(Math.ceil(text.length * share), least)
    const step = Math.max(1, Math.floor(text.length / EXACT_UP_TO))
    // A part of this width holds a shorter one that begins at a step.
    return gramsOf(
      { name: secret.name, text },
      width - step + 1,
      (part) => known.hold(part.toLowerCase()) || (part !== text && isByChance(part)),
    ).filter(({ start }) => start % step === 0)
  }
  const writings = writingsOf(value).flatMap(bothWays)
  const packed = value.length < MIN_PACKED ? [] : base64Of(Buffer.from(value)).flat()
  return [
    ...writings.flatMap((one) => partsOf(one)),
    ...writings.flatMap((one) =>
      partsOf(lettersOf(one), Math.max(MIN_LETTERS, Math.ceil(one.length * share))),
    ),
    ...packed.flatMap((one) => partsOf(one)),
  ].map((gram) => ({ ...gram, text: gram.text.toLowerCase() }))
}

function isByChance(part: string): boolean {
  return part.length <= MAX_WORD && wordOrNumber.test(part)
}
