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
export class SchemaConversion {
  readonly definitions = new Map<string, unknown>()
  readonly #document: OpenApiDocument
  /** Names of definitions by direction and reference. */
  readonly #names = new Map<string, string>()

  constructor(document: OpenApiDocument) {
    this.#document = document
  }

  /** Converts a schema; without one, anything is allowed. */
  convert(schema: unknown, direction: Direction): JsonObject {
    return objectOr(this.#schema(schema, direction))
  }

  #schema(value: unknown, direction: Direction): unknown {
    if (!isObject(value)) return direction === 'answer' && value === false ? true : value
    const address = addressOf(value)
    const reference = address === null ? null : { $ref: this.#reference(address, direction) }
    if (!this.#document.is30) return { ...this.#keywords(value, direction), ...reference }
    const schema = reference ?? this.#keywords(value, direction)
    // Authors also write `nullable` next to references and alternatives.
    return value['nullable'] === true ? { anyOf: [schema, { type: 'null' }] } : schema
  }

  #reference(reference: string, direction: Direction): string {
    const key = `${direction} ${reference}`
    let name = this.#names.get(key)
    if (name === undefined) {
      const last = /[^/#]*$/.exec(percentDecoded(reference) ?? reference)?.[0] ?? ''
      const wanted = last.replaceAll(/[^\w.-]/g, '_') || 'schema'
      name = this.definitions.has(wanted) ? `${wanted}+${this.definitions.size}` : wanted
      this.#names.set(key, name)
      // Reserves its place before conversion, because it may refer to itself.
      this.definitions.set(name, {})
      this.definitions.set(name, this.#schema(this.#document.target(reference), direction))
    }
    return `#/definitions/${name}`
  }

  #keywords(value: JsonObject, direction: Direction): JsonObject {
    const converted: Record<string, unknown> = {}
    const inner = (schema: unknown): unknown => this.#schema(schema, direction)
    const mark = direction === 'request' ? 'readOnly' : 'writeOnly'
    const isKept = (name: string): boolean => {
      const property = objectOr(value['properties'])[name]
      return [property, this.#document.resolve(property)].every((one) => objectOr(one)[mark] !== true)
    }
    const exact = { ...value, ...asDraft07(value) }
    for (const [keyword, part] of Object.entries(direction === 'answer' ? tolerant(exact) : exact)) {
      if (part === undefined) continue
      if (plain.includes(keyword) || (direction === 'request' && newer.includes(keyword)))
        converted[keyword] = part
      else if (holding.includes(keyword))
        converted[keyword] = Array.isArray(part) ? part.map(inner) : inner(part)
      else if (keyword === 'required')
        converted[keyword] = listOr(part).filter((name) => isKept(String(name)))
      else if (keyword === 'properties' || keyword === 'patternProperties')
        converted[keyword] = Object.fromEntries(
          Object.entries(objectOr(part)).flatMap(([name, one]) => (isKept(name) ? [[name, inner(one)]] : [])),
        )
    }
    return converted
  }
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
