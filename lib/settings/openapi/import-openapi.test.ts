import { Ajv } from 'ajv'
import { describe, expect, test, vi } from 'vitest'
import * as yaml from 'yaml'
import { parseEndpoints } from '../endpoints-file.ts'
import { DocumentMistake } from './openapi-document.ts'
import { importOpenApi } from './import-openapi.ts'

vi.mock('yaml', { spy: true })
const parseDocument = vi.mocked(yaml.parseDocument)

/** An operation `GET /api/cards` of a document of this version. */
function documentWith(operation: object, more: object = {}, openapi = '3.1.0'): string {
  return JSON.stringify({ openapi, paths: { '/api/cards': { get: operation } }, ...more })
}

/** What the schema of its success becomes, and where it was relaxed or something left out. */
function successOf(schema: object, more: object = {}, openapi = '3.1.0') {
  const content = { 'application/json': { schema } }
  const { entries } = importOpenApi(documentWith({ responses: { 200: { content } } }, more, openapi))
  const notes = entries[0]?.notes.map(({ at, what }) => `${what} ${at}`)
  return { success: entries[0]?.entry['success'], notes }
}

function queryOf(parameter: object, openapi = '3.1.0') {
  const one = { in: 'query', name: 'limit', ...parameter }
  return importOpenApi(documentWith({ parameters: [one] }, {}, openapi)).entries[0]?.entry['query']
}

function mistakeOf(text: string): string {
  try {
    importOpenApi(text)
  } catch (error) {
    if (error instanceof DocumentMistake) return error.message
    throw error
  }
  return 'none'
}

describe('a success schema is relaxed by what clients must tolerate', () => {
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
    [
      { oneOf: [{ const: 'a' }, { type: 'null' }] },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      ['oneOf', 'anyOf/0/const'],
    ],
    [{ not: { required: ['a'] }, type: 'object' }, { type: 'object' }, ['not']],
    // As text, since nothing may have a property of the name `then`.
    [JSON.parse('{ "if": { "required": ["a"] }, "then": { "required": ["b"] } }'), {}, ['if']],
    [
      { oneOf: [{ type: 'null' }], anyOf: [{ type: 'null' }], allOf: [{ type: 'null' }] },
      { anyOf: [{ type: 'null' }], allOf: [{ anyOf: [{ type: 'null' }] }, { type: 'null' }] },
      ['oneOf'],
    ],
    [
      { properties: { a: { items: { minLength: 2, minimum: 1 } } }, minItems: 1 },
      { properties: { a: { items: { minimum: 1 } } }, minItems: 1 },
      ['properties/a/items/minLength'],
    ],
  ])('%j', (given, expected, relaxed) => {
    const { success, notes } = successOf(given)

    expect(success).toEqual(expected)
    expect(notes?.toSorted()).toEqual(relaxed.map((one) => `relaxed /success/${one}`).toSorted())
  })

  test('what draft-07 does not know is left out, and told', () => {
    expect(successOf({ type: 'object', unevaluatedItems: { type: 'string' }, format: 'iban' })).toEqual({
      success: { type: 'object' },
      notes: ['left out /success/unevaluatedItems', 'left out /success/format'],
    })
  })
})

describe('schemas of both versions become draft-07', () => {
  test.each([
    [
      '3.0.3',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      { type: 'integer', exclusiveMinimum: 1 },
    ],
    ['3.0.3', { type: 'integer', maximum: 9, exclusiveMaximum: false }, { type: 'integer', maximum: 9 }],
    ['3.0.3', { type: 'integer', nullable: true }, { type: ['integer', 'null'] }],
    [
      '3.0.3',
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      '3.1.0',
      { type: ['integer', 'null'], exclusiveMinimum: 1 },
      { type: ['integer', 'null'], exclusiveMinimum: 1 },
    ],
    ['3.1.0', { type: 'string', deprecated: true, title: 'x', 'x-own': 1 }, { type: 'string' }],
    ['3.1.0', { type: 'integer', example: 7 }, { type: 'integer', examples: [7] }],
  ])('%s %j', (version, schema, expected) => {
    expect(queryOf({ schema }, version)).toEqual({ type: 'object', properties: { limit: expected } })
  })

  test('schemas that refer to themselves become definitions', () => {
    const Card = { type: 'object', properties: { next: { $ref: '#/components/schemas/Card' } } }
    const { success } = successOf(
      { type: 'array', items: { $ref: '#/components/schemas/Card' } },
      { components: { schemas: { Card } } },
    )

    expect(success).toEqual({
      type: 'array',
      items: { $ref: '#/definitions/Card' },
      definitions: { Card: { type: 'object', properties: { next: { $ref: '#/definitions/Card' } } } },
    })
  })

  test('what is written only is not demanded of an answer', () => {
    const properties = { id: { type: 'string' }, pin: { type: 'string', writeOnly: true } }

    expect(successOf({ required: ['id', 'pin'], properties }).success).toMatchObject({ required: ['id'] })
    expect(successOf({ required: ['pin'], properties }).success).not.toHaveProperty('required')
  })
})

describe('an operation', () => {
  const noted = (text: string) => importOpenApi(text).entries.map(({ entry, notes }) => ({ entry, notes }))

  test('has the parameters of its path, unless it says otherwise, and the version of its header', () => {
    const id = { in: 'path', name: 'id', required: true, schema: { type: 'integer' }, example: 1 }
    const version = { in: 'header', name: 'X-Version', required: true, schema: { enum: [1, 2] } }
    const item = { parameters: [id, version], get: { parameters: [{ ...id, example: 7 }] } }

    expect(noted(JSON.stringify({ openapi: '3.0.0', paths: { '/api/cards/{id}': item } }))).toEqual([
      {
        entry: {
          method: 'GET',
          path: '/api/cards/{id}',
          versions: [1, 2],
          pathParameters: { id: { schema: { type: 'integer' }, example: 7 } },
        },
        notes: [],
      },
    ])
  })

  test.each([{}, { example: 0 }])('whose parameter has no example that is valid asks for one: %j', (more) => {
    const id = { in: 'path', name: 'id', required: true, schema: { type: 'integer', minimum: 1 }, ...more }
    const [one] = noted(
      JSON.stringify({ openapi: '3.0.0', paths: { '/api/cards/{id}': { get: { parameters: [id] } } } }),
    )

    expect(one?.entry).toMatchObject({ pathParameters: { id: { schema: { minimum: 1 } } } })
    expect(one?.entry).not.toHaveProperty('pathParameters.id.example')
    expect(one?.notes).toEqual([expect.objectContaining({ at: '/pathParameters/id/example', what: 'give' })])
  })

  test('with side effects is written with "fuzz": false and its body', () => {
    const schema = {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { readOnly: true }, name: {} },
    }
    const content = { 'application/json; charset=utf-8': { schema, example: { name: 'a' } } }
    const paths = { '/api/cards': { post: { requestBody: { content, required: true } } } }

    expect(noted(JSON.stringify({ openapi: '3.1.0', paths }))[0]?.entry).toEqual({
      method: 'POST',
      path: '/api/cards',
      body: {
        schema: { type: 'object', required: ['name'], properties: { id: {}, name: {} } },
        example: { name: 'a' },
      },
      fuzz: false,
    })
  })

  test('may have a body that it refers to, that it can do without, and that is made of its schema', () => {
    const schema = { required: ['limit'], properties: { limit: { $ref: '#/components/schemas/Limit' } } }
    const components = {
      requestBodies: { Card: { content: { 'application/json': { schema } } } },
      schemas: { Limit: { type: 'integer', minimum: 3 } },
    }
    const paths = { '/api/cards': { put: { requestBody: { $ref: '#/components/requestBodies/Card' } } } }

    expect(noted(JSON.stringify({ openapi: '3.0.3', paths, components }))).toEqual([
      {
        entry: {
          method: 'PUT',
          path: '/api/cards',
          body: {
            schema: {
              required: ['limit'],
              properties: { limit: { $ref: '#/definitions/Limit' } },
              definitions: { Limit: { type: 'integer', minimum: 3 } },
            },
            example: { limit: 3 },
            required: false,
          },
          fuzz: false,
        },
        notes: [],
      },
    ])
  })

  test.each([
    [{ '/cards': { get: {} } }, 'its path is not below /api/'],
    [
      { '/api/x': { get: { parameters: [{ in: 'cookie', name: 'c', required: true }] } } },
      'cookie parameter c',
    ],
    [
      {
        '/api/x': {
          get: { parameters: [{ in: 'query', name: 'o', required: true, schema: { type: 'object' } }] },
        },
      },
      'query parameter o',
    ],
    [
      { '/api/{x}': { get: { parameters: [{ in: 'path', name: 'x', schema: {}, example: 'a' }] } } },
      'fixed first',
    ],
    [{ '/api/y/{x}': { get: {} } }, 'pathParameters.x: a schema and an example'],
  ])('that cannot be described is left out, and told: %j', (paths, why) => {
    const { leftOut } = importOpenApi(
      JSON.stringify({ openapi: '3.1.0', paths: { '/api/a': { get: {} }, ...paths } }),
    )

    expect(leftOut).toEqual([{ operation: expect.any(String), why: expect.stringContaining(why) }])
  })

  test.each(['text/csv', 'application/vnd.card+json', 'multipart/form-data'])(
    'whose body must be %s is left out, and its place told',
    (type) => {
      const post = { requestBody: { required: true, content: { [type]: {} } } }
      const { leftOut } = importOpenApi(
        JSON.stringify({ openapi: '3.1.0', paths: { '/api/a': { get: {} }, '/api/x': { post } } }),
      )
      const at = '#/paths/~1api~1x/post/requestBody/content'

      expect(leftOut).toEqual([
        { operation: 'POST /api/x', why: `its body is not application/json (${at}), and no other is sent` },
      ])
    },
  )

  test('has /api from the first server', () => {
    const text = JSON.stringify({
      openapi: '3.1.0',
      servers: [{ url: 'https://cards.example/v2/api/' }],
      paths: { '/cards': { get: {} } },
    })

    expect(noted(text)[0]?.entry).toEqual({ method: 'GET', path: '/api/cards' })
  })

  test('whose success cannot be compiled has none, and says so', () => {
    const { success, notes } = successOf({ type: 'file' })

    expect(success).toBeUndefined()
    expect(notes).toEqual(['left out /success'])
  })
})

describe('a mistake is told with its place', () => {
  const refTo = ($ref: string) => documentWith({ parameters: [{ $ref }] })

  test.each([
    ['a: [1\nb: 2', /^line 2, column 1: expected YAML or JSON: /],
    ['a: 1\na: 2', /^line 2, column 1: expected YAML or JSON: .*unique/],
    ['[]', /^#\/openapi: .* given none$/],
    ['swagger: "2.0"', /^#\/openapi: .* given Swagger/],
    ['openapi: 3.2.0', /^#\/openapi: .* given "3.2.0"$/],
    ['openapi: 3.0.0', /^#\/paths: expected an object/],
    ['openapi: 3.0.0\npaths: {}', /^#\/paths: expected at least one operation/],
    [
      refTo('https://a.example/x.yaml#/limit'),
      /^#\/paths\/~1api~1cards\/get\/parameters\/0\/\$ref: expected a reference within the document/,
    ],
    [refTo('other.yaml'), /a reference within the document.*"other.yaml"/],
    [refTo('#/components/parameters/none'), /expected a reference to something in the document/],
    [refTo('#/paths/~1api~1cards/get/parameters/0'), /expected a reference that ends somewhere/],
    [documentWith({ parameters: [{ in: 'query' }] }), /get\/parameters\/0: expected a parameter with a name/],
  ])('%s', (text, expected) => {
    expect(mistakeOf(text)).toMatch(expected)
  })
})

describe('what would take its time is a mistake', () => {
  const nested = (levels: number): string =>
    `openapi: 3.0.0\npaths: {}\nx: ${'['.repeat(levels)}${']'.repeat(levels)}`
  const laughs = ['&a0 [x]']
  for (let level = 1; level < 12; level += 1)
    laughs.push(`&a${level} [${Array.from({ length: 12 }, () => `*a${level - 1}`).join(', ')}]`)
  const chain = Object.fromEntries(
    Array.from({ length: 60_000 }, (_, at) => [
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
    ['deep YAML', nested(3_000), /at most 200 levels|nested too deep/],
    [
      'aliases of aliases',
      `openapi: 3.0.0\npaths: {}\nx:\n${laughs.map((one) => `  - ${one}\n`).join('')}`,
      /alias/,
    ],
    ['an alias of itself', 'openapi: 3.0.0\npaths: {}\nx: &x [*x]', /levels|alias/],
    [
      'a chain of schemas',
      documentWith(
        {
          responses: {
            200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } },
          },
        },
        { components: { schemas: { ...chain, S60000: {} } } },
      ),
      /too large or too deep|at most 512 KiB/,
    ],
  ])('%s', (_, text, expected) => {
    expect(mistakeOf(text)).toMatch(expected)
  })
})

describe('the name __proto__ drops nothing', () => {
  const name = '__proto__'
  const integer = { type: 'integer' }

  test('of a parameter of the query', () => {
    const parameters = ['first', name, 'last'].map((one) => ({ in: 'query', name: one, schema: integer }))
    const { entries } = importOpenApi(documentWith({ parameters, responses: {} }))
    const entry = entries[0]?.entry ?? {}

    expect(entries[0]?.notes).toEqual([])
    const properties: unknown = Reflect.get(Object(entry['query']), 'properties')
    expect(Object.entries(Object(properties))).toEqual([
      ['first', integer],
      [name, integer],
      ['last', integer],
    ])
  })

  test('of a component, which two parameters refer to', () => {
    const schema = { allOf: [{ $ref: `#/components/schemas/${name}` }] }
    const parameters = ['first', 'last'].map((one) => ({ in: 'query', name: one, schema }))
    const schemas = Object.fromEntries([[name, { enum: ['a'] }]])
    const text = documentWith({ parameters, responses: {} }, { components: { schemas } })
    const { entries } = importOpenApi(text)
    const entry = entries[0]?.entry ?? {}

    expect(entries[0]?.notes).toEqual([])
    expect(entry['query']).toMatchObject({ properties: { first: {}, last: {} } })
    const definitions: unknown = Reflect.get(Object(entry['query']), 'definitions')
    expect(Object.entries(Object(definitions))).toEqual([[name, { enum: ['a'] }]])
  })

  test('of a property of a success', () => {
    const properties = Object.fromEntries(['first', name, 'last'].map((one) => [one, integer]))
    const { success, notes } = successOf({ type: 'object', properties })

    expect(notes).toEqual([])
    expect(JSON.stringify(success)).toBe(JSON.stringify({ type: 'object', properties }))
  })

  test('of a parameter of the path, and of a header', () => {
    const parameters = [
      ...['first', name].map((one) => ({
        in: 'path',
        name: one,
        required: true,
        schema: integer,
        example: 1,
      })),
      { in: 'header', name, schema: integer },
      { in: 'header', name: 'X-Version', schema: { enum: [3] } },
    ]
    const paths = { [`/api/x/{first}/{${name}}`]: { get: { parameters, responses: {} } } }
    const { entries } = importOpenApi(JSON.stringify({ openapi: '3.1.0', paths }))

    expect(Object.keys(Object(entries[0]?.entry['pathParameters']))).toEqual(['first', name])
    expect(entries[0]?.entry['versions']).toEqual([3])
  })
})

test('what is imported is an endpoints file, but for the examples to give', () => {
  const paths = Object.fromEntries(
    ['get', 'post'].map((method) => [`/api/${method}`, { [method]: { responses: {} } }]),
  )
  const { text } = importOpenApi(JSON.stringify({ openapi: '3.0.0', paths }))

  expect(parseEndpoints({ setting: 'x', file: 'e.json', text }).issues).toEqual([])
})

describe('what an import costs', () => {
  test.each([
    ['of lists', '['.repeat(3_000_000)],
    ['of objects', '{"a":'.repeat(600_000)],
    ['of lists in YAML', '- '.repeat(1_000_000)],
  ])('absurd nesting %s is refused before it is parsed as YAML', (_, text) => {
    parseDocument.mockClear()

    expect(mistakeOf(text)).toMatch(/at most 200 levels/)
    expect(parseDocument).not.toHaveBeenCalled()
  })

  test('300 operations have each schema compiled once', () => {
    const compile = vi.spyOn(Ajv.prototype, 'compile')
    const operation = (number: number) => {
      const schema = { properties: { id: { type: 'integer', minimum: number % 9 } } }
      return {
        parameters: [{ in: 'query', name: 'limit', schema: { type: 'integer', maximum: number % 7 } }],
        requestBody: { required: true, content: { 'application/json': { schema } } },
      }
    }
    const paths = Object.fromEntries(
      Array.from({ length: 300 }, (_, number) => [`/api/things/${number}`, { post: operation(number) }]),
    )
    const { entries } = importOpenApi(JSON.stringify({ openapi: '3.1.0', paths }))
    const compiled = compile.mock.calls.length
    compile.mockRestore()

    expect(entries).toHaveLength(300)
    // The file itself has a schema, too.
    expect(compiled).toBeLessThanOrEqual(9 + 7 + 1)
    expect(compiled).toBeGreaterThan(9)
  })
})
