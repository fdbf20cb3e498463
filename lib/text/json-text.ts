import { unicodeEscapes, unprintable } from './printable.ts'

/** A backslash and the characters that it escapes; JSON.stringify escapes only an unpaired surrogate. */
const escape = /\\(?:ud[89a-f][0-9a-f]{2}|[^])/g

/** JSON safe for any reader. Replaces lone surrogates with U+FFFD; escapes deceptive characters and `##`, a pipeline command in a log. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent)
    .replace(escape, (found) => (found.length > 2 ? '\uFFFD' : found))
    .replace(unprintable, (character) => (character === '\n' ? character : unicodeEscapes(character)))
    .replaceAll('##', String.raw`#\u0023`)
}
