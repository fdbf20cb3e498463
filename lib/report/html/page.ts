import type { HistoryLine } from '../history.ts'
import type { Verdict } from '../verdict.ts'

/** The page `index.html`: a verdict, with the runs before it, oldest first. */
export function htmlPage(verdict: Verdict, earlier: readonly HistoryLine[]): string {
  return `${verdict.verdict} ${earlier.length}`
}
