import { isObject, listOr, objectOr, type JsonObject } from '../../text/json-value.ts'
import { whyIntolerant } from '../intolerances.ts'
import { stepsOf } from '../json-file.ts'
import { schemaMistake, withDefinitions } from '../json-schema.ts'
import type { OpenApiDocument } from './document.ts'

/** A difference between the endpoints file and the document, and the reason for it. */
export interface Note {
  /** A JSON pointer into the entry. */
  readonly at: string
  readonly what: 'relaxed' | 'left out' | 'give'
  readonly why: string
}

/** A schema for a request, without read-only properties, or for an answer, without keywords that forbid tolerated changes. */
type Direction = 'request' | 'answer'

/** Keywords that mean the same in both. */
const copied = new Set([
  ...'type enum const default multipleOf minimum maximum exclusiveMinimum exclusiveMaximum'.split(' '),
  ...'minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties required'.split(
    ' ',
  ),
])
/** Keywords that contain one schema, a list of schemas, or schemas by name. */
const holdingOne = new Set(
  'not if then else contains additionalProperties propertyNames additionalItems'.split(' '),
)
const holdingMany = new Set(['allOf', 'anyOf', 'oneOf'])
const holdingNamed = new Set(['properties', 'patternProperties', 'dependentSchemas'])
/** Keywords that check something but are unknown in draft-07. */
const unknownToDraft07 = new Set(
  'unevaluatedProperties unevaluatedItems minContains maxContains $dynamicRef'.split(' '),
)
/** Formats that are checked. */
const knownFormats = new Set(
  'date time date-time duration uri uri-reference email hostname ipv4 ipv6 uuid regex int32 int64 float double byte password binary'.split(
    ' ',
  ),
)
/** Keywords whose outcome a tolerated change may reverse. */
const turning = new Set(['not', 'if', 'then', 'else'])

/** Converts schemas of OpenAPI 3.0 or 3.1 to JSON Schema (draft-07), with referenced schemas as shared definitions. */
export class SchemaConversion {
  readonly document: OpenApiDocument
  /** Definitions by name, and their names by direction and schema. */
  readonly definitions = new Map<string, unknown>()
  readonly #names = { request: new Map<unknown, string>(), answer: new Map<unknown, string>() }
  /** Differences from the document in the converted schema, and in definitions that were not referenced before. */
  readonly notes: Note[] = []

  constructor(document: OpenApiDocument) {
    this.document = document
  }

  convert(schema: unknown, direction: Direction, at: string): JsonObject {
    const converted = this.#schema(schema, direction, at)
    return isObject(converted) ? converted : converted === false ? { not: {} } : {}
  }

  /** Converts a schema of values that are sent. `why` says why no values can be generated, because an invalid one would be sent as valid. */
  sent(
    value: unknown,
    at: string,
  ): { readonly schema: JsonObject; readonly why: string | null; readonly notes: Note[] } {
    const from = this.notes.length
    const schema = this.convert(value, 'request', at)
    const notes = this.notes.splice(from)
    const lost = notes.find((note) => note.what === 'left out' && note.at.endsWith('/pattern'))
    return { schema, why: lost?.why ?? schemaMistake(withDefinitions(schema, this.definitions)), notes }
  }

  #schema(value: unknown, direction: Direction, at: string): unknown {
    if (!isObject(value)) return value === false && direction === 'request' ? false : {}
    const is30 = this.document.version === '3.0'
    const refers = typeof value['$ref'] === 'string'
    const own = refers && is30 ? {} : this.#keywords(value, direction, at)
    const whole = refers ? { ...own, $ref: this.#reference(value, direction) } : own
    return is30 && value['nullable'] === true ? orNull(whole) : whole
  }

  #reference(value: JsonObject, direction: Direction): string {
    const target = this.document.resolve(value)
    const names = this.#names[direction]
    const known = names.get(target)
    if (known !== undefined) return `#/definitions/${known}`

    const pointer = isObject(target) ? this.document.locate(target).pointer : String(value['$ref'])
    const wanted = (stepsOf(pointer).at(-1) ?? 'schema').replaceAll(/[^\w.-]/g, '_')
    let name = wanted
    for (let more = 2; this.definitions.has(name); more += 1) name = `${wanted}${more}`
    names.set(target, name)
    // Reserves its place before conversion, because it may refer to itself.
    this.definitions.set(name, {})
    this.definitions.set(name, this.#schema(target, direction, `/definitions/${name}`))
    return `#/definitions/${name}`
  }

  #keywords(value: JsonObject, direction: Direction, at: string): JsonObject {
    const converted: Record<string, unknown> = {}
    const below = (keyword: string, inner: unknown, ...more: readonly (string | number)[]): unknown =>
      this.#schema(inner, direction, [at, keyword, ...more].join('/'))
    const note = (keyword: string, what: Note['what'], why: string): void =>
      void this.notes.push({ at: `${at}/${keyword}`, what, why })

    for (const [keyword, inner] of Object.entries(value)) {
      if (keyword === 'format' && !knownFormats.has(String(inner)))
        note(keyword, 'left out', `the format ${String(inner)} is not known`)
      else if (unknownToDraft07.has(keyword)) note(keyword, 'left out', 'draft-07 does not know this keyword')
      else if (keyword === 'pattern' && !isPattern(inner))
        note(keyword, 'left out', 'its pattern is not a JavaScript regular expression')
      else if (copied.has(keyword) || keyword === 'format') converted[keyword] = inner
      else if (holdingOne.has(keyword))
        converted[keyword] = typeof inner === 'boolean' ? inner : below(keyword, inner)
      else if (holdingMany.has(keyword))
        converted[keyword] = listOr(inner).map((item, index) => below(keyword, item, index))
      else if (keyword === 'dependentRequired') converted['dependencies'] = inner
      else if (holdingNamed.has(keyword))
        converted[keyword === 'dependentSchemas' ? 'dependencies' : keyword] = Object.fromEntries(
          Object.entries(objectOr(inner)).map(([name, schema]) => [name, below(keyword, schema, name)]),
        )
    }
    const { items, prefixItems } = value
    if (Array.isArray(prefixItems)) {
      converted['items'] = prefixItems.map((item, index) => below('prefixItems', item, index))
      if (items !== undefined) converted['additionalItems'] = below('items', items)
    } else if (items !== undefined) converted['items'] = below('items', items)
    this.#direct(value, direction, converted)
    const exact = this.document.version === '3.0' ? withExclusiveBounds(value, converted) : converted
    return direction === 'answer' ? relaxed(exact, note) : exact
  }

  /** Read-only properties are not part of a request, and write-only properties are not required in an answer. */
  #direct(value: JsonObject, direction: Direction, converted: Record<string, unknown>): void {
    const mark = direction === 'request' ? 'readOnly' : 'writeOnly'
    const marked = Object.entries(objectOr(value['properties'])).flatMap(([name, property]) => {
      const isMarked = [property, this.document.resolve(property)].some(
        (given) => objectOr(given)[mark] === true,
      )
      return isMarked ? [name] : []
    })
    if (marked.length === 0) return
    const kept = listOr(converted['required']).filter((name) => !marked.includes(String(name)))
    if (kept.length > 0) converted['required'] = kept
    else delete converted['required']
    if (direction === 'request')
      converted['properties'] = Object.fromEntries(
        Object.entries(objectOr(converted['properties'])).filter(([name]) => !marked.includes(name)),
      )
  }
}

/** Whether Ajv accepts a text as a regular expression. */
function isPattern(text: unknown): boolean {
  try {
    return new RegExp(String(text), 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** OpenAPI 3.0 marks an exclusive bound with a separate boolean. */
function withExclusiveBounds(value: JsonObject, converted: Record<string, unknown>): JsonObject {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof value[exclusive] !== 'boolean') continue
    delete converted[exclusive]
    if (!value[exclusive] || value[bound] === undefined) continue
    converted[exclusive] = value[bound]
    delete converted[bound]
  }
  return converted
}

/** OpenAPI 3.0 allows null with `nullable`, which authors also write next to references and alternatives. */
function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values, ...others } = schema
  const isCombined = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not'].some((keyword) => keyword in others)
  if (isCombined || (type === undefined && values === undefined))
    return Object.keys(schema).length === 0 ? schema : { anyOf: [{ type: 'null' }, schema] }
  return {
    ...others,
    ...(type === undefined ? {} : { type: [...[type].flat(), 'null'] }),
    ...(Array.isArray(values) ? { enum: [...new Set<unknown>([...values, null])] } : {}),
  }
}

/** A schema for an answer without the keywords that forbid changes that clients must tolerate. */
function relaxed(
  schema: JsonObject,
  note: (keyword: string, what: Note['what'], why: string) => void,
): JsonObject {
  const made: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    const why = whyIntolerant(keyword, value)
    if (why !== null) {
      note(keyword, 'relaxed', why)
      const texts = keyword === 'enum' ? listOr(value) : keyword === 'const' ? [value] : []
      const areTexts = texts.length > 0 && texts.every((text) => typeof text === 'string')
      if (areTexts && schema['type'] === undefined) made['type'] = 'string'
    } else if (turning.has(keyword)) {
      if (keyword === 'not' || keyword === 'if')
        note(keyword, 'relaxed', 'a tolerated change may reverse its outcome')
    } else if (keyword !== 'oneOf') made[keyword] = value
  }
  if (schema['oneOf'] === undefined) return made
  // A relaxed value, or a value with new properties, may match several alternatives.
  note('oneOf', 'relaxed', 'several alternatives may match once properties are added, so it becomes anyOf')
  const any = { anyOf: schema['oneOf'] }
  return made['anyOf'] === undefined
    ? { ...made, ...any }
    : { ...made, allOf: [...listOr(made['allOf']), any] }
}
