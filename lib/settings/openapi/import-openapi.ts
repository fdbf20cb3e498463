import {
  listPath,
  maySend,
  sideEffectFree,
  type Described,
  type DescribedBody,
} from '../../specification/endpoints.ts'
import { workLimits } from '../../specification/within.ts'
import { entryMistakes, noPlainValue, wholeEntry, type GivenEntry } from '../endpoints-file.ts'
import { maxEntries } from '../json-file.ts'
import { withDefinitions } from '../json-schema.ts'
import { expectedOf, patterns } from '../request-grammar.ts'
import { matchesGlob } from '../selection.ts'
import { sizeLimits } from '../user-file.ts'
import { isObject, listOr, objectOr, type JsonObject } from '../../json/json-value.ts'
import { DocumentMistake, memberOf, readWithin, type Located, type OpenApiDocument } from './document.ts'
import { describeParameters, examplesOf, whyUnusable } from './parameters.ts'
import { SchemaConversion, type Note } from './schema.ts'

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

/** Which operations are taken: by a glob over `GET /api/cards`, or its path alone, and by a tag. */
export interface OperationChoice {
  readonly include?: string
  readonly tag?: string
}

const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const

/** Makes the entries of an endpoints file from an OpenAPI document. Throws a {@link DocumentMistake}. */
export function importOpenApi(document: OpenApiDocument, choice: OperationChoice = {}): ImportedEndpoints {
  return readWithin('the document', workLimits.file, () => new Import(document, choice).whole())
}

interface Operation extends Located {
  readonly method: (typeof methods)[number]
  readonly path: Located['path']
  /** As the document has it. */
  readonly template: string
  /** The item of its path. */
  readonly item: Located
}

/** A part of an entry, and what differs from the document. */
interface Part<Value> {
  readonly part: Value | null
  readonly notes: readonly Note[]
}

class Import {
  readonly #document: OpenApiDocument
  readonly #choice: OperationChoice
  readonly #conversion: SchemaConversion

  constructor(document: OpenApiDocument, choice: OperationChoice) {
    this.#document = document
    this.#choice = choice
    this.#conversion = new SchemaConversion(document)
  }

  whole(): ImportedEndpoints {
    const entries: ImportedEntry[] = []
    const leftOut: { readonly operation: string; readonly why: string }[] = []
    for (const operation of this.#operations()) {
      const made = readWithin(this.#document.placeOf(operation), workLimits.schema, () =>
        this.#entry(operation),
      )
      if (typeof made === 'string') leftOut.push({ operation: nameOf(operation), why: made })
      else entries.push(made)
    }
    if (entries.length === 0) {
      const reasons = leftOut.slice(0, 5).map(({ operation, why }) => `; ${operation}: ${why}`)
      throw new DocumentMistake('#/paths', `at least one operation that can be described${reasons.join('')}`)
    }
    const written = entries.map(({ entry }) => entry)
    const { definitions = {} } = objectOr(withDefinitions({ written }, this.#conversion.definitions))
    const all = [...written, ...(Object.keys(objectOr(definitions)).length === 0 ? [] : [{ definitions }])]
    const text = `${JSON.stringify(all, null, 2)}\n`
    const choose = 'choose operations by --include or --tag'
    if (all.length > maxEntries)
      throw new DocumentMistake('#/paths', `at most ${maxEntries} operations; ${choose}`)
    if (Buffer.byteLength(text) > sizeLimits.list)
      throw new DocumentMistake(
        '#',
        `an endpoints file of at most ${sizeLimits.list / 1024 / 1024} MiB; ${choose}`,
      )
    return { entries, leftOut, text }
  }

  *#operations(): Generator<Operation> {
    const paths = memberOf(this.#document.root, 'paths')
    for (const template of Object.keys(objectOr(paths.value))) {
      const item = this.#document.resolve(memberOf(paths, template))
      for (const method of methods) {
        const operation = { ...memberOf(item, method), method, template, item }
        if (isObject(operation.value) && this.#isChosen(operation)) yield operation
      }
    }
  }

  #isChosen(operation: Operation): boolean {
    const { include, tag } = this.#choice
    const names = [operation.template, nameOf(operation)]
    return (
      (include === undefined || names.some((name) => matchesGlob(include, name))) &&
      (tag === undefined || listOr(objectOr(operation.value)['tags']).includes(tag))
    )
  }

  /** The entry of an operation, or why there is none. */
  #entry(operation: Operation): ImportedEntry | string {
    const { method, item } = operation
    const path = this.#pathBelowApi(operation)
    if (path === null) return 'its path is not below /api/'
    const unfit = this.#whyRulesDoNotHold(operation)
    if (unfit !== null) return unfit
    const lists = [item, operation].map((place) => memberOf(place, 'parameters'))
    const parameters = describeParameters(this.#document, this.#conversion, lists)
    if (parameters.unsendable !== null) return parameters.unsendable

    const body = this.#body(memberOf(operation, 'requestBody'))
    if (typeof body === 'string') return body
    const success = this.#success(operation)
    const capitals = method.toUpperCase()
    const isBodiless = sideEffectFree.includes(capitals) || body.part === null
    const { pathParameters, query, versions } = parameters
    if (!new RegExp(patterns.template).test(path)) return `path: ${expectedOf.template}`
    return this.#checked(
      {
        method: capitals,
        path,
        ...(versions.length === 1 && versions[0] === 1 ? {} : { versions }),
        ...(Object.keys(pathParameters).length === 0 ? {} : { pathParameters }),
        ...(query === null ? {} : { query }),
        ...(isBodiless ? {} : { body: body.part }),
        ...(success.part === null ? {} : { success: success.part }),
        ...(maySend({ method: capitals, fuzz: false }) ? {} : { fuzz: false }),
      },
      [...parameters.notes, ...(isBodiless ? [] : body.notes), ...success.notes],
    )
  }

  /** The path from `/api/`, which the path of a server may hold; the servers nearest to the operation count. */
  #pathBelowApi({ value, item, template }: Operation): string | null {
    const servers = [value, item.value, this.#document.root.value]
      .map((one) => listOr(objectOr(one)['servers']))
      .find((list) => list.length > 0)
    const bases = (servers ?? [{ url: '/' }]).map(serverPath)
    const paths = bases.map((base) => `${base.replace(/\/$/, '')}${template}`)
    const found = paths.find((path) => path.includes('/api/'))
    return found === undefined ? null : found.slice(found.indexOf('/api/'))
  }

  /** Why a rule about every endpoint cannot hold for an operation by its own document, or null. */
  #whyRulesDoNotHold({ value, method, ...place }: Operation): string | null {
    if (method === 'options') return 'OPTIONS is answered without credentials where browsers ask (CORS)'
    const security = objectOr(value)['security'] ?? this.#document.root.value['security']
    const isPublic = listOr(security).some((one) => isObject(one) && Object.keys(one).length === 0)
    const isOpen = Array.isArray(objectOr(value)['security']) && listOr(security).length === 0
    if (isPublic || isOpen) return 'it needs no credentials (security)'
    const responses = this.#document.resolve(memberOf({ ...place, value }, 'responses'))
    const statuses = Object.keys(objectOr(responses.value))
    const successes = statuses.filter((status) => /^2(?:\d\d|XX)$/i.test(status))
    if (successes.length === 0 && statuses.some((status) => status.startsWith('3')))
      return 'it answers a redirect, and no success'
    const bodiless = successes.find((status) => status === '204' || status === '205')
    if (bodiless !== undefined && method !== 'head') return `it answers ${bodiless}, which has no JSON`
    const isOther = successes.some((status) => {
      const response = this.#document.resolve(memberOf(responses, status))
      const types = Object.keys(objectOr(memberOf(response, 'content').value))
      return types.length > 0 && !types.some((type) => json.test(type))
    })
    return isOther ? 'its success is not application/json' : null
  }

  /** The JSON body of a request, or why none can be described. */
  #body(place: Located): Part<DescribedBody> | string {
    const resolved = this.#document.resolve(place)
    const { required } = objectOr(resolved.value)
    const content = memberOf(resolved, 'content')
    const media = this.#media(content, /^application\/(?:json|\*)\s*(?:;|$)|^\*\/\*/i)
    const none = { part: null, notes: [] }
    if (media === null) {
      const why = `its body is not application/json (${this.#document.placeOf(content)}), and no other is sent`
      return required === true ? why : none
    }
    const converted = this.#conversion.convert(memberOf(media, 'schema'), 'request', '/body/schema')
    const why = whyUnusable(converted.schema, converted.notes, this.#conversion)
    if (why !== null)
      return required === true
        ? `it needs a body that cannot be described (${why})`
        : { ...none, notes: [{ at: '/body', what: 'left out', why }] }
    const [example] = examplesOf(this.#document, media, converted.schema)
    const part = {
      schema: converted.schema,
      ...(example === undefined ? {} : { example }),
      ...(required === true ? {} : { required: false }),
    }
    return { part, notes: converted.notes }
  }

  /** The JSON body of the first success; an answer to HEAD has none. */
  #success(operation: Operation): Part<JsonObject> {
    if (operation.method === 'head') return { part: null, notes: [] }
    const responses = this.#document.resolve(memberOf(operation, 'responses'))
    const status = Object.keys(objectOr(responses.value))
      .filter((one) => /^2(?:\d\d|XX)$/i.test(one))
      .toSorted()[0]
    if (status === undefined) return { part: null, notes: [] }
    const response = this.#document.resolve(memberOf(responses, status))
    const media = this.#media(memberOf(response, 'content'), json)
    if (media === null || objectOr(media.value)['schema'] === undefined) return { part: null, notes: [] }
    const { schema, notes } = this.#conversion.convert(memberOf(media, 'schema'), 'answer', '/success')
    return { part: schema, notes }
  }

  /** The first content of such a media type. */
  #media(content: Located, type: RegExp): Located | null {
    const name = Object.keys(objectOr(content.value)).find((one) => type.test(one))
    return name === undefined ? null : this.#document.resolve(memberOf(content, name))
  }

  /** Leaves out what the program would refuse, so that the file can be used as soon as its examples are given. */
  #checked(given: GivenEntry, notes: readonly Note[]): ImportedEntry | string {
    const { method, path } = given
    const { query: _, versions: __, ...others } = given
    const isOfList = method === 'GET' && path === listPath
    const whole = wholeEntry(isOfList ? others : given, this.#conversion.definitions)
    const more: Note[] = (['query', 'versions'] as const)
      .filter((part) => isOfList && given[part] !== undefined)
      .map((part) => ({
        at: `/${part}`,
        what: 'left out',
        why: 'the list endpoint is judged anyway; an entry adds its success only',
      }))
    const unfit = new Set<string>()
    for (const { at, expected } of entryMistakes({ ...whole, fuzz: true })) {
      const place = `/${at.join('/')}`
      const isUnsent = expected === noPlainValue && !maySend({ method, fuzz: false })
      if (at[0] === 'success') more.push({ at: '/success', what: 'left out', why: expected })
      else if (at.at(-1) === 'example') more.push({ at: place, what: 'give', why: expected })
      else if (expected === noPlainValue && !isUnsent) return `it needs a query parameter with ${expected}`
      else if (!isUnsent) return `${place.slice(1).replaceAll('/', '.')}: ${expected}`
      unfit.add(at[0] === 'success' ? '/success' : place)
    }
    const withFit = (at: string, { example, ...part }: Described): Described =>
      example === undefined || unfit.has(`${at}/example`) ? part : { ...part, example }
    const { success: ___, ...unsuccessful } = isOfList ? others : given
    const { pathParameters, body } = given
    const parameters = Object.entries(pathParameters ?? {}).map(([name, one]) => [
      name,
      withFit(`/pathParameters/${name}`, one),
    ])
    const entry = {
      ...(unfit.has('/success') ? unsuccessful : isOfList ? others : given),
      ...(pathParameters === undefined ? {} : { pathParameters: Object.fromEntries(parameters) }),
      ...(body ? { body: withFit('/body', { ...body, example: whole.body?.example }) } : {}),
    }
    return { operation: `${method} ${path}`, entry, notes: [...notes, ...more] }
  }
}

/** Media types of JSON, also by a wildcard. */
const json = /^(?:\*\/\*|application\/(?:\*|(?:[\w.*-]+\+)?json))\s*(?:;|$)/i

function nameOf({ method, template }: Pick<Operation, 'method' | 'template'>): string {
  return `${method.toUpperCase()} ${template}`
}

/** The path of a server, with its variables by default. */
function serverPath(server: unknown): string {
  const { url = '/', variables } = objectOr(server)
  const filled = String(url).replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const { default: text } = objectOr(objectOr(variables)[name])
    return typeof text === 'string' ? text : ''
  })
  const base = 'http://server.example/'
  return URL.canParse(filled, base) ? new URL(filled, base).pathname : '/'
}
