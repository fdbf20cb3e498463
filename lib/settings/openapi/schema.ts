import { isObject, listOr, objectOr, type JsonObject } from '../../text/json-value.ts'
import { percentDecoded } from '../../text/percent.ts'
import { whyIntolerant } from '../intolerances.ts'
import { isKnownFormat } from '../json-schema.ts'
import { addressOf, type OpenApiDocument } from './document.ts'

/** A schema for a request, without read-only properties, or for an answer, without keywords that forbid tolerated changes. */
type Direction = 'request' | 'answer'

const words = (text: string): readonly string[] => text.split(' ')
/** Keywords of draft-07 that contain no schema. */
const plain = words(
  'type enum const default examples format pattern multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems uniqueItems minProperties maxProperties',
)
/** Keywords that contain a schema or a list of schemas. */
const holding = words(
  'items additionalItems contains additionalProperties propertyNames not if then else allOf anyOf oneOf',
)
/** Keywords unknown in draft-07. A request schema keeps them and is then refused, because without them it would allow too much. */
const newer = words(
  'prefixItems unevaluatedProperties unevaluatedItems minContains maxContains dependentRequired dependentSchemas $dynamicRef',
)

/** Converts schemas of OpenAPI 3.0 or 3.1 to JSON Schema (draft-07), with referenced schemas as shared definitions. */
export function schemaConversion(document: OpenApiDocument) {
  const definitions = new Map<string, unknown>()
  /** Names of definitions by direction and reference. */
  const names = new Map<string, string>()

  const converted = (value: unknown, direction: Direction): unknown => {
    if (!isObject(value)) return direction === 'answer' && value === false ? true : value
    const address = addressOf(value)
    const reference = address === null ? null : { $ref: referenced(address, direction) }
    if (!document.is30) return { ...keywordsOf(value, direction), ...reference }
    const schema = reference ?? keywordsOf(value, direction)
    // Authors also write `nullable` next to references and alternatives.
    return value['nullable'] === true ? { anyOf: [schema, { type: 'null' }] } : schema
  }

  const referenced = (address: string, direction: Direction): string => {
    const key = `${direction} ${address}`
    let name = names.get(key)
    if (name === undefined) {
      const last = /[^/#]*$/.exec(percentDecoded(address) ?? address)?.[0] ?? ''
      const wanted = last.replaceAll(/[^\w.-]/g, '_') || 'schema'
      name = definitions.has(wanted) ? `${wanted}+${definitions.size}` : wanted
      names.set(key, name)
      // Reserves its place before conversion, because it may refer to itself.
      definitions.set(name, {})
      definitions.set(name, converted(document.target(address), direction))
    }
    return `#/definitions/${name}`
  }

  const keywordsOf = (value: JsonObject, direction: Direction): JsonObject => {
    const mark = direction === 'request' ? 'readOnly' : 'writeOnly'
    const isKept = (name: string): boolean => {
      const property = objectOr(value['properties'])[name]
      return [property, document.resolve(property)].every((one) => objectOr(one)[mark] !== true)
    }
    const inner = (schema: unknown): unknown => converted(schema, direction)
    const exact = { ...value, ...asDraft07(value) }
    const kept: Record<string, unknown> = {}
    for (const [keyword, part] of Object.entries(direction === 'answer' ? tolerant(exact) : exact)) {
      if (part === undefined) continue
      if (plain.includes(keyword) || (direction === 'request' && newer.includes(keyword)))
        kept[keyword] = part
      else if (holding.includes(keyword)) kept[keyword] = Array.isArray(part) ? part.map(inner) : inner(part)
      else if (keyword === 'required') kept[keyword] = listOr(part).filter((name) => isKept(String(name)))
      else if (keyword === 'properties' || keyword === 'patternProperties')
        kept[keyword] = Object.fromEntries(
          Object.entries(objectOr(part)).flatMap(([name, one]) => (isKept(name) ? [[name, inner(one)]] : [])),
        )
    }
    return kept
  }

  /** Converts a schema; without one, anything is allowed. */
  const convert = (schema: unknown, direction: Direction) => objectOr(converted(schema, direction))
  return { definitions, convert }
}

/** The keywords that OpenAPI writes differently. */
function asDraft07(schema: JsonObject): JsonObject {
  const { example, examples, format, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  return {
    examples: example === undefined ? examples : [example],
    format: isKnownFormat(String(format)) ? format : undefined,
    ...(exclusiveMinimum === true && { exclusiveMinimum: minimum, minimum: undefined }),
    ...(exclusiveMinimum === false && { exclusiveMinimum: undefined }),
    ...(exclusiveMaximum === true && { exclusiveMaximum: maximum, maximum: undefined }),
    ...(exclusiveMaximum === false && { exclusiveMaximum: undefined }),
  }
}

/** A schema without keywords that forbid tolerated changes, or whose outcome these may reverse. */
function tolerant({ oneOf, ...all }: JsonObject): JsonObject {
  // In draft-07, the schema for items after those of a list would apply to all of them.
  const given = 'prefixItems' in all ? { ...all, items: undefined } : all
  const { type, enum: values, const: value, allOf } = given
  const areTexts = [values ?? value].flat().every((text) => typeof text === 'string')
  const kept = Object.entries(given).filter(
    ([keyword, part]) => !/^(?:not|if|then|else)$/.test(keyword) && whyIntolerant(keyword, part) === null,
  )
  return {
    ...Object.fromEntries(kept),
    examples: undefined,
    ...(type === undefined && areTexts && { type: 'string' }),
    // A value with new properties may match several alternatives.
    ...(oneOf !== undefined && { allOf: [...listOr(allOf), { anyOf: oneOf }] }),
  }
}
