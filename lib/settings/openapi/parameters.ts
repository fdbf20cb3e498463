import type { Described } from '../../specification/endpoints.ts'
import { isObject, listOr, objectOr, type JsonObject } from '../../text/json-value.ts'
import type { GivenEntry } from '../endpoints-file.ts'
import { DocumentMistake, type OpenApiDocument } from './document.ts'
import type { SchemaConversion } from './schema.ts'

/** The parameters of an operation, as written in the endpoints file. */
interface Parameters {
  readonly pathParameters: GivenEntry['pathParameters'] & object
  /** Null if there are no parameters. */
  readonly query: JsonObject | null
  readonly versions: readonly number[]
}

/** Thrown for an operation without an entry; the message is the reason. */
export class LeftOut extends Error {}

type Parameter = JsonObject & { readonly name: string; readonly in: string }

/** Headers that the suite sends itself, or that make no difference. */
const sentAnyway = 'x-api-key x-secret-key x-version accept content-type authorization user-agent'.split(' ')

/** Describes the parameters of an operation, which override those of its path. */
export function describeParameters(
  conversion: SchemaConversion,
  lists: readonly (readonly unknown[])[],
): Parameters {
  const { document, notes } = conversion
  const all = new Map<string, Parameter>()
  for (const list of lists)
    for (const [index, entry] of list.entries()) {
      const parameter = document.resolve(entry)
      if (!isParameter(parameter)) {
        const place = isObject(parameter) ? document.placeOf(parameter) : document.placeOf(list, `${index}`)
        throw new DocumentMistake(place, 'a parameter with a name and with "in"')
      }
      all.set(`${parameter.in} ${parameter.name}`, parameter)
    }
  const given = [...all.values()]
  // A map, because a name may be `__proto__`.
  const [pathParameters, properties] = [
    new Map<string, Described<string | number | boolean>>(),
    new Map<string, JsonObject>(),
  ]
  const required: string[] = []

  for (const parameter of given) {
    const { name, in: where } = parameter
    const isRequired = parameter['required'] === true
    if (where !== 'path' && where !== 'query') {
      if (isRequired && !sentAnyway.includes(name.toLowerCase()))
        throw new LeftOut(`it needs a ${where} parameter that the suite does not send (${name})`)
      continue
    }
    const at = where === 'path' ? `/pathParameters/${name}` : `/query/properties/${name}`
    const sent = conversion.sent(parameter['schema'], where === 'path' ? `${at}/schema` : at)
    const { schema } = sent
    const example = examplesOf(document, parameter, schema).find(isScalar)
    const why = where === 'path' ? null : (whyNotAsText(parameter, schema) ?? sent.why)
    if (why !== null && isRequired)
      throw new LeftOut(`it needs a query parameter that cannot be described (${name}: ${why})`)
    notes.push(...(why === null ? sent.notes : [{ at, what: 'left out' as const, why }]))
    if (where === 'path') {
      // A path parameter cannot be empty or consist only of dots.
      const fit = /^\.{0,2}$/.test(String(example)) ? undefined : example
      pathParameters.set(name, { schema, ...(fit === undefined ? {} : { example: fit }) })
      continue
    }
    if (why !== null) continue
    const isNamed = ['default', 'const', 'enum'].some((keyword) => schema[keyword] !== undefined)
    properties.set(name, example !== undefined && !isNamed ? { ...schema, examples: [example] } : schema)
    if (isRequired) required.push(name)
    if (isRequired && example === undefined)
      notes.push({ at: `${at}/examples`, what: 'give', why: listToGive })
  }
  const schema = {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties),
  }
  return {
    pathParameters: Object.fromEntries(pathParameters),
    query: properties.size === 0 ? null : schema,
    versions: versionsOf(document, given),
  }
}

const listToGive = 'a list with a value that exists at the target, because the parameter is required'

function isParameter(value: unknown): value is Parameter {
  const { name, in: where } = objectOr(value)
  return typeof name === 'string' && typeof where === 'string'
}

/** Why the endpoints file cannot describe a query parameter, or null. */
function whyNotAsText(
  { schema, style, explode, allowReserved }: JsonObject,
  { type }: JsonObject,
): string | null {
  const types = [type].flat().filter((name) => name !== 'null')
  if (schema === undefined) return 'it has content rather than a schema'
  if (types.includes('object')) return 'there are several ways to write an object in a query'
  if (types.includes('array') && ((style ?? 'form') !== 'form' || explode === false))
    return 'there are several ways to write a list in one parameter'
  return allowReserved === true ? 'its reserved characters are not percent-encoded' : null
}

/** The versions in an `x-version` header, as numbers or text; 1 if there is no such header. */
function versionsOf(document: OpenApiDocument, given: readonly Parameter[]): readonly number[] {
  const header = given.find(
    (parameter) => parameter.in === 'header' && parameter.name.toLowerCase() === 'x-version',
  )
  if (header === undefined) return [1]
  const schema = objectOr(document.resolve(header['schema']))
  const parts = listOr(schema['allOf']).map((part) => objectOr(document.resolve(part)))
  const named = [
    ...[schema, ...parts].map((part) => part['enum'] ?? part['const']),
    ...examplesOf(document, header, schema),
  ].find((value) => value !== undefined)
  const versions = [named].flat().filter((version) => isScalar(version) && /^\d{1,10}$/.test(String(version)))
  return versions.length === 0 ? [1] : [...new Set(versions.map(Number))]
}

/** Examples for a parameter or a body, most specific first. */
export function examplesOf(
  document: OpenApiDocument,
  given: JsonObject,
  schema: JsonObject,
): readonly unknown[] {
  const named = Object.values(objectOr(given['examples'])).map(
    (example) => objectOr(document.resolve(example))['value'],
  )
  const described = objectOr(document.resolve(given['schema']))
  return [
    given['example'],
    ...named,
    described['example'],
    ...listOr(described['examples']),
    schema['default'],
    schema['const'],
    ...listOr(schema['enum']),
  ].filter((example) => example !== undefined && example !== null)
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
