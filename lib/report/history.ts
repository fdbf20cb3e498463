import { constants } from 'node:fs'
import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isSameTarget, parsedLine, type HistoryLine } from '../verdict/history-line.ts'
import { jsonText } from '../verdict/json-text.ts'
import { linesFromEnd } from './lines-from-end.ts'
import { ReportsFolderError } from './reports-folder.ts'

/** More runs than a chart shows, and still read in a moment. */
const mostRuns = 1_000

/**
 * Adds a line to the history, which is made where it is missing. One write in append mode, so that two runs at once lose
 * nothing; a line that a crash left half is ended first. Throws {@link ReportsFolderError}.
 */
export async function appendHistory(file: string, line: HistoryLine): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    const handle = await open(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT)
    try {
      const text = Buffer.from(`${(await endsWithinLine(handle)) ? '\n' : ''}${jsonText(line)}\n`)
      const { bytesWritten } = await handle.write(text)
      if (bytesWritten < text.length) throw new Error('only a part of the line could be written')
    } finally {
      await handle.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ReportsFolderError(
      `the history cannot be written to ${file}: ${reason}; name another file with RUN_HISTORY (--history)`,
      { cause: error },
    )
  }
}

/**
 * The last runs of the history that can be read, at most a thousand, by the time at which they began, the earliest first. What a crash
 * or a hand left otherwise is passed over, as is a missing file.
 */
export async function readHistory(file: string): Promise<readonly HistoryLine[]> {
  const runs: HistoryLine[] = []
  try {
    for await (const text of linesFromEnd(file)) {
      const run = parsedLine(text)
      if (run !== null) runs.push(run)
      if (runs.length === mostRuns) break
    }
  } catch {
    // Whoever adds to it is told why it cannot be used.
    return []
  }
  return runs.toSorted(byBeginning)
}

/**
 * The last run before this one that is comparable: of the same target and version, profile, and part of the rules; null where
 * there is none. A run that ended in an error compares with nothing.
 */
export function previousRun(lines: readonly HistoryLine[], current: HistoryLine): HistoryLine | null {
  return lines.findLast((line) => precedes(line, current)) ?? null
}

/** As {@link previousRun}, of a whole file, however long: it is read from its end. Throws what reading it throws. */
export async function previousRunIn(file: string, current: HistoryLine): Promise<HistoryLine | null> {
  for await (const text of linesFromEnd(file)) {
    const run = parsedLine(text)
    if (run !== null && precedes(run, current)) return run
  }
  return null
}

function precedes(line: HistoryLine, current: HistoryLine): boolean {
  return (
    Date.parse(line.startedAt) < Date.parse(current.startedAt) &&
    line.verdict !== 'error' &&
    line.profile === current.profile &&
    isSameTarget(line, current) &&
    line.target.version === current.target.version &&
    (line.selection.shard ?? null) === (current.selection.shard ?? null) &&
    JSON.stringify(line.selection.only) === JSON.stringify(current.selection.only)
  )
}

function byBeginning(one: HistoryLine, other: HistoryLine): number {
  return Date.parse(one.startedAt) - Date.parse(other.startedAt)
}

async function endsWithinLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat()
  if (size === 0) return false
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}
