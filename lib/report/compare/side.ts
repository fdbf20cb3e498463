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
  const runs = await readHistory(resolve(cwd, history))
  const isHistory = runs.length > 0 || history.endsWith('.jsonl')
  const read = await Promise.allSettled(
    paths.slice(isHistory ? 1 : 0).map(async (path) => sideOf(path, await readVerdict(resolve(cwd, path)))),
  )
  const sides = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failures = read.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []))
  const [head, ...rest] = sides
  if (failures.length > 0 || head === undefined) throw new VerdictFileError(failures.join('\n'))
  return isHistory ? [runBefore(head, history, runs), head, ...rest] : [head, ...rest]
}

function messageOf(error: unknown): string {
  if (error instanceof VerdictFileError) return error.message
  throw error
}

function runBefore({ path, run }: Side, history: string, runs: readonly HistoryLine[]): Side {
  const earlier = lastJudged(runs, run)
  if (earlier === null) {
    throw new VerdictFileError(
      `${history} has no run before ${path} with the same target and version (${run.target.baseUrl ?? 'none'}, ${run.target.version}), profile (${run.profile}) and part of the rules; give a verdict.json to compare with`,
    )
  }
  return { path: history, run: earlier.run, verdict: null }
}
