/** A character that is put into values: its bytes in UTF-8, each one a character up to U+00FF, and which one it is. */
export interface Character {
  readonly bytes: string
  /** `U+200B (e2 80 8b)` */
  readonly says: string
}

/** The bytes of a text in UTF-8, each one a character up to U+00FF, as they are put on the wire. */
export function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Bytes (characters up to U+00FF) in hexadecimal: `e2 80 8b`. */
export function hexadecimalOf(bytes: string): string {
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ')
}

/** A character by its code point. */
export function characterOf(code: number): Character {
  const bytes = utf8(String.fromCodePoint(code))
  const point = code.toString(16).toUpperCase().padStart(4, '0')
  return { bytes, says: `U+${point} (${hexadecimalOf(bytes)})` }
}

/** All that Unicode calls white space, beyond ASCII, the most usual first. */
export const separators: readonly Character[] = [
  0xa0, 0x2028, 0x3000, 0x85, 0x2029, 0x202f, 0x2003, 0x2009, 0x2007, 0x1680, 0x2000, 0x2001, 0x2002, 0x2004,
  0x2005, 0x2006, 0x2008, 0x200a, 0x205f,
].map(characterOf)

export const zeroWidth: readonly Character[] = [0x200b, 0x200d, 0x200c, 0x2060, 0xad, 0x180e, 0x34f].map(
  characterOf,
)

export const byteOrderMark: Character = characterOf(0xfeff)

export const bidirectional: readonly Character[] = [
  0x202e, 0x200f, 0x200e, 0x61c, 0x202a, 0x202b, 0x202c, 0x202d, 0x2066, 0x2067, 0x2068, 0x2069,
].map(characterOf)

/** Beyond U+FFFF: four bytes in UTF-8, which some databases cut a text off at. One of them has three. */
export const emoji: readonly Character[] = [0x1f511, 0x1f600, 0x1f4a9, 0x1f468, 0x2764].map(characterOf)

export const combiningMarks: readonly Character[] = [0x301, 0x308, 0x300, 0x323, 0x338, 0x20dd, 0xfe0f].map(
  characterOf,
)

/** What one or another service strips off the ends of a value, and may. */
export const strippable: readonly Character[] = [
  ...separators,
  characterOf(0x200b),
  byteOrderMark,
  characterOf(0x180e),
]

/**
 * The control characters that are sent one at a time: C0 but HTAB, which is white space, CR and LF, which break lines; DEL;
 * C1, in UTF-8. Most telling first: C1, which most parsers let through to the service.
 */
export const controlCharacters: readonly Character[] = controlCodes().map(characterOf)

function controlCodes(): readonly number[] {
  const first = [0x9f, 0x00, 0x7f, 0x1b, 0x0b, 0x0c, 0x08, 0x80, 0x1f, 0x01]
  const all = [...range(0x00, 0x1f), ...range(0x7f, 0x9f)].filter(
    (code) => ![0x09, 0x0a, 0x0d].includes(code),
  )
  return [...first, ...all.filter((code) => !first.includes(code))]
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
