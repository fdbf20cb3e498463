import type { HistoryLine } from './history.ts'
import type { Verdict } from './verdict.ts'

/** The page `summary.md`: what is new since the run before, where there is one, then the verdict. */
export function summaryMarkdown(verdict: Verdict, previous: HistoryLine | null): string {
  return `${verdict.verdict} ${previous?.verdict ?? ''}\n`
}
