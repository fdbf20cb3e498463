import { listPath, maySend, sideEffectFree, type DescribedBody } from '../../specification/endpoints.ts'
import { workLimits } from '../../specification/within.ts'
import { parseEndpoints, plainBody } from '../endpoints-file.ts'
import { whyIntolerant } from '../intolerances.ts'
import { schemaMistake } from '../json-schema.ts'
import { sizeLimits } from '../user-file.ts'
import { isObject, listOr, objectOr, type JsonObject } from '../../json/json-value.ts'
import {
  DocumentMistake,
  memberOf,
  pointerOf,
  readDocument,
  readWithin,
  type OpenApiDocument,
  type Located,
} from './openapi-document.ts'
import { describeParameters, givenExample, placed, withExample } from './parameters.ts'
import { convertSchema, type ConvertedSchema, type Note } from './schema.ts'

/** An entry that an operation became, as it is written, and what differs from the document. */
interface ImportedEntry {
  /** As `GET /api/cards/{cardId}`. */
  readonly operation: string
  readonly entry: JsonObject
  readonly notes: readonly Note[]
}

/** What an OpenAPI document became. */
export interface ImportedEndpoints {
  readonly entries: readonly ImportedEntry[]
  /** Operations that became no entry, and why. */
  readonly leftOut: readonly { readonly operation: string; readonly why: string }[]
  /** The text of the endpoints file. */
  readonly text: string
}

const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const
/** Maximum entries of an endpoints file. */
const maxEntries = 1_000

/** Makes the entries of an endpoints file from an OpenAPI document. Throws a {@link DocumentMistake}. */
export function importOpenApi(text: string): ImportedEndpoints {
  return readWithin('the document', workLimits.file, () => imported(readDocument(text)))
}

function imported(document: OpenApiDocument): ImportedEndpoints {
  const entries: ImportedEntry[] = []
  const leftOut: { readonly operation: string; readonly why: string }[] = []
  let bytes = 0
  for (const [path, given] of Object.entries(objectOr(document.root['paths']))) {
    const item = document.resolve({ value: given, path: ['paths', path] })
    const members = objectOr(item.value)
    for (const method of methods) {
      if (!isObject(members[method])) continue
      const operation = `${method.toUpperCase()} ${path}`
      const made = readWithin(pointerOf([...item.path, method]), workLimits.schema, () =>
        entryOf(document, { path, method, item }),
      )
      if (typeof made === 'string') {
        leftOut.push({ operation, why: made })
        continue
      }
      entries.push(made)
      bytes += Buffer.byteLength(writtenEntries([made]))
      if (entries.length > maxEntries)
        throw new DocumentMistake('#/paths', `at most ${maxEntries} operations`)
      if (bytes > sizeLimits.list) throw new DocumentMistake('#', tooLarge)
    }
  }
  if (entries.length === 0) {
    const reasons = leftOut.slice(0, 5).map(({ operation, why }) => `; ${operation}: ${why}`)
    throw new DocumentMistake('#/paths', `at least one operation that can be described${reasons.join('')}`)
  }
  return { entries, leftOut, text: writtenEntries(entries) }
}

const tooLarge = `schemas that make an endpoints file of at most ${sizeLimits.list / 1024} KiB; split the document`

function writtenEntries(entries: readonly ImportedEntry[]): string {
  const written = entries.map(({ entry }) => entry)
  return `${JSON.stringify(written, null, 2)}\n`
}

interface Operation {
  readonly path: string
  readonly method: (typeof methods)[number]
  /** The item of its path. */
  readonly item: Located
}

/** The entry of an operation, or why there is none. */
function entryOf(document: OpenApiDocument, { path, method, item }: Operation): ImportedEntry | string {
  const full = belowApi(document, path)
  if (full === null) return 'its path is not below /api/'
  const operation = memberOf(item, method)
  const lists = [item, operation].map((place) => memberOf(place, 'parameters'))
  const parameters = describeParameters(document, lists)
  if (parameters.unsendable !== null) return parameters.unsendable

  const body = bodyOf(document, memberOf(operation, 'requestBody'))
  if (typeof body === 'string') return body
  const success = successOf(document, memberOf(operation, 'responses'))
  const capitals = method.toUpperCase()
  const isBodiless = sideEffectFree.includes(capitals) || body.part === null
  const { pathParameters, query, versions } = parameters
  return checked({
    entry: {
      method: capitals,
      path: full,
      ...(versions.length === 1 && versions[0] === 1 ? {} : { versions }),
      ...(Object.keys(pathParameters).length === 0 ? {} : { pathParameters }),
      ...(query === null ? {} : { query }),
      ...(isBodiless ? {} : { body: body.part }),
      ...(success.part === null ? {} : { success: success.part }),
      ...(maySend({ method: capitals, fuzz: false }) ? {} : { fuzz: false }),
    },
    notes: [...parameters.notes, ...(isBodiless ? [] : body.notes), ...success.notes],
  })
}

/** The whole path: the first server may hold its beginning. */
function belowApi(document: OpenApiDocument, path: string): string | null {
  if (path.startsWith('/api/')) return path
  const [server] = listOr(document.root['servers'])
  const { url } = objectOr(server)
  return typeof url === 'string' && /\/api\/?$/.test(url) && path.startsWith('/') ? `/api${path}` : null
}

/** A part of an entry, and what differs from the document. */
interface Part<Value> {
  readonly part: Value | null
  readonly notes: readonly Note[]
}

/** The JSON body of a request, or why none can be described. */
function bodyOf(document: OpenApiDocument, place: Located): Part<DescribedBody> | string {
  const resolved = document.resolve(place)
  const { required } = objectOr(resolved.value)
  const content = memberOf(resolved, 'content')
  const media = mediaOf(document, content, /^application\/json\s*(?:;|$)/i)
  if (media === null) {
    const why = `its body is not application/json (${pointerOf(content.path)}), and no other is sent`
    return required === true ? why : { part: null, notes: [] }
  }
  const converted = convertSchema(document, memberOf(media, 'schema'), 'request')
  const example = givenExample(document, media.value, converted.schema) ?? plainBody(converted)
  const { described, notes } = withExample(converted, example, '/body')
  return { part: { ...described, ...(required === true ? {} : { required: false }) }, notes }
}

/** The JSON body of the first success. */
function successOf(document: OpenApiDocument, place: Located): Part<JsonObject> {
  const responses = document.resolve(place)
  const status = Object.keys(objectOr(responses.value))
    .filter((one) => /^2(?:\d\d|XX)$/i.test(one))
    .toSorted()[0]
  if (status === undefined) return { part: null, notes: [] }
  const response = document.resolve(memberOf(responses, status))
  const media = mediaOf(document, memberOf(response, 'content'), /^application\/(?:[\w.-]+\+)?json\b/i)
  if (media?.value['schema'] === undefined) return { part: null, notes: [] }
  const converted = convertSchema(document, memberOf(media, 'schema'), 'answer')
  const relaxed = relaxSchema(converted.schema)
  return { part: relaxed.schema, notes: placed([...converted.notes, ...relaxed.notes], '/success') }
}

const doubtful = 'a tolerated change may turn its outcome round'

/** Takes out of a success schema (draft-07) what forbids the changes that clients must tolerate, and says what. */
function relaxSchema(schema: JsonObject, at = ''): ConvertedSchema {
  const notes: Note[] = []
  const relaxed: Record<string, unknown> = {}
  const note = (keyword: string, why: string): void =>
    void notes.push({ at: `${at}/${keyword}`, what: 'relaxed', why })
  const below = (inner: unknown, place: string): unknown => {
    if (!isObject(inner)) return inner
    const found = relaxSchema(inner, place)
    notes.push(...found.notes)
    return found.schema
  }

  for (const [keyword, value] of Object.entries(schema)) {
    const why = whyIntolerant(keyword, value)
    if (why !== null) {
      note(keyword, why)
      if (isFixedText(keyword, value) && schema['type'] === undefined) relaxed['type'] = 'string'
    } else if (turning.includes(keyword)) {
      if (keyword === 'not' || keyword === 'if') note(keyword, doubtful)
    } else if (keyword === 'oneOf' && Array.isArray(value)) {
      // Relaxed, or with new properties, a value may fit several.
      note(keyword, 'several may fit once properties are added, so it becomes anyOf')
      const any = value.map((inner, index) => below(inner, `${at}/anyOf/${index}`))
      if (schema['anyOf'] === undefined) relaxed['anyOf'] = any
      else relaxed['allOf'] = [...listOr(relaxed['allOf']), { anyOf: any }]
    } else if (named.includes(keyword)) {
      relaxed[keyword] = Object.fromEntries(
        Object.entries(objectOr(value)).map(([name, inner]) => [
          name,
          below(inner, `${at}/${keyword}/${name}`),
        ]),
      )
    } else if (keyword === 'allOf') {
      const all = listOr(value).map((inner, index) => below(inner, `${at}/allOf/${index}`))
      relaxed['allOf'] = [...listOr(relaxed['allOf']), ...all]
    } else if (keyword === 'anyOf') {
      relaxed[keyword] = listOr(value).map((inner, index) => below(inner, `${at}/anyOf/${index}`))
    } else relaxed[keyword] = plain.includes(keyword) ? value : below(value, `${at}/${keyword}`)
  }
  return { schema: relaxed, notes }
}

const turning = ['not', 'if', 'then', 'else']
const named = ['properties', 'definitions', 'dependencies']
const plain = ['enum', 'const', 'default', 'required', 'type']

function isFixedText(keyword: string, value: unknown): boolean {
  if (keyword === 'const') return typeof value === 'string'
  return keyword === 'enum' && Array.isArray(value) && value.every((one) => typeof one === 'string')
}

/** The first content of such a media type. */
function mediaOf(
  document: OpenApiDocument,
  content: Located,
  type: RegExp,
): { readonly value: JsonObject; readonly path: Located['path'] } | null {
  const name = Object.keys(objectOr(content.value)).find((one) => type.test(one))
  if (name === undefined) return null
  const media = document.resolve(memberOf(content, name))
  return isObject(media.value) ? { value: media.value, path: media.path } : null
}

/** Leaves out what the program would refuse, so that the file can be used as soon as its examples are given. */
function checked({ entry, notes }: Omit<ImportedEntry, 'operation'>): ImportedEntry | string {
  const more: Note[] = []
  const isList = entry['method'] === 'GET' && entry['path'] === listPath
  const parts = Object.entries(entry).filter(([part, value]) => {
    const isSchema = (part === 'query' || part === 'success') && isObject(value)
    const ofList =
      isList && (part === 'query' || part === 'versions')
        ? 'the list endpoint is judged anyway; an entry adds its success only'
        : null
    const why = ofList ?? (isSchema ? schemaMistake(value) : null)
    if (why !== null) more.push({ at: `/${part}`, what: 'left out', why })
    return why === null
  })
  const written = Object.fromEntries(parts)
  const { issues } = parseEndpoints({ setting: '', file: 'entry', text: JSON.stringify([written]) })
  const hard = issues.find(({ expected }) => !/example: a value that exists/.test(expected))
  if (hard !== undefined) return hard.expected.replace('entry, [0]', 'its entry')
  const operation = `${String(entry['method'])} ${String(entry['path'])}`
  return { operation, entry: written, notes: [...notes, ...more] }
}
