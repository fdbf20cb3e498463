import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Baseline } from './baseline.ts'
import { baselineText } from './baseline-text.ts'
import { codeOf, reasonOf } from './file-trouble.ts'

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
 * be read or is no baseline of this format.
 */
export async function readBaseline(file: string): Promise<Baseline | null> {
  const text = await textOf(file)
  if (text === null) return null

  // Loads a schema compiler, which takes longer than the rest: only where there is something to check.
  const { parseBaseline } = await import('./parse-baseline.ts')
  const parsed = parseBaseline(text)
  if (parsed.kind === 'baseline') return parsed.baseline
  throw new BaselineFileError(
    file,
    `cannot be used: ${parsed.wrong}; name another file with RUN_BASELINE (--baseline), or move this one away and let a run write it anew`,
  )
}

/**
 * Writes a baseline file whole or not at all; a link stays one. `scrub` takes out what a service put into names and must not
 * be written. Throws {@link BaselineFileError}.
 */
export async function writeBaseline(
  file: string,
  baseline: Baseline,
  scrub: (text: string) => string = (text) => text,
): Promise<void> {
  try {
    await writeWhole(await linkedFrom(file), scrub(baselineText(baseline)))
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
    return await readFile(file, 'utf8')
  } catch (error) {
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

/** Beside the file, so that it can be moved into its place; on the disk before it is, so that a crash leaves one or the other. */
async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = join(dirname(file), `.baseline-${randomUUID()}`)
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
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
