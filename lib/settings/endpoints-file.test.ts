import { expect, test } from 'vitest'
import { underLimits } from '../specification/within.testing.ts'
import { parseEndpoints } from './endpoints-file.ts'
import { intolerances, schemaMistake } from './json-schema.ts'
import { mistake } from './testing/read.ts'

test('a schema is compiled again if its first compilation runs out of processor time', () => {
  const reads = { whole: 0, stopped: 0 }
  const schema = (title: keyof typeof reads): object => ({
    title,
    get type() {
      reads[title] += 1
      // Blocks near the end, so that the compiler has started but cannot finish.
      if (title === 'stopped' && reads.stopped === reads.whole)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      return 'string'
    },
  })

  expect(schemaMistake(schema('whole'))).toBeNull()
  expect(underLimits({ schema: 100 }, () => schemaMistake(schema('stopped')))).toBeNull()
  expect(reads.stopped).toBeGreaterThan(reads.whole)
})

const entry = { method: 'GET', path: '/api/cards' }
const none = { query: null, plainQuery: null, body: null, success: null, invalidQuery: null }
const defaults = { ...none, versions: [1], pathParameters: {}, fuzz: false, file: 'e.json', number: 1 }

/** A mistake in such a file. */
function wrong(expected: string | RegExp, given: unknown, hint?: string): object {
  return mistake('TARGET_ENDPOINTS', expected, given, hint)
}

function parse(...entries: readonly unknown[]) {
  return parseEndpoints({ setting: 'TARGET_ENDPOINTS', file: 'e.json', text: JSON.stringify(entries) })
}

/** A path with one parameter `id`, and the description of that parameter. */
function byId(id: object): object {
  return { path: '/api/x/{id}', pathParameters: { id } }
}

test('a body without an example is generated from its schema', () => {
  const schema = {
    type: 'object',
    required: ['id', 'limit', 'kind', 'step', 'none'],
    properties: {
      id: { type: 'string', pattern: '^c-[0-9]+$', examples: ['c-7'] },
      limit: { type: 'integer', minimum: 3 },
      kind: { oneOf: [{ enum: ['day'] }, { type: 'null' }] },
      step: { type: ['null', 'integer'], exclusiveMinimum: 3, multipleOf: 5 },
      none: { type: 'null' },
    },
  }
  const { value, issues } = parse({ ...entry, method: 'POST', fuzz: true, body: { schema } })

  expect(issues).toEqual([])
  expect(value[0]?.body?.example).toEqual({ id: 'c-7', limit: 3, kind: 'day', step: 5, none: null })
})

const tilde = { type: 'string', pattern: '^~$' }
const digits = { type: 'string', pattern: '^[0-9]{4}$' }

test.each<[parameter: object, query: string | RegExp]>([
  [{ minimum: 5 }, 'p=5'],
  [{ type: 'number', maximum: -0.5 }, 'p=-0.5'],
  [{ type: 'integer', minimum: 10, multipleOf: 7 }, 'p=14'],
  [{ type: 'integer', allOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, 'p=6'],
  [{ type: 'integer', minimum: 3, not: { enum: [3, 4] } }, 'p=5'],
  [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 'p=0.5'],
  [{ type: 'number', default: 19.99, multipleOf: 0.01 }, 'p=19.99'],
  [{ type: 'integer', default: 'abc' }, 'p=1'],
  [{ type: 'string', enum: [null, '', 'b c'] }, 'p=b%20c'],
  [{ type: ['string', 'null'], default: null }, 'p=a'],
  [{ minLength: 4, default: 5 }, 'p=aaaa'],
  [{ type: 'string', minLength: 4, not: { const: 'aaaa' } }, 'p=bbbb'],
  [{ type: 'string', pattern: '^c' }, /^p=c\w*$/],
  [digits, /^p=\d{4}$/],
  [{ type: 'string', pattern: '^[A-Z]{2}[0-9]{4}$' }, /^p=[A-Z]{2}\d{4}$/],
  [{ oneOf: [tilde, { type: 'integer', minimum: 4 }] }, 'p=4'],
  [{ type: 'array', minItems: 2, items: { type: 'string' } }, 'p=a&p=a'],
  [{ type: 'array', minItems: 6, uniqueItems: true, items: { type: 'integer' } }, 'p=1&p=2&p=3&p=4&p=5&p=6'],
  [{ type: 'array', minItems: 2, uniqueItems: true, items: digits }, /^p=\d{4}&p=\d{4}$/],
  [{ $ref: '#/definitions/K' }, 'p=y'],
])('the plain query for a required parameter %j is %s', (p, query) => {
  const schema = { required: ['p'], properties: { p }, definitions: { K: { enum: ['y'] } } }
  const { value, issues } = parse({ ...entry, query: schema })

  expect(issues).toEqual([])
  expect(value[0]?.plainQuery).toMatch(typeof query === 'string' ? new RegExp(`^${query}$`) : query)
})

test.each([
  { type: 'string', pattern: '^(?=x)~' },
  { type: 'integer', minimum: 3, maximum: 2 },
  { type: 'string', enum: [''] },
  { type: 'object' },
  { type: 'array', minItems: 2, uniqueItems: true, items: { const: 'x' } },
  { type: 'integer', default: 7, maximum: 6, minimum: 6, not: { const: 6 } },
])('a required parameter whose value cannot be generated is a mistake: %j', (p) => {
  const query = { type: 'object', required: ['ok', 'a/b'], properties: { ok: {}, 'a/b': p } }

  const needed = /^e\.json, \[0\]\.query.*add `default` or `examples`/
  expect(parse({ ...entry, query }).issues).toMatchObject([{ expected: expect.stringMatching(needed) }])
  expect(parse({ ...list, query }, { ...entry, method: 'POST', query }).issues).toEqual([])
})

const full = {
  method: 'POST',
  path: '/api/a%20b/~c/{cardId}',
  pathParameters: { cardId: { schema: { type: 'string', maxLength: 3 }, example: 'c-1' } },
  versions: [1, 2],
  query: { type: 'object', properties: { id: { type: 'string', format: 'uuid', pattern: '^a' } } },
  success: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
  invalidQuery: 'limit=abc',
  fuzz: true,
}
const unmade = { schema: { type: 'string', pattern: '^(?=x)~' } }
const unsent = { method: 'DELETE', ...byId(unmade), body: unmade }
const list = { method: 'GET', path: '/api/customizations/list' }
const $id = 'https://a.example/card'
const ofObject = { $id, type: 'object' }
const sameId = { ...entry, method: 'HEAD', success: { $id, type: 'array' } }
const nested = { ...entry, success: { properties: { child: { $ref: '#' } } } }

test.each<[what: string, ...entries: readonly object[]]>([
  ['the minimum, whose other properties get their defaults', entry],
  ['every property', full],
  ['no examples, because it is never sent', unsent],
  ['the path of the list endpoint, or one path with two methods', list, entry, { ...entry, method: 'HEAD' }],
  ['a schema that refers to itself below a property', nested],
  ['an $id that another schema also has', { ...entry, success: ofObject }, sameId],
])('an entry may have %s', (_, ...entries) => {
  const value = entries.map((one, at) => ({ ...defaults, ...one, number: at + 1 }))
  expect(parse(...entries)).toEqual({ value, issues: [] })
})

const fitting = 'a value that the schema allows'
const posted = (body: object, more: object = {}): object => ({ method: 'POST', body, ...more })
const wrongPaths = ['/cards', '/api/x?y=1', '/api/x#y', '/api/x y', '/api/x/{a b}', '/api/%zz']
const dotted = ['/api/../x', '/api/x/.', '/api/%2e%2e/x', '/api/x/.%2E']
const unusable = [{ $ref: 'https://a.example/x' }, { $async: true }, { required: 'id' }]

test.each<[expected: string, ...changes: readonly unknown[]]>([
  ['.method: ', { method: undefined }, { method: 'get' }, { method: 'GET ' }],
  ['.path: ', { path: undefined }],
  ['.path: a path from /api/', ...[...wrongPaths, ...dotted].map((path) => ({ path }))],
  ['.path: a path from /api/', { ...byId({ schema: {}, example: 'a' }), path: '/api/{id}' }],
  ['.pathParameters.id: a schema and an example', { path: '/api/x/{id}' }],
  ['.pathParameters.id.schema: a JSON Schema', byId({ schema: { type: 'strin' } })],
  ['.pathParameters.id.example: a value that exists', byId({ schema: {} })],
  [`.pathParameters.id.example: ${fitting}: must be <= 9`, byId({ schema: { maximum: 9 }, example: 10 })],
  ['.pathParameters.id.example: a string, number', byId({ schema: {}, example: '..' })],
  ['.pathParameters.id.example: a string, number', byId({ schema: {}, example: {} })],
  ['.pathParameters.id: no such parameter', { pathParameters: { id: { schema: {}, example: 'a' } } }],
  ['.body: no body', { body: { schema: {}, example: 1 } }],
  [`.body.example: ${fitting}: must be >= 3`, posted({ schema: { minimum: 3 }, example: 2 })],
  ['.body.example: a value that exists at the target', posted({ schema: tilde }, { fuzz: true })],
  ['.body.required: true or false', posted({ schema: {}, required: 1 })],
  ['.versions: ', { versions: [] }, { versions: [1, 1] }, { versions: 1 }],
  ['.versions[0]: ', ...['1', 1.5, -1].map((one) => ({ versions: [one] }))],
  ['.fuzz: ', { fuzz: 'yes' }],
  ['.query: ', { query: true }],
  ['.query: a JSON Schema (draft-07)', { query: { type: 'strin' } }, { query: { pattern: '(' } }],
  ['.query: a JSON Schema (draft-07)', { query: { propertes: {} } }],
  ['.success: a JSON Schema', ...unusable.map((success) => ({ success }))],
  ['.invalidQuery: a query of visible', ...['', '?a=b', 'a=b c'].map((invalidQuery) => ({ invalidQuery }))],
  [': an object', 'GET /api/x'],
])('an entry is refused at %s for %o', (expected, ...changes) => {
  for (const change of changes) {
    const { issues } = parse(typeof change === 'object' ? { ...entry, ...change } : change)

    const [given] = issues.map((issue) => issue.given)
    expect(issues).toEqual([wrong(`e.json, [0]${expected}`, given)])
  }
})

const repeated = wrong('[2]: an endpoint', 'GET /api/cards', 'merge the two entries')
const intolerant = { additionalProperties: false, properties: { 'my id': { pattern: '^[a-z]+$' } } }
const many = Array.from({ length: 2_001 }, (_, at) => ({ ...entry, path: `/api/cards/${at}` }))

test.each<[what: string, entries: readonly object[], ...mistakes: readonly object[]]>([
  ['at most 2,000 entries', many.slice(1)],
  ['more entries', many, wrong('e.json: at most 2000 entries', '2001 entries')],
  ['an unknown property', [{ ...entry, sucess: {} }], wrong('[0].sucess: no', null, 'did you mean success?')],
  ['a singular', [{ ...entry, version: {} }], wrong('[0].version: no', null, 'did you mean versions?')],
  ['a repeated entry', [entry, list, entry], repeated],
  [
    'keywords that make a success schema intolerant',
    [entry, { ...entry, path: '/api/x', success: intolerant }],
    wrong(/^e\.json, \[1\]\.success\.additionalProperties: .*new properties/, null),
    wrong(/^e\.json, \[1\]\.success\.properties\["my id"\]\.pattern: .*opaque strings/, null),
  ],
])('the mistakes in an endpoints file are reported with their places: %s', (_, entries, ...mistakes) => {
  expect(parse(...entries).issues).toEqual(mistakes)
})

test('an endpoints file with over 100 mistakes is reported with 100 of them and their total number', () => {
  const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]))
  const { issues } = parse({ ...entry, ...unknown })

  expect(issues).toHaveLength(101)
  expect(issues.at(-1)).toEqual(wrong('e.json: a list without', '5000 mistakes'))
})

test.each([
  ['that refers to itself', { $ref: '#' }],
  ['that refers to itself through another', { $ref: '#/definitions/a', definitions: { a: { $ref: '#' } } }],
  ['with 20,000 parts', { allOf: Array.from({ length: 20_000 }, () => ({ required: ['a'] })) }],
])('an endpoints file is refused if it has a schema %s', (_, success) => {
  const { issues } = underLimits({ schema: 100 }, () => parse({ ...entry, success }))

  const compiles =
    /^e\.json, \[0\]\.success: a JSON Schema \(draft-07\) that Ajv compiles: it (?:is too large or too deep|takes longer)/
  expect(issues).toEqual([wrong(compiles, null)])
})

const names = 'pattern format const items maxLength patternProperties propertyNames'.split(' ')

test.each<[schema: object | boolean, places: string]>([
  [{ additionalProperties: false }, 'additionalProperties'],
  [{ unevaluatedProperties: false }, 'unevaluatedProperties'],
  [{ maxProperties: 3 }, 'maxProperties'],
  [{ type: 'string', pattern: 'x' }, 'pattern'],
  [{ type: 'string', format: 'uuid' }, 'format'],
  [{ type: 'string', minLength: 1, maxLength: 3 }, 'minLength maxLength'],
  ...['x', { a: 1 }, [1, 2]].map((one): [object, string] => [{ const: one }, 'const']),
  [{ enum: ['x', 1] }, 'enum'],
  [{ items: [{ type: 'string' }, { pattern: 'x' }] }, 'items items/1/pattern'],
  [{ prefixItems: [{}] }, 'prefixItems'],
  [{ properties: { a: { items: { const: 'x' } } } }, 'properties/a/items/const'],
  [{ propertyNames: { pattern: '^[a-z]+$' } }, 'propertyNames'],
  [{ patternProperties: { b: { format: 'date' } } }, 'patternProperties patternProperties/b/format'],
  [{ additionalProperties: { maxLength: 1 } }, 'additionalProperties/maxLength'],
  [{ allOf: [{}, { anyOf: [{ const: 'x' }] }] }, 'allOf/1/anyOf/0/const'],
  [{ not: { pattern: 'x' } }, 'not/pattern'],
  // oxlint-disable-next-line no-thenable -- `then` is a word of JSON Schema
  [{ if: {}, then: { maxLength: 1 }, else: { enum: ['a'] } }, 'then/maxLength else/enum'],
  [{ definitions: { id: { pattern: 'x' } } }, 'definitions/id/pattern'],
  [{ $defs: { id: { pattern: 'x' } } }, '$defs/id/pattern'],
  [{ dependencies: { a: ['b'], c: { maxProperties: 1 } } }, 'dependencies/c/maxProperties'],
  [{ contains: { const: 'x' } }, 'contains/const'],
  [{}, ''],
  [true, ''],
  [{ required: ['id'], additionalProperties: true, properties: { id: { type: 'string' } } }, ''],
  [{ const: 1 }, ''],
  [{ enum: [1, 2.5, true, null] }, ''],
  [{ items: { type: 'integer', minimum: 0 }, minItems: 1, maxItems: 5, uniqueItems: true }, ''],
  [{ properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])) }, ''],
  [{ default: { pattern: 'x' }, examples: [{ const: 'x' }] }, ''],
  [{ required: ['pattern'] }, ''],
])('the schema %j forbids changes that must be tolerated at "%s"', (schema, places) => {
  const found = intolerances(schema).map(({ at }) => at.join('/'))
  expect(found.join(' ')).toBe(places)
})
