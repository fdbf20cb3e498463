import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listPath } from '../../specification/endpoints.ts'
import { parseEndpoints } from '../endpoints-file.ts'
import { misfit } from '../json-schema.ts'
import { temporaryFolder } from '../testing/read.ts'
import { importOpenApi, type OperationChoice, DocumentMistake, readDocument } from './import-openapi.ts'

/** What is imported from a document: the entries, shared definitions last, and the reasons for what is left out. */
async function imported(given: object | string, choice?: OperationChoice, folder = '/nowhere') {
  const text = typeof given === 'string' ? given : JSON.stringify({ openapi: '3.1.0', ...given })
  const found = importOpenApi(await readDocument(join(folder, 'cards.yaml'), text), choice)
  const entries: readonly Record<string, unknown>[] = JSON.parse(found.text)
  const { value, issues } = parseEndpoints({ setting: '', file: '', text: found.text })
  // A draft may lack examples, and nothing else.
  expect(issues.filter(({ expected }) => !/[.]example: /.test(expected))).toEqual([])
  return { entries, leftOut: found.leftOut.map(({ place, why }) => `${place}: ${why}`), read: value }
}

/** A document with `GET /api/cards`. */
const ofGet = (get: object, more: object = {}): object => ({ paths: { '/api/cards': { get } }, ...more })
const jsonOf = (schema: object, more?: object) => ({ content: { 'application/json': { schema, ...more } } })
const answering = (schema: object) => ({ responses: { 200: jsonOf(schema) } })
const ofType = (type: string, media: object = {}) => ({ responses: { 200: { content: { [type]: media } } } })

const none = { type: 'null' }
const listed = { type: 'integer', enum: [1, 2] }
const nullable = { type: ['integer', 'null'], exclusiveMinimum: 1 }
const above = { type: 'integer', exclusiveMinimum: 1 }
const ofA = (a: object) => ({ properties: { a } })
const needing = (names: string, schema: object) => ({ required: names.split(' '), ...schema })
const object = { type: 'object' }

test.each<[given: object, expected: object]>([
  [{ ...object, additionalProperties: false }, object],
  [{ type: 'string', pattern: 'a', maxLength: 3, format: 'uuid' }, { type: 'string' }],
  [{ enum: ['a', 'b'] }, { type: 'string' }],
  [listed, listed],
  [{ const: 'a', type: 'string' }, { type: 'string' }],
  [{ prefixItems: [{ type: 'string' }] }, {}],
  [{ prefixItems: [{ type: 'string' }], items: { type: 'integer' } }, {}],
  [{ ...object, unevaluatedItems: { type: 'string' }, format: 'iban' }, object],
  [{ oneOf: [{ const: 'a' }, none] }, { allOf: [{ anyOf: [{ type: 'string' }, none] }] }],
  [{ not: { required: ['a'] }, ...object }, object],
  // As text, because the linter forbids a property called `then`.
  [JSON.parse('{ "if": { "required": ["a"] }, "then": { "required": ["b"] } }'), {}],
  [{ oneOf: [none], allOf: [none] }, { allOf: [none, { anyOf: [none] }] }],
  [{ anyOf: [none] }, { anyOf: [none] }],
  [ofA({ items: { minLength: 2, minimum: 1 }, minItems: 1 }), ofA({ items: { minimum: 1 }, minItems: 1 })],
  [{ properties: { b: false } }, { properties: { b: true } }],
  [needing('id', ofA({ ...listed, readOnly: true })), needing('id', ofA(listed))],
  [needing('id a', ofA({ writeOnly: true })), needing('id', { properties: {} })],
])('the success schema %j is relaxed to allow tolerated changes: %j', async (given, success) => {
  const entries = [{ method: 'GET', path: '/api/cards', success }]
  expect(await imported(ofGet(answering(given)))).toMatchObject({ entries, leftOut: [] })
})

test.each<[openapi: string, given: object, expected: object]>([
  ['3.0.3', { type: 'integer', minimum: 1, exclusiveMinimum: true }, above],
  ['3.0.3', { type: 'integer', maximum: 9, exclusiveMaximum: false }, { type: 'integer', maximum: 9 }],
  ['3.0.3', { type: 'integer', nullable: true }, { anyOf: [{ type: 'integer' }, none] }],
  ['3.1.0', nullable, nullable],
  ['3.1.0', { type: 'string', deprecated: true, title: 'x', 'x-own': 1 }, { type: 'string' }],
  ['3.1.0', { type: 'string', format: 'iban' }, { type: 'string' }],
  ['3.1.0', { type: 'integer', example: 7 }, { type: 'integer', examples: [7] }],
])('an OpenAPI %s parameter with the schema %j is converted to %j', async (openapi, schema, limit) => {
  const document = ofGet({ parameters: [{ in: 'query', name: 'limit', schema }] }, { openapi })

  expect((await imported(document)).entries).toMatchObject([{ query: { ...object, properties: { limit } } }])
})

const owner = { $ref: '#/components/schemas/Owner' }
test.each([
  [{ nullable: true, allOf: [owner] }],
  [{ nullable: true, oneOf: [owner, { type: 'string' }] }],
  [{ nullable: true, ...object, allOf: [owner] }],
  [{ nullable: true, ...owner }],
  [{ $ref: '#/components/schemas/NullableOwner' }],
  [{ nullable: true, type: 'integer', enum: [1] }],
])('the schema %j allows null', async (schema) => {
  const Owner = { ...object, properties: { name: { type: 'string' } } }
  const components = { schemas: { Owner, NullableOwner: { ...Owner, nullable: true } } }
  const { read } = await imported(ofGet(answering(schema), { components, openapi: '3.0.3' }))

  expect([null, 1.5].map((value) => misfit(read[0]?.success ?? {}, value) === null)).toEqual([true, false])
})

const id = { in: 'path', name: 'id', required: true, schema: { type: 'integer', minimum: 1 } }
const ofId = { pathParameters: { id: { schema: id.schema } } }
const version = { in: 'header', name: 'X-Version', required: true, schema: { enum: [1, 2] } }
const headed = (more: object) => ({ parameters: [{ ...version, ...more }] })
const page = { name: 'page', in: 'query', required: true, schema: { type: 'integer' }, example: 1 }
const mail = { name: 'mail', in: 'query', schema: { type: 'string', pattern: '^[\\w\\.\\@]+\\@x$' } }
const posted = { ...object, required: ['id', 'name'], properties: { id: { readOnly: true }, name: {} } }
const sent = { ...object, required: ['name'], properties: { name: {} } }
const ofLimit = ($ref: string) => ({ properties: { limit: { $ref } } })
const limited = ofLimit('#/components/schemas/Limit')
const [ann, data] = [{ name: 'Ann' }, { $ref: 'a.json' }]
const requiring = (requestBody: object) => ({ requestBody: { required: true, ...requestBody } })
const withBody = (schema: object, example: object) => requiring(jsonOf(schema, { example }))
const bodyOf = (schema: object, example: object) => ({ body: { schema, example }, fuzz: false })
const ofSent = bodyOf(sent, ann)
const [V, examples] = [{ $ref: '#/components/schemas/V' }, { one: { value: 4 } }]
const components = {
  requestBodies: { Card: jsonOf(limited, { example: { limit: 2 } }) },
  schemas: { Limit: { type: 'integer', minimum: 3 }, V: { type: 'integer', enum: [5] } },
}

const ofCard = { requestBody: { $ref: '#/components/requestBodies/Card' } }
const ofOptional = { body: { schema: ofLimit('#/definitions/Limit'), required: false }, fuzz: false }
const ofList = { parameters: [page, version], ...answering(object) }
const ofBoth = { parameters: [page, mail] }
const ofPage = { ...object, required: ['page'], properties: { page: { type: 'integer', examples: [1] } } }
const badPattern = /^GET \/api\/a mail: Invalid regular expression/

type Imported = [what: string, request: string, operation: object, entry: object, leftOut?: RegExp]
const succeedsWith = (type: string): Imported => {
  const operation = ofType(type, { schema: object })
  return [`a success schema for the media type ${type}`, 'GET /api/a', operation, { success: object }]
}

test.each<Imported>([
  [
    'the parameters of its path, unless it overrides them, and the versions from its header',
    'GET /api/cards/{id}',
    { parameters: [{ ...id, example: 1 }, version], get: { parameters: [{ ...id, example: 7 }] } },
    { versions: [1, 2], pathParameters: { id: { schema: id.schema, example: 7 } } },
  ],
  ['data that looks like a reference', 'POST /api/cards', withBody(object, data), bodyOf(object, data)],
  ['no example if the document has none', 'GET /api/cards/{id}', { parameters: [id] }, ofId],
  ['no invalid example', 'GET /api/cards/{id}', { parameters: [{ ...id, example: 0 }] }, ofId],
  ['"fuzz": false and its body if it has side effects', 'POST /api/a', withBody(posted, ann), ofSent],
  ['a referenced optional body, without its invalid example', 'PUT /api/cards', ofCard, ofOptional],
  ['the versions from strings', 'GET /api/a', headed({ schema: { enum: ['2', '3'] } }), { versions: [2, 3] }],
  ['the default version', 'GET /api/a', headed({ schema: { default: '3' } }), { versions: [3] }],
  ['the version from an allOf part', 'GET /api/a', headed({ schema: { allOf: [V] } }), { versions: [5] }],
  ['the version from an example', 'GET /api/a', headed({ schema: {}, examples }), { versions: [4] }],
  ['no version from a date', 'GET /api/a', headed({ schema: { enum: ['2026-01-01'] } }), {}],
  ...['*/*', 'application/*', 'application/*+json', 'application/json; charset=utf-8'].map(succeedsWith),
  ['no success schema for HEAD', 'HEAD /api/a', answering(object), {}],
  ['every parameter except one with an invalid pattern', 'GET /api/a', ofBoth, { query: ofPage }, badPattern],
  ['only its success schema if it is the list endpoint', `GET ${listPath}`, ofList, { success: object }],
])('an imported operation has %s', async (_, request, operation, entry, leftOut) => {
  const [method = '', path = ''] = request.split(' ')
  const item = 'get' in operation ? operation : { [method.toLowerCase()]: operation }
  const found = await imported({ paths: { [path]: item }, components })

  expect(found.entries[0]).toEqual({ method, path, ...entry })
  expect(found.leftOut).toEqual(leftOut === undefined ? [] : [expect.stringMatching(leftOut)])
})

test('merge keys in YAML are applied, and dates stay text', async () => {
  const limit = 'parameters: [{ name: limit, in: query, schema: { type: integer } }]'
  const text = `openapi: 3.0.3\nx: &x { ${limit} }\npaths: { /api/a: { get: { <<: *x, responses: { 200: { description: 2026-01-01 } } } } }`

  const query = { ...object, properties: { limit: { type: 'integer' } } }
  expect((await imported(text)).entries).toEqual([{ method: 'GET', path: '/api/a', query }])
})

const json = { content: { 'application/json': {} } }
const needs = (one: object) => ({ get: { parameters: [{ name: 'o', required: true, ...one }] } })
const sending = (type: string, schema = {}) => ({ post: requiring({ content: { [type]: { schema } } }) })
const severalWays = 'it needs the query parameter o: there are several ways to write it in a query'
const otherBody = 'its body is not application/json, the only type that the suite sends'
const compiles = 'expected a JSON Schema (draft-07) that Ajv compiles'
const noJson = 'its success has no JSON'
const noCredentials = 'it needs no credentials (security)'

const ofQuery = (one: object) => needs({ in: 'query', ...one })
const responding = (responses: object) => ({ get: { responses } })
const secured = (...security: readonly object[]) => ({ get: { security } })

test.each<[why: string | null, path: string, ...items: readonly object[]]>([
  ['its path is not below /api/', '/cards', { get: {} }],
  ['it needs the cookie parameter o: the suite does not send it', '/api/x', needs({ in: 'cookie' })],
  [severalWays, '/api/x', ofQuery({ schema: object }), ofQuery({ content: {} })],
  [severalWays, '/api/x', ofQuery({ schema: {}, allowReserved: true })],
  [severalWays, '/api/x', ofQuery({ schema: { type: 'array' }, explode: false })],
  ['it needs the query parameter o: Invalid regular expression', '/api/x', needs({ ...mail, name: 'o' })],
  ['query.properties.o: expected a schema', '/api/x', ofQuery({ schema: { pattern: '^(?=x)~' } })],
  ['path: expected a path from /api/', '/api/{x}', { get: { parameters: [{ ...id, name: 'x' }] } }],
  ['pathParameters.x: expected a schema and an example', '/api/y/{x}', { get: {} }],
  ['path: expected a path from /api/', '/api/a b', { get: {} }],
  [otherBody, '/api/x', sending('text/csv'), sending('multipart/form-data')],
  [otherBody, '/api/x', sending('application/vnd.card+json')],
  [`body.schema: ${compiles}: strict mode`, '/api/x', sending('application/json', { prefixItems: [] })],
  ['browsers send OPTIONS without credentials', '/api/x', { options: {} }],
  [noJson, '/api/x', responding({ 204: {} }), responding({ 200: json, 204: {} }), responding({ 302: {} })],
  [noJson, '/api/x', { get: ofType('text/csv') }, { get: ofType('text/json') }],
  [`success: ${compiles}`, '/api/x', { get: answering({ type: 'file' }) }],
  [noCredentials, '/api/x', secured(), secured({ key: [] }, {})],
  [null, '/api/x', responding({ 200: json, 302: {} }), responding({ 200: { description: 'ok' } })],
  [null, '/api/x', { get: ofType('application/vnd.card+json') }, secured({ key: [] })],
])('the reason for leaving out an operation is %s: %s %j', async (why, path, ...items) => {
  for (const item of items) {
    const { entries, leftOut } = await imported({ paths: { '/api/cards': { get: {} }, [path]: item } })

    expect(leftOut).toEqual(why === null ? [] : [expect.stringContaining(`${path}: ${why}`)])
    expect(entries).toHaveLength(why === null ? 2 : 1)
  }
})

const variables = { base: { default: 'api' } }
test.each([
  ['/cards', ['https://cards.example/v2/api/'], [], '/api/cards'],
  ['/cards', ['https://cards.example/api/v1'], [], '/api/v1/cards'],
  ['/cards', ['/{base}'], [], '/api/cards'],
  ['/cards', ['https://docs.example', './api'], [], '/api/cards'],
  ['/cards', ['https://cards.example/v1'], ['https://cards.example/api'], '/api/cards'],
  ['/cards', ['https://cards.example/api'], ['https://files.example/files'], null],
  ['/api/cards', ['https://cards.example/v1'], [], '/api/cards'],
  ['/api/cards', ['https://cards.example/api'], [], '/api/api/cards'],
  ['/cards', ['no {address'], [], null],
])('the path %s with servers %j and operation servers %j becomes %s', async (path, root, own, expected) => {
  const serversOf = (urls: readonly string[]) =>
    urls.length === 0 ? {} : { servers: urls.map((url) => ({ url, variables })) }
  const paths = { [path]: { get: serversOf(own) }, '/api/always': { get: { servers: [{ url: '/' }] } } }
  const { entries, leftOut } = await imported({ ...serversOf(root), paths })

  expect(entries.map((entry) => entry['path'])).toEqual([expected ?? [], '/api/always'].flat())
  expect(leftOut).toHaveLength(expected === null ? 1 : 0)
})

test.each<[OperationChoice, string[]]>([
  [{ tag: 'cards' }, ['GET /api/cards', 'POST /api/cards']],
  [{ include: '/api/pins/*' }, ['GET /api/pins/{id}']],
  [{ include: 'GET *' }, ['GET /api/cards', 'GET /api/pins/{id}']],
  [{ include: 'GET *', tag: 'cards' }, ['GET /api/cards']],
])('the choice %j selects the operations %j', async (choice, operations) => {
  const paths = {
    '/api/cards': { get: { tags: ['cards'] }, post: { tags: ['cards', 'admin'] } },
    '/api/pins/{id}': { get: { tags: ['pins'], parameters: [{ ...id, example: 1 }] } },
  }
  const { entries, leftOut } = await imported({ paths }, choice)

  expect(entries.map(({ method, path }) => `${String(method)} ${String(path)}`)).toEqual(operations)
  expect(leftOut).toEqual([])
})

test('a document may refer to other files in its folder, and each recursive schema becomes one definition', async () => {
  const folder = temporaryFolder({
    'parts/paths.yaml': 'cards: { get: { responses: { 200: { $ref: "./ok and more.json#/ok" } } } }',
    'parts/ok and more.json': JSON.stringify({ ok: jsonOf({ $ref: '../schemas.yaml#/Card' }) }),
    'schemas.yaml': 'Card: { type: object, properties: { next: { $ref: "#/Card" } } }',
  })
  const unused = { responses: { 400: { $ref: 'https://a.example/problem.yaml#/x' } } }
  const cards = { $ref: 'parts/paths.yaml#/cards' }
  const paths = { '/api/a': cards, '/api/b': cards, '/api/x': { get: unused } }
  const { entries, read } = await imported({ paths }, {}, folder)

  const success = { $ref: '#/definitions/Card' }
  const definitions = { Card: { ...object, properties: { next: success } } }
  const twice = ['/api/a', '/api/b'].map((path) => ({ method: 'GET', path, success }))
  expect(entries).toEqual([...twice, { method: 'GET', path: '/api/x' }, { definitions }])
  const whole = { ...success, definitions }
  expect(read.map((one) => one.success)).toEqual([whole, whole, null])
})

test.each([
  ['files outside that folder are not read', '../outside.yaml', 'link.yaml', 'http://127.0.0.1:9/a.yaml'],
  ['files outside that folder are not read', 'file://host/a.yaml', 'http://[', 'large.yaml#/%zz'],
  ['larger than 8 MiB', 'large.yaml'],
  ['line 2, column 1: expected YAML or JSON', 'broken.yaml'],
  ['a file that does not exist', 'missing.yaml'],
])('a document is refused because of %s if it refers to %s', async (why, ...references) => {
  const large = `x: {} #${' '.repeat(8 * 1024 * 1024)}`
  const inside = { 'in/large.yaml': large, 'in/broken.yaml': 'a: [1\nb: 2' }
  const folder = temporaryFolder({ 'outside.yaml': 'x: {}', ...inside })
  await symlink(join(folder, 'outside.yaml'), join(folder, 'in/link.yaml'))
  for (const reference of references) {
    const paths = { '/api/a': { get: {} }, '/api/b': { $ref: `${reference}#/x` } }
    await expect(imported({ paths }, {}, join(folder, 'in')), reference).rejects.toThrow(why)
  }
})

const refTo = ($ref: string) => JSON.stringify({ openapi: '3.1.0', ...ofGet({ parameters: [{ $ref }] }) })
const nested = (depth: number) => `openapi: 3.0.0\npaths: {}\nx: ${'['.repeat(depth)}${']'.repeat(depth)}`
let laughs = '  - &a0 [x]\n'
for (let level = 1; level < 12; level += 1) laughs += `  - &a${level} [${`*a${level - 1}, `.repeat(12)}]\n`
const next = (at: number) => ({ items: { $ref: `#/components/schemas/S${at + 1}` } })
const chain = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`S${at}`, next(at)]))
const whole = { schemas: { ...chain, S20000: {} } }
const ofChain = ofGet(answering({ $ref: '#/components/schemas/S0' }), { components: whole })

test.each<[what: string, text: string, expected: RegExp]>([
  ['broken YAML', 'a: [1\nb: 2', /^line 2, column 1: expected YAML or JSON: /],
  ['a repeated key', 'a: 1\na: 2', /^line 2, column 1: expected YAML or JSON: duplicated/],
  ['a list instead of an object', '[]', /^expected OpenAPI 3.0 or 3.1, given undefined$/],
  ['a Swagger document', 'swagger: "2.0"', /^expected OpenAPI 3.0 or 3.1, given "2.0"$/],
  ['a newer version', 'openapi: 3.2.0', /given "3.2.0"$/],
  ['a document without operations', 'openapi: 3.0.0', /^expected at least one operation/],
  ['a missing component', refTo('#/components/parameters/none'), /expected something in the document/],
  ['a reference to an inherited property', refTo('#/toString'), /expected something in the document/],
  ['a reference to itself', refTo('#/paths/~1api~1cards/get/parameters/0'), /refers to itself without end/],
  ['deep JSON', `{"paths":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, /at most 200 levels|too large or/],
  ['deep YAML', nested(3_000), /maxDepth \(200\)/],
  ['absurdly deep JSON lists', '['.repeat(300_000), /maxDepth/],
  ['absurdly deep YAML lists', '- '.repeat(200_000), /maxDepth/],
  ['aliases of aliases', `openapi: 3.0.0\npaths: {}\nx:\n${laughs}`, /at most 1000000 values/],
  ['an alias that refers to itself', 'openapi: 3.0.0\npaths: {}\nx: &x [*x]', /too large or too deep/],
  ['a long chain of schemas', JSON.stringify({ openapi: '3.1.0', ...ofChain }), /too large or too deep/],
])('a mistake in a document is reported: %s', async (_, text, expected) => {
  const mistake: unknown = await imported(text).catch((error: unknown) => error)

  expect(mistake).toBeInstanceOf(DocumentMistake)
  expect(mistake).toMatchObject({ message: expect.stringMatching(expected) })
})

test('the name __proto__ is read like any other for parameters, properties, headers and components', async () => {
  const component = { $ref: '#/components/schemas/middle' }
  const named = (one: object) => ({ first: one, middle: one, last: one })
  const parameters = [
    ...['first', 'middle'].map((name) => ({ ...id, name, example: 1 })),
    ...['first', 'middle', 'last'].map((name) => ({ in: 'query', name, schema: component })),
    { in: 'header', name: 'middle', schema: {} },
    version,
  ]
  const get = { parameters, ...answering({ ...object, properties: named(component) }) }
  const paths = { '/api/x/{first}/{middle}': { get } }
  const text = JSON.stringify({ openapi: '3.1.0', paths, components: { schemas: { middle: { enum: [1] } } } })
  const usual = JSON.stringify((await imported(text)).entries)

  const renamed = JSON.stringify((await imported(text.replaceAll('middle', '__proto__'))).entries)
  expect(renamed).toBe(usual.replaceAll('middle', '__proto__'))
  expect([usual.match(/middle/g)?.length, usual.includes('"versions":[1,2]')]).toEqual([12, true])
})

test('a document with over 2,000 operations is refused unless the user selects some', async () => {
  const pathAt = (at: number) => [`/api/a/${at}`, { get: { tags: [`t${at % 100}`] } }]
  const paths = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => pathAt(at)))

  await expect(imported({ paths })).rejects.toThrow('at most 2000 operations; choose some with --include or')
  expect((await imported({ paths }, { tag: 't1' })).entries).toHaveLength(20)
})
