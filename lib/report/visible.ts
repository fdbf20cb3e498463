import { unprintable } from './printable.ts'

const [space, tab] = ['␠', '␉']

/** White space that looks like a space and is none; a space within a value is seen as it is. */
const lookAlikes = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/g
const ends = /^ +| +$/g

/**
 * A value as it was sent, in which white space that cannot be seen becomes visible: spaces at its ends as `␠`, tabs as `␉`, white space
 * that only looks like a space as its escape. All else that cannot be seen is left to {@link printable}.
 */
export function visible(value: string): string {
  return value
    .replace(ends, (spaces) => space.repeat(spaces.length))
    .replaceAll('\t', tab)
    .replace(lookAlikes, (one) => String.raw`\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** What the signs of {@link visible} and the escapes mean, of those that occur in these fields; null where none does. */
export function legendOf(fields: readonly (readonly [name: string, value: string])[]): string | null {
  const values = fields.flat()
  const has = (pattern: RegExp): boolean => values.some((value) => value.search(pattern) >= 0)
  const parts = [
    ...(has(ends) ? [`${space} is a space at an end`] : []),
    ...(has(/\t/) ? [`${tab} is a tab`] : []),
    ...(has(lookAlikes) || values.some((value) => value.replaceAll('\t', '').search(unprintable) >= 0)
      ? [String.raw`\u… is a character that cannot be seen, by its code, \r and \n are line ends`]
      : []),
  ]
  return parts.length === 0 ? null : parts.join('; ')
}
