import { isUtf8 } from 'node:buffer'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ErrorObject } from 'ajv'
import { sizeLimits, readBounded, readFailure } from '../settings/user-file.ts'
import { andMore, firstOf } from '../text/counts.ts'
import { isTooDeep, jsonValue, maxLevels, objectOr } from '../text/json-value.ts'
import { printable } from '../text/printable.ts'
import { UnusableInput } from '../text/unusable-input.ts'
import { inconsistencies } from './consistency.ts'
import { fitsVerdict } from './verdict-validator.ts'
import { verdictFormat, type Verdict } from './verdict.ts'

/** A file that does not contain a verdict. The message names the file, describes its contents, and says what to do. */
export class VerdictFileError extends UnusableInput {
  override readonly name = 'VerdictFileError'
}

/** Maximum number of contradictions listed for a file. */
const mistakesShown = 3

/** A verdict, or why the bytes are not a verdict: a sentence without a subject, and what to do. */
type ReadVerdict =
  | { readonly kind: 'value'; readonly value: Verdict }
  | { readonly kind: 'wrong'; readonly wrong: string; readonly remedy: string }

/** Reads a verdict from its file or its reports folder. Throws {@link VerdictFileError}. */
export async function readVerdict(path: string, now: Date = new Date()): Promise<Verdict> {
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true
  const file = isFolder ? join(path, 'verdict.json') : path
  const bytes = await readBounded(file, sizeLimits.verdict).catch((error: unknown) => {
    throw new VerdictFileError(`${file} cannot be read: ${readFailure(error)}; ${another}`)
  })
  const read = readVerdictBytes(bytes, now)
  if (read.kind === 'value') return read.value
  throw new VerdictFileError(`${file} ${read.wrong}${read.remedy}`)
}

const another = 'give a verdict.json or its folder'
const changed = '; it was changed by hand or cut short, so repeat the run'

/**
 * The only function that reads stored verdicts. It accepts only this format and only verdicts without {@link inconsistencies}. It
 * rejects encodings and nesting depths that readers interpret differently.
 */
export function readVerdictBytes(bytes: Buffer, now: Date = new Date()): ReadVerdict {
  const wrong = (text: string, remedy: string): ReadVerdict => ({ kind: 'wrong', wrong: text, remedy })
  const text = isUtf8(bytes) ? bytes.toString() : ''
  if (isTooDeep(text))
    return wrong(`is nested deeper than ${maxLevels} levels, unlike any verdict`, `; ${another}`)
  const value = jsonValue(text)
  if (value === undefined) return wrong('is not JSON', changed)

  const { format } = objectOr(value)
  if (typeof format !== 'string')
    return wrong(`is not a verdict: it does not name the format ${verdictFormat}`, `; ${another}`)
  if (format !== verdictFormat) {
    const named = JSON.stringify(printable(format.slice(0, 80)))
    return wrong(
      `has the format ${named}, but this program reads ${verdictFormat}`,
      ': use the suite version that wrote it',
    )
  }
  if (!fitsVerdict(value)) return wrong(`does not match its format: ${verdictMistakes(value)[0]}`, changed)
  const mistakes = inconsistencies(value, now)
  if (mistakes.length === 0) return { kind: 'value', value }
  const told = firstOf(mistakes, mistakesShown, andMore).join('; ')
  return wrong(`contradicts itself: ${told}`, '; it was changed by hand, so repeat the run')
}

/** The first mistake in a value that is not a verdict, as a sentence with its location; empty for a verdict. Never repeats text from the file. */
export function verdictMistakes(value: unknown): readonly string[] {
  if (fitsVerdict(value)) return []
  return (fitsVerdict.errors ?? []).slice(0, 1).map(sentence)
}

function sentence({ instancePath, message = 'does not fit', params, keyword }: ErrorObject): string {
  const place = instancePath === '' ? 'the verdict' : printable(instancePath)
  return `${place} ${message}${expected(keyword, params)}`
}

function expected(keyword: string, params: ErrorObject['params']): string {
  if (keyword === 'enum') return `: ${JSON.stringify(params['allowedValues'])}`
  return keyword === 'const' ? `: ${JSON.stringify(params['allowedValue'])}` : ''
}
