import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { readVerdict, VerdictFileError } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { readHistory } from '../history/history.ts'
import { lastJudged } from '../history/last-judged.ts'

/** One side of a comparison. */
export interface Side {
  /** As given by the user. */
  readonly path: string
  readonly run: HistoryLine
  /** Null for a run from a history. */
  readonly verdict: Verdict | null
}

/** Turns a verdict into one side of a comparison. */
export function sideOf(path: string, verdict: Verdict): Side {
  return { path, run: historyLine(verdict), verdict }
}

/**
 * Reads the verdicts to compare from files or reports folders, given by paths relative to the working directory. The first may be
 * a history, from which the last run that is comparable with the second is taken. Throws {@link VerdictFileError} with one line
 * per unreadable file.
 */
export async function readSides(paths: readonly string[], cwd: string): Promise<readonly [Side, ...Side[]]> {
  const [history = ''] = paths
  const isHistory = await holdsHistory(resolve(cwd, history))
  const read = await Promise.allSettled(
    paths.slice(isHistory ? 1 : 0).map(async (path) => sideOf(path, await readVerdict(resolve(cwd, path)))),
  )
  const sides = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failures = read.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []))
  const [head, ...rest] = sides
  if (failures.length > 0 || head === undefined) throw new VerdictFileError(failures.join('\n'))
  return isHistory ? [await runBefore(head, history, cwd), head, ...rest] : [head, ...rest]
}

function messageOf(error: unknown): string {
  if (error instanceof VerdictFileError) return error.message
  throw error
}

async function runBefore({ path, run }: Side, history: string, cwd: string): Promise<Side> {
  const earlier = lastJudged(await readHistory(resolve(cwd, history)), run)
  if (earlier === null) {
    throw new VerdictFileError(
      `${history} has no run before ${path} with the same target and version (${run.target.baseUrl ?? 'none'}, ${run.target.version}), profile (${run.profile}) and part of the rules; give a verdict.json to compare with`,
    )
  }
  return { path: history, run: earlier.run, verdict: null }
}

/** Recognizes a history by its file name or its first bytes. */
async function holdsHistory(file: string): Promise<boolean> {
  if ((await stat(file).catch(() => null))?.isFile() !== true) return false
  if (file.endsWith('.jsonl')) return true

  const beginning = '{"format":"card-switch-conformance/history/'
  const start = createReadStream(file, { end: beginning.length - 1 })
  const text = (await start.toArray().catch(() => [])).join('')
  return text === beginning
}
