import { allowanceOf, keywordsOf } from '../../fuzz/plain-value.ts'
import { listPath, maySend, sideEffectFree, type Described } from '../../specification/endpoints.ts'
import { isObject, listOr, objectOr, type JsonObject } from '../../text/json-value.ts'
import { urlOf } from '../../text/url.ts'
import { entryMistakes, exampleMistakes, wholeEntry, type GivenEntry } from '../endpoints-file.ts'
import { maxEntries } from '../json-file.ts'
import { schemaMistake, withDefinitions } from '../json-schema.ts'
import { grammar } from '../request-grammar.ts'
import { matchesGlob } from '../selection.ts'
import { sizeLimits } from '../user-file.ts'
import { DocumentMistake, withinLimit, type OpenApiDocument } from './document.ts'
import { schemaConversion } from './schema.ts'

/** Selects operations by a glob that matches `GET /api/cards` or only its path, and by a tag. */
export interface OperationChoice {
  readonly include?: string
  readonly tag?: string
}

/** Thrown for an operation without an entry; the message is the reason. */
class LeftOut extends Error {}

const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'] as const
/** Headers that the suite sends itself, or that make no difference. */
const sentAnyway = 'x-api-key x-secret-key x-version accept content-type authorization user-agent'.split(' ')
/** JSON media types of answers and of requests, including wildcards. */
const answeredJson = /^(?:\*\/\*|application\/(?:\*|(?:[\w.*-]+\+)?json))\s*(?:;|$)/i
const sentJson = /^application\/(?:json|\*)\s*(?:;|$)|^\*\/\*/i

/** Creates the text and the entries of an endpoints file from an OpenAPI document. Throws a {@link DocumentMistake}. */
export function importOpenApi(document: OpenApiDocument, choice: OperationChoice = {}) {
  return withinLimit(() => {
    const { entries, leftOut, conversion } = new Import(document, choice)
    if (entries.length === 0) {
      const reasons = leftOut.slice(0, 5).map(({ place, why }) => `; ${place}: ${why}`)
      throw new DocumentMistake(`expected at least one operation that can be described${reasons.join('')}`)
    }
    const { definitions } = objectOr(withDefinitions({ entries }, conversion.definitions))
    const all = [...entries, ...(definitions === undefined ? [] : [{ definitions }])]
    if (all.length > maxEntries)
      throw new DocumentMistake(
        `expected at most ${maxEntries} operations; choose some with --include or --tag`,
      )
    const text = `${JSON.stringify(all, null, 2)}\n`
    if (Buffer.byteLength(text) > sizeLimits.list)
      throw new DocumentMistake('expected a smaller document; choose some operations with --include or --tag')
    return { text, entries, leftOut }
  })
}

interface Operation {
  /** Such as `GET /api/cards/{cardId}`, as written in the document. */
  readonly name: string
  readonly method: string
  readonly template: string
  readonly value: JsonObject
  /** Its path item. */
  readonly item: JsonObject
}

/** The import of a document: its entries, and what was left out. */
class Import {
  readonly entries: GivenEntry[] = []
  /** Operations without an entry, and parameters that their entry lacks, each with the reason. */
  readonly leftOut: { readonly place: string; readonly why: string }[] = []
  readonly conversion: ReturnType<typeof schemaConversion>
  readonly #document: OpenApiDocument

  constructor(document: OpenApiDocument, choice: OperationChoice) {
    this.#document = document
    this.conversion = schemaConversion(document)
    for (const operation of this.#operations(choice))
      try {
        this.entries.push(this.#entry(operation))
      } catch (error) {
        if (!(error instanceof LeftOut)) throw error
        this.leftOut.push({ place: operation.name, why: error.message })
      }
  }

  *#operations({ include, tag }: OperationChoice): Generator<Operation> {
    for (const [template, given] of Object.entries(objectOr(this.#document.root['paths']))) {
      const item = this.#object(given)
      for (const key of methods) {
        const value = item[key]
        const method = key.toUpperCase()
        const name = `${method} ${template}`
        const isIncluded = include === undefined || [template, name].some((one) => matchesGlob(include, one))
        if (isObject(value) && isIncluded && (tag === undefined || listOr(value['tags']).includes(tag)))
          yield { name, method, template, value, item }
      }
    }
  }

  #object(value: unknown): JsonObject {
    return objectOr(this.#document.resolve(value))
  }

  /** The entry for an operation. Throws {@link LeftOut} if it has none. */
  #entry(operation: Operation): GivenEntry {
    const { method } = operation
    const path = this.#path(operation)
    const success = this.#success(operation)
    const entry = {
      method,
      path,
      // The list endpoint is always judged, and its entry adds only its success.
      ...(method === 'GET' && path === listPath ? {} : this.#parameters(operation)),
      ...(sideEffectFree.includes(method) ? {} : this.#body(operation)),
      ...(success === null ? {} : { success }),
      ...(maySend({ method, fuzz: false }) ? {} : { fuzz: false }),
    }
    // The user gives missing examples.
    const mistakes = entryMistakes(wholeEntry(entry, this.conversion.definitions))
    const wrong = mistakes.find(({ at }) => at.at(-1) !== 'example')
    if (wrong !== undefined) throw new LeftOut(`${wrong.at.join('.')}: expected ${wrong.expected}`)
    return entry
  }

  /** The path from `/api/` onwards, which may be part of a server's path. Uses the servers declared closest to the operation. */
  #path({ value, item, template }: Operation): string {
    const servers = [value, item, this.#document.root].map((level) => listOr(level['servers']))
    const bases = (servers.find((list) => list.length > 0) ?? [{ url: '/' }]).map(serverPath)
    const found = bases.map((base) => base + template).find((path) => path.includes('/api/'))
    if (found === undefined) throw new LeftOut('its path is not below /api/')
    const path = found.slice(found.indexOf('/api/'))
    if (!new RegExp(grammar.template.pattern).test(path))
      throw new LeftOut(`path: expected ${grammar.template.description}`)
    return path
  }

  /** The schema of a success, or null. Throws {@link LeftOut} if a rule for every endpoint cannot hold. */
  #success({ value, method }: Operation): JsonObject | null {
    if (method === 'OPTIONS') throw new LeftOut('browsers send OPTIONS without credentials (CORS)')
    const security = value['security'] ?? this.#document.root['security']
    const isPublic = listOr(security).some((option) => isObject(option) && Object.keys(option).length === 0)
    if (isPublic || (Array.isArray(value['security']) && value['security'].length === 0))
      throw new LeftOut('it needs no credentials (security)')
    const answers = Object.entries(this.#object(value['responses'])).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const successes = answers.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    const media = successes.map(([status, answer]) => {
      const { content } = this.#object(answer)
      const found = this.#media(content, answeredJson)
      const isOther = found === null && Object.keys(objectOr(content)).length > 0
      return isOther || status === '204' || status === '205' ? null : objectOr(found)
    })
    const isRedirect = successes.length === 0 && answers.some(([status]) => status.startsWith('3'))
    if (method !== 'HEAD' && (isRedirect || media.includes(null)))
      throw new LeftOut('its success has no JSON')
    const schema = media[0]?.['schema']
    return method === 'HEAD' || schema === undefined ? null : this.conversion.convert(schema, 'answer')
  }

  /** The first content with a matching media type. */
  #media(content: unknown, type: RegExp): JsonObject | null {
    const found = Object.entries(objectOr(content)).find(([name]) => type.test(name))
    return found === undefined ? null : this.#object(found[1])
  }

  #body({ value }: Operation): Pick<GivenEntry, 'body'> {
    const { content, required } = this.#object(value['requestBody'])
    if (content === undefined) return {}
    const media = this.#media(content, sentJson)
    if (media === null)
      throw new LeftOut('its body is not application/json, the only type that the suite sends')
    const schema = this.conversion.convert(media['schema'], 'request')
    const part = this.#withExample(schema, this.#examples(media))
    return { body: required === true ? part : { ...part, required: false } }
  }

  #examples({ example, examples }: JsonObject): readonly unknown[] {
    const named = Object.values(objectOr(examples)).map((one) => this.#object(one)['value'])
    return [example, ...named].filter((one) => one !== undefined)
  }

  /** The schema with the first example that it allows and that can be checked in time. */
  #withExample<Value>(schema: JsonObject, examples: readonly Value[]): Described<Value> {
    const whole = withDefinitions(schema, this.conversion.definitions)
    const example = examples.find(
      (one) => exampleMistakes([], { schema: whole, example: one }, true).length === 0,
    )
    return example === undefined ? { schema } : { schema, example }
  }

  /** The parameters of an operation, which override those of its path. */
  #parameters({ name: operation, item, value }: Operation): Partial<GivenEntry> {
    const given = [item, value]
      .flatMap((level) => listOr(level['parameters']))
      .map((one) => this.#object(one))
    const unique = new Map(given.map((one) => [JSON.stringify([one['in'], one['name']]), one]))
    const [inPath, inQuery] = [new Map<string, Described<PathValue>>(), new Map<string, JsonObject>()]
    const required: string[] = []
    let versions: readonly number[] = []
    for (const parameter of unique.values()) {
      const [name, where] = [String(parameter['name']), String(parameter['in'])]
      const schema = this.conversion.convert(parameter['schema'], 'request')
      const whole = withDefinitions(schema, this.conversion.definitions)
      const of = keywordsOf(whole, { root: whole, allowance: allowanceOf() })
      const examples = this.#examples(parameter)
      const why = whyLeftOut(parameter, whole, of('type').flat())
      const known = [
        ...examples,
        ...['examples', 'default', 'const', 'enum'].flatMap((one) => of(one).flat()),
      ]
      if (why !== null) {
        if (parameter['required'] === true)
          throw new LeftOut(`it needs the ${where} parameter ${name}: ${why}`)
        if (where === 'query') this.leftOut.push({ place: `${operation} ${name}`, why })
      } else if (where === 'query') {
        inQuery.set(name, examples.length > 0 ? { ...schema, examples } : schema)
        if (parameter['required'] === true) required.push(name)
      } else if (where === 'path') inPath.set(name, this.#withExample(schema, known.filter(fitsPath)))
      else if (/^x-version$/i.test(name)) versions = known.map(String).filter(isVersion).map(Number)
    }
    return {
      ...(versions.length > 0 && String(versions) !== '1' && { versions: [...new Set(versions)] }),
      ...(inPath.size > 0 && { pathParameters: Object.fromEntries(inPath) }),
      ...(inQuery.size > 0 && {
        query: {
          type: 'object',
          ...(required.length > 0 && { required }),
          properties: Object.fromEntries(inQuery),
        },
      }),
    }
  }
}

/** Why a parameter cannot be described, or null. */
function whyLeftOut(parameter: JsonObject, schema: object, types: readonly unknown[]): string | null {
  const { in: where, name, style = 'form', explode, allowReserved } = parameter
  if (where === 'path') return null
  if (where !== 'query')
    return sentAnyway.includes(String(name).toLowerCase()) ? null : 'the suite does not send it'
  const isSplit = types.includes('array') && (style !== 'form' || explode === false)
  const isOdd = !('schema' in parameter) || isSplit || types.includes('object') || allowReserved === true
  return isOdd ? 'there are several ways to write it in a query' : schemaMistake(schema)
}

function isVersion(text: string): boolean {
  return /^\d{1,10}$/.test(text)
}

type PathValue = string | number | boolean

/** Whether a path parameter may have a value; it cannot be empty or consist only of dots. */
function fitsPath(value: unknown): value is PathValue {
  return ['string', 'number', 'boolean'].includes(typeof value) && !/^\.{0,2}$/.test(String(value))
}

/** The path of a server, without a trailing slash and with its variables replaced by their defaults. */
function serverPath(server: unknown): string {
  const { url = '/', variables } = objectOr(server)
  const filled = String(url).replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const { default: text } = objectOr(objectOr(variables)[name])
    return typeof text === 'string' ? text : ''
  })
  return urlOf(filled, 'http://server.example/')?.pathname.replace(/\/$/, '') ?? ''
}
