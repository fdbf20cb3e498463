import { unprintable } from '../settings/printable.ts'
import type { Verdict } from './verdict.ts'

/** A backslash and what it escapes; half a surrogate pair is written so by JSON.stringify, a whole one never. */
const escape = /\\(?:ud[89a-f][0-9a-f]{2}|[^])/g

/**
 * A value as JSON that every reader takes: half a surrogate pair, which strict readers refuse even as an escape, becomes U+FFFD. All
 * that lies to a reader's eye is written as escapes, and so is `##`, by which pipelines know commands wherever they stand in a log:
 * both say the same.
 */
export function jsonText(value: unknown, indent?: number): string {
  return wellFormedJson(value, indent)
    .replace(unprintable, (character) => (character === '\n' ? character : escapedUnits(character)))
    .replaceAll('##', String.raw`#\u0023`)
}

/** A value as JSON in which every surrogate has its pair. */
export function wellFormedJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(escape, (found) => (found.length > 2 ? '\uFFFD' : found))
}

/** A character by its code units, as JSON escapes it. */
export function escapedUnits(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

/** A verdict as the text of `verdict.json`. */
export function verdictJson(verdict: Verdict): string {
  return `${jsonText(verdict, 2)}\n`
}
