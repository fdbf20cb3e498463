import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { asTexts, fittingValue, type Carrier, type PlainFit } from '../fuzz/plain-value.ts'
import { within, withinOr, workLimits } from '../specification/within.ts'
import { objectOr, type JsonObject } from '../text/json-value.ts'
import { errorText } from '../text/printable.ts'

/** A schema as Ajv understands it, or why it does not. */
interface Compiled {
  readonly validate: ValidateFunction | null
  readonly mistake: string | null
}

/** Maximum length of the schemas that are remembered, as texts: a file names the same ones again and again. */
const keptText = 4 * 1_024 * 1_024

/** By text, so that a schema is compiled once, however often it is read. Only whole results are added. */
const known = new Map<string, Compiled>()
let kept = 0

/** Why Ajv cannot compile a JSON Schema (draft-07), or null. */
export function schemaMistake(schema: object): string | null {
  return compiled(schema).mistake
}

/**
 * Why a value does not fit a JSON Schema (draft-07), or null. The schema must be one that Ajv compiles. Throws `WorkStopped`
 * where the check takes too long or too deep.
 */
export function misfit(schema: object, value: unknown): string | null {
  const [wrong] = misfitsOf(schema, value)
  return wrong === undefined ? null : [wrong.instancePath, wrong.message].join(' ').trim()
}

function misfitsOf(schema: object, value: unknown): readonly Partial<ErrorObject>[] {
  const { validate } = compiled(schema)
  // A compiled schema keeps nothing but its errors, so one that was stopped can be used again.
  return validate === null || within(workLimits.value, () => validate(value)) ? [] : (validate.errors ?? [{}])
}

/** A plain value that a schema allows as it is sent, or the place that is wrong. The schema may be wrong itself. */
export function plainFit(schema: object, carrier: Carrier): PlainFit {
  if (schemaMistake(schema) !== null) return { wrong: '' }
  const wrongIn = (value: unknown): string | null => {
    const [wrong] = misfitsOf(schema, value)
    return wrong === undefined && carrier === 'text' ? wrongAsText(schema, objectOr(value)) : placeOf(wrong)
  }
  const fit = (): PlainFit => fittingValue(schema, carrier, wrongIn)
  return withinOr(workLimits.value, fit, () => ({ wrong: '' }))
}

/** The parameter that its schema also takes for a text, but not for this one; or null. */
function wrongAsText(schema: object, parameters: JsonObject): string | null {
  for (const [name, value] of Object.entries(parameters)) {
    const wrong = misfitsOf(schema, { ...parameters, [name]: asTexts(value) })
    if (!wrong.some(({ keyword = '' }) => ['type', 'enum', 'const'].includes(keyword)) && wrong.length > 0)
      return placeOf(wrong[0])
  }
  return null
}

function placeOf(wrong: Partial<ErrorObject> | undefined): string | null {
  return wrong === undefined ? null : (wrong.instancePath ?? '')
}

/** A schema with those of these definitions that it needs, and with what they need. */
export function withDefinitions(schema: object, definitions: ReadonlyMap<string, unknown>): object {
  const needed = new Map<string, unknown>()
  const add = (given: unknown): void => {
    for (const [, name = ''] of JSON.stringify(given).matchAll(/"#\/definitions\/([^"/]+)/g)) {
      if (needed.has(name) || !definitions.has(name)) continue
      needed.set(name, definitions.get(name))
      add(definitions.get(name))
    }
  }
  add(schema)
  const own = objectOr(objectOr(schema)['definitions'])
  return needed.size === 0 ? schema : { ...schema, definitions: { ...Object.fromEntries(needed), ...own } }
}

function compiled(schema: object): Compiled {
  const text = JSON.stringify(schema)
  const found = known.get(text) ?? compile(schema)
  if (!known.has(text)) {
    kept += text.length
    if (kept > keptText) {
      known.clear()
      kept = text.length
    }
    known.set(text, found)
  }
  return found
}

function compile(schema: object): Compiled {
  if ('$async' in schema) return { validate: null, mistake: '$async is not supported' }
  const stopped = ({ message }: Error): Compiled => ({ validate: null, mistake: message })
  return withinOr(workLimits.schema, () => compiledNow(schema), stopped)
}

function compiledNow(schema: object): Compiled {
  // One that knows others by their `$id` would take a second schema with the same for a repetition.
  const [before, hasId] = [idle, '$id' in schema]
  const ajv = (hasId ? null : before) ?? newAjv()
  // One that is stopped half-way may be broken: the next attempt makes another.
  idle = null
  let found: Compiled
  try {
    found = { validate: compiledBy(ajv, schema), mistake: null }
  } catch (error) {
    if (error instanceof RangeError) throw error
    found = { validate: null, mistake: errorText(error) }
  }
  ajv.removeSchema(schema)
  idle = hasId ? before : ajv
  return found
}

function compiledBy(ajv: Ajv, schema: object): ValidateFunction {
  const validate = ajv.compile(schema)
  // An endlessly self-referential schema compiles, too.
  for (const value of [{}, [], '', 0, true, null]) validate(value)
  return validate
}

/** Making one takes as long as compiling many schemas. */
let idle: Ajv | null = null

function newAjv(): Ajv {
  // Code that is optimized, with definitions in the place of references, takes twice as long to make.
  const quickly = { code: { optimize: false }, inlineRefs: false }
  // Unknown keywords are refused, since a misspelt one would check nothing; strict types would be a matter of taste.
  return formats.default(
    new Ajv({ strictTypes: false, strictTuples: false, logger: false, multipleOfPrecision: 9, ...quickly }),
  )
}
