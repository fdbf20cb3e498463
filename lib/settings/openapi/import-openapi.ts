import { listPath, maySend, sideEffectFree, type DescribedBody } from '../../specification/endpoints.ts'
import { workLimits } from '../../specification/within.ts'
import { isObject, listOr, objectOr, type JsonObject } from '../../text/json-value.ts'
import { entryMistakes, noPlainValue, wholeEntry, type GivenEntry } from '../endpoints-file.ts'
import { maxEntries, type JsonPath } from '../json-file.ts'
import { withDefinitions } from '../json-schema.ts'
import { expectedOf, patterns } from '../request-grammar.ts'
import { matchesGlob } from '../selection.ts'
import { sizeLimits } from '../user-file.ts'
import { DocumentMistake, readWithin, type OpenApiDocument } from './document.ts'
import { describeParameters, examplesOf, LeftOut } from './parameters.ts'
import { SchemaConversion, type Note } from './schema.ts'

/** The entry for an operation as written to the file, and how it differs from the document. */
interface ImportedEntry {
  /** Such as `GET /api/cards/{cardId}`. */
  readonly operation: string
  readonly entry: JsonObject
  readonly notes: readonly Note[]
}

/** The result of an import. */
export interface ImportedEndpoints {
  readonly entries: readonly ImportedEntry[]
  /** Operations without an entry, each with the reason. */
  readonly leftOut: readonly { readonly operation: string; readonly why: string }[]
  /** The text of the endpoints file. */
  readonly text: string
}

/** Selects operations by a glob that matches `GET /api/cards` or only its path, and by a tag. */
export interface OperationChoice {
  readonly include?: string
  readonly tag?: string
}

const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const

/** Creates the entries of an endpoints file from an OpenAPI document. Throws a {@link DocumentMistake}. */
export function importOpenApi(document: OpenApiDocument, choice: OperationChoice = {}): ImportedEndpoints {
  return readWithin('the document', workLimits.file, () => imported(new SchemaConversion(document), choice))
}

interface Operation {
  readonly value: JsonObject
  readonly method: (typeof methods)[number]
  /** As written in the document. */
  readonly template: string
  /** Its path item. */
  readonly item: JsonObject
}

function imported(conversion: SchemaConversion, choice: OperationChoice): ImportedEndpoints {
  const { document } = conversion
  const entries: ImportedEntry[] = []
  const leftOut: { readonly operation: string; readonly why: string }[] = []
  for (const operation of operationsOf(document)) {
    if (!isChosen(operation, choice)) continue
    try {
      const place = document.placeOf(operation.value)
      entries.push(readWithin(place, workLimits.schema, () => entryOf(operation, conversion)))
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error
      leftOut.push({ operation: nameOf(operation), why: error.message })
    }
  }
  if (entries.length === 0) {
    const reasons = leftOut.slice(0, 5).map(({ operation, why }) => `; ${operation}: ${why}`)
    throw new DocumentMistake('#/paths', `at least one operation that can be described${reasons.join('')}`)
  }
  const written = entries.map(({ entry }) => entry)
  const { definitions = {} } = objectOr(withDefinitions({ written }, conversion.definitions))
  const all = [...written, ...(Object.keys(objectOr(definitions)).length === 0 ? [] : [{ definitions }])]
  const text = `${JSON.stringify(all, null, 2)}\n`
  const most =
    all.length > maxEntries
      ? `${maxEntries} operations`
      : Buffer.byteLength(text) > sizeLimits.list
        ? `${sizeLimits.list / 1024 / 1024} MiB of endpoints`
        : null
  if (most === null) return { entries, leftOut, text }
  throw new DocumentMistake('#/paths', `at most ${most}; choose operations with --include or --tag`)
}

function* operationsOf(document: OpenApiDocument): Generator<Operation> {
  for (const [template, entry] of Object.entries(objectOr(document.root['paths']))) {
    const item = objectOr(document.resolve(entry))
    for (const method of methods) {
      const value = item[method]
      if (isObject(value)) yield { value, method, template, item }
    }
  }
}

function isChosen(operation: Operation, { include, tag }: OperationChoice): boolean {
  const names = [operation.template, nameOf(operation)]
  return (
    (include === undefined || names.some((name) => matchesGlob(include, name))) &&
    (tag === undefined || listOr(operation.value['tags']).includes(tag))
  )
}

/** Builds the entry for an operation. Throws {@link LeftOut} if it has none. */
function entryOf(operation: Operation, conversion: SchemaConversion): ImportedEntry {
  const { item, value } = operation
  const method = operation.method.toUpperCase()
  conversion.notes.length = 0
  const path = pathBelowApi(operation, conversion.document)
  const media = successMedia(operation, conversion.document)
  const lists = [item, value].map((owner) => listOr(owner['parameters']))
  const { pathParameters, query, versions } = describeParameters(conversion, lists)
  const body = sideEffectFree.includes(method) ? null : bodyOf(value['requestBody'], conversion)
  const success = media === null ? null : conversion.convert(media['schema'], 'answer', '/success')
  return checked(conversion, {
    method,
    path,
    ...(versions.length === 1 && versions[0] === 1 ? {} : { versions }),
    ...(Object.keys(pathParameters).length === 0 ? {} : { pathParameters }),
    ...(query === null ? {} : { query }),
    ...(body === null ? {} : { body }),
    ...(success === null ? {} : { success }),
    ...(maySend({ method, fuzz: false }) ? {} : { fuzz: false }),
  })
}

/** The path from `/api/` onwards, which may be part of a server's path. Uses the servers declared closest to the operation. */
function pathBelowApi({ value, item, template }: Operation, document: OpenApiDocument): string {
  const servers = [value, item, document.root]
    .map((level) => listOr(level['servers']))
    .find((list) => list.length > 0)
  const bases = (servers ?? [{ url: '/' }]).map(serverPath)
  const found = bases.map((base) => base.replace(/\/$/, '') + template).find((path) => path.includes('/api/'))
  if (found === undefined) throw new LeftOut('its path is not below /api/')
  const path = found.slice(found.indexOf('/api/'))
  if (!new RegExp(patterns.template).test(path)) throw new LeftOut(`path: ${expectedOf.template}`)
  return path
}

/** The JSON of the first success, if it has a schema. Throws {@link LeftOut} if a rule for every endpoint cannot hold. */
function successMedia({ value, method }: Operation, document: OpenApiDocument): JsonObject | null {
  if (method === 'options') throw new LeftOut('browsers send OPTIONS without credentials (CORS)')
  const security = value['security'] ?? document.root['security']
  const isPublic = listOr(security).some((option) => isObject(option) && Object.keys(option).length === 0)
  const isOpen = Array.isArray(value['security']) && listOr(security).length === 0
  if (isPublic || isOpen) throw new LeftOut('it needs no credentials (security)')
  const responses = objectOr(document.resolve(value['responses']))
  const statuses = Object.keys(responses).toSorted()
  const successes = statuses.filter((status) => /^2(?:\d\d|XX)$/i.test(status))
  if (successes.length === 0 && statuses.some((status) => status.startsWith('3')))
    throw new LeftOut('it has only redirects, no success')
  const bodiless = successes.find((status) => status === '204' || status === '205')
  if (bodiless !== undefined && method !== 'head')
    throw new LeftOut(`its success is ${bodiless}, which has no JSON`)
  const contents = successes.map((status) => objectOr(document.resolve(responses[status]))['content'])
  const all = contents.map((content) => mediaOf(document, content, json))
  if (contents.some((types, at) => Object.keys(objectOr(types)).length > 0 && all[at] === null))
    throw new LeftOut('its success is not application/json')
  const [first = null] = all
  return method === 'head' || first?.['schema'] === undefined ? null : first
}

/** The JSON body of a request; null if there is none, or if it is optional and cannot be described. */
function bodyOf(given: unknown, conversion: SchemaConversion): DescribedBody | null {
  const { document } = conversion
  const resolved = objectOr(document.resolve(given))
  const isRequired = resolved['required'] === true
  const media = mediaOf(document, resolved['content'], /^application\/(?:json|\*)\s*(?:;|$)|^\*\/\*/i)
  if (media === null) {
    const at = document.placeOf(resolved, 'content')
    if (isRequired)
      throw new LeftOut(`its body is not application/json (${at}), the only type that the suite sends`)
    return null
  }
  const { schema, why, notes } = conversion.sent(media['schema'], '/body/schema')
  if (why !== null && isRequired) throw new LeftOut(`it needs a body that cannot be described (${why})`)
  conversion.notes.push(...(why === null ? notes : [{ at: '/body', what: 'left out' as const, why }]))
  const [example] = examplesOf(document, media, schema)
  return why === null ? { schema, example, ...(isRequired ? {} : { required: false }) } : null
}

/** The first content with a matching media type. */
function mediaOf(document: OpenApiDocument, content: unknown, type: RegExp): JsonObject | null {
  const found = Object.entries(objectOr(content)).find(([name]) => type.test(name))
  return found === undefined ? null : objectOr(document.resolve(found[1]))
}

/** Omits everything that the program would refuse, so that the file is usable once its examples are filled in. */
function checked(conversion: SchemaConversion, given: GivenEntry): ImportedEntry {
  const { method, path } = given
  const { notes, definitions } = conversion
  const { query, versions, ...others } = given
  const isOfList = method === 'GET' && path === listPath
  const why = 'the list endpoint is always judged; its entry adds only its success'
  if (isOfList && query) notes.push({ at: '/query', what: 'left out', why })
  if (isOfList && versions) notes.push({ at: '/versions', what: 'left out', why })
  const kept: GivenEntry = isOfList ? others : given
  const whole = wholeEntry(kept, definitions)
  const body = kept.body ? { body: { ...kept.body, example: whole.body?.example } } : {}
  const entry: JsonObject = structuredClone({ ...kept, ...body })
  for (const { at, expected } of entryMistakes({ ...whole, fuzz: true })) {
    const [part] = at
    if (part === 'success' || at.at(-1) === 'example') {
      const place = part === 'success' ? [part] : at
      remove(entry, place)
      notes.push({
        at: `/${place.join('/')}`,
        what: part === 'success' ? 'left out' : 'give',
        why: expected,
      })
    } else if (expected !== noPlainValue) throw new LeftOut(`${at.join('.')}: ${expected}`)
    else if (maySend({ method, fuzz: false }))
      throw new LeftOut(`it needs a query parameter with ${expected}`)
  }
  return { operation: `${method} ${path}`, entry, notes: [...notes] }
}

function remove(from: object, [step = '', ...deeper]: JsonPath): void {
  if (deeper.length === 0) Reflect.deleteProperty(from, step)
  else remove(Object(Reflect.get(from, step)), deeper)
}

/** JSON media types, including wildcards. */
const json = /^(?:\*\/\*|application\/(?:\*|(?:[\w.*-]+\+)?json))\s*(?:;|$)/i

function nameOf({ method, template }: Pick<Operation, 'method' | 'template'>): string {
  return `${method.toUpperCase()} ${template}`
}

/** The path of a server, with its variables replaced by their defaults. */
function serverPath(server: unknown): string {
  const { url = '/', variables } = objectOr(server)
  const filled = String(url).replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const { default: text } = objectOr(objectOr(variables)[name])
    return typeof text === 'string' ? text : ''
  })
  const base = 'http://server.example/'
  return URL.canParse(filled, base) ? new URL(filled, base).pathname : '/'
}
