import { printable } from './printable.ts'

/** Something wrong with the settings or the user's files, as data. */
export interface Mistake {
  /** The setting's name, as in the environment; or the unknown name, or `--env-file`. */
  readonly setting: string
  /** Never a secret's value, control characters escaped, at most 80 characters; null where nothing was given. */
  readonly given: string | null
  readonly expected: string
  readonly hint: string | null
}

/** What a part of the settings was read as, and what is wrong with it; with mistakes the value is the best known. */
export interface Part<Value> {
  readonly value: Value
  readonly mistakes: readonly Mistake[]
}

/** The longest `given` that a mistake shows, in characters. */
const longest = 80

/** A text escaped and cut to what a mistake may show. */
export function shortened(text: string): string {
  const characters = Array.from(printable(text))

  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : characters.join('')
}

/** Where the first control character of a text stands, or -1. */
export function controlIn(text: string): number {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.search(/[\u0000-\u001f\u007f-\u009f]/)
}
