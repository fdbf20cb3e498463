import type { Verdict } from './verdict.ts'

/**
 * A verdict as the text of `verdict.json`. `##`, by which pipelines know commands wherever they stand in a log, is written as an
 * escape, which says the same.
 */
export function verdictJson(verdict: Verdict): string {
  return `${JSON.stringify(verdict, null, 2).replaceAll('##', String.raw`#\u0023`)}\n`
}
