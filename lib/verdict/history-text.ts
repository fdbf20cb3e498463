import { jsonText } from '../text/json-text.ts'
import { jsonValue } from '../text/json-value.ts'
import { historyFormat, type HistoryLine } from './history-line.ts'
import { fitsHistory } from './history-validator.ts'
import type { ExitCode, VerdictWord } from './verdict.ts'

/** A run as a line for the history. */
export function historyText(run: HistoryLine): string {
  return jsonText({ format: historyFormat, ...run })
}

/** Parses a line from the history; null if it is damaged, has been edited, or comes from a different version. */
export function parsedLine(text: string): HistoryLine | null {
  const value = jsonValue(text)
  if (!fitsHistory(value) || !exitCodes[value.verdict].includes(value.exitCode)) return null
  const { format: _, ...line } = value
  return line
}

const exitCodes: Readonly<Record<VerdictWord, readonly ExitCode[]>> = {
  conformant: [0],
  nonconformant: [1],
  incomplete: [3],
  error: [2, 4],
}
