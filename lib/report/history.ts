import { constants } from 'node:fs'
import { mkdir, open, readFile, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { RuleStatus } from '../judge/record.ts'
import { ReportsFolderError } from './reports-folder.ts'
import type { Verdict } from './verdict.ts'

/** The name of the format of a line of the history. */
export const historyFormat = 'card-switch-conformance/history/1'

/** A run as the history keeps it: enough to say what changed, and under which circumstances; no exchange. */
export interface HistoryLine extends Pick<
  Verdict,
  | 'suite'
  | 'target'
  | 'profile'
  | 'strict'
  | 'seed'
  | 'fuzzCases'
  | 'selection'
  | 'startedAt'
  | 'durationMs'
  | 'verdict'
  | 'exitCode'
  | 'latencyMs'
  | 'observations'
> {
  readonly format: typeof historyFormat
  readonly requests: { readonly sent: number; readonly budget: number }
  readonly rules: readonly {
    readonly id: string
    readonly status: RuleStatus
    /** Of its findings. */
    readonly fingerprints: readonly string[]
  }[]
}

/** A verdict as a line of the history. */
export function historyLine(verdict: Verdict): HistoryLine {
  const { suite, target, profile, strict, seed, fuzzCases, selection } = verdict
  const { startedAt, durationMs, exitCode, latencyMs, observations, requests } = verdict
  return {
    format: historyFormat,
    suite,
    target,
    profile,
    strict,
    seed,
    fuzzCases,
    selection,
    startedAt,
    durationMs,
    verdict: verdict.verdict,
    exitCode,
    latencyMs,
    observations,
    requests: { sent: requests.sent, budget: requests.budget },
    rules: verdict.rules.map(({ id, status, findings }) => ({
      id,
      status,
      fingerprints: findings.map(({ fingerprint }) => fingerprint),
    })),
  }
}

/**
 * Adds a line to the history, which is made where it is missing. One write in append mode, so that two runs at once lose
 * nothing; a line that a crash left half is ended first. Throws {@link ReportsFolderError}.
 */
export async function appendHistory(file: string, line: HistoryLine): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    const handle = await open(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT)
    try {
      const text = Buffer.from(`${(await endsWithinLine(handle)) ? '\n' : ''}${JSON.stringify(line)}\n`)
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

/** Every line of the history that can be read, oldest first; what a crash or a hand left otherwise is passed over, as is a missing file. */
export async function readHistory(file: string): Promise<readonly HistoryLine[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .split('\n')
    .flatMap((line) => parsed(line) ?? [])
    .toSorted((one, other) => one.startedAt.localeCompare(other.startedAt))
}

/**
 * The last run before this one that is comparable: of the same target and profile, judging the same part; null where there is none.
 * A run that came to nothing compares with nothing.
 */
export function previousRun(lines: readonly HistoryLine[], current: HistoryLine): HistoryLine | null {
  return (
    lines.findLast(
      (line) =>
        line.startedAt < current.startedAt &&
        line.rules.length > 0 &&
        line.profile === current.profile &&
        sameTarget(line, current) &&
        JSON.stringify(line.selection) === JSON.stringify(current.selection),
    ) ?? null
  )
}

/** The embedded service listens on another port every time, and is the same all the same. */
function sameTarget({ target: one }: HistoryLine, { target: other }: HistoryLine): boolean {
  return one.embedded === other.embedded && (one.embedded || one.baseUrl === other.baseUrl)
}

async function endsWithinLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat()
  if (size === 0) return false
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}

function parsed(line: string): HistoryLine | null {
  try {
    const value: unknown = JSON.parse(line)
    return isHistoryLine(value) ? value : null
  } catch {
    return null
  }
}

function isHistoryLine(value: unknown): value is HistoryLine {
  return (
    typeof value === 'object' &&
    value !== null &&
    'format' in value &&
    value.format === historyFormat &&
    'startedAt' in value &&
    typeof value.startedAt === 'string' &&
    'rules' in value &&
    Array.isArray(value.rules)
  )
}
