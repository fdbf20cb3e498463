import { realpath } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { CORE_SCHEMA, load, Type, YAMLException } from 'js-yaml'
import { allowanceOf, keywordsOf } from '../../fuzz/plain-value.ts'
import { listPath, maySend, sideEffectFree, type Described } from '../../specification/endpoints.ts'
import { matchesGlob } from '../../specification/rules.ts'
import { withinOr, workLimits, type SyncWork } from '../../specification/within.ts'
import {
  isObject,
  listOr,
  objectOr,
  type JsonObject,
  isTooDeep,
  jsonValue,
  maxLevels,
} from '../../text/json.ts'
import { percentDecoded, urlOf } from '../../text/url.ts'
import { entryMistakes, exampleMistakes, wholeEntry, type GivenEntry } from '../endpoints-file.ts'
import { maxEntries, simplerSchemas, stepsOf } from '../json-file.ts'
import { isKnownFormat, schemaMistake, whyIntolerant, withDefinitions } from '../json-schema.ts'
import { grammar } from '../setting-table.ts'
import { sizeLimits, readTextFile } from '../user-file.ts'

/** Selects operations by a glob that matches `GET /api/cards` or only its path, and by a tag. */
export type OperationChoice = Readonly<{ include?: string; tag?: string }>

/** Thrown for an operation without an entry; the message is the reason. */
class LeftOut extends Error {}

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']
/** Headers that the suite sends itself, or that make no difference. */
const sentAnyway = 'x-api-key x-secret-key x-version accept content-type authorization user-agent'.split(' ')
/** JSON media types of answers and of requests, including wildcards. */
const answeredJson = /^(?:\*\/\*|application\/(?:\*|(?:[\w.*-]+\+)?json))\s*(?:;|$)/i
const sentJson = /^application\/(?:json|\*)\s*(?:;|$)|^\*\/\*/i

/** Creates the text and the entries of an endpoints file from an OpenAPI document. Throws a {@link DocumentMistake}. */
export function importOpenApi(document: OpenApiDocument, choice: OperationChoice = {}) {
  return withinLimit(() => {
    const { entries, leftOut, definitions } = entriesOf(document, choice)
    if (entries.length === 0) {
      const reasons = leftOut.slice(0, 5).map(({ place, why }) => `; ${place}: ${why}`)
      throw new DocumentMistake(`expected at least one operation that can be described${reasons.join('')}`)
    }
    const shared = withDefinitions({ entries }, definitions)
    const all = [...entries, ...('definitions' in shared ? [{ definitions: shared.definitions }] : [])]
    const text = `${JSON.stringify(all, null, 2)}\n`
    const fewer = 'choose some with --include or --tag'
    if (all.length > maxEntries)
      throw new DocumentMistake(`expected at most ${maxEntries} operations; ${fewer}`)
    if (Buffer.byteLength(text) > sizeLimits.list)
      throw new DocumentMistake(`expected a smaller document; ${fewer}`)
    return { text, entries, leftOut }
  })
}

/** The entries for the chosen operations of a document, and the definitions that they share. */
function entriesOf(document: OpenApiDocument, { include = '*', tag }: OperationChoice) {
  const { root } = document
  const definitions = new Map<string, unknown>()
  const ofRequest = schemaConversion(document, false, definitions)
  const ofAnswer = schemaConversion(document, true, definitions)
  /** Operations without an entry, and parameters that their entry lacks, each with the reason. */
  const leftOut: Readonly<{ place: string; why: string }>[] = []
  const object = (value: unknown) => objectOr(document.resolve(value))

  const operations = Object.entries(objectOr(root['paths'])).flatMap(([template, given]) => {
    /** The path item. */
    const item = object(given)
    return methods.flatMap((method) => {
      const value = item[method.toLowerCase()]
      const name = `${method} ${template}`
      const isIncluded = [template, name].some((one) => matchesGlob(include, one))
      const isChosen = isIncluded && (tag === undefined || listOr(objectOr(value)['tags']).includes(tag))
      return isObject(value) && isChosen ? [{ name, method, template, value, item }] : []
    })
  })
  type Operation = (typeof operations)[number]

  /** The entry for an operation. Throws {@link LeftOut} if it has none. */
  function entryOf(operation: Operation): GivenEntry {
    const { method } = operation
    const path = pathOf(operation)
    const entry = {
      method,
      path,
      // The list endpoint is always judged, and its entry adds only its success.
      ...(method === 'GET' && path === listPath ? {} : parametersOf(operation)),
      ...(sideEffectFree.includes(method) ? {} : bodyOf(operation)),
      ...successOf(operation),
      ...(maySend({ method, fuzz: false }) ? {} : { fuzz: false }),
    }
    // The user gives missing examples.
    const mistakes = entryMistakes(wholeEntry(entry, definitions))
    const wrong = mistakes.find(({ at }) => at.at(-1) !== 'example')
    if (wrong !== undefined) throw new LeftOut(`${wrong.at.join('.')}: expected ${wrong.expected}`)
    return entry
  }

  /** The path from `/api/` onwards, which may be part of a server's path. Uses the servers declared closest to the operation. */
  function pathOf({ value, item, template }: Operation) {
    const servers = [value, item, root].map((level) => listOr(level['servers']))
    const bases = (servers.find((list) => list.length > 0) ?? [{ url: '/' }]).map(serverPath)
    const found = bases.map((base) => base + template).find((path) => path.includes('/api/'))
    if (found === undefined) throw new LeftOut('its path is not below /api/')
    const path = found.slice(found.indexOf('/api/'))
    const { pattern, description } = grammar.template
    if (!new RegExp(pattern).test(path)) throw new LeftOut(`path: expected ${description}`)
    return path
  }

  /** The schema of a success, if it has one. Throws {@link LeftOut} if a rule for every endpoint cannot hold. */
  function successOf({ value, method }: Operation) {
    if (method === 'OPTIONS') throw new LeftOut('browsers send OPTIONS without credentials (CORS)')
    const security = listOr(value['security'] ?? root['security'])
    const isPublic = security.some((option) => isObject(option) && Object.keys(option).length === 0)
    if (isPublic || (Array.isArray(value['security']) && security.length === 0))
      throw new LeftOut('it needs no credentials (security)')
    if (method === 'HEAD') return {}
    const answers = Object.entries(object(value['responses']))
    const successes = answers.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    const media = successes.map(([status, answer]) => {
      const { content } = object(answer)
      const isEmpty = Object.keys(objectOr(content)).length === 0
      return /^20[45]$/.test(status) ? null : (mediaIn(content, answeredJson) ?? (isEmpty ? {} : null))
    })
    const isRedirect = successes.length === 0 && answers.some(([status]) => status.startsWith('3'))
    if (isRedirect || media.includes(null)) throw new LeftOut('its success has no JSON')
    const schema = media[0]?.['schema']
    return schema === undefined ? {} : { success: ofAnswer(schema) }
  }

  /** The first content with a matching media type. */
  function mediaIn(content: unknown, type: RegExp) {
    const found = Object.entries(objectOr(content)).find(([name]) => type.test(name))
    return found === undefined ? null : object(found[1])
  }

  function bodyOf({ value }: Operation) {
    const { content, required } = object(value['requestBody'])
    if (content === undefined) return {}
    const media = mediaIn(content, sentJson)
    if (media === null)
      throw new LeftOut('its body is not application/json, the only type that the suite sends')
    const part = withExample(ofRequest(media['schema']), examplesIn(media))
    return { body: required === true ? part : { ...part, required: false } }
  }

  function examplesIn({ example, examples }: JsonObject) {
    const named = Object.values(objectOr(examples)).map((one) => object(one)['value'])
    return [example, ...named].filter((one) => one !== undefined)
  }

  /** The schema with the first example that it allows and that can be checked in time. */
  function withExample<Value>(given: JsonObject, examples: readonly Value[]): Described<Value> {
    const schema = withDefinitions(given, definitions)
    const example = examples.find((one) => exampleMistakes([], { schema, example: one }, true).length === 0)
    return { schema: given, ...(example !== undefined && { example }) }
  }

  /** The parameters of an operation, which override those of its path. */
  function parametersOf({ name: operation, item, value }: Operation) {
    const given = [item, value].flatMap((level) => listOr(level['parameters'])).map(object)
    const unique = new Map(given.map((one) => [JSON.stringify([one['in'], one['name']]), one]))
    const pathParameters: [string, Described<PathValue>][] = []
    const properties: [string, JsonObject][] = []
    const required: string[] = []
    let versions: readonly number[] = []
    for (const parameter of unique.values()) {
      const name = String(parameter['name'])
      const where = String(parameter['in'])
      const schema = ofRequest(parameter['schema'])
      const whole = withDefinitions(schema, definitions)
      const of = keywordsOf(whole, { root: whole, allowance: allowanceOf() })
      const why = whyLeftOut(parameter, whole, of('type').flat())
      const examples = examplesIn(parameter)
      const listed = ['examples', 'default', 'const', 'enum'].flatMap((keyword) => of(keyword).flat())
      const known = [...examples, ...listed]
      const isRequired = parameter['required'] === true
      if (why !== null && isRequired) throw new LeftOut(`it needs the ${where} parameter ${name}: ${why}`)
      if (where === 'query' && why !== null) leftOut.push({ place: `${operation} ${name}`, why })
      else if (where === 'query') {
        properties.push([name, examples.length > 0 ? { ...schema, examples } : schema])
        if (isRequired) required.push(name)
      } else if (where === 'path') pathParameters.push([name, withExample(schema, known.filter(fitsPath))])
      else if (/^x-version$/i.test(name)) {
        const texts = known.map(String).filter((text) => /^\d{1,10}$/.test(text))
        versions = [...new Set(texts.map(Number))]
      }
    }
    const needing = required.length > 0 && { required }
    const query = { type: 'object', ...needing, properties: Object.fromEntries(properties) }
    return {
      ...(versions.length > 0 && String(versions) !== '1' && { versions }),
      ...(pathParameters.length > 0 && { pathParameters: Object.fromEntries(pathParameters) }),
      ...(properties.length > 0 && { query }),
    }
  }

  const entries = operations.flatMap((operation) => {
    try {
      return entryOf(operation)
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error
      leftOut.push({ place: operation.name, why: error.message })
      return []
    }
  })
  return { entries, leftOut, definitions }
}

/** Why a parameter cannot be described, or null. */
function whyLeftOut(parameter: JsonObject, schema: object, types: readonly unknown[]) {
  const { in: where, name, style = 'form', explode, allowReserved } = parameter
  if (where === 'path') return null
  if (where !== 'query')
    return sentAnyway.includes(String(name).toLowerCase()) ? null : 'the suite does not send it'
  const isSplit = types.includes('array') && (style !== 'form' || explode === false)
  const isOdd = !('schema' in parameter) || isSplit || types.includes('object') || allowReserved === true
  return isOdd ? 'there are several ways to write it in a query' : schemaMistake(schema)
}

type PathValue = string | number | boolean

/** Whether a path parameter may have a value; it cannot be empty or consist only of dots. */
function fitsPath(value: unknown): value is PathValue {
  return ['string', 'number', 'boolean'].includes(typeof value) && !/^\.{0,2}$/.test(String(value))
}

/** The path of a server, without a trailing slash and with its variables replaced by their defaults. */
function serverPath(server: unknown) {
  const { url = '/', variables } = objectOr(server)
  const filled = String(url).replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const { default: text } = objectOr(objectOr(variables)[name])
    return typeof text === 'string' ? text : ''
  })
  return urlOf(filled, 'http://server.example/')?.pathname.replace(/\/$/, '') ?? ''
}

/** Keywords of draft-07 that contain no schema. */
const plain =
  /^(?:type|enum|const|default|examples|format|pattern|multipleOf|uniqueItems|(?:m|exclusiveM)(?:in|ax)imum|(?:min|max)(?:Length|Items|Properties))$/
/** Keywords that contain a schema or a list of schemas. */
const holding =
  /^(?:items|contains|additional(?:Items|Properties)|propertyNames|not|if|then|else|(?:all|any|one)Of)$/
/** Keywords unknown in draft-07. A request schema keeps them and is then refused, because without them it would allow too much. */
const newer =
  /^(?:prefixItems|unevaluated(?:Items|Properties)|(?:min|max)Contains|dependent(?:Required|Schemas)|\$dynamicRef)$/

/**
 * Converts schemas of OpenAPI 3.0 or 3.1 to JSON Schema (draft-07), with referenced schemas as shared definitions: for requests without
 * read-only properties, for answers without keywords that forbid tolerated changes. Without a schema, anything is allowed.
 */
function schemaConversion(document: OpenApiDocument, isAnswer: boolean, definitions: Map<string, unknown>) {
  /** Names of definitions by reference. */
  const names = new Map<string, string>()

  const converted = (value: unknown): unknown => {
    if (!isObject(value)) return isAnswer && value === false ? true : value
    const address = addressOf(value)
    const reference = address === null ? null : { $ref: referenced(address) }
    if (!document.is30) return { ...keywords(value), ...reference }
    const schema = reference ?? keywords(value)
    // Authors also write `nullable` next to references and alternatives.
    return value['nullable'] === true ? { anyOf: [schema, { type: 'null' }] } : schema
  }

  const referenced = (address: string) => {
    let name = names.get(address)
    if (name === undefined) {
      const last = (percentDecoded(address) ?? address).replace(/.*[/#]/s, '')
      const wanted = last.replaceAll(/[^\w.-]/g, '_') || 'schema'
      name = definitions.has(wanted) ? `${wanted}+${definitions.size}` : wanted
      names.set(address, name)
      // Reserves its place before conversion, because it may refer to itself.
      definitions.set(name, {})
      definitions.set(name, converted(document.target(address)))
    }
    return `#/definitions/${name}`
  }

  const keywords = (value: JsonObject): JsonObject => {
    const mark = isAnswer ? 'writeOnly' : 'readOnly'
    const isKept = (name: string) => {
      const property = objectOr(value['properties'])[name]
      return [property, document.resolve(property)].every((one) => objectOr(one)[mark] !== true)
    }
    const exact = { ...value, ...asDraft07(value) }
    const kept: Record<string, unknown> = {}
    for (const [keyword, part] of Object.entries(isAnswer ? tolerant(exact) : exact)) {
      if (part === undefined) continue
      if (plain.test(keyword) || (!isAnswer && newer.test(keyword))) kept[keyword] = part
      else if (holding.test(keyword))
        kept[keyword] = Array.isArray(part) ? part.map(converted) : converted(part)
      else if (keyword === 'required') kept[keyword] = listOr(part).filter((name) => isKept(String(name)))
      else if (keyword === 'properties' || keyword === 'patternProperties') {
        const members = Object.entries(objectOr(part)).filter(([name]) => isKept(name))
        kept[keyword] = Object.fromEntries(members.map(([name, one]) => [name, converted(one)]))
      }
    }
    return kept
  }

  return (schema: unknown) => objectOr(converted(schema))
}

/** The keywords that OpenAPI writes differently. */
function asDraft07(schema: JsonObject) {
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
function tolerant({ oneOf, ...all }: JsonObject) {
  // In draft-07, the schema for items after those of a list would apply to all of them.
  const given = 'prefixItems' in all ? { ...all, items: undefined } : all
  const { type, enum: values = given['const'], allOf } = given
  const areTexts = [values].flat().every((text) => typeof text === 'string')
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

/** A mistake in the user's OpenAPI document. */
export class DocumentMistake extends Error {}

/** Maximum number of values in a file; the largest public documents have about 200,000. */
const maxValues = 1_000_000

/** The address that each reference names. Data, such as an example, keeps its `$ref` as written. */
const addresses = new WeakMap<object, string>()

/** An OpenAPI document with the files that it refers to. */
type OpenApiDocument = Awaited<ReturnType<typeof readDocument>>

/** The address that a reference names; null for any other value. */
function addressOf(value: unknown) {
  return isObject(value) ? (addresses.get(value) ?? null) : null
}

/**
 * Reads an OpenAPI document in YAML or JSON, along with the files in its folder that it refers to, but nothing else. Throws a {@link
 * DocumentMistake}.
 */
export async function readDocument(file: string, text: string) {
  const { href } = pathToFileURL(file)
  const folder = await realpath(dirname(file)).catch(() => dirname(file))
  /** Values by address, and a mistake for each file that was not read. */
  const files = new Map<string, unknown>()
  const named = new Set([href])
  const root = objectOr(parsed(text, href, named))
  // Reading a file may name further files.
  for (const url of named)
    try {
      files.set(url, url === href ? root : parsed(await textOf(url, folder), url, named))
    } catch (error) {
      // It is a mistake only if a chosen operation refers to the file.
      if (!(error instanceof DocumentMistake)) throw error
      files.set(url, error)
    }
  const { openapi, swagger } = root
  const minor = /^3\.([01])(?:\.|$)/.exec(String(openapi))?.[1]
  if (minor === undefined)
    throw new DocumentMistake(`expected OpenAPI 3.0 or 3.1, given ${JSON.stringify(openapi ?? swagger)}`)

  /** Follows references to a value that is not a reference. Throws a {@link DocumentMistake}. */
  const resolve = (value: unknown): unknown => {
    const address = addressOf(value)
    return address === null ? value : resolve(target(address))
  }
  /** The value at an address, which may be a reference. Throws a {@link DocumentMistake}. */
  const target = (reference: string): unknown => {
    const mistake = (expected: string) =>
      new DocumentMistake(`the reference ${reference}: expected ${expected}`)
    const [name = '', pointer = ''] = reference.split('#', 2)
    let found = files.get(name)
    if (found instanceof DocumentMistake)
      throw mistake(`a file in the folder of the document: ${found.message}`)
    for (const step of stepsOf(percentDecoded(pointer) ?? pointer)) {
      const value = Object(resolve(found))
      found = Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined
    }
    if (found === undefined) throw mistake('something in the document')
    return found
  }
  return { root, is30: minor === '0', resolve, target }
}

async function textOf(url: string, folder: string) {
  const path = /^file:\/\/\/(?!.*%2f)/i.test(url) ? fileURLToPath(url) : ''
  const real = await realpath(path).catch(() => path)
  if (!real.startsWith(`${folder}${sep}`)) throw new DocumentMistake('files outside that folder are not read')
  const { text, why } = await readTextFile(real, sizeLimits.document)
  if (text === null) throw new DocumentMistake(why)
  return text
}

/** Does work on a document within a limit of processor time. Throws a {@link DocumentMistake} if the limit is exceeded. */
function withinLimit<Result>(work: SyncWork<Result>) {
  return withinOr(workLimits.file, work, ({ message }) => {
    throw new DocumentMistake(
      `expected a document that can be read and checked: ${message}; ${simplerSchemas}`,
    )
  })
}

/** The value of a file. Adds the files that it refers to. Counts its values, because YAML aliases can make a small text huge or endless. */
function parsed(text: string, url: string, files: Set<string>) {
  let values = 0
  const counted = (_: string, value: unknown): unknown => {
    values += 1
    if (values > maxValues) throw new DocumentMistake(`expected at most ${maxValues} values`)
    // A copy, so that an object in itself nests endlessly, like any other value that is too deep.
    if (Array.isArray(value)) return Array.from<unknown>(value)
    return isObject(value) ? { ...value } : value
  }
  const noted = (_: string, value: unknown) => {
    if (isObject(value) && typeof value['$ref'] === 'string') {
      const reference = value['$ref']
      const found = percentDecoded(reference) === null ? null : urlOf(reference, url)
      const address = found?.href ?? `invalid:${encodeURIComponent(reference)}`
      addresses.set(value, address)
      files.add(address.replace(/#.*/s, ''))
    }
    return value
  }
  return withinLimit((): unknown => {
    const copy = JSON.stringify(jsonValue(text) ?? yamlValue(text) ?? null, counted)
    if (isTooDeep(copy)) throw new DocumentMistake(`expected at most ${maxLevels} levels`)
    return JSON.parse(copy, noted)
  })
}

const mergeKey = new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (key) => key === '<<' })
/** YAML 1.2 with merge keys. */
const yaml = { schema: CORE_SCHEMA.extend({ implicit: [mergeKey] }), maxDepth: maxLevels }

function yamlValue(text: string) {
  try {
    return load(text, yaml)
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { line, column } = error.mark
    throw new DocumentMistake(
      `line ${line + 1}, column ${column + 1}: expected YAML or JSON: ${error.reason}`,
    )
  }
}
