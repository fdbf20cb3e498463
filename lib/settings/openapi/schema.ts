import { isObject, listOr, objectOr, type JsonObject } from '../../json/json-value.ts'
import type { OpenApiDocument, Located } from './openapi-document.ts'

/** Something that the endpoints file does not say as the document does, and why. */
export interface Note {
  /** A JSON pointer into the entry. */
  readonly at: string
  readonly what: 'relaxed' | 'left out' | 'give'
  readonly why: string
}

/** Whose schema it is: of a request without what is read only, or of an answer without what is written only. */
type Direction = 'request' | 'answer'

/** A schema as draft-07, and what was left out of it. */
export interface ConvertedSchema {
  readonly schema: JsonObject
  readonly notes: readonly Note[]
}

/** Turns a schema of OpenAPI 3.0 or 3.1 into a JSON Schema (draft-07) with the schemas that it refers to as definitions. */
export function convertSchema(
  document: OpenApiDocument,
  place: Located,
  direction: Direction,
): ConvertedSchema {
  return new Conversion(document, direction).whole(place)
}

/** Keywords that both know, with the same meaning. */
const copied = new Set([
  ...'type enum const default multipleOf minimum maximum exclusiveMinimum exclusiveMaximum'.split(' '),
  ...'minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties required'.split(
    ' ',
  ),
])
/** Keywords that hold a schema, a list of schemas, and schemas by name. */
const holdingOne = new Set(
  'not if then else contains additionalProperties propertyNames additionalItems'.split(' '),
)
const holdingMany = new Set(['allOf', 'anyOf', 'oneOf'])
const holdingNamed = new Set(['properties', 'patternProperties', 'dependentSchemas'])
/** Keywords that would check something and that draft-07 does not know. */
const unknownToDraft07 = new Set(
  'unevaluatedProperties unevaluatedItems minContains maxContains $dynamicRef'.split(' '),
)
/** Formats that are checked. */
const knownFormats = new Set(
  'date time date-time duration uri uri-reference email hostname ipv4 ipv6 uuid regex int32 int64 float double byte password binary'.split(
    ' ',
  ),
)

class Conversion {
  readonly #document: OpenApiDocument
  readonly #direction: Direction
  readonly #notes: Note[] = []
  /** Definitions by name, and their names by the pointer of what they define. */
  readonly #definitions = new Map<string, unknown>()
  readonly #names = new Map<string, string>()

  constructor(document: OpenApiDocument, direction: Direction) {
    this.#document = document
    this.#direction = direction
  }

  whole(place: Located): ConvertedSchema {
    // The first step needs no definition.
    const converted = this.#schema(this.#document.resolve(place), '')
    const schema = isObject(converted) ? converted : converted === false ? { not: {} } : {}
    const definitions =
      this.#definitions.size === 0 ? {} : { definitions: Object.fromEntries(this.#definitions) }
    return { schema: { ...schema, ...definitions }, notes: this.#notes }
  }

  #schema({ value, path }: Located, at: string): unknown {
    if (!isObject(value)) return value === false ? false : {}
    const siblings =
      '$ref' in value && this.#document.version === '3.0' ? {} : this.#keywords({ value, path }, at)
    return typeof value['$ref'] === 'string'
      ? { ...siblings, $ref: this.#reference({ value: { $ref: value['$ref'] }, path }) }
      : siblings
  }

  #reference(place: Located): string {
    const target = this.#document.resolve(place)
    const key = JSON.stringify(target.path)
    const known = this.#names.get(key)
    if (known !== undefined) return `#/definitions/${known}`

    const wanted = String(target.path.at(-1)).replaceAll(/[^\w.-]/g, '_')
    let name = wanted
    for (let more = 2; this.#definitions.has(name); more += 1) name = `${wanted}${more}`
    this.#names.set(key, name)
    // Its place is taken before it is converted, since it may refer to itself.
    this.#definitions.set(name, {})
    this.#definitions.set(name, this.#schema(target, `/definitions/${name}`))
    return `#/definitions/${name}`
  }

  #keywords(
    { value, path }: { readonly value: JsonObject; readonly path: Located['path'] },
    at: string,
  ): JsonObject {
    const converted: Record<string, unknown> = {}
    const below = (keyword: string, inner: unknown, ...more: readonly (string | number)[]): unknown =>
      this.#schema(
        { value: inner, path: [...path, keyword, ...more] },
        `${at}/${[keyword, ...more].join('/')}`,
      )
    const named = (keyword: string, members: unknown): JsonObject =>
      Object.fromEntries(
        Object.entries(objectOr(members)).map(([name, inner]) => [name, below(keyword, inner, name)]),
      )

    for (const [keyword, inner] of Object.entries(value)) {
      if (copied.has(keyword)) converted[keyword] = inner
      else if (holdingOne.has(keyword))
        converted[keyword] = typeof inner === 'boolean' ? inner : below(keyword, inner)
      else if (holdingMany.has(keyword))
        converted[keyword] = listOr(inner).map((one, index) => below(keyword, one, index))
      else if (keyword === 'dependentRequired') converted['dependencies'] = inner
      else if (holdingNamed.has(keyword))
        converted[keyword === 'dependentSchemas' ? 'dependencies' : keyword] = named(keyword, inner)
      else if (keyword === 'format') this.#format(inner, converted, at)
      else if (unknownToDraft07.has(keyword))
        this.#leaveOut(`${at}/${keyword}`, 'draft-07 does not know this keyword')
    }
    this.#items(value, converted, below)
    this.#required(value, converted, path)
    return this.#document.version === '3.0' ? asOf30(value, converted) : converted
  }

  #format(format: unknown, converted: Record<string, unknown>, at: string): void {
    if (knownFormats.has(String(format))) converted['format'] = format
    else this.#leaveOut(`${at}/format`, `the format ${String(format)} is not known`)
  }

  #leaveOut(at: string, why: string): void {
    this.#notes.push({ at, what: 'left out', why })
  }

  #items(
    value: JsonObject,
    converted: Record<string, unknown>,
    below: (keyword: string, inner: unknown, ...more: readonly number[]) => unknown,
  ): void {
    const { items, prefixItems } = value
    if (Array.isArray(prefixItems)) {
      converted['items'] = prefixItems.map((one, index) => below('prefixItems', one, index))
      if (items !== undefined) converted['additionalItems'] = items === false ? false : below('items', items)
    } else if (items !== undefined) converted['items'] = items === false ? false : below('items', items)
  }

  /** What is read only is no part of a request, and what is written only no part of an answer. */
  #required(value: JsonObject, converted: Record<string, unknown>, path: Located['path']): void {
    if (!Array.isArray(converted['required'])) return
    const mark = this.#direction === 'request' ? 'readOnly' : 'writeOnly'
    const properties = objectOr(value['properties'])
    const required = converted['required'].filter((name) => {
      const property = { value: properties[String(name)], path: [...path, 'properties', String(name)] }
      return objectOr(this.#document.resolve(property).value)[mark] !== true
    })
    if (required.length > 0) converted['required'] = required
    else delete converted['required']
  }
}

/** OpenAPI 3.0 says null by `nullable`, and an exclusive bound by a boolean beside it. */
function asOf30(value: JsonObject, converted: Record<string, unknown>): JsonObject {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (value[exclusive] === true && value[bound] !== undefined) {
      converted[exclusive] = value[bound]
      delete converted[bound]
    } else if (typeof value[exclusive] === 'boolean') delete converted[exclusive]
  }
  if (value['nullable'] !== true) return converted
  if (typeof converted['type'] === 'string') converted['type'] = [converted['type'], 'null']
  if (Array.isArray(converted['enum']) && !converted['enum'].includes(null))
    converted['enum'] = [...listOr(converted['enum']), null]
  return converted
}
