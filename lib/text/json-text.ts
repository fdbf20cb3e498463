import { unprintable } from './printable.ts'

/** A backslash and what it escapes; JSON.stringify escapes only an unpaired surrogate. */
const escape = /\\(?:ud[89a-f][0-9a-f]{2}|[^])/g

/** JSON for every reader: unpaired surrogates become U+FFFD; deceptive characters and `##`, a pipeline command anywhere in a log, are escaped. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent)
    .replace(escape, (found) => (found.length > 2 ? '\uFFFD' : found))
    .replace(unprintable, (character) => (character === '\n' ? character : escapedUnits(character)))
    .replaceAll('##', String.raw`#\u0023`)
}

/** Escapes a character by its code units, as JSON does. */
function escapedUnits(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
