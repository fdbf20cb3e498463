import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test, vi } from 'vitest'
import { parseEndpoints } from '../endpoints-file.ts'
import { misfit } from '../json-schema.ts'
import { temporaryFolder } from '../testing/read.ts'
import { DocumentMistake, readDocument } from './document.ts'
import { importOpenApi, type ImportedEndpoints, type OperationChoice } from './import-openapi.ts'

async function imported(text: string, choice: OperationChoice = {}): Promise<ImportedEndpoints> {
  return importOpenApi(await readDocument('/nowhere/cards.yaml', text), choice)
}

interface Whole {
  readonly openapi?: string
  readonly paths?: object
  readonly [more: string]: unknown
}

/** A document whose `GET /api/cards` is this operation. */
function documentWith(operation: object, { openapi = '3.1.0', paths = {}, ...more }: Whole = {}): string {
  return JSON.stringify({ openapi, paths: { '/api/cards': { get: operation }, ...paths }, ...more })
}

/** The entries imported from a document, the reasons for omitted operations, and the notes. */
async function outcomeOf(text: string, choice: OperationChoice = {}) {
  const { entries, leftOut } = await imported(text, choice)
  return {
    entries: entries.map(({ entry }) => entry),
    leftOut: leftOut.map(({ operation, why }) => `${operation}: ${why}`),
    notes: entries.flatMap(({ notes }) => notes.map(({ at, what }) => `${what} ${at}`)),
  }
}

/** A document with one path. */
const ofPath = (path: string, item: object, more: Whole = {}): string =>
  JSON.stringify({ openapi: '3.1.0', paths: { [path]: item }, ...more })

const jsonOf = (schema: object): object => ({ content: { 'application/json': { schema } } })
const answers = (schema: object): object => ({ responses: { 200: jsonOf(schema) } })
const ofType = (type: string, media: object = {}): object => ({
  responses: { 200: { content: { [type]: media } } },
})
const whole = { type: 'object' }
const none = { type: 'null' }

/** The imported success schema, and notes on what was relaxed or left out. */
async function successOf(schema: object, more: Whole = {}) {
  const { entries, notes } = await outcomeOf(documentWith(answers(schema), more))
  return { success: entries[0]?.['success'], notes }
}

async function mistakeOf(text: string): Promise<string> {
  try {
    await imported(text)
  } catch (error) {
    if (error instanceof DocumentMistake) return error.message
    throw error
  }
  return 'none'
}

test.each([
  [{ type: 'object', additionalProperties: false }, { type: 'object' }, ['additionalProperties']],
  [
    { type: 'string', pattern: 'a', maxLength: 3, format: 'uuid' },
    { type: 'string' },
    ['pattern', 'maxLength', 'format'],
  ],
  [{ enum: ['a', 'b'] }, { type: 'string' }, ['enum']],
  [{ type: 'integer', enum: [1, 2] }, { type: 'integer', enum: [1, 2] }, []],
  [{ const: 'a', type: 'string' }, { type: 'string' }, ['const']],
  [{ prefixItems: [{ type: 'string' }] }, {}, ['items']],
  [{ oneOf: [{ const: 'a' }, none] }, { anyOf: [{ type: 'string' }, none] }, ['oneOf', 'oneOf/0/const']],
  [{ not: { required: ['a'] }, type: 'object' }, { type: 'object' }, ['not']],
  // As text, because the linter forbids a property called `then`.
  [JSON.parse('{ "if": { "required": ["a"] }, "then": { "required": ["b"] } }'), {}, ['if']],
  [
    { oneOf: [none], anyOf: [none], allOf: [none] },
    { anyOf: [none], allOf: [none, { anyOf: [none] }] },
    ['oneOf'],
  ],
  [
    { properties: { a: { items: { minLength: 2, minimum: 1 } } }, minItems: 1 },
    { properties: { a: { items: { minimum: 1 } } }, minItems: 1 },
    ['properties/a/items/minLength'],
  ],
])('the success schema %j is relaxed to allow tolerated changes', async (given, expected, relaxed) => {
  const { success, notes } = await successOf(given)

  expect(success).toEqual(expected)
  expect(notes.toSorted()).toEqual(relaxed.map((one) => `relaxed /success/${one}`).toSorted())
})

test('keywords unknown to draft-07 and schemas that cannot be compiled are left out and reported', async () => {
  expect(await successOf({ type: 'object', unevaluatedItems: { type: 'string' }, format: 'iban' })).toEqual({
    success: { type: 'object' },
    notes: ['left out /success/unevaluatedItems', 'left out /success/format'],
  })
  expect(await successOf({ type: 'file' })).toEqual({ success: undefined, notes: ['left out /success'] })
})

test.each([
  [
    '3.0.3',
    { type: 'integer', minimum: 1, exclusiveMinimum: true },
    { type: 'integer', exclusiveMinimum: 1 },
  ],
  ['3.0.3', { type: 'integer', maximum: 9, exclusiveMaximum: false }, { type: 'integer', maximum: 9 }],
  ['3.0.3', { type: 'integer', nullable: true }, { type: ['integer', 'null'] }],
  ['3.0.3', { type: 'string', nullable: true, enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
  [
    '3.1.0',
    { type: ['integer', 'null'], exclusiveMinimum: 1 },
    { type: ['integer', 'null'], exclusiveMinimum: 1 },
  ],
  ['3.1.0', { type: 'string', deprecated: true, title: 'x', 'x-own': 1 }, { type: 'string' }],
  ['3.1.0', { type: 'integer', example: 7 }, { type: 'integer', examples: [7] }],
])('an OpenAPI %s parameter with the schema %j is converted to draft-07', async (openapi, schema, limit) => {
  const parameters = [{ in: 'query', name: 'limit', schema }]
  const { entries } = await outcomeOf(documentWith({ parameters }, { openapi }))

  expect(entries[0]?.['query']).toEqual({ type: 'object', properties: { limit } })
})

test('each recursive schema becomes one definition', async () => {
  const Card = { type: 'object', properties: { next: { $ref: '#/components/schemas/Card' } } }
  const get = answers({ type: 'array', items: { $ref: '#/components/schemas/Card' } })
  const paths = { '/api/a': { get }, '/api/b': { get } }
  const { text } = await imported(
    JSON.stringify({ openapi: '3.1.0', paths, components: { schemas: { Card } } }),
  )
  const success = { type: 'array', items: { $ref: '#/definitions/Card' } }
  const definitions = { Card: { type: 'object', properties: { next: { $ref: '#/definitions/Card' } } } }

  expect(JSON.parse(text)).toEqual([
    { method: 'GET', path: '/api/a', success },
    { method: 'GET', path: '/api/b', success },
    { definitions },
  ])
  const { value, issues } = parseEndpoints({ setting: '', file: '', text })
  expect(value.map((one) => one.success)).toEqual([1, 2].map(() => ({ ...success, definitions })))
  expect(issues).toEqual([])
})

const owner = { $ref: '#/components/schemas/Owner' }
test.each([
  [{ nullable: true, allOf: [owner] }],
  [{ nullable: true, oneOf: [owner, { type: 'string' }] }],
  [{ nullable: true, anyOf: [owner] }],
  [{ nullable: true, type: 'object', allOf: [owner] }],
  [{ nullable: true, ...owner }],
  [{ $ref: '#/components/schemas/NullableOwner' }],
  [{ nullable: true, enum: [1, 2] }],
  [{ nullable: true, type: 'integer', enum: [1] }],
])('%j allows null', async (schema) => {
  const Owner = { type: 'object', properties: { name: { type: 'string' } } }
  const components = { schemas: { Owner, NullableOwner: { ...Owner, nullable: true } } }
  const { text } = await imported(documentWith(answers(schema), { components, openapi: '3.0.3' }))
  const [entry] = parseEndpoints({ setting: '', file: '', text }).value

  expect([null, 1.5].map((value) => misfit(entry?.success ?? {}, value) === null)).toEqual([true, false])
})

const id = { in: 'path', name: 'id', required: true, schema: { type: 'integer', minimum: 1 } }
const version = { in: 'header', name: 'X-Version', required: true, schema: { enum: [1, 2] } }
const shown = { id: { type: 'string' }, pin: { type: 'string' } }
const properties = { ...shown, pin: { ...shown.pin, writeOnly: true } }
const page = { name: 'page', in: 'query', required: true, schema: { type: 'integer' }, example: 1 }
const mail = { name: 'mail', in: 'query', schema: { type: 'string', pattern: '^[\\w\\.\\@]+\\@x$' } }
const ofCard = { method: 'GET', path: '/api/cards' }
const posted = { type: 'object', required: ['id', 'name'], properties: { id: { readOnly: true }, name: {} } }
const limited = { required: ['limit'], properties: { limit: { $ref: '#/components/schemas/Limit' } } }
const components = {
  requestBodies: { Card: jsonOf(limited) },
  schemas: { Limit: { type: 'integer', minimum: 3 }, V: { type: 'integer', enum: [5] } },
}
const headed = (more: object) => documentWith({ parameters: [{ ...version, ...more }] }, { components })

test.each<[what: string, text: string, entry: object, notes?: readonly string[]]>([
  [
    'the parameters of its path, unless it overrides them, and the versions from its header',
    ofPath('/api/cards/{id}', {
      parameters: [{ ...id, example: 1 }, version],
      get: { parameters: [{ ...id, example: 7 }] },
    }),
    { path: '/api/cards/{id}', versions: [1, 2], pathParameters: { id: { schema: id.schema, example: 7 } } },
  ],
  ...[{}, { example: 0 }].map((more): [string, string, object, readonly string[]] => [
    'no example if the document has no valid example',
    ofPath('/api/cards/{id}', { get: { parameters: [{ ...id, ...more }] } }),
    { path: '/api/cards/{id}', pathParameters: { id: { schema: id.schema } } },
    ['give /pathParameters/id/example'],
  ]),
  [
    '"fuzz": false and its body if it has side effects',
    ofPath('/api/cards', {
      post: {
        requestBody: {
          required: true,
          content: { 'application/json; charset=utf-8': { schema: posted, example: { name: 'a' } } },
        },
      },
    }),
    {
      method: 'POST',
      body: {
        schema: { type: 'object', required: ['name'], properties: { name: {} } },
        example: { name: 'a' },
      },
      fuzz: false,
    },
  ],
  [
    'a referenced optional body, with an example generated from its schema',
    ofPath(
      '/api/cards',
      { put: { requestBody: { $ref: '#/components/requestBodies/Card' } } },
      { components },
    ),
    {
      method: 'PUT',
      body: {
        schema: { required: ['limit'], properties: { limit: { $ref: '#/definitions/Limit' } } },
        example: { limit: 3 },
        required: false,
      },
      fuzz: false,
    },
  ],
  [
    'no required property that is write-only',
    documentWith(answers({ required: ['id', 'pin'], properties })),
    { success: { required: ['id'], properties: shown } },
  ],
  [
    'no required properties if all are write-only',
    documentWith(answers({ required: ['pin'], properties })),
    { success: { properties: shown } },
  ],
  [
    'the versions from strings',
    headed({ schema: { type: 'string', enum: ['2', '3'] } }),
    { versions: [2, 3] },
  ],
  ['the default version', headed({ schema: { type: 'string', default: '3' } }), { versions: [3] }],
  [
    'the version from an allOf part',
    headed({ schema: { allOf: [{ $ref: '#/components/schemas/V' }] } }),
    { versions: [5] },
  ],
  [
    'the version from an example',
    headed({ schema: { type: 'integer' }, examples: { one: { value: 4 } } }),
    { versions: [4] },
  ],
  ['no version from a date', headed({ schema: { type: 'string', enum: ['2026-01-01'] } }), {}],
  ...['*/*', 'application/*', 'application/*+json', 'application/json; charset=utf-8'].map(
    (type): [string, string, object] => [
      `a success schema for the media type ${type}`,
      documentWith(ofType(type, { schema: whole })),
      { success: whole },
    ],
  ),
  ['no success schema for HEAD', ofPath('/api/cards', { head: answers(whole) }), { method: 'HEAD' }],
  [
    'every parameter except one whose pattern uses another dialect',
    documentWith({ parameters: [page, mail] }),
    {
      query: { type: 'object', required: ['page'], properties: { page: { type: 'integer', examples: [1] } } },
    },
    ['left out /query/properties/mail'],
  ],
  [
    'the members from YAML merge keys',
    "openapi: 3.0.3\nx-paged: &paged { parameters: [{ name: limit, in: query, schema: { type: integer } }] }\npaths:\n  /api/cards:\n    get: { <<: *paged, responses: { '200': { description: 2026-01-01 } } }\n",
    { query: { type: 'object', properties: { limit: { type: 'integer' } } } },
  ],
])('an operation has %s', async (_, text, entry, notes = []) => {
  expect(await outcomeOf(text)).toEqual({ entries: [{ ...ofCard, ...entry }], leftOut: [], notes })
})

const json = { content: { 'application/json': {} } }
const needs = (one: object) => ({ get: { parameters: [{ name: 'o', required: true, ...one }] } })
const of = (type: string) => ({ post: { requestBody: { required: true, content: { [type]: {} } } } })

const undescribed = 'it needs a query parameter that cannot be described (o: '
const noJson = 'its success is not application/json'
const otherBody =
  'its body is not application/json (#/paths/~1api~1x/post/requestBody/content), the only type that the suite sends'

test.each<[path: string, item: object, why: string | null]>([
  ['/cards', { get: {} }, 'its path is not below /api/'],
  ['/api/x', needs({ in: 'cookie' }), 'it needs a cookie parameter that the suite does not send (o)'],
  ['/api/x', needs({ in: 'query', schema: { type: 'object' } }), undescribed],
  ['/api/x', needs({ ...mail, in: 'query', name: 'o' }), undescribed],
  [
    '/api/x',
    needs({ in: 'query', schema: { pattern: '^(?=x)~' } }),
    'it needs a query parameter with a schema with a known valid value',
  ],
  [
    '/api/{x}',
    { get: { parameters: [{ in: 'path', name: 'x', schema: {}, example: 'a' }] } },
    'path: a path from /api/',
  ],
  ['/api/y/{x}', { get: {} }, 'pathParameters.x: a schema and an example'],
  ['/api/a b', { get: {} }, 'path: a path from /api/'],
  ...['text/csv', 'application/vnd.card+json', 'multipart/form-data'].map(
    (type): [string, object, string] => ['/api/x', of(type), otherBody],
  ),
  ['/api/x', { options: {} }, 'browsers send OPTIONS without credentials'],
  ['/api/x', { get: { responses: { 204: {} } } }, 'its success is 204, which has no JSON'],
  ['/api/x', { get: { responses: { 200: json, 204: {} } } }, 'its success is 204, which has no JSON'],
  ['/api/x', { get: { responses: { 302: {} } } }, 'it has only redirects, no success'],
  ['/api/x', { get: ofType('text/csv') }, noJson],
  ['/api/x', { get: ofType('text/json') }, noJson],
  ['/api/x', { get: { security: [] } }, 'it needs no credentials (security)'],
  ['/api/x', { get: { security: [{ key: [] }, {}] } }, 'it needs no credentials (security)'],
  ['/api/x', { get: { responses: { 200: json, 302: {} } } }, null],
  [
    '/api/x',
    { get: { responses: { 200: { content: { 'text/csv': {}, 'application/vnd.card+json': {} } } } } },
    null,
  ],
  ['/api/x', { get: { responses: { 200: { description: 'ok' } } } }, null],
  ['/api/x', { get: { security: [{ key: [] }] } }, null],
])('%s with %j is left out: %s', async (path, item, why) => {
  const { entries, leftOut } = await outcomeOf(documentWith({}, { paths: { [path]: item } }))

  expect(leftOut).toEqual(why === null ? [] : [expect.stringContaining(`${path}: ${why}`)])
  expect(entries).toHaveLength(why === null ? 2 : 1)
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
])('%s with the servers %j and its own servers %j has the path %s', async (path, root, own, expected) => {
  const serversOf = (urls: readonly string[]): object =>
    urls.length === 0 ? {} : { servers: urls.map((url) => ({ url, variables })) }
  const paths = { [path]: { get: serversOf(own) }, '/api/always': { get: { servers: [{ url: '/' }] } } }
  const { entries, leftOut } = await outcomeOf(
    JSON.stringify({ openapi: '3.1.0', ...serversOf(root), paths }),
  )

  expect(entries.map((entry) => entry['path'])).toEqual([
    ...(expected === null ? [] : [expected]),
    '/api/always',
  ])
  expect(leftOut).toHaveLength(expected === null ? 1 : 0)
})

const tagged = {
  '/api/cards': { get: { tags: ['cards'] }, post: { tags: ['cards', 'admin'] } },
  '/api/pins/{id}': { get: { tags: ['pins'], parameters: [{ ...id, example: 1 }] } },
}
test.each([
  [{ tag: 'cards' }, ['GET /api/cards', 'POST /api/cards']],
  [{ include: '/api/pins/*' }, ['GET /api/pins/{id}']],
  [{ include: 'GET *' }, ['GET /api/cards', 'GET /api/pins/{id}']],
  [{ include: 'GET *', tag: 'cards' }, ['GET /api/cards']],
])('%j selects the operations %j', async (choice, operations) => {
  const { entries, leftOut } = await imported(JSON.stringify({ openapi: '3.1.0', paths: tagged }), choice)

  expect(entries.map(({ operation }) => operation)).toEqual(operations)
  expect(leftOut).toEqual([])
})

describe('a document in several files', () => {
  test('is read across the files in its folder', async () => {
    const folder = temporaryFolder({
      'parts/paths.yaml': 'cards: { get: { responses: { 200: { $ref: "./ok and more.json#/ok" } } } }',
      'parts/ok and more.json': JSON.stringify({
        ok: { content: { 'application/json': { schema: { $ref: '../schemas.yaml#/Card' } } } },
      }),
      'schemas.yaml': 'Card: { type: object, properties: { next: { $ref: "#/Card" } } }',
    })
    const text = 'openapi: 3.1.0\npaths: { /api/cards: { $ref: "parts/paths.yaml#/cards" } }'
    const written = JSON.parse(importOpenApi(await readDocument(join(folder, 'a.yaml'), text)).text)

    expect(written).toEqual([
      { method: 'GET', path: '/api/cards', success: { $ref: '#/definitions/Card' } },
      { definitions: { Card: { type: 'object', properties: { next: { $ref: '#/definitions/Card' } } } } },
    ])
  })

  test.each([
    ['../outside.yaml', 'files outside that folder are not read'],
    ['link.yaml', 'files outside that folder are not read'],
    ['http://127.0.0.1:9/a.yaml', 'files outside that folder are not read'],
    ['large.yaml', 'larger than 8 MiB'],
  ])('is refused if it refers to %s', async (reference, why) => {
    const folder = temporaryFolder({
      'outside.yaml': 'x: {}',
      'in/large.yaml': `x: {} #${' '.repeat(8 * 1024 * 1024)}`,
    })
    await symlink(join(folder, 'outside.yaml'), join(folder, 'in/link.yaml'))
    const paths = { '/api/a': { get: {} }, '/api/b': { $ref: `${reference}#/x` } }
    const document = readDocument(join(folder, 'in/a.yaml'), JSON.stringify({ openapi: '3.1.0', paths }))

    await expect(document.then((read) => importOpenApi(read))).rejects.toThrow(why)
  })
})

const refTo = ($ref: string) => documentWith({ parameters: [{ $ref }] })

test.each([
  ['a: [1\nb: 2', /^line 2, column 1: expected YAML or JSON: /],
  ['a: 1\na: 2', /^line 2, column 1: expected YAML or JSON: duplicated/],
  ['[]', /^#\/openapi: .* given none$/],
  ['swagger: "2.0"', /^#\/openapi: .* given Swagger/],
  ['openapi: 3.2.0', /^#\/openapi: .* given "3.2.0"$/],
  ['openapi: 3.0.0', /^#\/paths: expected an object/],
  ['openapi: 3.0.0\npaths: {}', /^#\/paths: expected at least one operation/],
  [
    refTo('https://a.example/x.yaml#/limit'),
    /^#\/paths\/~1api~1cards\/get\/parameters\/0\/\$ref: expected a reference to a file in the folder/,
  ],
  [refTo('other.yaml'), /"other.yaml": a file that does not exist/],
  [refTo('../cards.json'), /"..\/cards.json": files outside that folder are not read/],
  [refTo('#/components/parameters/none'), /expected a reference to something in the document/],
  [refTo('#/paths/~1api~1cards/get/parameters/0'), /expected a reference that ends somewhere/],
  [documentWith({ parameters: [{ in: 'query' }] }), /get\/parameters\/0: expected a parameter with a name/],
])('a mistake is reported with its location: %s', async (text, expected) => {
  expect(await mistakeOf(text)).toMatch(expected)
})

const nested = (levels: number): string =>
  `openapi: 3.0.0\npaths: {}\nx: ${'['.repeat(levels)}${']'.repeat(levels)}`
const laughs = ['&a0 [x]']
for (let level = 1; level < 12; level += 1)
  laughs.push(`&a${level} [${Array.from({ length: 12 }, () => `*a${level - 1}`).join(', ')}]`)
const chain = Object.fromEntries(
  Array.from({ length: 20_000 }, (_, at) => [
    `S${at}`,
    { items: { $ref: `#/components/schemas/S${at + 1}` } },
  ]),
)

test.each([
  [
    'deep JSON',
    `{"openapi":"3.0.0","paths":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`,
    /at most 200 levels/,
  ],
  ['deep YAML', nested(3_000), /maxDepth \(200\)/],
  ['absurdly deep JSON lists', '['.repeat(300_000), /maxDepth/],
  ['absurdly deep YAML lists', '- '.repeat(200_000), /maxDepth/],
  [
    'aliases of aliases',
    `openapi: 3.0.0\npaths: {}\nx:\n${laughs.map((one) => `  - ${one}\n`).join('')}`,
    /at most 1000000 values/,
  ],
  ['an alias that refers to itself', 'openapi: 3.0.0\npaths: {}\nx: &x [*x]', /levels/],
  [
    'a chain of schemas',
    documentWith(answers({ $ref: '#/components/schemas/S0' }), {
      components: { schemas: { ...chain, S20000: {} } },
    }),
    /too large or too deep/,
  ],
])('a document that would take too long is a mistake: %s', async (_, text, expected) => {
  expect(await mistakeOf(text)).toMatch(expected)
})

describe('the name __proto__', () => {
  const name = '__proto__'
  const integer = { type: 'integer' }
  const named = (...names: readonly string[]) => Object.fromEntries(names.map((one) => [one, integer]))

  test('is kept for parameters, properties and headers', async () => {
    const some = ['first', name, 'last']
    const query = some.map((one) => ({ in: 'query', name: one, schema: integer }))
    const parameters = [
      ...['first', name].map((one) => ({
        in: 'path',
        name: one,
        required: true,
        schema: integer,
        example: 1,
      })),
      ...query,
      { in: 'header', name, schema: integer },
      { in: 'header', name: 'X-Version', schema: { enum: [3] } },
    ]
    const get = { parameters, ...answers({ type: 'object', properties: named(...some) }) }
    const { entries, notes } = await outcomeOf(ofPath(`/api/x/{first}/{${name}}`, { get }))
    const entry = JSON.stringify(entries[0])

    expect(notes).toEqual([])
    expect(entries[0]?.['versions']).toEqual([3])
    expect(entry).toContain(`"query":{"type":"object","properties":${JSON.stringify(named(...some))}}`)
    expect(entry).toContain(`"success":{"type":"object","properties":${JSON.stringify(named(...some))}}`)
    expect(Object.keys(Object(entries[0]?.['pathParameters']))).toEqual(['first', name])
  })

  test('is kept for a component that two parameters refer to', async () => {
    const schema = { allOf: [{ $ref: `#/components/schemas/${name}` }] }
    const parameters = ['first', 'last'].map((one) => ({ in: 'query', name: one, schema }))
    const schemas = Object.fromEntries([[name, { enum: ['a'] }]])
    const { entries, text } = await imported(documentWith({ parameters }, { components: { schemas } }))

    expect(entries[0]).toMatchObject({ notes: [], entry: { query: { properties: { first: {}, last: {} } } } })
    expect(Object.entries(JSON.parse(text).at(-1).definitions)).toEqual([[name, { enum: ['a'] }]])
  })
})

test('a document with over 2,000 operations needs a selection', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 2_001 }, (_, number) => [
      `/api/a/${number}`,
      { get: { tags: [`t${number % 100}`] } },
    ]),
  )
  const text = JSON.stringify({ openapi: '3.1.0', paths })

  expect(await mistakeOf(text)).toMatch(/at most 2000 operations; choose operations with --include or --tag/)
  expect((await imported(text, { tag: 't1' })).entries).toHaveLength(20)
})

test('each distinct schema in 100 operations is compiled once', async () => {
  const compile = vi.spyOn(Ajv.prototype, 'compile')
  const operation = (number: number) => {
    const schema = { properties: { id: { type: 'integer', minimum: number % 9 } } }
    return {
      parameters: [{ in: 'query', name: 'limit', schema: { type: 'integer', maximum: number % 7 } }],
      requestBody: { required: true, content: { 'application/json': { schema } } },
    }
  }
  const paths = Object.fromEntries(
    Array.from({ length: 100 }, (_, number) => [`/api/things/${number}`, { post: operation(number) }]),
  )
  const { entries } = await imported(JSON.stringify({ openapi: '3.1.0', paths }))
  const compiled = compile.mock.calls.length
  compile.mockRestore()

  expect(entries).toHaveLength(100)
  // The distinct schemas of bodies, parameters and queries, and the schema of the file.
  expect(compiled).toBeLessThanOrEqual(9 + 7 + 7 + 1)
  expect(compiled).toBeGreaterThan(9)
})
