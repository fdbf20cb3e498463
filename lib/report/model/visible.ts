import { printable, unicodeEscapes, unprintable } from '../../text/printable.ts'

/** White space that looks like a space; ordinary spaces within a value are kept. */
const lookAlikes = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g
const ends = /^ +| +$/g

/** ASCII only, because many fonts lack characters such as U+2420 and show them all alike. */
const space = String.raw`\u0020`

/**
 * Escapes invisible white space, that is, spaces at the ends of a value and characters that look like a space. `printable` escapes tabs and
 * other invisible characters.
 */
export function visible(value: string): string {
  return value.replace(ends, (spaces) => space.repeat(spaces.length)).replace(lookAlikes, unicodeEscapes)
}

const escapes: readonly (readonly [pattern: RegExp, says: string])[] = [
  [ends, `${space} is a space at an end of a value`],
  [/\t/, String.raw`\t is a tab`],
  [/[\r\n]/, String.raw`\r and \n are line ends`],
  [
    new RegExp(`(?![\t\r\n])${unprintable.source}|${lookAlikes.source}`, 'u'),
    String.raw`\u and a code in hexadecimal is a character that cannot be seen`,
  ],
]

/** Explains the escapes in these fields; null if there are none. */
export function legendOf(fields: readonly (readonly [name: string, value: string])[]): string | null {
  const met = escapes.filter(([pattern]) => fields.flat().some((text) => text.search(pattern) >= 0))
  return met.length === 0 ? null : met.map(([, says]) => says).join('; ')
}

/** Maximum length of a line that can be copied, in characters. */
const longestCopy = 4_000

/** Whether a line is safe to copy. An escaped or shortened line would differ from what was sent. */
export function isCopyable(line: string): boolean {
  return line.length <= longestCopy && printable(line) === line
}
