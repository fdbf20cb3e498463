import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { lastJudgedIn } from '../history/history.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { readVerdict, VerdictFileError } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { sentenceOf } from '../model/headline.ts'

export interface Side {
  /** As given by the user. */
  readonly path: string
  readonly run: HistoryLine
  /** Summaries of its findings, by fingerprint; empty for a run from a history. */
  readonly findings: ReadonlyMap<string, string>
  /** Sentences of its rules, by id; empty for a run from a history. */
  readonly sentences: ReadonlyMap<string, string>
  /** Null for a run from a history. */
  readonly observations: Verdict['observations'] | null
  /** Why the run is not conformant; empty for a run from a history. */
  readonly because: readonly string[]
}

/** Turns a verdict into one side of a comparison. */
export function sideOf(path: string, verdict: Verdict): Side {
  const findings = verdict.rules.flatMap((rule) => rule.findings)
  return {
    path,
    run: historyLine(verdict),
    findings: new Map(findings.map((finding) => [finding.fingerprint, finding.summary])),
    sentences: new Map(verdict.rules.map((rule) => [rule.id, sentenceOf(rule)])),
    observations: verdict.observations,
    because: verdict.because,
  }
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
  const earlier = await lastJudgedIn(resolve(cwd, history), run)
  if (earlier === null) {
    throw new VerdictFileError(
      `${history} has no run before ${path} with the same target and version (${run.target.baseUrl ?? 'none'}, ${run.target.version}), profile (${run.profile}) and part of the rules; give a verdict.json to compare with`,
    )
  }
  const unknown = { findings: new Map(), sentences: new Map(), observations: null, because: [] }
  return { path: history, run: earlier.run, ...unknown }
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
