import { jsonText } from './json-text.ts'
import type { Verdict } from './verdict.ts'

/** A verdict as the text of `verdict.json`. */
export function verdictJson(verdict: Verdict): string {
  return `${jsonText(verdict, 2)}\n`
}
