import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { asTexts, fittingValue, type Carrier } from '../fuzz/plain-value.ts'
import { within, withinOr, workLimits } from '../specification/within.ts'
import { isObject, listOr, objectOr, type JsonObject } from '../text/json.ts'
import { errorText } from '../text/printable.ts'
import type { JsonPath, PlacedMistake } from './json-file.ts'

/** A schema compiled by Ajv, or the reason that it cannot be compiled. */
type Compiled = ValidateFunction | string

/** Maximum total length of the cached schemas, as text. Schemas are cached because a file often repeats them. */
const keptText = 4 * 1_024 * 1_024

/** Keyed by text, so that a repeated schema is compiled only once. Only complete results are added. */
const known = new Map<string, Compiled>()
let kept = 0

/** Why Ajv cannot compile a JSON Schema (draft-07), or null. */
export function schemaMistake(schema: object) {
  const found = compiled(schema)
  return typeof found === 'string' ? found : null
}

/**
 * Why a value does not match a JSON Schema (draft-07), or null. Ajv must be able to compile the schema. Throws `WorkStopped` if the check
 * takes too long or nests too deeply.
 */
export function misfit(schema: object, value: unknown) {
  const [wrong] = misfitsOf(schema, value)
  return wrong === undefined ? null : [wrong.instancePath, wrong.message].join(' ').trim()
}

function misfitsOf(schema: object, value: unknown): readonly Partial<ErrorObject>[] {
  const validate = compiled(schema)
  if (typeof validate === 'string') return []
  // A compiled schema keeps only its errors, so it can be used again after a stop.
  return within(workLimits.value, () => validate(value)) ? [] : (validate.errors ?? [{}])
}

/** A plain value that a schema allows in the form in which it is sent, or the place of the mistake. The schema itself may be wrong. */
export function plainFit(schema: object, carrier: Carrier) {
  if (schemaMistake(schema) !== null) return { wrong: '' }
  const wrongIn = (value: unknown) => {
    const [wrong] = misfitsOf(schema, value)
    if (wrong !== undefined) return wrong.instancePath ?? ''
    return carrier === 'text' ? wrongAsText(schema, objectOr(value)) : null
  }
  const fit = () => fittingValue(schema, carrier, wrongIn)
  return withinOr(workLimits.value, fit, () => ({ wrong: '' }))
}

/** The parameter whose schema also accepts a string, but not this string; or null. */
function wrongAsText(schema: object, parameters: JsonObject) {
  for (const [name, value] of Object.entries(parameters)) {
    const wrong = misfitsOf(schema, { ...parameters, [name]: asTexts(value) })
    if (!wrong.some(({ keyword = '' }) => ['type', 'enum', 'const'].includes(keyword)) && wrong.length > 0)
      return wrong[0]?.instancePath ?? ''
  }
  return null
}

/** Returns a schema with the definitions that it needs, directly or indirectly. */
export function withDefinitions(schema: object, definitions: ReadonlyMap<string, unknown>) {
  const needed = new Map<string, unknown>([['', schema]])
  // Also goes through the definitions that it adds.
  for (const one of needed.values())
    for (const [, name = ''] of JSON.stringify(one).matchAll(/"#\/definitions\/([^"/]+)/g))
      if (definitions.has(name)) needed.set(name, definitions.get(name))
  needed.delete('')
  const own = objectOr(objectOr(schema)['definitions'])
  return needed.size === 0 ? schema : { ...schema, definitions: { ...Object.fromEntries(needed), ...own } }
}

function compiled(schema: object) {
  const text = JSON.stringify(schema)
  const found = known.get(text) ?? compile(schema)
  if (!known.has(text)) kept += text.length
  if (kept > keptText) {
    known.clear()
    kept = text.length
  }
  known.set(text, found)
  return found
}

function compile(schema: object) {
  if ('$async' in schema) return '$async is not supported'
  const compileNow = () => {
    const ajv = idle ?? formats.default(new Ajv(ajvOptions))
    // A stopped Ajv instance may be broken, so the next attempt creates a new one.
    idle = null
    let found: Compiled
    try {
      found = ajv.compile(schema)
      // Even a schema that refers to itself endlessly compiles.
      for (const value of [{}, [], '', 0, true, null]) found(value)
    } catch (error) {
      if (error instanceof RangeError) throw error
      found = errorText(error)
    }
    ajv.removeSchema(schema)
    idle = ajv
    return found
  }
  return withinOr<Compiled>(workLimits.schema, compileNow, ({ message }) => message)
}

/** Whether Ajv checks a format. */
export function isKnownFormat(name: string) {
  idle ??= formats.default(new Ajv(ajvOptions))
  return Object.hasOwn(idle.formats, name)
}

/** Creating an Ajv instance takes as long as compiling many schemas. */
let idle: Ajv | null = null

/** Unknown keywords are refused, because a misspelt keyword would check nothing. Strict types are a matter of taste. */
const ajvOptions = {
  strictTypes: false,
  strictTuples: false,
  logger: false,
  multipleOfPrecision: 9,
  // Optimized code, with definitions inlined, takes twice as long to generate.
  code: { optimize: false },
  inlineRefs: false,
} as const

const newProperties = 'new properties in responses are not breaking, so a schema must not forbid them'
const opaqueStrings = 'the length and format of opaque strings may change, so a schema must not fix them'
const order = 'the order may change, so a schema must not depend on positions'

/** Keywords that always forbid a tolerated change. Source: Versioning, changes that clients must tolerate. */
const forbidding: Readonly<Record<string, string>> = {
  propertyNames: newProperties,
  patternProperties: newProperties,
  maxProperties: newProperties,
  pattern: opaqueStrings,
  format: opaqueStrings,
  maxLength: opaqueStrings,
  minLength: opaqueStrings,
  prefixItems: order,
}

/** Why a keyword with this value is not allowed in a schema, or null. */
export function whyIntolerant(keyword: string, value: unknown) {
  if (Object.hasOwn(forbidding, keyword)) return forbidding[keyword] ?? null
  if (/^(?:additional|unevaluated)Properties$/.test(keyword)) return value === false ? newProperties : null
  if (keyword === 'items') return Array.isArray(value) ? order : null
  const values = keyword === 'const' ? [value] : keyword === 'enum' ? listOr(value) : []
  return values.map(fixing).find((why) => why !== null) ?? null
}

/** Only numbers, booleans and null may be fixed, because the specification promises changes to strings, properties and order. */
function fixing(value: unknown) {
  if (typeof value === 'string') return opaqueStrings
  if (Array.isArray(value)) return order
  return isObject(value) ? newProperties : null
}

/** Keywords that map names to schemas, and keywords that contain no schema; all others contain a schema or a list of schemas. */
const maps = ['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas']
const holdingNone = ['const', 'enum', 'default', 'examples', 'propertyNames']

/** Lists the keywords in a JSON Schema, at any depth, that forbid changes that clients must tolerate. */
export function intolerances(schema: unknown, at: JsonPath = []): readonly PlacedMistake[] {
  if (Array.isArray(schema)) return schema.flatMap((member, index) => intolerances(member, [...at, index]))
  if (!isObject(schema)) return []
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const here = [...at, keyword]
    const why = whyIntolerant(keyword, value)
    const found = why === null ? [] : [{ at: here, expected: `no such keyword: ${why}` }]
    if (holdingNone.includes(keyword)) return found
    if (!maps.includes(keyword)) return [...found, ...intolerances(value, here)]
    const members = Object.entries(objectOr(value))
    return [...found, ...members.flatMap(([name, member]) => intolerances(member, [...here, name]))]
  })
}
