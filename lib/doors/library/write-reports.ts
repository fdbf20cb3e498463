import { writeReports as writeThem } from '../../report/write-reports.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/**
 * Writes the verdict and its reports into a folder, which it makes if needed, and appends to the history: `history.jsonl` there unless
 * another file is named. Last of all it writes what vouches for them, which nobody signs. Throws ReportsFolderError.
 */
export function writeReports(
  verdict: Verdict,
  places: { readonly folder: string; readonly history?: string },
): Promise<void> {
  return writeThem(verdict, places)
}
