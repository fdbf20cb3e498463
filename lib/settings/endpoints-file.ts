import { Ajv, type ValidateFunction } from 'ajv'
import { queryOf } from '../fuzz/plain-value.ts'
import {
  listPath,
  maySend,
  sideEffectFree,
  type Described,
  type DescribedInput,
} from '../specification/endpoints.ts'
import { withinOr, workLimits } from '../specification/within.ts'
import type { JsonObject } from '../text/json.ts'
import type { Parsed } from './issue.ts'
import {
  parseList,
  simplerSchemas,
  stepsOf,
  type JsonPath,
  type PlacedMistake,
  type UserFile,
} from './json-file.ts'
import { intolerances, misfit, plainFit, schemaMistake, withDefinitions } from './json-schema.ts'
import { grammar, largest, ownSchema } from './setting-table.ts'

/** An additional endpoint that every generic rule judges. All schemas are JSON Schemas (draft-07), checked at the start of a run. */
export type EndpointEntry = Omit<DescribedInput, 'template'> &
  Readonly<{
    method: string
    /** Begins with `/api/`; may contain parameters, such as `{cardId}`. */
    path: string
    versions: readonly number[]
    success: object | null
    /** The shortest query that its schema allows, without `?`; null if no query is needed. */
    plainQuery: string | null
    /** Without `?`. */
    invalidQuery: string | null
    /** Whether a method with side effects may be fuzzed. */
    fuzz: boolean
  }>

/** An entry as written in a file. */
export type GivenEntry = Pick<EndpointEntry, 'method' | 'path'> &
  Partial<Omit<EndpointEntry, 'file' | 'number'>>

const versions = `a list of at least one version, each a different integer from 0 to ${largest}`

const jsonSchema = 'a JSON Schema (draft-07), as an object'

const described = 'a schema and an example: { "schema": {…}, "example": … }'
const yesOrNo = { type: 'boolean', description: 'true or false' }

/** Schema for a value that is sent, described by a schema and an example. */
function partOf(example: object, more?: object) {
  const schema = { type: 'object', description: jsonSchema }
  return {
    type: 'object',
    description: `an object with ${described}`,
    required: ['schema'],
    additionalProperties: false,
    properties: { schema, example, ...more },
  }
}

const entrySchema = {
  type: 'object',
  description: 'an object with at least a method and a path',
  required: ['method', 'path'],
  additionalProperties: false,
  properties: {
    method: grammar.method,
    path: grammar.template,
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
      additionalProperties: partOf({
        type: ['string', 'number', 'boolean'],
        not: { type: 'string', pattern: '^\\.{0,2}$' },
        description:
          'a string, number or boolean that fits into a path (not empty, not only dots), and that the schema allows',
      }),
    },
    query: { type: 'object', description: jsonSchema },
    body: partOf({}, { required: yesOrNo }),
    success: { type: 'object', description: jsonSchema },
    invalidQuery: grammar.query,
    fuzz: yesOrNo,
  },
  if: { properties: { method: { not: { enum: sideEffectFree } } } },
  else: { properties: { body: { not: {}, description: 'no body: requests of this method have none' } } },
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

/** Validates entries, and schemas shared by several entries, such as `{ "$ref": "#/definitions/Card" }`. */
let compiled: ValidateFunction<readonly (GivenEntry | { readonly definitions: JsonObject })[]> | null = null

/**
 * Parses an endpoints file. Its issues contain raw text, which `hideSecrets` makes safe to show. An entry for `GET
 * /api/customizations/list` describes the endpoint that is always judged. Documented in `docs/rules.md`.
 */
export function parseEndpoints(source: UserFile): Parsed<readonly EndpointEntry[]> {
  compiled ??= new Ajv(ownSchema).compile(fileSchema)
  return parseList(source, compiled, (given) => {
    const shared = new Map(
      given.flatMap((one) => ('definitions' in one ? Object.entries(one.definitions) : [])),
    )
    const entries = given.flatMap((one) => ('definitions' in one ? [] : [wholeEntry(one, shared)]))
    const names = entries.map(({ method, path }) => `${method} ${path}`)
    const mistakes = entries.flatMap((entry, index) => {
      const name = `${entry.method} ${entry.path}`
      const first = names.indexOf(name)
      const expected = `an endpoint that is not already listed; [${first}] is the same`
      const hint = 'merge the two entries; versions is a list'
      const repeated = first === index ? [] : [{ at: [], given: name, expected, hint }]
      const all = [...repeated, ...entryMistakes(entry)]
      return all.map((one) => ({ ...one, at: [index, ...one.at] }))
    })
    const { file } = source
    const value = entries.map((entry, at) => ({ plainQuery: null, ...entry, file, number: at + 1 }))
    return { value, mistakes }
  })
}

/**
 * Returns the entry with its defaults and with schemas that contain the shared definitions they refer to. Adds a plain query and, if there is
 * no example, a plain body, where these are known.
 */
export function wholeEntry(given: GivenEntry, shared: ReadonlyMap<string, unknown>) {
  const whole = <Part extends Described>(part: Part): Part => ({
    ...part,
    schema: withDefinitions(part.schema, shared),
  })
  const parameters = Object.entries(given.pathParameters ?? {}).map(([name, part]) => [name, whole(part)])
  const query = given.query ? withDefinitions(given.query, shared) : null
  const body = given.body ? whole(given.body) : null
  const plain = query === null ? null : plainFit(query, 'text')
  const made = body === null || body.example !== undefined ? null : plainFit(body.schema, 'json')
  return {
    versions: [1],
    invalidQuery: null,
    fuzz: false,
    ...given,
    query,
    success: given.success ? withDefinitions(given.success, shared) : null,
    pathParameters: Object.fromEntries(parameters),
    body: body !== null && made !== null && 'value' in made ? { ...body, example: made.value } : body,
    ...(plain !== null && 'value' in plain ? { plainQuery: queryOf(Object(plain.value)) } : {}),
  }
}

/** Mistakes that concern an entry as a whole. */
export function entryMistakes(entry: ReturnType<typeof wholeEntry>): readonly PlacedMistake[] {
  const { method, path, success, pathParameters, query, plainQuery, body } = entry
  const isSent = maySend(entry)
  const named = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
  const all = [...new Set([...Object.keys(pathParameters), ...named])]
  const ofParameters = all.flatMap((name) => {
    const at = ['pathParameters', name]
    const given = Object.hasOwn(pathParameters, name) ? pathParameters[name] : undefined
    if (!named.includes(name))
      return [{ at, expected: `no such parameter, because the path has no {${name}}` }]
    const undescribed = `${described}, because the path has this parameter`
    return given === undefined ? [{ at, expected: undescribed }] : describedMistakes(at, given, isSent)
  })
  const intolerant = intolerances(success, ['success'])
  const ofQuery = schemaMistakes(['query'], query)
  const isPlain = query === null || plainQuery !== undefined || (method === 'GET' && path === listPath)
  return [
    ...(intolerant.length > 0 ? intolerant : schemaMistakes(['success'], success)),
    ...(ofQuery.length > 0 || isPlain || !isSent ? ofQuery : [unknownQuery(query)]),
    ...ofParameters,
    ...(body === null ? [] : describedMistakes(['body'], body, isSent)),
  ]
}

/** Mistakes in a schema, or else in its example. */
function describedMistakes(at: JsonPath, given: Described, isSent: boolean) {
  const wrong = schemaMistakes([...at, 'schema'], given.schema)
  return wrong.length > 0 ? wrong : exampleMistakes([...at, 'example'], given, isSent)
}

function schemaMistakes(at: JsonPath, schema: object | null) {
  const why = schema === null ? null : schemaMistake(schema)
  return why === null ? [] : [{ at, expected: `a JSON Schema (draft-07) that Ajv compiles: ${why}` }]
}

/** The mistake in the schema of a query that allows no known plain query. */
function unknownQuery(query: object) {
  const found = plainFit(query, 'text')
  const [name] = 'wrong' in found ? stepsOf(found.wrong) : []
  const at = ['query', ...(name === undefined ? [] : ['properties', name])]
  return { at, expected: 'a schema with a known valid value: add `default` or `examples` to it' }
}

/** Why an example cannot be sent. An entry that is sent must have an example. */
export function exampleMistakes(at: JsonPath, { schema, example }: Described, isSent: boolean) {
  const expected = 'a value that exists at the target, because a plain valid request sends it'
  if (example === undefined) return isSent ? [{ at, expected }] : []
  const check = () => {
    const why = misfit(schema, example)
    return why === null ? [] : [{ at, expected: `a value that the schema allows: ${why}` }]
  }
  return withinOr(workLimits.value, check, ({ message }) => [
    { at, expected: `an example that can be checked: ${message}`, hint: simplerSchemas },
  ])
}
