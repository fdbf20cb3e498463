import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { baselineText, mergeBaselines, type Baseline } from '../drift/baseline.ts'
import { writeWhole } from '../report/folder/reports-folder.ts'
import { issue, parsed, type Parsed } from '../settings/issue.ts'
import type { RunSettings } from '../settings/settings.ts'
import { readBounded, sizeLimits, UnfitFile } from '../settings/user-file.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** Reads the baseline of a run, null if there is none yet, or says what is wrong with the file. */
export async function knownBaseline({
  baseline: asked,
}: Pick<RunSettings, 'baseline'>): Promise<Parsed<Baseline | null>> {
  if (asked === null) return parsed(null)
  try {
    return parsed(await readBaseline(asked.file))
  } catch (error) {
    if (error instanceof UnfitFile) {
      const expected = 'a baseline that a run wrote, or the name of a file that it may write'
      return parsed(null, issue('RUN_BASELINE', { given: `${asked.file} (${error.message})`, expected }))
    }
    if (!(error instanceof BaselineFileError)) throw error
    const expected = `a baseline that can be used: ${error.message}`
    return parsed(null, issue('RUN_BASELINE', { given: asked.file, expected }))
  }
}

/** A requested baseline, and what a run makes of it. */
interface BaselineChange {
  readonly asked: RunSettings['baseline']
  /** Content of the file, null if there is none. */
  readonly known: Baseline | null
  readonly seen: Baseline | null
  readonly redact: (text: string) => string
}

/** Writes, widens or replaces the baseline if asked to and no violation was found; the verdict says what was done. */
export async function keepBaseline(
  verdict: Verdict,
  { asked, known, seen, redact }: BaselineChange,
): Promise<Verdict> {
  if (asked === null) return verdict
  const { file, shown, mode } = asked
  const done = (did: NonNullable<Verdict['baseline']>['did']): Verdict => ({
    ...verdict,
    baseline: { file: shown, did },
  })
  if (mode === 'compare' && known !== null) return done('compared')
  const isFit = verdict.verdict === 'conformant' || verdict.verdict === 'incomplete'
  if (!isFit || seen === null || Object.keys(seen.stimuli).length === 0) {
    return done('left alone: only a run without violations writes it')
  }
  const isWidened = mode === 'widen' && known !== null
  try {
    await writeBaseline(file, isWidened ? mergeBaselines(known, seen) : seen, redact)
  } catch (error) {
    if (!(error instanceof BaselineFileError)) throw error
    return { ...verdict, verdict: 'error', exitCode: 4, because: [error.message, ...verdict.because] }
  }
  return done(isWidened ? 'widened' : known === null ? 'written' : 'replaced')
}

const anotherFile = 'name another file with RUN_BASELINE (--baseline)'

/** An unusable baseline file; the message says which, why, and how to mend it. */
export class BaselineFileError extends Error {
  override readonly name = 'BaselineFileError'
  readonly file: string

  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`the baseline ${file} ${problem}`, options)
    this.file = file
  }
}

/**
 * Reads a baseline file; null if it is missing from an existing folder. Throws {@link BaselineFileError} for an unreadable or
 * foreign file, {@link UnfitFile} for one that is never read.
 */
export async function readBaseline(file: string): Promise<Baseline | null> {
  const text = await readBaselineText(file)
  if (text === null) return null

  // The schema compiler is slow to load, so only if there is something to check.
  const { parseBaseline } = await import('../drift/parse-baseline.ts')
  const read = parseBaseline(text)
  if (read.kind === 'baseline') return read.baseline
  throw new BaselineFileError(
    file,
    `cannot be used: ${read.wrong}; ${anotherFile}, or move this one away and let a run write it anew`,
  )
}

async function readBaselineText(file: string): Promise<string | null> {
  try {
    return (await readBounded(file, sizeLimits.baseline)).toString()
  } catch (error) {
    if (error instanceof UnfitFile) throw error
    const isMissing = codeOf(error) === 'ENOENT'
    if (isMissing && existsSync(dirname(file))) return null
    const reason = isMissing ? `there is no folder ${dirname(file)}` : fileProblem(error)
    throw new BaselineFileError(file, `cannot be read: ${reason}; ${anotherFile}`, { cause: error })
  }
}

/**
 * Writes a baseline file whole or not at all, and keeps a link. `redact` removes credentials from names that a service chose.
 * Throws {@link BaselineFileError}.
 */
export async function writeBaseline(
  file: string,
  baseline: Baseline,
  redact: (text: string) => string = (text) => text,
): Promise<void> {
  try {
    const place = await realpath(file).catch(() => file)
    await writeWhole(place, redact(baselineText(baseline)))
  } catch (error) {
    throw new BaselineFileError(file, `cannot be written: ${fileProblem(error)}; ${anotherFile}`, {
      cause: error,
    })
  }
}

const problems: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'what should be its folder is a file',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
}

/** Why a file could not be read or written, as a phrase. */
export function fileProblem(error: unknown): string {
  const code = codeOf(error) ?? 'unknown trouble'
  return problems[code] ?? code
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}
