import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { mergeBaselines, type Baseline } from '../drift/baseline.ts'
import { baselineText } from '../drift/baseline-text.ts'
import { writeWhole } from '../report/write-whole.ts'
import { readBounded, sizeLimits, UnfitFile } from '../settings/user-file.ts'
import type { SettingIssue } from '../settings/issue.ts'
import type { RunSettings } from '../settings/settings.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** The baseline of a run: the file's contents, null where there is none yet; or what is wrong with the file. */
export async function knownBaseline({
  baseline: asked,
}: Pick<RunSettings, 'baseline'>): Promise<Baseline | null | SettingIssue> {
  if (asked === null) return null
  try {
    return await readBaseline(asked.file)
  } catch (error) {
    const mistake = { setting: 'RUN_BASELINE', hint: null }
    if (error instanceof UnfitFile) {
      const expected = 'a baseline that a run wrote, or the name of a file that it may write'
      return { ...mistake, given: `${asked.file} (${error.message})`, expected }
    }
    if (!(error instanceof BaselineFileError)) throw error
    return { ...mistake, given: asked.file, expected: `a baseline that can be used: ${error.message}` }
  }
}

/** Whether it is a mistake rather than a baseline. */
export function isMistake(known: Baseline | null | SettingIssue): known is SettingIssue {
  return known !== null && 'setting' in known
}

/** Writes, widens or replaces the baseline where the run was asked to and found no violation; the verdict says what was done. */
export async function keepBaseline(
  verdict: Verdict,
  {
    asked,
    known,
    seen,
    redact,
  }: {
    readonly asked: RunSettings['baseline']
    readonly known: Baseline | null
    readonly seen: Baseline | null
    readonly redact: (text: string) => string
  },
): Promise<Verdict> {
  if (asked === null) return verdict
  const { file, mode } = asked
  if (mode === 'compare' && known !== null) return { ...verdict, baseline: { file, did: 'compared' } }
  if (!isFitToKeep(verdict) || seen === null || Object.keys(seen.stimuli).length === 0) {
    return { ...verdict, baseline: { file, did: 'left alone: only a run without violations writes it' } }
  }

  const isWidened = mode === 'widen' && known !== null
  try {
    await writeBaseline(file, isWidened ? mergeBaselines(known, seen) : seen, redact)
  } catch (error) {
    if (!(error instanceof BaselineFileError)) throw error
    return { ...verdict, verdict: 'error', exitCode: 4, because: [error.message, ...verdict.because] }
  }
  return {
    ...verdict,
    baseline: { file, did: isWidened ? 'widened' : known === null ? 'written' : 'replaced' },
  }
}

function isFitToKeep({ verdict }: Verdict): boolean {
  return verdict === 'conformant' || verdict === 'incomplete'
}

/** A baseline file cannot be used; the message says which, why, and how to mend it. */
export class BaselineFileError extends Error {
  override readonly name = 'BaselineFileError'
  readonly file: string

  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`the baseline ${file} ${problem}`, options)
    this.file = file
  }
}

/**
 * Reads a baseline file; null where it is missing, but its folder is there. Throws {@link BaselineFileError} for a file that cannot
 * be read or is no baseline of this format, {@link UnfitFile} for one that is never read.
 */
export async function readBaseline(file: string): Promise<Baseline | null> {
  const text = await textOf(file)
  if (text === null) return null

  // Loads a schema compiler, which takes longer than the rest: only where there is something to check.
  const { parseBaseline } = await import('../drift/parse-baseline.ts')
  const parsed = parseBaseline(text)
  if (parsed.kind === 'baseline') return parsed.baseline
  throw new BaselineFileError(
    file,
    `cannot be used: ${parsed.wrong}; name another file with RUN_BASELINE (--baseline), or move this one away and let a run write it anew`,
  )
}

/**
 * Writes a baseline file whole or not at all; a link stays one. `redact` takes out what a service put into names and must not
 * be written. Throws {@link BaselineFileError}.
 */
export async function writeBaseline(
  file: string,
  baseline: Baseline,
  redact: (text: string) => string = (text) => text,
): Promise<void> {
  try {
    await writeWhole(await linkedFrom(file), redact(baselineText(baseline)))
  } catch (error) {
    throw new BaselineFileError(
      file,
      `cannot be written: ${reasonOf(error)}; name another file with RUN_BASELINE (--baseline)`,
      { cause: error },
    )
  }
}

async function textOf(file: string): Promise<string | null> {
  try {
    return (await readBounded(file, sizeLimits.baseline)).toString()
  } catch (error) {
    if (error instanceof UnfitFile) throw error
    const isMissing = codeOf(error) === 'ENOENT'
    if (isMissing && existsSync(dirname(file))) return null
    const reason = isMissing ? `there is no folder ${dirname(file)}` : reasonOf(error)
    throw new BaselineFileError(
      file,
      `cannot be read: ${reason}; name another file with RUN_BASELINE (--baseline)`,
      { cause: error },
    )
  }
}

/** The file that a link leads to; the path itself where there is none yet. */
async function linkedFrom(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch {
    return file
  }
}

/** The code of an error of the file system, as `ENOENT`; null for another error. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'what should be its folder is a file',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
}

/** Why a file could not be read or written, as a phrase for its owner. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error) ?? 'unknown trouble'
  return reasons[code] ?? code
}
