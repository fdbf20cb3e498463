import { isObject, listOr, objectOr, type JsonObject } from '../../text/json.ts'

/** A small value for a JSON Schema (draft-07), such as a service might return. It may not fit schemas with unusual keywords. */
export function sampleOf(schema: unknown, root: unknown, depth = 0): unknown {
  const { $ref, allOf, anyOf, oneOf, ...own } = objectOr(schema)
  const named = [own['const'], own['default'], listOr(own['examples'])[0], listOr(own['enum'])[0]]
  const known = named.find((value) => value !== undefined)
  if (known !== undefined) return known
  if (depth > deepest) return null

  const [first] = [...listOr(anyOf), ...listOr(oneOf)]
  const further = [...($ref === undefined ? [] : [definition($ref, root)]), ...listOr(allOf)]
  const members = [...further, ...(first === undefined ? [] : [first])]
  const [only, ...more] = members.map((one) => sampleOf(one, root, depth + 1))
  if (more.length === 0 && only !== undefined && own['type'] === undefined && own['properties'] === undefined)
    return only
  const made = ofType(own, root, depth)
  const all = [only, ...more, made].filter(isObject)
  return isObject(made) ? Object.fromEntries(all.flatMap((one) => Object.entries(one))) : made
}

/** Maximum depth of nested schemas that get values. */
const deepest = 12

function ofType(schema: JsonObject, root: unknown, depth: number): unknown {
  const type = [schema['type']].flat()[0]
  switch (type) {
    case 'string':
      return stringOf(schema)
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array': {
      const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0
      const count = Math.max(least, depth < deepest / 2 ? 1 : 0)
      return schema['items'] === undefined
        ? []
        : Array.from({ length: count }, () => sampleOf(schema['items'], root, depth + 1))
    }
    default: {
      const properties = objectOr(schema['properties'])
      const names = listOr(schema['required']).map(String)
      return Object.fromEntries(
        names.map((name) => [name, sampleOf(properties[name] ?? {}, root, depth + 1)]),
      )
    }
  }
}

function stringOf({ minLength, format }: JsonObject): string {
  const ofFormat = { date: '2026-01-31', 'date-time': '2026-01-31T12:00:00Z' }
  if (format === 'date' || format === 'date-time') return ofFormat[format]
  return 'text'.padEnd(typeof minLength === 'number' ? minLength : 0, 's')
}

function numberOf({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  if (typeof minimum === 'number') return minimum
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1
}

function definition($ref: unknown, root: unknown): unknown {
  return objectOr(objectOr(root)['definitions'])[String($ref).replace('#/definitions/', '')]
}
