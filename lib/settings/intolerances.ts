import { isObject } from '../text/json-value.ts'
import type { JsonPath, PlacedMistake } from './json-file.ts'

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
export function whyIntolerant(keyword: string, value: unknown): string | null {
  if (Object.hasOwn(forbidding, keyword)) return forbidding[keyword] ?? null
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    return value === false ? newProperties : null
  }
  if (keyword === 'items') return Array.isArray(value) ? order : null
  if (keyword === 'const') return fixing(value)
  const values: readonly unknown[] = keyword === 'enum' && Array.isArray(value) ? value : []
  return values.map(fixing).find((why) => why !== null) ?? null
}

/** Only numbers, booleans and null may be fixed, because the specification promises changes to strings, properties and order. */
function fixing(value: unknown): string | null {
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
  const entries = Object.entries(schema)
  const here = entries.flatMap(([keyword, value]) => {
    const why = whyIntolerant(keyword, value)
    return why === null ? [] : [{ at: [...at, keyword], expected: `no such keyword: ${why}` }]
  })
  const below = entries.flatMap(([keyword, value]) => {
    if (holdingNone.includes(keyword)) return []
    const members = maps.includes(keyword) && isObject(value) ? Object.entries(value) : [['', value] as const]
    return members.flatMap(([name, member]) =>
      intolerances(member, [...at, keyword, ...(name === '' ? [] : [name])]),
    )
  })
  return [...here, ...below]
}
