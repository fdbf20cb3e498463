import { mkdir, open, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { HistoryLine } from '../../verdict/history-line.ts'
import { historyText, unreadFormat, parsedLine } from '../../verdict/history-text.ts'
import { printable } from '../../text/printable.ts'
import { appendProblem, appendText } from '../folder/append-text.ts'
import { lastJudged, mayLackRules, precedes, type LastJudged } from './last-judged.ts'
import { ReportsFolderError } from '../folder/reports-folder.ts'

/** Maximum number of runs to read: more than a chart shows, but still fast. */
const mostRuns = 1_000
/** Maximum number of runs to compare with, because older runs judged a different service. */
const mostCompared = 100
/** Number of bytes to read at a time, enough for a few dozen runs. */
const usualBlock = 256 * 1_024
const newline = 0x0a

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

/** Reads the last runs in the history, at most a thousand, sorted by start time. Skips other lines. Returns an empty list if the file is missing. */
export async function readHistory(file: string): Promise<readonly HistoryLine[]> {
  const runs: HistoryLine[] = []
  try {
    for await (const text of linesFromEnd(file)) {
      const run = parsedLine(text)
      if (run !== null) runs.push(run)
      if (runs.length === mostRuns) break
    }
  } catch {
    // If the file cannot be used, appending to it reports why.
    return []
  }
  return runs.toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
}

/** A notice that the history ends with a line in a different format, whose runs are not read; otherwise null. */
export async function formatNotice(file: string): Promise<string | null> {
  try {
    for await (const text of linesFromEnd(file)) {
      if (text === '') continue
      const format = unreadFormat(text)
      if (format === null) return null
      return `the history ${file} has lines of the format ${printable(format)}, which cannot be read: this run starts a new history`
    }
  } catch {
    // If the file cannot be used, appending to it reports why.
  }
  return null
}

/** The run to compare with, from a history of any length, read from its end; null if there is none. Throws errors from reading the file. */
export async function lastJudgedIn(file: string, current: HistoryLine): Promise<LastJudged | null> {
  const earlier: HistoryLine[] = []
  for await (const text of linesFromEnd(file)) {
    const run = parsedLine(text)
    if (run !== null && precedes(run, current)) earlier.push(run)
    if (earlier.length === mostCompared || !mayLackRules(earlier, current)) break
  }
  return lastJudged(earlier, current)
}

async function endsWithinLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}

/** Yields the lines of a file from last to first, including empty lines, reading lazily. Yields nothing if the file is missing. Throws errors from reading it. */
export async function* linesFromEnd(
  file: string,
  blockBytes = usualBlock,
): AsyncGenerator<string, void, undefined> {
  // Reading from a pipe or a terminal would never end.
  if ((await stat(file).catch(() => null))?.isFile() !== true) return

  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    let end = size
    // The end of a line whose beginning has not been read yet, in file order.
    let rest: readonly Buffer[] = []
    while (end > 0) {
      const start = Math.max(0, end - blockBytes)
      const block = await blockAt(handle, start, end - start)
      let until = block.length
      for (let at = newlineBefore(block, until); at !== -1; at = newlineBefore(block, until)) {
        yield decoded([block.subarray(at + 1, until), ...rest])
        rest = []
        until = at
      }
      rest = [block.subarray(0, until), ...rest]
      end = start
    }
    if (size > 0) yield decoded(rest)
  } finally {
    await handle.close()
  }
}

async function blockAt(handle: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start)
  return buffer.subarray(0, bytesRead)
}

/** Index of the last newline before a position, or -1. A negative position would be counted from the end. */
function newlineBefore(block: Buffer, until: number): number {
  return until === 0 ? -1 : block.lastIndexOf(newline, until - 1)
}

function decoded(parts: readonly Buffer[]): string {
  return Buffer.concat(parts).toString('utf8')
}
