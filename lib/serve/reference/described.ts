import type { ValidateFunction } from 'ajv'
import { jsonValue, objectOr } from '../../text/json.ts'
import { percentDecoded } from '../../text/url.ts'
import { succeed, type Answer } from './answer.ts'
import { field, type Call } from './call.ts'
import type { Reading } from './reading.ts'
import { sampleOf } from './sample.ts'

/** A further endpoint to serve, described by an endpoints file. All schemas are JSON Schemas (draft-07). */
export interface ServedEndpoint {
  readonly method: string
  /** With parameters such as `{cardId}`. */
  readonly path: string
  readonly versions?: readonly number[]
  readonly pathParameters?: Readonly<Record<string, { readonly schema: object }>>
  readonly query?: object | null
  readonly body?: { readonly schema: object; readonly required?: boolean } | null
  readonly success?: object | null
}

/** The reading of a call to a further endpoint; null for any other call. */
export type FurtherReading = (call: Call) => Partial<Reading> | null

/** Serves further endpoints. Throws if no answer fits a success schema. */
export async function furtherReading(endpoints: readonly ServedEndpoint[]): Promise<FurtherReading> {
  const [{ Ajv }, formats] = await Promise.all([import('ajv'), import('ajv-formats')])
  const ajv = formats.default.default(
    new Ajv({ strict: false, logger: false, code: { optimize: false }, inlineRefs: false }),
  )
  // A path without parameters takes precedence over a path with parameters.
  const served = endpoints
    .toSorted((one, other) => one.path.split('{').length - other.path.split('{').length)
    .map((one) => serving(one, (schema) => ajv.compile(schema)))

  return (call) => {
    for (const one of served) {
      const texts = one.isMethod(call.method) ? one.match(call.path) : null
      if (texts !== null) return one.reading(texts, call)
    }
    return null
  }
}

type Compile = (schema: object) => ValidateFunction

function serving(endpoint: ServedEndpoint, compile: Compile) {
  const { method, path, versions = [1], pathParameters = {}, query = null } = endpoint
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
  const literal = path
    .split(/\{[^}]*\}/)
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  const pattern = new RegExp(`^${literal.join('([^/]+)')}$`)
  const ofPath = names
    .map((name) => pathParameters[name]?.schema ?? {})
    .map((schema) => reader(schema, schema, compile))
  const ofQuery = queryReader(query ?? {}, compile)
  const ofBody = bodyReader(endpoint.body ?? null, compile)
  const answer = answerOf(endpoint, compile)

  return {
    isMethod: (sent: string) => sent === method || (sent === 'HEAD' && method === 'GET'),
    match: (sent: string): readonly string[] | null => pattern.exec(sent)?.slice(1) ?? null,
    reading: (texts: readonly string[], call: Call): Partial<Reading> => ({
      isForList: () => true,
      refusesVersion: (version) => (versions.map(String).includes(version) ? null : '1010'),
      isValidQuery: () =>
        texts.every((text, at) => ofPath[at]?.([percentDecoded(text) ?? text]).isValid === true) &&
        ofQuery(call.query),
      isValidBody: ofBody,
      list: () => answer,
    }),
  }
}

function answerOf({ method, path, success = null }: ServedEndpoint, compile: Compile): Answer {
  const value = success === null ? {} : sampleOf(success, success)
  if (success !== null && !compile(success)(value))
    throw new Error(`no answer for ${method} ${path} fits its success schema`)
  return { ...succeed({}), text: JSON.stringify(value) }
}

/** The value of texts, and whether its schema allows it. */
interface ReadValue {
  readonly value: unknown
  readonly isValid: boolean
}

/** Reads texts as the value that the schema allows, if any. */
function reader(schema: unknown, root: object, compile: Compile): (texts: readonly string[]) => ReadValue {
  const { definitions } = objectOr(root)
  const validate = compile({ allOf: [schema], ...(definitions === undefined ? {} : { definitions }) })
  return (texts) => {
    const found = readingsOf(texts).find((value) => validate(value))
    return found === undefined ? { value: texts[0], isValid: false } : { value: found, isValid: true }
  }
}

/** Possible values of texts: a single value, or a list of all. */
function readingsOf(texts: readonly string[]): readonly unknown[] {
  const kinds = [(text: string) => text, numberIn, truthIn]
  const [first = ''] = texts
  return [...kinds.map((read) => read(first)), ...kinds.map((read) => texts.map(read))]
}

function numberIn(text: string): unknown {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? Number(text) : text
}

function truthIn(text: string): unknown {
  return text === 'true' ? true : text === 'false' ? false : text
}

/** Whether a query is valid. Ignores parameters that are not in the schema. */
function queryReader(schema: object, compile: Compile): (query: string) => boolean {
  const readers = Object.entries(objectOr(objectOr(schema)['properties'])).map(
    ([name, one]) => [name, reader(one, schema, compile)] as const,
  )
  const validate = compile(schema)
  return (query) => {
    const sent = new URLSearchParams(query)
    const read = readers.flatMap(([name, of]) =>
      sent.has(name) ? [[name, of(sent.getAll(name)).value] as const] : [],
    )
    return validate(Object.fromEntries(read))
  }
}

/** Whether a body is labelled as JSON, and its schema allows it. */
function bodyReader(
  body: NonNullable<ServedEndpoint['body']> | null,
  compile: Compile,
): (call: Call) => boolean {
  if (body === null) return () => true
  const { schema, required = true } = body
  const validate = compile(schema)
  return (call) => {
    if (call.body === '') return !required
    if (!/^application\/json\s*(?:;|$)/i.test(field(call, 'content-type') ?? '')) return false
    const value = jsonValue(call.body)
    return value !== undefined && validate(value)
  }
}
