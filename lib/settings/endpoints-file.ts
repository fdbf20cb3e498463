import { Ajv, type ValidateFunction } from 'ajv'
import { hasDotSegment, noDotSegment } from './base-url.ts'
import { exposed, noCredentials, type CredentialSearch } from './hide-secrets.ts'
import type { Parsed, SettingIssue } from './issue.ts'
import { WorkStopped } from '../specification/within.ts'
import { issueAt, parseList, simplerSchemas, type JsonPath, type UserFile } from './json-file.ts'
import { ownSchema, stringLike } from './own-schema.ts'
import { intolerances } from './intolerances.ts'
import { misfit, plainBody, plainFit, schemaMistake } from './json-schema.ts'
import { withSharedDefinitions, type SharedDefinitions } from './shared-definitions.ts'
import { methodPattern, queryIssues, templatePattern } from './request-grammar.ts'
import { largest } from './setting.ts'
import { queryOf } from '../generate/plain-value.ts'
import {
  listPath,
  maySend,
  sideEffectFree,
  type Described,
  type DescribedInput,
} from '../specification/endpoints.ts'

/** A further endpoint to judge by every generic rule. All schemas are JSON Schemas (draft-07), checked at the start of a run. */
export interface EndpointEntry extends Omit<DescribedInput, 'template'> {
  readonly method: string
  /** Begins with `/api/`; may hold parameters, as `{cardId}`. */
  readonly path: string
  readonly versions: readonly number[]
  readonly success: object | null
  /** The shortest query that its schema allows, without `?`; null where it needs none. */
  readonly plainQuery: string | null
  /** Without `?`. */
  readonly invalidQuery: string | null
  /** Whether a method with side effects may be fuzzed. */
  readonly fuzz: boolean
}

type GivenEntry = Pick<EndpointEntry, 'method' | 'path'> & Partial<Omit<EndpointEntry, 'file' | 'number'>>

const versions = `a list of versions, each an integer from 0 to ${largest}, at least one, none twice`

const jsonSchema = 'a JSON Schema (draft-07), as an object'

/** What is sent, as a schema and an example. */
function described(ofExample: string, example: object, more: object = {}): object {
  return {
    type: 'object',
    description: 'an object with a schema and an example: { "schema": {…}, "example": … }',
    required: ['schema'],
    additionalProperties: false,
    properties: {
      schema: { type: 'object', description: jsonSchema },
      example: { ...example, description: `${ofExample} that the schema allows` },
      ...more,
    },
  }
}

const entrySchema = {
  type: 'object',
  description: 'an object with at least a method and a path',
  required: ['method', 'path'],
  additionalProperties: false,
  properties: {
    method: stringLike(`^${methodPattern}$`, 'a method in capitals, as GET'),
    path: stringLike(
      `^${templatePattern}$`,
      'a path from /api/, without query, fragment and white space, other characters percent-encoded; parameters as {cardId}',
    ),
    versions: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'integer', minimum: 0, maximum: largest, description: versions },
      description: versions,
    },
    pathParameters: {
      type: 'object',
      description: 'an object with a schema and an example for each {name} of the path',
      additionalProperties: described('a text, number or boolean', {
        type: ['string', 'number', 'boolean'],
      }),
    },
    query: { type: 'object', description: jsonSchema },
    body: described('any JSON', {}, { required: { type: 'boolean', description: 'true or false' } }),
    success: { type: 'object', description: jsonSchema },
    invalidQuery: { type: 'string', minLength: 1, description: 'a query that must be refused with 1030' },
    fuzz: { type: 'boolean', description: 'true or false' },
  },
}

const fileSchema = {
  type: 'array',
  description: 'a JSON list of endpoints: [{ "method": "GET", "path": "/api/…" }]',
  items: {
    if: {
      type: 'object',
      required: ['definitions'],
      additionalProperties: false,
      properties: { definitions: { type: 'object' } },
    },
    else: entrySchema,
  },
}

let compiled: ValidateFunction<readonly (GivenEntry | SharedDefinitions)[]> | null = null

/**
 * Parses an endpoints file; its issues hold raw texts, for `hideSecrets`. An entry for `GET /api/customizations/list` describes the
 * endpoint that is judged anyway and replaces nothing. Documented in `docs/rules.md`.
 */
export function parseEndpoints(
  source: UserFile,
  search: CredentialSearch = noCredentials,
): Parsed<readonly EndpointEntry[]> {
  compiled ??= new Ajv(ownSchema).compile<readonly (GivenEntry | SharedDefinitions)[]>(fileSchema)
  const { value, issues } = parseList(source, compiled)
  const shared = new Map(
    (value ?? []).flatMap((one) => ('definitions' in one ? Object.entries(one.definitions) : [])),
  )
  const entries = (value ?? []).flatMap((one) =>
    'definitions' in one ? [] : [withPlainParts(withSharedDefinitions(one, shared))],
  )
  const ofEntries = entries.flatMap((entry, index) =>
    entryIssues(entry, { source, index, search, first: entries.findIndex((one) => isSame(one, entry)) }),
  )
  const { file } = source
  return {
    value: entries.map((entry, index) => ({ ...defaults, ...entry, file, number: index + 1 })),
    issues: [...issues, ...ofEntries],
  }
}

const defaults = {
  versions: [1],
  pathParameters: {},
  query: null,
  plainQuery: null,
  body: null,
  success: null,
  invalidQuery: null,
  fuzz: false,
}

/** With a plain query, and a plain body if no example says which; unchanged where none is known. */
function withPlainParts(entry: GivenEntry): GivenEntry {
  const { query = null, body = null } = entry
  const parameters = query === null ? null : plainFit(query, 'text')
  const example = body === null || body.example !== undefined ? undefined : plainBody(body)
  return {
    ...entry,
    ...(parameters !== null && 'value' in parameters
      ? { plainQuery: queryOf(Object(parameters.value)) }
      : {}),
    ...(body === null || example === undefined ? {} : { body: { ...body, example } }),
  }
}

function isSame(one: GivenEntry, other: GivenEntry): boolean {
  return one.method === other.method && one.path === other.path
}

/** Place of an entry; `first` is the index of the first one with the same method and path. */
interface EntryPlace {
  readonly source: UserFile
  readonly index: number
  readonly first: number
  readonly search: CredentialSearch
}

function entryIssues(entry: GivenEntry, place: EntryPlace): readonly SettingIssue[] {
  const { method, path, success, invalidQuery = null } = entry
  const { source, index, first, search } = place
  const { setting } = source
  const repeated = {
    given: `${method} ${path}`,
    expected: `an endpoint that is not listed yet; [${first}] is the same`,
    hint: 'join the two; versions is a list',
  }
  const ofQuery = invalidQuery === null ? [] : queryIssues(setting, invalidQuery, search)
  const intolerant = intolerances(success).map(({ path: inner, why }) =>
    issueAt(source, [index, 'success', ...inner], { expected: `no such keyword: ${why}` }),
  )
  return [
    ...(first === index ? [] : [issueAt(source, [index], repeated)]),
    ...(hasDotSegment(path)
      ? [issueAt(source, [index, 'path'], { given: path, expected: noDotSegment })]
      : []),
    ...(search.in(path) !== null ? [issueAt(source, [index, 'path'], exposed(setting, path))] : []),
    ...ofQuery.map((one) => issueAt(source, [index, 'invalidQuery'], one)),
    ...(intolerant.length > 0 ? intolerant : schemaIssues(source, [index, 'success'], success)),
    ...queryMistakes(entry, place),
    ...inputIssues(entry, place),
  ]
}

function schemaIssues(
  source: UserFile,
  path: JsonPath,
  schema: object | null = null,
): readonly SettingIssue[] {
  const why = schema === null ? null : schemaMistake(schema)
  const expected = `a JSON Schema (draft-07) that Ajv compiles: ${why}`
  return why === null ? [] : [issueAt(source, path, { expected })]
}

/** Issues of the schema of a query: what is wrong in it, or that no plain query is known that it allows. */
function queryMistakes(entry: GivenEntry, { source, index }: EntryPlace): readonly SettingIssue[] {
  const { method, path, query = null, plainQuery, fuzz = false } = entry
  const wrong = schemaIssues(source, [index, 'query'], query)
  const isList = method === 'GET' && path === listPath
  if (query === null || wrong.length > 0 || plainQuery !== undefined || isList) return wrong
  if (!maySend({ method, fuzz })) return []
  const found = plainFit(query, 'text')
  const [, name] = 'wrong' in found ? found.wrong.split('/') : []
  const at = name === undefined ? [] : ['properties', name.replaceAll('~1', '/').replaceAll('~0', '~')]
  return [issueAt(source, [index, 'query', ...at], { expected: noPlainValue })]
}

/** What is expected of a parameter that a plain query must have, where no value is known. */
export const noPlainValue = 'a schema for which a valid value is known: give `default` or `examples` in it'

/** Issues of path parameters and body: a part of the path without a schema, and an example that may not be sent. */
function inputIssues(entry: GivenEntry, { source, index, search }: EntryPlace): readonly SettingIssue[] {
  const { method, path, pathParameters = {}, body = null } = entry
  const named = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
  const isSent = maySend({ method, fuzz: entry.fuzz ?? false })
  const exampleOf = (at: JsonPath, given: Described, texts: readonly string[]): readonly SettingIssue[] => {
    const why = schemaMistake(given.schema)
    if (why !== null) return schemaIssues(source, [...at, 'schema'], given.schema)
    const wrong = unlessStopped(() => exampleMistake(given, isSent))
    return [
      ...(wrong === null ? [] : [issueAt(source, [...at, 'example'], wrong)]),
      ...(texts.some((text) => search.in(text) !== null)
        ? [issueAt(source, [...at, 'example'], exposed(source.setting, texts.join(' ')))]
        : []),
    ]
  }
  const parameters = Object.entries(pathParameters).flatMap(([name, given]) => {
    const at = [index, 'pathParameters', name]
    if (!named.includes(name))
      return [issueAt(source, at, { expected: `no such parameter, since the path has no {${name}}` })]
    const text = given.example === undefined ? 'a' : String(given.example)
    const noSegment = { given: text, expected: 'a text that can stand in a path: not empty, no dots alone' }
    return [
      ...exampleOf(at, given, [text]),
      ...(/^\.{0,2}$/.test(text) ? [issueAt(source, [...at, 'example'], noSegment)] : []),
    ]
  })
  const undescribed = named
    .filter((name) => !Object.hasOwn(pathParameters, name))
    .map((name) =>
      issueAt(source, [index, 'pathParameters', name], {
        expected:
          'a schema and an example: { "schema": {…}, "example": … }, since the path has this parameter',
      }),
    )
  const bodiless = { given: method, expected: 'no body, which requests of this method do not have' }
  const ofBody =
    body === null
      ? []
      : sideEffectFree.includes(method)
        ? [issueAt(source, [index, 'body'], bodiless)]
        : exampleOf([index, 'body'], body, [JSON.stringify(body.example ?? null)])
  const openFirst = {
    given: path,
    expected: 'a fixed first segment after /api/: under a parameter every path would be an endpoint',
  }
  const ofPath = /^\/api\/[^/]*\{/.test(path) ? [issueAt(source, [index, 'path'], openFirst)] : []
  return [...ofPath, ...parameters, ...undescribed, ...ofBody]
}

/** The result of checking an example, or why it cannot be checked. */
function unlessStopped<Found>(check: () => Found): Found | Pick<SettingIssue, 'expected' | 'hint'> {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof WorkStopped)) throw error
    const expected = `an example that can be checked against its schema: ${error.message}`
    return { expected, hint: simplerSchemas }
  }
}

/** Why an example cannot be sent, or null. Without one, only an entry that is never sent is fine. */
export function exampleMistake(
  { schema, example }: Described,
  isSent: boolean,
): Pick<SettingIssue, 'expected'> | null {
  if (example === undefined)
    return isSent ? { expected: 'a value that exists at the target: a plain valid request sends it' } : null
  const why = misfit(schema, example)
  return why === null ? null : { expected: `a value that the schema allows: ${why}` }
}
