import { mkdir, open, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { jsonText } from '../../text/json-text.ts'
import { jsonValue } from '../../text/json-value.ts'
import { historyFormat, type HistoryLine } from '../../verdict/history-line.ts'
import { fitsHistory } from '../../verdict/history-validator.ts'
import { appendProblem, appendText, ReportsFolderError } from '../folder/reports-folder.ts'

/** Maximum number of runs to read: more than a chart shows, but still fast. */
const mostRuns = 1_000
/** Maximum number of bytes to read, which is more than a thousand runs take up. A line that is cut off there is skipped. */
const mostBytes = 32 * 1_024 * 1_024

/**
 * Appends a line to the history and creates the file if needed. A single write in append mode keeps lines from concurrent runs
 * intact. A line truncated by a crash is terminated first. Unless `follows` is set, the file must not be a link. Throws
 * {@link ReportsFolderError}.
 */
export async function appendHistory(file: string, line: HistoryLine, follows = true): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await appendText(
      { file, follows },
      async (handle, size) => `${(await endsWithinLine(handle, size)) ? '\n' : ''}${historyText(line)}\n`,
    )
  } catch (error) {
    throw new ReportsFolderError(
      `the history cannot be written to ${file}: ${appendProblem(error)}; name another file with RUN_HISTORY (--history)`,
      { cause: error },
    )
  }
}

/**
 * Reads the last runs in the history, at most a thousand, sorted by start time; with `isEnough`, no runs before the one that is.
 * Skips other lines. Returns an empty list if the file is missing or unusable.
 */
export async function readHistory(
  file: string,
  isEnough: (run: HistoryLine) => boolean = () => false,
): Promise<readonly HistoryLine[]> {
  const runs: HistoryLine[] = []
  // If the file cannot be used, appending to it reports why.
  for (const text of await linesFromEnd(file).catch(() => [])) {
    const run = parsedLine(text)
    if (run === null) continue
    runs.push(run)
    if (runs.length === mostRuns || isEnough(run)) break
  }
  return runs.toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
}

/** A run as a line for the history. */
export function historyText(run: HistoryLine): string {
  return jsonText({ format: historyFormat, ...run })
}

/** Parses a line from the history; null if it is damaged or comes from a different version. */
export function parsedLine(text: string): HistoryLine | null {
  // Most lines of any other file, such as a verdict, are skipped without an attempt to read them.
  const value = text.startsWith('{') ? jsonValue(text) : undefined
  if (!fitsHistory(value)) return null
  const { format: _, ...line } = value
  return line
}

async function endsWithinLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}

/** The lines of a file, last first; of a long file, only those in its last {@link mostBytes}. Empty if the file is missing. Throws errors from reading it. */
async function linesFromEnd(file: string): Promise<readonly string[]> {
  // Reading from a pipe or a terminal would never end.
  if ((await stat(file).catch(() => null))?.isFile() !== true) return []

  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, mostBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString('utf8', 0, bytesRead).split('\n').toReversed()
  } finally {
    await handle.close()
  }
}
