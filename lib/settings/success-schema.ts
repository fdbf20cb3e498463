import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { JsonPath } from './json-file.ts'

/** Why Ajv cannot compile a user's JSON Schema (draft-07), or null if it can. */
export function schemaMistake(schema: object): string | null {
  if ('$async' in schema) return '$async is not supported'
  // Unknown keywords are refused, since a misspelt one would check nothing; how types are written is the user's taste.
  const ajv = formats.default(new Ajv({ strictTypes: false, strictTuples: false, logger: false }))
  try {
    const validate = ajv.compile(schema)
    // A schema that refers to itself without end compiles.
    for (const value of [{}, [], '', 0, true, null]) validate(value)
    return null
  } catch (error) {
    if (error instanceof RangeError) return 'it is too large, or refers to itself without end'
    return error instanceof Error ? error.message : String(error)
  }
}

/** A keyword of a `success` schema that would call a tolerated change a violation. */
export interface IntolerantKeyword {
  /** From the schema to the keyword. */
  readonly path: JsonPath
  readonly why: string
}

const newProperties = 'new properties in responses are not breaking, so a schema must not forbid them'
const opaqueStrings = 'the length and format of opaque strings may change, so a schema must not fix them'
const order = 'the order may change, so a schema must not go by positions'

/** Keywords that forbid what must be tolerated, whatever they say. Source: Versioning, changes that clients must tolerate. */
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

/** Why a keyword with this value must not stand in a schema; null for one that may. */
function whyIntolerant(keyword: string, value: unknown): string | null {
  if (Object.hasOwn(forbidding, keyword)) return forbidding[keyword] ?? null
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    return value === false ? newProperties : null
  }
  if (keyword === 'items') return Array.isArray(value) ? order : null
  if (keyword === 'const') return fixing(value)
  const values: readonly unknown[] = keyword === 'enum' && Array.isArray(value) ? value : []
  return values.map(fixing).find((why) => why !== null) ?? null
}

/** Numbers, truth values and null may be fixed: the specification promises change for strings, properties and order. */
function fixing(value: unknown): string | null {
  if (typeof value === 'string') return opaqueStrings
  if (Array.isArray(value)) return order
  return isObject(value) ? newProperties : null
}

/** Keywords that hold schemas by name, and those that hold none of a value; in all others stands a schema, or a list of them. */
const maps = ['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas']
const holdingNone = ['const', 'enum', 'default', 'examples', 'propertyNames']

/** Every keyword in a JSON Schema, at any depth, that forbids what the specification tells clients to tolerate. */
export function intolerances(schema: unknown, path: JsonPath = []): readonly IntolerantKeyword[] {
  if (!isObject(schema)) return []
  const entries = Object.entries(schema)
  const here = entries.flatMap(([keyword, value]) => {
    const why = whyIntolerant(keyword, value)
    return why === null ? [] : [{ path: [...path, keyword], why }]
  })
  return [...here, ...entries.flatMap(([keyword, value]) => below(keyword, value, [...path, keyword]))]
}

function below(keyword: string, value: unknown, path: JsonPath): readonly IntolerantKeyword[] {
  if (holdingNone.includes(keyword)) return []
  if (isObject(value) && maps.includes(keyword)) {
    return Object.entries(value).flatMap(([name, member]) => intolerances(member, [...path, name]))
  }
  const members: readonly unknown[] | null = Array.isArray(value) ? value : null
  return (
    members?.flatMap((member, index) => intolerances(member, [...path, index])) ?? intolerances(value, path)
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
