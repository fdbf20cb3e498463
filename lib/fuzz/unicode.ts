/** A character to insert into values. */
export interface Character {
  /** Its UTF-8 bytes, each as a character up to U+00FF. */
  readonly bytes: string
  /** Its description: `U+200B (e2 80 8b)`. */
  readonly says: string
}

/** Characters by their descriptions. */
export function charactersNamed(all: Readonly<Record<string, string>>) {
  return Object.entries(all).map(([says, bytes]) => ({ bytes, says }))
}

/** The UTF-8 bytes of a text as sent, each as a character up to U+00FF. */
export function utf8(text: string) {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Bytes (characters up to U+00FF) in hexadecimal: `e2 80 8b`. */
export function hexadecimalOf(bytes: string) {
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ')
}

/** The character for a code point. */
export function characterOf(code: number) {
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
export const noDigits = [...emoji, ...bidirectional, ...combiningMarks]

/** Bytes that are neither UTF-8 nor white space in any other encoding. */
export const brokenEncodings = charactersNamed({
  'a byte that UTF-8 does not have (ff)': '\xff',
  'a lone continuation byte (80)': '\x80',
  'an overlong slash (c0 af)': '\xc0\xaf',
  'a lone surrogate (ed a0 80)': '\xed\xa0\x80',
  'e with acute accent in Latin-1 (e9)': '\xe9',
  'a character cut short (e2 82)': '\xe2\x82',
})

const tellingControls = [0x9f, 0x00, 0x7f, 0x1b, 0x0b, 0x0c, 0x08, 0x80, 0x1f, 0x01]
const allControls = Array.from({ length: 0xa0 }, (_, code) => code).filter(
  (code) => !/[\t\n\r -~]/.test(String.fromCharCode(code)),
)

/** Single control characters, most useful first: C1 in UTF-8, which most parsers let through, then C0 except HTAB, CR and LF, and DEL. */
export const controlCharacters = Array.from(new Set([...tellingControls, ...allControls]), characterOf)

const latinLetters = 'acdehijopqswxyABCEHIJKMOPSTX'
const cyrillicLetters = 'асԁеһіјорԛѕԝхуАВСЕНІЈКМОРЅТХ'

/** The Cyrillic letter that looks like an ASCII letter, in UTF-8; other characters stay. */
export function toCyrillic(character: string) {
  return utf8(cyrillicLetters.charAt(latinLetters.indexOf(character))) || character
}

/** The full-width forms of ASCII letters, digits and signs, in UTF-8; spaces stay. */
export function toFullWidth(text: string) {
  return text.replaceAll(/[!-~]/g, (one) => utf8(String.fromCodePoint(one.charCodeAt(0) + 0xfee0)))
}

/** An ASCII letter with an acute accent as one code point (NFC), in UTF-8; characters without one stay. */
export function withAcute(character: string) {
  const composed = `${character}\u0301`.normalize('NFC')
  return /[a-z]/i.test(character) && composed.length === 1 ? utf8(composed) : character
}
