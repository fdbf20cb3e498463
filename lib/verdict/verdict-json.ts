import { createHash } from 'node:crypto'
import { jsonText } from '../text/json-text.ts'
import type { Verdict } from './verdict.ts'

/** A verdict as read back from its text, with well-formed strings. All reports are generated from it. */
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

/** The text of `verdict.json` for a verdict. */
export function verdictJson(verdict: Verdict): string {
  return `${jsonText(verdict, 2)}\n`
}
