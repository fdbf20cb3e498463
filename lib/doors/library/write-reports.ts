import { writeReports as writeThem } from '../../report/write-reports.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/**
 * Writes the verdict, its reports and, last of all, their unsigned digests to a folder, which is created if necessary. Appends to the
 * history, by default `history.jsonl` in that folder. Throws ReportsFolderError.
 */
export function writeReports(
  verdict: Verdict,
  places: { readonly folder: string; readonly history?: string },
): Promise<void> {
  return writeThem(verdict, places)
}
