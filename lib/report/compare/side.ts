import { open, stat } from 'node:fs/promises'
import type { Finding, RuleStatus } from '../../judge/record.ts'
import { isUnjudged } from '../history/changes.ts'
import { lastJudgedIn } from '../history/history.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { readVerdict, VerdictFileError } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { sentenceOf } from '../model/rule-counts.ts'

/** A run that is compared. */
export interface Side {
  /** As the user named it. */
  readonly path: string
  readonly run: HistoryLine
  /** Findings by fingerprint; empty for a run from a history, which keeps none. */
  readonly findings: ReadonlyMap<string, Pick<Finding, 'summary' | 'case'>>
  /** Sentences of its rules by id; empty for a run from a history. */
  readonly sentences: ReadonlyMap<string, string>
  /** Why the run is not conformant; empty for a run from a history. */
  readonly because: readonly string[]
}

/** Whether a run judged any rule. */
export function isJudged({ rules }: { readonly rules: readonly { readonly status: RuleStatus }[] }): boolean {
  return rules.some(({ status }) => !isUnjudged(status))
}

interface NamedFile {
  readonly path: string
  /** Absolute. */
  readonly file: string
}

/** Makes a side of a comparison from a verdict. */
export function sideOf(path: string, verdict: Verdict): Side {
  const findings = verdict.rules.flatMap((rule) => rule.findings)
  return {
    path,
    run: historyLine(verdict),
    findings: new Map(findings.map((finding) => [finding.fingerprint, finding])),
    sentences: new Map(verdict.rules.map((rule) => [rule.id, sentenceOf(rule)])),
    because: verdict.because,
  }
}

/**
 * Reads the verdicts to compare, from files or reports folders. The first may be a history, for its last comparable run before the
 * second. Throws {@link VerdictFileError} with a line for each unreadable file.
 */
export async function readSides(
  first: NamedFile,
  others: readonly NamedFile[],
): Promise<readonly [Side, ...Side[]]> {
  const isHistory = await holdsHistory(first.file)
  const files = isHistory ? others : [first, ...others]
  const read = await Promise.allSettled(files.map(readSide))
  const sides = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failures = read.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []))
  const [head, ...rest] = sides
  if (failures.length > 0 || head === undefined) throw new VerdictFileError(failures.join('\n'))
  return isHistory ? [await runBefore(head, first), head, ...rest] : [head, ...rest]
}

async function readSide({ path, file }: NamedFile): Promise<Side> {
  return sideOf(path, await readVerdict(file))
}

function messageOf(error: unknown): string {
  if (error instanceof VerdictFileError) return error.message
  throw error
}

async function runBefore({ path, run }: Side, history: NamedFile): Promise<Side> {
  const earlier = await lastJudgedIn(history.file, run)
  if (earlier === null) {
    throw new VerdictFileError(
      `${history.path} holds no run before ${path} of the same target and version (${run.target.baseUrl ?? 'none'}, ${run.target.version}), profile (${run.profile}) and part of the rules; give a verdict.json to compare with`,
    )
  }
  return { path: history.path, run: earlier.run, findings: new Map(), sentences: new Map(), because: [] }
}

/** Recognises a history by its name or its beginning. */
async function holdsHistory(file: string): Promise<boolean> {
  if ((await stat(file).catch(() => null))?.isFile() !== true) return false
  if (file.endsWith('.jsonl')) return true

  const handle = await open(file, 'r').catch(() => null)
  if (handle === null) return false
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(beginning.length), 0, beginning.length, 0)
    return buffer.toString('utf8', 0, bytesRead) === beginning
  } finally {
    await handle.close()
  }
}

const beginning = '{"format":"card-switch-conformance/history/'
