import { Ajv, type ValidateFunction } from 'ajv'

import { exposed, isExposedIn } from './exposed.ts'
import { largest } from './setting.ts'
import { mistakeAt, ownSchema, parseList, type UserFile } from './json-file.ts'
import type { Mistake, Part } from './mistake.ts'
import { queryMistakes } from './query.ts'
import { schemaMistake } from './schema-mistake.ts'
import { intolerances } from './success-schema.ts'

/** An entry of the endpoints file: a further endpoint to judge by every generic rule. */
export interface EndpointEntry {
  readonly method: string
  /** From `/api/`. */
  readonly path: string
  readonly versions: readonly number[]
  /** JSON Schemas, checked at start; null where not given. */
  readonly query: object | null
  readonly success: object | null
  /** Without `?`. */
  readonly invalidQuery: string | null
  /** Whether a method with side effects may be fuzzed. */
  readonly fuzz: boolean
}

type GivenEntry = Pick<EndpointEntry, 'method' | 'path'> & {
  readonly versions?: readonly number[]
  readonly query?: object
  readonly success?: object
  readonly invalidQuery?: string
  readonly fuzz?: boolean
}

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
        pattern: '^[A-Z]+(?:-[A-Z]+)*$',
        description: 'a method in capitals, as GET',
      },
      path: {
        type: 'string',
        pattern: "^/api/(?:[\\w\\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$",
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

/** Compiled once, and only where there is such a file: most runs have none, and it would cost them a tenth of their start. */
function validator(): ValidateFunction<readonly GivenEntry[]> {
  compiled ??= new Ajv({ ...ownSchema, allErrors: true, verbose: true }).compile<readonly GivenEntry[]>(
    fileSchema,
  )
  return compiled
}

/**
 * Parses an endpoints file; the mistakes hold raw texts, for `hideSecrets`. An entry for `GET /api/customizations/list` is
 * allowed: it describes the endpoint that is judged anyway (its versions, query, success and invalid query) and replaces
 * nothing. Source: Endpoints file, in the README.
 */
export function parseEndpoints(
  text: string,
  file: string,
  credentials: readonly string[] = [],
): Part<readonly EndpointEntry[]> {
  const source: UserFile = { setting: 'TARGET_ENDPOINTS', file, text }
  const { value, mistakes } = parseList(source, validator())
  const entries = value ?? []

  return {
    value: entries.map(withDefaults),
    mistakes: [
      ...mistakes,
      ...entries.flatMap((entry, index) => [
        ...repeated(source, entries, index),
        ...(isExposedIn(entry.path, credentials)
          ? [mistakeAt(source, [index, 'path'], exposed(source.setting, entry.path))]
          : []),
        ...invalidQueryMistakes(source, entry, index, credentials),
        ...successMistakes(source, entry, index),
        ...compileMistakes(source, [index, 'query'], entry.query),
      ]),
    ],
  }
}

function withDefaults(entry: GivenEntry): EndpointEntry {
  return { versions: [1], query: null, success: null, invalidQuery: null, fuzz: false, ...entry }
}

function repeated(source: UserFile, entries: readonly GivenEntry[], index: number): readonly Mistake[] {
  const entry = entries[index]
  const first = entries.findIndex((other) => other.method === entry?.method && other.path === entry.path)
  if (entry === undefined || first === index) return []

  const given = `${entry.method} ${entry.path}`
  const expected = `an endpoint that is not listed yet; [${first}] is the same`
  return [mistakeAt(source, [index], { given, expected, hint: 'join the two; versions is a list' })]
}

function invalidQueryMistakes(
  source: UserFile,
  { invalidQuery }: GivenEntry,
  index: number,
  credentials: readonly string[],
): readonly Mistake[] {
  if (invalidQuery === undefined) return []

  return queryMistakes(source.setting, invalidQuery, credentials).map((mistake) =>
    mistakeAt(source, [index, 'invalidQuery'], mistake),
  )
}

function successMistakes(source: UserFile, { success }: GivenEntry, index: number): readonly Mistake[] {
  const found = intolerances(success).map(({ path, why }) =>
    mistakeAt(source, [index, 'success', ...path], {
      given: null,
      expected: `no such keyword: ${why}`,
      hint: null,
    }),
  )
  return found.length > 0 ? found : compileMistakes(source, [index, 'success'], success)
}

function compileMistakes(
  source: UserFile,
  path: readonly (string | number)[],
  schema: object | undefined,
): readonly Mistake[] {
  const why = schema === undefined ? null : schemaMistake(schema)
  if (why === null) return []

  const expected = `a JSON Schema (draft-07) that Ajv compiles: ${why}`
  return [mistakeAt(source, path, { given: null, expected, hint: null })]
}
