import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sizeLimits, readBounded, UnfitFile, isTooDeep, maxLevels } from '../settings/user-file.ts'
import { printable } from '../settings/printable.ts'
import { fitsVerdictSchema, verdictMistakes } from './validate-verdict.ts'
import { verdictFormat, type Verdict } from './verdict.ts'

/** A file that was to hold a verdict, and does not; the message says which, what it holds, and what to do. */
export class VerdictFileError extends Error {
  override readonly name = 'VerdictFileError'
}

/** So many mistakes of a file are named; the others would not help to find out what it is. */
const mistakesShown = 3

/** Maximum length of a file whose mistakes are all looked for, in characters. */
const longestExplained = 1_000_000

/** Reads a verdict from its file, or from the reports folder that holds it. Throws {@link VerdictFileError}. */
export async function readVerdict(path: string): Promise<Verdict> {
  const file = (await isFolder(path)) ? join(path, 'verdict.json') : path
  const text = await textOf(file)
  const value = parsed(text, file)
  const format = formatOf(value)
  if (format !== verdictFormat) {
    throw new VerdictFileError(
      format === null
        ? `${file} is no verdict: it names no format where ${verdictFormat} is expected; give a verdict.json, or the folder of one`
        : `${file} is of the format ${JSON.stringify(printable(format).slice(0, 80))}, and this program reads ${verdictFormat}: use the version of the suite that wrote it`,
    )
  }
  if (isVerdict(value)) return value

  const mistakes = text.length > longestExplained ? ['it holds what no verdict does'] : verdictMistakes(value)
  const more = mistakes.length > mistakesShown ? `; and ${mistakes.length - mistakesShown} more` : ''
  throw new VerdictFileError(
    `${file} does not fit the format that it names: ${mistakes.slice(0, mistakesShown).join('; ')}${more}; it was changed by hand or cut short, so make the run again`,
  )
}

function isVerdict(value: unknown): value is Verdict {
  return fitsVerdictSchema(value)
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

async function textOf(file: string): Promise<string> {
  try {
    return (await readBounded(file, sizeLimits.verdict)).toString('utf8')
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const reason = error instanceof UnfitFile ? `it is ${message}` : message
    throw new VerdictFileError(`${file} cannot be read: ${reason}; give a verdict.json, or the folder of one`)
  }
}

function parsed(text: string, file: string): unknown {
  if (isTooDeep(text)) {
    throw new VerdictFileError(
      `${file} is nested deeper than ${maxLevels} levels, as no verdict is; give a verdict.json, or the folder of one`,
    )
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new VerdictFileError(
      `${file} is not JSON; it was changed by hand or cut short, so make the run again`,
    )
  }
}

function formatOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('format' in value)) return null
  return typeof value.format === 'string' ? value.format : null
}
