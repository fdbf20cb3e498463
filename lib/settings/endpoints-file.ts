import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { exposed, isExposedIn } from './hide-secrets.ts'
import type { Parsed, SettingIssue } from './issue.ts'
import { issueAt, parseList, type JsonPath, type UserFile } from './json-file.ts'
import { ownSchema, stringLike } from './own-schema.ts'
import { apiPathPattern, methodPattern, queryIssues } from './request-grammar.ts'
import { largest } from './setting.ts'
import { errorText } from './printable.ts'

/** A further endpoint to judge by every generic rule. */
export interface EndpointEntry {
  readonly method: string
  /** Begins with `/api/`. */
  readonly path: string
  readonly versions: readonly number[]
  /** JSON Schemas, checked at the start of a run; null if not given. */
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
      method: stringLike(`^${methodPattern}$`, 'a method in capitals, as GET'),
      path: stringLike(
        `^${apiPathPattern}$`,
        'a path from /api/, without query, fragment and white space, other characters percent-encoded, as it goes out (no {id})',
      ),
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
 * Parses an endpoints file; its issues hold raw texts, for `hideSecrets`. An entry for `GET /api/customizations/list` describes the
 * endpoint that is judged anyway and replaces nothing. Documented in `docs/rules.md`.
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

/** Place of an entry; `first` is the index of the first one with the same method and path. */
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

/** Why Ajv cannot compile a JSON Schema (draft-07), or null. */
function schemaMistake(schema: object): string | null {
  if ('$async' in schema) return '$async is not supported'
  // Unknown keywords are refused, since a misspelt one would check nothing; strict types would be a matter of taste.
  const ajv = formats.default(new Ajv({ strictTypes: false, strictTuples: false, logger: false }))
  try {
    const validate = ajv.compile(schema)
    // An endlessly self-referential schema compiles, too.
    for (const value of [{}, [], '', 0, true, null]) validate(value)
    return null
  } catch (error) {
    if (error instanceof RangeError) return 'it is too large, or refers to itself without end'
    return errorText(error)
  }
}

/** A keyword of a `success` schema that forbids a tolerated change. */
interface IntolerantKeyword {
  readonly path: JsonPath
  readonly why: string
}

const newProperties = 'new properties in responses are not breaking, so a schema must not forbid them'
const opaqueStrings = 'the length and format of opaque strings may change, so a schema must not fix them'
const order = 'the order may change, so a schema must not go by positions'

/** Keywords that always forbid a tolerated change. Source: Versioning, changes that clients must tolerate. */
const forbidding: Readonly<Record<string, string>> = {
  propertyNames: newProperties,
  patternProperties: newProperties,
  maxProperties: newProperties,
  pattern: opaqueStrings,
  format: opaqueStrings,
  maxLength: opaqueStrings,
  minLength: opaqueStrings,
  prefixItems: order,
}

/** Why a keyword with this value is not allowed in a schema, or null. */
function whyIntolerant(keyword: string, value: unknown): string | null {
  if (Object.hasOwn(forbidding, keyword)) return forbidding[keyword] ?? null
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    return value === false ? newProperties : null
  }
  if (keyword === 'items') return Array.isArray(value) ? order : null
  if (keyword === 'const') return fixing(value)
  const values: readonly unknown[] = keyword === 'enum' && Array.isArray(value) ? value : []
  return values.map(fixing).find((why) => why !== null) ?? null
}

/** Only numbers, booleans and null may be fixed: the specification promises changes of strings, properties and order. */
function fixing(value: unknown): string | null {
  if (typeof value === 'string') return opaqueStrings
  if (Array.isArray(value)) return order
  return isObject(value) ? newProperties : null
}

/** Keywords with schemas by name, and those without schemas; all others hold a schema or a list of them. */
const maps = ['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas']
const holdingNone = ['const', 'enum', 'default', 'examples', 'propertyNames']

/** Lists the keywords in a JSON Schema, at any depth, that forbid what clients must tolerate. */
export function intolerances(schema: unknown, path: JsonPath = []): readonly IntolerantKeyword[] {
  if (!isObject(schema)) return []
  const entries = Object.entries(schema)
  const here = entries.flatMap(([keyword, value]) => {
    const why = whyIntolerant(keyword, value)
    return why === null ? [] : [{ path: [...path, keyword], why }]
  })
  return [...here, ...entries.flatMap(([keyword, value]) => below(keyword, value, [...path, keyword]))]
}

function below(keyword: string, value: unknown, path: JsonPath): readonly IntolerantKeyword[] {
  if (holdingNone.includes(keyword)) return []
  if (isObject(value) && maps.includes(keyword)) {
    return Object.entries(value).flatMap(([name, member]) => intolerances(member, [...path, name]))
  }
  const members: readonly unknown[] | null = Array.isArray(value) ? value : null
  return (
    members?.flatMap((member, index) => intolerances(member, [...path, index])) ?? intolerances(value, path)
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
