import type { Described } from '../../specification/endpoints.ts'
import { isObject, listOr, objectOr, type JsonObject } from '../../json/json-value.ts'
import {
  DocumentMistake,
  memberOf,
  pointerOf,
  type OpenApiDocument,
  type Located,
} from './openapi-document.ts'
import { exampleMistake } from '../endpoints-file.ts'
import { schemaMistake } from '../json-schema.ts'
import { convertSchema, type ConvertedSchema, type Note } from './schema.ts'

/** The parameters of an operation, as an entry of the endpoints file says them. */
export interface Parameters {
  readonly pathParameters: Readonly<Record<string, Described>>
  /** Null without parameters. */
  readonly query: JsonObject | null
  readonly versions: readonly number[]
  readonly notes: readonly Note[]
  /** Why no valid request can be described, or null. */
  readonly unsendable: string | null
}

/** A parameter, its place and its name. */
interface Parameter extends Located {
  readonly value: JsonObject
  readonly name: string
  readonly in: string
}

/** Headers that the suite sends by itself, or that make no difference. */
const sentAnyway = ['x-api-key', 'x-secret-key', 'accept', 'content-type', 'authorization', 'user-agent']

/** Describes the parameters of an operation; those of the operation replace those of its path. */
export function describeParameters(document: OpenApiDocument, lists: readonly Located[]): Parameters {
  const all = new Map<string, Parameter>()
  for (const { value, path } of lists)
    for (const [index, one] of listOr(value).entries()) {
      const parameter = parameterOf(document, { value: one, path: [...path, index] })
      all.set(`${parameter.in} ${parameter.name}`, parameter)
    }
  const given = [...all.values()]
  const ofPath = given.filter((one) => one.in === 'path').map((one) => describePath(document, one))
  const query = describeQuery(
    document,
    given.filter((one) => one.in === 'query'),
  )
  const others = given.filter((one) => one.in === 'header' || one.in === 'cookie')
  const needed = others.find(
    ({ name, value }) =>
      value['required'] === true && ![...sentAnyway, 'x-version'].includes(name.toLowerCase()),
  )
  return {
    pathParameters: Object.fromEntries(ofPath.map(({ name, described }) => [name, described])),
    query: query.schema,
    versions: versionsOf(document, others),
    notes: [...ofPath.flatMap(({ notes }) => notes), ...query.notes],
    unsendable:
      needed === undefined
        ? query.unsendable
        : `it needs the ${needed.in} parameter ${needed.name}, which the suite does not send`,
  }
}

function parameterOf(document: OpenApiDocument, place: Located): Parameter {
  const { value, path } = document.resolve(place)
  const { name, in: where } = objectOr(value)
  if (!isObject(value) || typeof name !== 'string' || typeof where !== 'string')
    throw new DocumentMistake(pointerOf(path), 'a parameter with a name and with "in"')
  return { value, path, name, in: where }
}

function describePath(
  document: OpenApiDocument,
  parameter: Parameter,
): { readonly name: string; readonly described: Described; readonly notes: readonly Note[] } {
  const { value, name } = parameter
  const at = `/pathParameters/${name}`
  const converted = convertSchema(document, memberOf(parameter, 'schema'), 'request')
  const example = givenExample(document, value, converted.schema)
  return { name, ...withExample(converted, isScalar(example) ? example : undefined, at) }
}

/** A schema with its example, if the schema allows it; else the user has to give one. */
export function withExample(
  { schema, notes }: ConvertedSchema,
  example: unknown,
  at: string,
): { readonly described: Described; readonly notes: readonly Note[] } {
  const given: Described = { schema, example }
  const why =
    example === undefined
      ? 'the document has none'
      : schemaMistake(schema) === null
        ? (exampleMistake(given, false)?.expected ?? null)
        : null
  const give: Note = {
    at: `${at}/example`,
    what: 'give',
    why: `a value that exists at the target: ${why ?? ''}`,
  }
  return {
    described: why === null ? given : { schema },
    notes: [...placed(notes, `${at}/schema`), ...(why === null ? [] : [give])],
  }
}

function describeQuery(
  document: OpenApiDocument,
  parameters: readonly Parameter[],
): {
  readonly schema: JsonObject | null
  readonly notes: readonly Note[]
  readonly unsendable: string | null
} {
  const notes: Note[] = []
  // By any name, even `__proto__`.
  const properties = new Map<string, JsonObject>()
  const definitions = new Map<string, unknown>()
  const required: string[] = []
  let unsendable: string | null = null

  for (const parameter of parameters) {
    const { value, name } = parameter
    const at = `/query/properties/${name}`
    const converted = convertSchema(document, memberOf(parameter, 'schema'), 'request')
    const why = whyNotAsText(value, converted.schema)
    if (why !== null) {
      notes.push({ at, what: 'left out', why })
      if (value['required'] === true) unsendable ??= `it needs the query parameter ${name}: ${why}`
      continue
    }
    const { definitions: own = {}, ...schema } = converted.schema
    for (const [one, definition] of Object.entries(objectOr(own))) definitions.set(one, definition)
    const example = givenExample(document, value, schema)
    const isNamed = ['default', 'const', 'enum'].some((keyword) => schema[keyword] !== undefined)
    properties.set(name, isScalar(example) && !isNamed ? { ...schema, examples: [example] } : schema)
    notes.push(...placed(converted.notes, at))
    if (value['required'] !== true) continue
    required.push(name)
    if (!isScalar(example))
      notes.push({
        at: `${at}/examples`,
        what: 'give',
        why: 'a list with a value that exists at the target, since the parameter is required',
      })
  }
  if (properties.size === 0) return { schema: null, notes, unsendable }
  const schema = {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties),
    ...(definitions.size === 0 ? {} : { definitions: Object.fromEntries(definitions) }),
  }
  return { schema, notes, unsendable }
}

/** Why the endpoints file cannot say how a query holds a parameter, or null. */
function whyNotAsText(
  { schema, style, explode, allowReserved }: JsonObject,
  { type }: JsonObject,
): string | null {
  const types = [type].flat().filter((one) => one !== 'null')
  if (schema === undefined) return 'it has content rather than a schema'
  if (types.includes('object')) return 'an object is written into a query in several ways'
  if (types.includes('array') && ((style ?? 'form') !== 'form' || explode === false))
    return 'a list in one parameter is written in several ways'
  return allowReserved === true ? 'its reserved characters are not percent-encoded' : null
}

/** The versions that an `x-version` header names; 1 without one. */
function versionsOf(document: OpenApiDocument, headers: readonly Parameter[]): readonly number[] {
  const header = headers.find(({ name }) => name.toLowerCase() === 'x-version')
  if (header === undefined) return [1]
  const schema = objectOr(document.resolve(memberOf(header, 'schema')).value)
  const named = [
    schema['enum'],
    schema['const'],
    header.value['example'],
    schema['example'],
    schema['default'],
  ].find((one) => one !== undefined)
  const versions = [named].flat().filter((one) => Number.isInteger(one) && Number(one) >= 0)
  return versions.length === 0 ? [1] : [...new Set(versions.map(Number))]
}

/** An example of a parameter or a body, from the most to the least particular; undefined if there is none. */
export function givenExample(document: OpenApiDocument, value: JsonObject, schema: JsonObject): unknown {
  const [named] = Object.values(objectOr(value['examples']))
  const place = { value: named, path: ['examples'] }
  const ofMedia = named === undefined ? undefined : objectOr(document.resolve(place).value)['value']
  const given = objectOr(document.resolve({ value: value['schema'], path: ['schema'] }).value)
  return [
    value['example'],
    ofMedia,
    given['example'],
    listOr(given['examples'])[0],
    schema['default'],
    schema['const'],
    listOr(schema['enum'])[0],
  ].find((one) => one !== undefined && one !== null)
}

/** The same notes, with their places below another. */
export function placed(notes: readonly Note[], at: string): readonly Note[] {
  return notes.map((note) => ({ ...note, at: `${at}${note.at}` }))
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
