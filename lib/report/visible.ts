import { printable, unprintable } from '../settings/printable.ts'

/** White space that looks like a space; a real space within a value is shown as it is. */
const lookAlikes = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g
const ends = /^ +| +$/g

/** ASCII only: signs such as U+2420 are missing from many fonts, and each missing one looks like the next. */
const space = String.raw`\u0020`

/**
 * A value as it was sent, in which white space that cannot be seen is written as escapes: spaces at its ends, and characters that only
 * look like a space. Tabs and other invisible characters are left to `printable`.
 */
export function visible(value: string): string {
  return value
    .replace(ends, (spaces) => space.repeat(spaces.length))
    .replace(lookAlikes, (one) => String.raw`\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The meaning of the escapes that occur in these fields; null if none does. */
export function legendOf(fields: readonly (readonly [name: string, value: string])[]): string | null {
  const values = fields.flat()
  const has = (pattern: RegExp): boolean => values.some((value) => value.search(pattern) >= 0)
  const hides = values.some((value) => value.replaceAll(/[\t\r\n]/g, '').search(unprintable) >= 0)
  const parts = [
    ...(has(ends) ? [`${space} is a space at an end of a value`] : []),
    ...(has(/\t/) ? [String.raw`\t is a tab`] : []),
    ...(has(/[\r\n]/) ? [String.raw`\r and \n are line ends`] : []),
    ...(hides || has(lookAlikes)
      ? [String.raw`\u and a code in hexadecimal is a character that cannot be seen`]
      : []),
  ]
  return parts.length === 0 ? null : parts.join('; ')
}

/** Maximum length of a line that somebody copies, in characters. */
const longestCopy = 4_000

/** Whether a line can be shown to be copied. One that had to be escaped or cut would no longer say what was sent. */
export function isCopyable(line: string): boolean {
  return line.length <= longestCopy && printable(line) === line
}
