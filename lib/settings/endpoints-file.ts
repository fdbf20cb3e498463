import { Ajv, type ValidateFunction } from 'ajv'
import { exposed, isExposedIn } from './hide-secrets.ts'
import type { Parsed, SettingIssue } from './issue.ts'
import { issueAt, ownSchema, parseList, type JsonPath, type UserFile } from './json-file.ts'
import { apiPathPattern, methodPattern, queryIssues } from './request-grammar.ts'
import { largest } from './setting.ts'
import { intolerances, schemaMistake } from './success-schema.ts'

/** An entry of the endpoints file: a further endpoint to judge by every generic rule. */
export interface EndpointEntry {
  readonly method: string
  /** From `/api/`. */
  readonly path: string
  readonly versions: readonly number[]
  /** JSON Schemas, checked at start; null if not given. */
  readonly query: object | null
  readonly success: object | null
  /** Without `?`. */
  readonly invalidQuery: string | null
  /** Whether a method with side effects may be fuzzed. */
  readonly fuzz: boolean
}

type GivenEntry = Pick<EndpointEntry, 'method' | 'path'> & Partial<EndpointEntry>

const versions = `a list of versions, each an integer from 0 to ${largest}, at least one, none twice`

const fileSchema = {
  type: 'array',
  description: 'a JSON list of endpoints: [{ "method": "GET", "path": "/api/…" }]',
  items: {
    type: 'object',
    description: 'an object with at least a method and a path',
    required: ['method', 'path'],
    additionalProperties: false,
    properties: {
      method: {
        type: 'string',
        pattern: `^${methodPattern}$`,
        description: 'a method in capitals, as GET',
      },
      path: {
        type: 'string',
        pattern: `^${apiPathPattern}$`,
        description:
          'a path from /api/, without query, fragment and white space, other characters percent-encoded, as it goes out (no {id})',
      },
      versions: {
        type: 'array',
        minItems: 1,
        uniqueItems: true,
        items: { type: 'integer', minimum: 0, maximum: largest, description: versions },
        description: versions,
      },
      query: { type: 'object', description: 'a JSON Schema (draft-07), as an object' },
      success: { type: 'object', description: 'a JSON Schema (draft-07), as an object' },
      invalidQuery: { type: 'string', minLength: 1, description: 'a query that must be refused with 1030' },
      fuzz: { type: 'boolean', description: 'true or false' },
    },
  },
}

let compiled: ValidateFunction<readonly GivenEntry[]> | null = null

/**
 * Parses an endpoints file; the issues hold raw texts, for `hideSecrets`. An entry for `GET /api/customizations/list` is
 * allowed: it describes the endpoint that is judged anyway (its versions, query, success and invalid query) and replaces
 * nothing. Source: Endpoints file, in the README.
 */
export function parseEndpoints(
  source: UserFile,
  credentials: readonly string[] = [],
): Parsed<readonly EndpointEntry[]> {
  compiled ??= new Ajv(ownSchema).compile<readonly GivenEntry[]>(fileSchema)
  const { value, issues } = parseList(source, compiled)
  const entries = value ?? []
  const ofEntries = entries.flatMap((entry, index) =>
    entryIssues(entry, { source, index, credentials, first: entries.findIndex((one) => isSame(one, entry)) }),
  )
  const defaults = { versions: [1], query: null, success: null, invalidQuery: null, fuzz: false }
  return { value: entries.map((entry) => ({ ...defaults, ...entry })), issues: [...issues, ...ofEntries] }
}

function isSame(one: GivenEntry, other: GivenEntry): boolean {
  return one.method === other.method && one.path === other.path
}

/** An entry among the others: `first` is the index of the first of the same method and path. */
interface EntryPlace {
  readonly source: UserFile
  readonly index: number
  readonly first: number
  readonly credentials: readonly string[]
}

function entryIssues(
  { method, path, query, success, invalidQuery = null }: GivenEntry,
  { source, index, first, credentials }: EntryPlace,
): readonly SettingIssue[] {
  const { setting } = source
  const repeated = {
    given: `${method} ${path}`,
    expected: `an endpoint that is not listed yet; [${first}] is the same`,
    hint: 'join the two; versions is a list',
  }
  const ofQuery = invalidQuery === null ? [] : queryIssues(setting, invalidQuery, credentials)
  const intolerant = intolerances(success).map(({ path: inner, why }) =>
    issueAt(source, [index, 'success', ...inner], { expected: `no such keyword: ${why}` }),
  )
  return [
    ...(first === index ? [] : [issueAt(source, [index], repeated)]),
    ...(isExposedIn(path, credentials) ? [issueAt(source, [index, 'path'], exposed(setting, path))] : []),
    ...ofQuery.map((one) => issueAt(source, [index, 'invalidQuery'], one)),
    ...(intolerant.length > 0 ? intolerant : schemaIssues(source, [index, 'success'], success)),
    ...schemaIssues(source, [index, 'query'], query),
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
