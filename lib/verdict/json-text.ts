import { createHash } from 'node:crypto'
import { unprintable } from '../settings/printable.ts'
import type { Verdict } from './verdict.ts'

/** A backslash and what it escapes; JSON.stringify escapes only an unpaired surrogate. */
const escape = /\\(?:ud[89a-f][0-9a-f]{2}|[^])/g

/** JSON for every reader: unpaired surrogates become U+FFFD; deceptive characters and `##`, a pipeline command anywhere in a log, are escaped. */
export function jsonText(value: unknown, indent?: number): string {
  return wellFormedJson(value, indent)
    .replace(unprintable, (character) => (character === '\n' ? character : escapedUnits(character)))
    .replaceAll('##', String.raw`#\u0023`)
}

/** A value as JSON in which every surrogate has its pair. */
export function wellFormedJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(escape, (found) => (found.length > 2 ? '\uFFFD' : found))
}

/** Escapes a character by its code units, as JSON does. */
export function escapedUnits(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

/** A verdict as its text says it, in which no string holds half a character: all reports are made from that. */
export function asWritten(verdict: Verdict): Verdict {
  const text = verdictJson(verdict)
  if (!text.includes('\uFFFD')) return verdict
  const written: Verdict = JSON.parse(text)
  return written
}

/** SHA-256 of `verdict.json`, in hexadecimal. */
export function verdictDigest(verdict: Verdict): string {
  return createHash('sha256').update(verdictJson(verdict)).digest('hex')
}

/** A verdict as the text of `verdict.json`. */
export function verdictJson(verdict: Verdict): string {
  return `${jsonText(verdict, 2)}\n`
}
