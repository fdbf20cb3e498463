import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sizeLimits, readBounded, readFailure, isTooDeep, maxLevels } from '../settings/user-file.ts'
import { printable } from '../settings/printable.ts'
import { verdictFormat, type Verdict } from './verdict.ts'
import type { ErrorObject } from 'ajv'
import { fitsVerdict } from './verdict-validator.ts'
import { fitsVerdictWholly } from './whole-verdict-validator.ts'

/** A file does not hold a verdict; the message names it, what it holds, and what to do. */
export class VerdictFileError extends Error {
  override readonly name = 'VerdictFileError'
}

/** Maximum listed mistakes of a file. */
const mistakesShown = 3

/** Maximum length of a file whose mistakes are all listed, in characters. */
const longestExplained = 1_000_000

/** Reads a verdict from its file or reports folder. Throws {@link VerdictFileError}. */
export async function readVerdict(path: string): Promise<Verdict> {
  const file = (await isFolder(path)) ? join(path, 'verdict.json') : path
  const text = await textOf(file)
  const value = parsed(text, file)
  const format = formatNamedBy(value)
  if (format !== verdictFormat) {
    throw new VerdictFileError(
      format === null
        ? `${file} is no verdict: it names no format where ${verdictFormat} is expected; give a verdict.json, or the folder of one`
        : `${file} is of the format ${JSON.stringify(printable(format).slice(0, 80))}, and this program reads ${verdictFormat}: use the version of the suite that wrote it`,
    )
  }
  if (fitsVerdictSchema(value)) return value

  const mistakes = text.length > longestExplained ? ['it holds what no verdict does'] : verdictMistakes(value)
  const more = mistakes.length > mistakesShown ? `; and ${mistakes.length - mistakesShown} more` : ''
  throw new VerdictFileError(
    `${file} does not fit the format that it names: ${mistakes.slice(0, mistakesShown).join('; ')}${more}; it was changed by hand or cut short, so make the run again`,
  )
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
    throw new VerdictFileError(
      `${file} cannot be read: ${readFailure(error)}; give a verdict.json, or the folder of one`,
    )
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

/** Format named by a value, or null. */
export function formatNamedBy(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('format' in value)) return null
  return typeof value.format === 'string' ? value.format : null
}

/** Mistakes that keep a value from being a verdict, a sentence each with the place; never repeats the file's text. */
export function verdictMistakes(value: unknown): readonly string[] {
  if (fitsVerdictWholly(value)) return []

  // A failed condition adds nothing to the failure within it.
  const errors = (fitsVerdictWholly.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  return [...new Set(errors.map(sentence))]
}

/** Whether a value is a verdict of this format; stops at the first of perhaps millions of mistakes. */
export function fitsVerdictSchema(value: unknown): value is Verdict {
  return fitsVerdict(value)
}

function sentence({ instancePath, message = 'does not fit', params, keyword }: ErrorObject): string {
  const place = instancePath === '' ? 'the verdict' : printable(instancePath)
  return `${place} ${message}${expected(keyword, params)}`
}

function expected(keyword: string, params: ErrorObject['params']): string {
  if (keyword === 'enum') return `: ${JSON.stringify(params['allowedValues'])}`
  return keyword === 'const' ? `: ${JSON.stringify(params['allowedValue'])}` : ''
}
