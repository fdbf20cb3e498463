import fc, { type Arbitrary } from 'fast-check'
import { oneOf } from './arbitraries.ts'
import { after, splice, type Traits, type ValueRow, type ValueRows } from './mutated-value.ts'

/** A character to insert into values. */
export interface Character {
  /** Its UTF-8 bytes, each as a character up to U+00FF. */
  readonly bytes: string
  /** Its description: `U+200B (e2 80 8b)`. */
  readonly says: string
}

/** The UTF-8 bytes of a text as sent, each as a character up to U+00FF. */
export function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Bytes (characters up to U+00FF) in hexadecimal: `e2 80 8b`. */
export function hexadecimalOf(bytes: string): string {
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ')
}

/** The character for a code point. */
export function characterOf(code: number): Character {
  const bytes = utf8(String.fromCodePoint(code))
  const point = code.toString(16).toUpperCase().padStart(4, '0')
  return { bytes, says: `U+${point} (${hexadecimalOf(bytes)})` }
}

/** All Unicode white space beyond ASCII, most common first. */
export const separators = [
  0xa0, 0x2028, 0x3000, 0x85, 0x2029, 0x202f, 0x2003, 0x2009, 0x2007, 0x1680, 0x2000, 0x2001, 0x2002, 0x2004,
  0x2005, 0x2006, 0x2008, 0x200a, 0x205f,
].map(characterOf)

export const zeroWidth = [0x200b, 0x200d, 0x200c, 0x2060, 0xad, 0x180e, 0x34f].map(characterOf)
export const byteOrderMark = characterOf(0xfeff)
export const bidirectional = [
  0x202e, 0x200f, 0x200e, 0x61c, 0x202a, 0x202b, 0x202c, 0x202d, 0x2066, 0x2067, 0x2068, 0x2069,
].map(characterOf)
/** Mostly characters with four bytes in UTF-8, at which some databases truncate text, and one character with three. */
export const emoji = [0x1f511, 0x1f600, 0x1f4a9, 0x1f468, 0x2764].map(characterOf)
export const combiningMarks = [0x301, 0x308, 0x300, 0x323, 0x338, 0x20dd, 0xfe0f].map(characterOf)

/** Characters that services may strip from the ends of a value. */
export const strippable = [...separators, characterOf(0x200b), byteOrderMark, characterOf(0x180e)]

/** Characters that are neither digits in any script nor white space. */
export const noDigits: readonly Character[] = [...emoji, ...bidirectional, ...combiningMarks]

/** Bytes that are neither UTF-8 nor white space in any other encoding. */
export const brokenEncodings: readonly Character[] = [
  ['\xff', 'a byte that UTF-8 does not have'],
  ['\x80', 'a lone continuation byte'],
  ['\xc0\xaf', 'an overlong slash'],
  ['\xed\xa0\x80', 'a lone surrogate'],
  ['\xe9', 'e with acute accent in Latin-1'],
  ['\xe2\x82', 'a character cut short'],
].map(([bytes = '', what]) => ({ bytes, says: `${what} (${hexadecimalOf(bytes)})` }))

const tellingControls = [0x9f, 0x00, 0x7f, 0x1b, 0x0b, 0x0c, 0x08, 0x80, 0x1f, 0x01]
const allControls = Array.from({ length: 0xa0 }, (_, code) => code).filter(
  (code) => (code < 0x20 || code > 0x7e) && !/[\t\n\r]/.test(String.fromCharCode(code)),
)

/** Single control characters, most useful first: C1 in UTF-8, which most parsers let through, then C0 except HTAB, CR and LF, and DEL. */
export const controlCharacters: readonly Character[] = Array.from(
  new Set([...tellingControls, ...allControls]),
  characterOf,
)

/**
 * The valid value with a character inserted once, or up to `most` times, at a drawn position. The simplest is the first character, once.
 * Nothing if there are no positions.
 */
export function insertedAt(
  places: readonly number[],
  characters: readonly Character[],
  { most = 1, ...traits }: Traits & { readonly most?: number } = {},
): ValueRows {
  return oneOf(characters).flatMap((character) =>
    oneOf(places).map((place) =>
      fc
        .tuple(fc.integer({ min: 1, max: most }), character, place)
        .map(([count, { bytes, says }, at]): ValueRow => [
          `with ${count === 1 ? says : `${count} times ${says}`} ${after(at)}`,
          (text) => splice(text, at, at, bytes.repeat(count)),
          traits,
        ]),
    ),
  )
}

/** The valid value with a character after or before it. A service may strip the character, so the case is only observed. */
export function atEnd(text: string, { bytes, says }: Character, traits: Traits): Arbitrary<ValueRow> {
  return fc.boolean().map((isBefore) => {
    const at = isBefore ? 0 : text.length
    const value = splice(text, at, at, bytes)
    return [`with ${says} ${after(at)}`, () => value, { ...traits, treatment: 'observed' }]
  })
}

const latinLetters = 'acdehijopqswxyABCEHIJKMOPSTX'
const cyrillicLetters = [
  0x430, 0x441, 0x501, 0x435, 0x4bb, 0x456, 0x458, 0x43e, 0x440, 0x51b, 0x455, 0x51d, 0x445, 0x443, 0x410,
  0x412, 0x421, 0x415, 0x41d, 0x406, 0x408, 0x41a, 0x41c, 0x41e, 0x420, 0x405, 0x422, 0x425,
]

/** The Cyrillic letter that looks like an ASCII letter, in UTF-8; null if there is none. */
export function toCyrillic(character: string): string | null {
  const code = cyrillicLetters[latinLetters.indexOf(character)]
  return code === undefined ? null : utf8(String.fromCodePoint(code))
}

/** The full-width form of an ASCII letter, digit or sign, in UTF-8; null for a space. */
export function toFullWidth(character: string): string | null {
  return /^[!-~]$/.test(character) ? utf8(String.fromCodePoint(character.charCodeAt(0) + 0xfee0)) : null
}

/** An ASCII letter with an acute accent as one code point (NFC), in UTF-8; null if there is none. */
export function toComposedAccent(character: string): string | null {
  const composed = `${character}\u0301`.normalize('NFC')
  return /^[a-z]$/i.test(character) && composed.length === 1 ? utf8(composed) : null
}
