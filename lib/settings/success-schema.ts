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

/** What a keyword forbids that must be tolerated; null for nothing. Source: Versioning, changes that clients must tolerate. */
function forbids(keyword: string, value: unknown): string | null {
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return value === false ? newProperties : null
    case 'propertyNames':
    case 'patternProperties':
    case 'maxProperties':
      return newProperties
    case 'pattern':
    case 'format':
    case 'maxLength':
    case 'minLength':
      return opaqueStrings
    case 'const':
      return fixing(value)
    case 'enum':
      return Array.isArray(value) ? (value.map(fixing).find((why) => why !== null) ?? null) : null
    case 'items':
      return Array.isArray(value) ? order : null
    case 'prefixItems':
      return order
    default:
      return null
  }
}

/** Numbers, truth values and null may be fixed: the specification promises change for strings, properties and order. */
function fixing(value: unknown): string | null {
  if (typeof value === 'string') return opaqueStrings
  if (Array.isArray(value)) return order
  return isObject(value) ? newProperties : null
}

const schemas = ['not', 'if', 'then', 'else', 'items', 'additionalItems', 'contains', 'additionalProperties']
const lists = ['allOf', 'anyOf', 'oneOf', 'items', 'prefixItems']
const maps = ['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas']

/** Every keyword in a JSON Schema, at any depth, that forbids what the specification tells clients to tolerate. */
export function intolerances(schema: unknown, path: JsonPath = []): readonly IntolerantKeyword[] {
  if (!isObject(schema)) return []

  const entries = Object.entries(schema)
  const here = entries.flatMap(([keyword, value]) => {
    const why = forbids(keyword, value)
    return why === null ? [] : [{ path: [...path, keyword], why }]
  })
  const below = entries.flatMap(([keyword, value]) =>
    subschemas(keyword, value).flatMap(({ steps, schema: inner }) =>
      intolerances(inner, [...path, ...steps]),
    ),
  )
  return [...here, ...below]
}

/** The schemas that stand in a keyword, with the steps that lead to each. */
function subschemas(
  keyword: string,
  value: unknown,
): readonly { readonly steps: JsonPath; readonly schema: unknown }[] {
  if (Array.isArray(value)) {
    return lists.includes(keyword) ? value.map((schema, index) => ({ steps: [keyword, index], schema })) : []
  }
  if (isObject(value) && maps.includes(keyword)) {
    return Object.entries(value).map(([name, schema]) => ({ steps: [keyword, name], schema }))
  }
  return schemas.includes(keyword) ? [{ steps: [keyword], schema: value }] : []
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
