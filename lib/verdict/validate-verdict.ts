import { readFileSync } from 'node:fs'
import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv'
import { printable } from '../settings/printable.ts'

/**
 * What keeps a value from being a verdict of this format, a sentence each with the place; empty where nothing does. The file's text
 * is not repeated in it.
 */
export function verdictMistakes(value: unknown): readonly string[] {
  const validate = validator()
  if (validate(value)) return []

  // Which branch of a condition did not hold says nothing that the failure within it does not say.
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  return [...new Set(errors.map(sentence))]
}

/** Whether a value is a verdict of this format; stops at the first mistake, of which a large file may hold millions. */
export function fitsVerdictSchema(value: unknown): boolean {
  quick ??= new Ajv({ strictTypes: false }).compile(schema())
  return quick(value)
}

let quick: ValidateFunction | null = null
let compiled: ValidateFunction | null = null

/** Compiled once, and only where it is asked for: a run does not validate what it wrote itself. */
function validator(): ValidateFunction {
  compiled ??= new Ajv({ allErrors: true, strictTypes: false }).compile(schema())
  return compiled
}

function schema(): AnySchemaObject {
  return JSON.parse(readFileSync(new URL('./verdict.schema.json', import.meta.url), 'utf8'))
}

function sentence({ instancePath, message = 'does not fit', params, keyword }: ErrorObject): string {
  const place = instancePath === '' ? 'the verdict' : printable(instancePath)
  return `${place} ${message}${expected(keyword, params)}`
}

function expected(keyword: string, params: ErrorObject['params']): string {
  if (keyword === 'enum') return `: ${JSON.stringify(params['allowedValues'])}`
  return keyword === 'const' ? `: ${JSON.stringify(params['allowedValue'])}` : ''
}
