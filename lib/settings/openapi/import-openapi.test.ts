import { Ajv } from 'ajv'
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseEndpoints } from '../endpoints-file.ts'
import { misfit } from '../json-schema.ts'
import { DocumentMistake, readDocument } from './document.ts'
import { importOpenApi, type ImportedEndpoints, type OperationChoice } from './import-openapi.ts'

async function imported(text: string, choice: OperationChoice = {}): Promise<ImportedEndpoints> {
  return importOpenApi(await readDocument('/nowhere/cards.yaml', text), choice)
}

/** An operation `GET /api/cards` of a document of this version. */
function documentWith(operation: object, more: object = {}, openapi = '3.1.0'): string {
  return JSON.stringify({ openapi, paths: { '/api/cards': { get: operation } }, ...more })
}

/** What the schema of its success becomes, and where it was relaxed or something left out. */
async function successOf(schema: object, more: object = {}, openapi = '3.1.0') {
  const content = { 'application/json': { schema } }
  const { entries } = await imported(documentWith({ responses: { 200: { content } } }, more, openapi))
  const notes = entries[0]?.notes.map(({ at, what }) => `${what} ${at}`)
  return { success: entries[0]?.entry['success'], notes }
}

async function queryOf(parameter: object, openapi = '3.1.0') {
  const one = { in: 'query', name: 'limit', ...parameter }
  return (await imported(documentWith({ parameters: [one] }, {}, openapi))).entries[0]?.entry['query']
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
      ['oneOf', 'oneOf/0/const'],
    ],
    [{ not: { required: ['a'] }, type: 'object' }, { type: 'object' }, ['not']],
    // As text, since nothing may have a property of the name `then`.
    [JSON.parse('{ "if": { "required": ["a"] }, "then": { "required": ["b"] } }'), {}, ['if']],
    [
      { oneOf: [{ type: 'null' }], anyOf: [{ type: 'null' }], allOf: [{ type: 'null' }] },
      { anyOf: [{ type: 'null' }], allOf: [{ type: 'null' }, { anyOf: [{ type: 'null' }] }] },
      ['oneOf'],
    ],
    [
      { properties: { a: { items: { minLength: 2, minimum: 1 } } }, minItems: 1 },
      { properties: { a: { items: { minimum: 1 } } }, minItems: 1 },
      ['properties/a/items/minLength'],
    ],
  ])('%j', async (given, expected, relaxed) => {
    const { success, notes } = await successOf(given)

    expect(success).toEqual(expected)
    expect(notes?.toSorted()).toEqual(relaxed.map((one) => `relaxed /success/${one}`).toSorted())
  })

  test('what draft-07 does not know is left out, and told', async () => {
    expect(await successOf({ type: 'object', unevaluatedItems: { type: 'string' }, format: 'iban' })).toEqual(
      {
        success: { type: 'object' },
        notes: ['left out /success/unevaluatedItems', 'left out /success/format'],
      },
    )
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
  ])('%s %j', async (version, schema, expected) => {
    expect(await queryOf({ schema }, version)).toEqual({ type: 'object', properties: { limit: expected } })
  })

  test('schemas that refer to themselves become definitions, once in the file', async () => {
    const Card = { type: 'object', properties: { next: { $ref: '#/components/schemas/Card' } } }
    const schema = { type: 'array', items: { $ref: '#/components/schemas/Card' } }
    const responses = { 200: { content: { 'application/json': { schema } } } }
    const paths = Object.fromEntries(['a', 'b'].map((name) => [`/api/${name}`, { get: { responses } }]))
    const text = JSON.stringify({ openapi: '3.1.0', paths, components: { schemas: { Card } } })
    const written = JSON.parse((await imported(text)).text)
    const success = { type: 'array', items: { $ref: '#/definitions/Card' } }
    const definitions = { Card: { type: 'object', properties: { next: { $ref: '#/definitions/Card' } } } }

    expect(written).toEqual([
      { method: 'GET', path: '/api/a', success },
      { method: 'GET', path: '/api/b', success },
      { definitions },
    ])
    expect(
      parseEndpoints({ setting: '', file: '', text: JSON.stringify(written) }).value.map(
        (one) => one.success,
      ),
    ).toEqual([
      { ...success, definitions },
      { ...success, definitions },
    ])
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
  ])('null is allowed by %j', async (schema) => {
    const Owner = { type: 'object', properties: { name: { type: 'string' } } }
    const components = { schemas: { Owner, NullableOwner: { ...Owner, nullable: true } } }
    const content = { 'application/json': { schema } }
    const { text } = await imported(
      documentWith({ responses: { 200: { content } } }, { components }, '3.0.3'),
    )
    const [entry] = parseEndpoints({ setting: '', file: '', text }).value

    expect([null, 1.5].map((value) => misfit(entry?.success ?? {}, value) === null)).toEqual([true, false])
  })

  test('what is written only is not demanded of an answer', async () => {
    const properties = { id: { type: 'string' }, pin: { type: 'string', writeOnly: true } }

    expect((await successOf({ required: ['id', 'pin'], properties })).success).toMatchObject({
      required: ['id'],
    })
    expect((await successOf({ required: ['pin'], properties })).success).not.toHaveProperty('required')
  })
})

describe('an operation', () => {
  const noted = async (text: string) =>
    (await imported(text)).entries.map(({ entry, notes }) => ({ entry, notes }))

  test('has the parameters of its path, unless it says otherwise, and the version of its header', async () => {
    const id = { in: 'path', name: 'id', required: true, schema: { type: 'integer' }, example: 1 }
    const version = { in: 'header', name: 'X-Version', required: true, schema: { enum: [1, 2] } }
    const item = { parameters: [id, version], get: { parameters: [{ ...id, example: 7 }] } }

    expect(await noted(JSON.stringify({ openapi: '3.0.0', paths: { '/api/cards/{id}': item } }))).toEqual([
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

  test.each([{}, { example: 0 }])(
    'whose parameter has no example that is valid asks for one: %j',
    async (more) => {
      const id = { in: 'path', name: 'id', required: true, schema: { type: 'integer', minimum: 1 }, ...more }
      const [one] = await noted(
        JSON.stringify({ openapi: '3.0.0', paths: { '/api/cards/{id}': { get: { parameters: [id] } } } }),
      )

      expect(one?.entry).toMatchObject({ pathParameters: { id: { schema: { minimum: 1 } } } })
      expect(one?.entry).not.toHaveProperty('pathParameters.id.example')
      expect(one?.notes).toEqual([
        expect.objectContaining({ at: '/pathParameters/id/example', what: 'give' }),
      ])
    },
  )

  test('with side effects is written with "fuzz": false and its body', async () => {
    const schema = {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { readOnly: true }, name: {} },
    }
    const content = { 'application/json; charset=utf-8': { schema, example: { name: 'a' } } }
    const paths = { '/api/cards': { post: { requestBody: { content, required: true } } } }

    expect((await noted(JSON.stringify({ openapi: '3.1.0', paths })))[0]?.entry).toEqual({
      method: 'POST',
      path: '/api/cards',
      body: {
        schema: { type: 'object', required: ['name'], properties: { name: {} } },
        example: { name: 'a' },
      },
      fuzz: false,
    })
  })

  test('may have a body that it refers to, that it can do without, and that is made of its schema', async () => {
    const schema = { required: ['limit'], properties: { limit: { $ref: '#/components/schemas/Limit' } } }
    const components = {
      requestBodies: { Card: { content: { 'application/json': { schema } } } },
      schemas: { Limit: { type: 'integer', minimum: 3 } },
    }
    const paths = { '/api/cards': { put: { requestBody: { $ref: '#/components/requestBodies/Card' } } } }

    expect(await noted(JSON.stringify({ openapi: '3.0.3', paths, components }))).toEqual([
      {
        entry: {
          method: 'PUT',
          path: '/api/cards',
          body: {
            schema: {
              required: ['limit'],
              properties: { limit: { $ref: '#/definitions/Limit' } },
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
      'cookie parameter that the suite does not send (c)',
    ],
    [
      {
        '/api/x': {
          get: { parameters: [{ in: 'query', name: 'o', required: true, schema: { type: 'object' } }] },
        },
      },
      'query parameter that cannot be described (o: ',
    ],
    [
      {
        '/api/x': {
          get: { parameters: [{ in: 'query', name: 'o', required: true, schema: { pattern: '^(?=x)~' } }] },
        },
      },
      'it needs a query parameter with a schema for which a valid value is known: give `default`',
    ],
    [
      { '/api/{x}': { get: { parameters: [{ in: 'path', name: 'x', schema: {}, example: 'a' }] } } },
      'fixed first',
    ],
    [{ '/api/y/{x}': { get: {} } }, 'pathParameters.x: a schema and an example'],
  ])('that cannot be described is left out, and told: %j', async (paths, why) => {
    const { leftOut } = await imported(
      JSON.stringify({ openapi: '3.1.0', paths: { '/api/a': { get: {} }, ...paths } }),
    )

    expect(leftOut).toEqual([{ operation: expect.any(String), why: expect.stringContaining(why) }])
  })

  test.each(['text/csv', 'application/vnd.card+json', 'multipart/form-data'])(
    'whose body must be %s is left out, and its place told',
    async (type) => {
      const post = { requestBody: { required: true, content: { [type]: {} } } }
      const { leftOut } = await imported(
        JSON.stringify({ openapi: '3.1.0', paths: { '/api/a': { get: {} }, '/api/x': { post } } }),
      )
      const at = '#/paths/~1api~1x/post/requestBody/content'

      expect(leftOut).toEqual([
        { operation: 'POST /api/x', why: `its body is not application/json (${at}), and no other is sent` },
      ])
    },
  )

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
  ])(
    '%s has its path below /api/ from the servers %j and its own %j: %s',
    async (path, root, own, expected) => {
      const serversOf = (urls: readonly string[]): object =>
        urls.length === 0 ? {} : { servers: urls.map((url) => ({ url, variables })) }
      const paths = { [path]: { get: serversOf(own) }, '/api/always': { get: { servers: [{ url: '/' }] } } }
      const text = JSON.stringify({ openapi: '3.1.0', ...serversOf(root), paths })
      const { entries, leftOut } = await imported(text)

      expect(entries.map(({ entry }) => entry['path'])).toEqual([
        ...(expected === null ? [] : [expected]),
        '/api/always',
      ])
      expect(leftOut).toHaveLength(expected === null ? 1 : 0)
    },
  )

  const json = { content: { 'application/json': {} } }
  test.each([
    [{ responses: { 204: {} } }, 'it answers 204, which has no JSON'],
    [{ responses: { 200: json, 204: {} } }, 'it answers 204, which has no JSON'],
    [{ responses: { 302: {} } }, 'it answers a redirect, and no success'],
    [{ responses: { 200: { content: { 'text/csv': {} } } } }, 'its success is not application/json'],
    [{ responses: { 200: { content: { 'text/json': {} } } } }, 'its success is not application/json'],
    [{ security: [] }, 'it needs no credentials (security)'],
    [{ security: [{ key: [] }, {}] }, 'it needs no credentials (security)'],
    [{ responses: { 200: json, 302: {} } }, null],
    [{ responses: { 200: { content: { 'text/csv': {}, 'application/vnd.card+json': {} } } } }, null],
    [{ responses: { 200: { description: 'ok' } } }, null],
    [{ security: [{ key: [] }] }, null],
  ])('for which a rule cannot hold is left out: %j: %s', async (get, why) => {
    const text = JSON.stringify({ openapi: '3.1.0', paths: { '/api/a': { get }, '/api/b': { get: {} } } })

    expect((await imported(text)).leftOut).toEqual(why === null ? [] : [{ operation: 'GET /api/a', why }])
  })

  test('of OPTIONS is left out', async () => {
    const text = JSON.stringify({ openapi: '3.1.0', paths: { '/api/a': { options: {}, get: {} } } })

    expect((await imported(text)).leftOut).toMatchObject([{ operation: 'OPTIONS /api/a' }])
  })

  test.each([
    [{ schema: { type: 'string', enum: ['2', '3'] } }, [2, 3]],
    [{ schema: { type: 'string', default: '3' } }, [3]],
    [{ schema: { allOf: [{ $ref: '#/components/schemas/V' }] } }, [5]],
    [{ schema: { type: 'integer' }, examples: { one: { value: 4 } } }, [4]],
    [{ schema: { type: 'string', enum: ['2026-01-01'] } }, undefined],
  ])('has the versions of its header %j: %j', async (header, versions) => {
    const parameters = [{ name: 'X-Version', in: 'header', required: true, ...header }]
    const components = { schemas: { V: { type: 'integer', enum: [5] } } }
    const [one] = await noted(documentWith({ parameters }, { components }))

    expect(one?.entry['versions']).toEqual(versions)
  })

  test.each(['*/*', 'application/*', 'application/*+json', 'application/json; charset=utf-8'])(
    'has the success of the media type %s',
    async (type) => {
      const schema = { type: 'object' }
      const [one] = await noted(documentWith({ responses: { 200: { content: { [type]: { schema } } } } }))

      expect(one?.entry['success']).toEqual(schema)
    },
  )

  test('of HEAD has no success', async () => {
    const operation = { responses: { 200: { content: { 'application/json': { schema: {} } } } } }
    const paths = { '/api/cards': { head: operation, get: operation } }
    const entries = await noted(JSON.stringify({ openapi: '3.1.0', paths }))

    expect(entries.map(({ entry }) => entry)).toEqual([
      { method: 'GET', path: '/api/cards', success: {} },
      { method: 'HEAD', path: '/api/cards' },
    ])
  })

  test('loses a parameter whose pattern is of another dialect, and no other', async () => {
    const page = { name: 'page', in: 'query', required: true, schema: { type: 'integer' }, example: 1 }
    const mail = { name: 'mail', in: 'query', schema: { type: 'string', pattern: '^[\\w\\.\\@]+\\@x$' } }
    const [one] = await noted(documentWith({ parameters: [page, mail] }))
    const needed = await imported(
      JSON.stringify({
        openapi: '3.1.0',
        paths: {
          '/api/a': { get: { parameters: [page, { ...mail, required: true }] } },
          '/api/b': { get: {} },
        },
      }),
    )

    expect(one?.entry['query']).toMatchObject({ required: ['page'], properties: { page: { examples: [1] } } })
    expect(one?.notes).toMatchObject([{ at: '/query/properties/mail', what: 'left out' }])
    expect(needed.leftOut).toMatchObject([
      { operation: 'GET /api/a', why: expect.stringContaining('(mail: ') },
    ])
  })

  const tagged = {
    openapi: '3.1.0',
    paths: {
      '/api/cards': { get: { tags: ['cards'] }, post: { tags: ['cards', 'admin'] } },
      '/api/pins/{id}': {
        get: { tags: ['pins'], parameters: [{ name: 'id', in: 'path', schema: {}, example: 1 }] },
      },
    },
  }
  test.each([
    [{ tag: 'cards' }, ['GET /api/cards', 'POST /api/cards']],
    [{ include: '/api/pins/*' }, ['GET /api/pins/{id}']],
    [{ include: 'GET *' }, ['GET /api/cards', 'GET /api/pins/{id}']],
    [{ include: 'GET *', tag: 'cards' }, ['GET /api/cards']],
  ])('is chosen by %j: %j', async (choice, operations) => {
    const { entries, leftOut } = await imported(JSON.stringify(tagged), choice)

    expect(entries.map(({ operation }) => operation)).toEqual(operations)
    expect(leftOut).toEqual([])
  })

  test('whose success cannot be compiled has none, and says so', async () => {
    const { success, notes } = await successOf({ type: 'file' })

    expect(success).toBeUndefined()
    expect(notes).toEqual(['left out /success'])
  })
})

test('merge keys of YAML give their members', async () => {
  const { entries } = await imported(`
openapi: 3.0.3
x-paged: &paged
  parameters: [{ name: limit, in: query, schema: { type: integer } }]
paths:
  /api/cards:
    get: { <<: *paged, responses: { '200': { description: 2026-01-01 } } }
`)

  expect(entries[0]?.entry['query']).toEqual({ type: 'object', properties: { limit: { type: 'integer' } } })
})

describe('a document in several files', () => {
  /** A folder with these files, and the document in it. */
  async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    return folder
  }

  test('is read within its folder, from one file to the next', async () => {
    const folder = await folderWith({
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
    ['../outside.yaml', 'nothing outside of that folder is read'],
    ['link.yaml', 'nothing outside of that folder is read'],
    ['http://127.0.0.1:9/a.yaml', 'nothing outside of that folder is read'],
    ['large.yaml', 'larger than 8 MiB'],
  ])('is read only as far as it may be: %s', async (reference, why) => {
    const folder = await folderWith({
      'outside.yaml': 'x: {}',
      'in/large.yaml': `x: {} #${' '.repeat(8 * 1024 * 1024)}`,
    })
    await symlink(join(folder, 'outside.yaml'), join(folder, 'in/link.yaml'))
    const paths = { '/api/a': { get: {} }, '/api/b': { $ref: `${reference}#/x` } }
    const document = readDocument(join(folder, 'in/a.yaml'), JSON.stringify({ openapi: '3.1.0', paths }))

    await expect(document.then((read) => importOpenApi(read))).rejects.toThrow(why)
  })
})

describe('a mistake is told with its place', () => {
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
    [refTo('../cards.json'), /"..\/cards.json": nothing outside of that folder is read/],
    [refTo('#/components/parameters/none'), /expected a reference to something in the document/],
    [refTo('#/paths/~1api~1cards/get/parameters/0'), /expected a reference that ends somewhere/],
    [documentWith({ parameters: [{ in: 'query' }] }), /get\/parameters\/0: expected a parameter with a name/],
  ])('%s', async (text, expected) => {
    expect(await mistakeOf(text)).toMatch(expected)
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
    ['deep YAML', nested(3_000), /maxDepth \(200\)/],
    ['absurdly deep lists', '['.repeat(3_000_000), /maxDepth/],
    ['absurdly deep lists of YAML', '- '.repeat(1_000_000), /maxDepth/],
    [
      'aliases of aliases',
      `openapi: 3.0.0\npaths: {}\nx:\n${laughs.map((one) => `  - ${one}\n`).join('')}`,
      /at most 1000000 values/,
    ],
    ['an alias of itself', 'openapi: 3.0.0\npaths: {}\nx: &x [*x]', /levels/],
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
      /too large or too deep/,
    ],
  ])('%s', async (_, text, expected) => {
    expect(await mistakeOf(text)).toMatch(expected)
  })
})

describe('the name __proto__ drops nothing', () => {
  const name = '__proto__'
  const integer = { type: 'integer' }

  test('of a parameter of the query', async () => {
    const parameters = ['first', name, 'last'].map((one) => ({ in: 'query', name: one, schema: integer }))
    const { entries } = await imported(documentWith({ parameters, responses: {} }))
    const entry = entries[0]?.entry ?? {}

    expect(entries[0]?.notes).toEqual([])
    const properties: unknown = Reflect.get(Object(entry['query']), 'properties')
    expect(Object.entries(Object(properties))).toEqual([
      ['first', integer],
      [name, integer],
      ['last', integer],
    ])
  })

  test('of a component, which two parameters refer to', async () => {
    const schema = { allOf: [{ $ref: `#/components/schemas/${name}` }] }
    const parameters = ['first', 'last'].map((one) => ({ in: 'query', name: one, schema }))
    const schemas = Object.fromEntries([[name, { enum: ['a'] }]])
    const text = documentWith({ parameters, responses: {} }, { components: { schemas } })
    const { entries } = await imported(text)
    const entry = entries[0]?.entry ?? {}

    expect(entries[0]?.notes).toEqual([])
    expect(entry['query']).toMatchObject({ properties: { first: {}, last: {} } })
    const { definitions } = JSON.parse((await imported(text)).text).at(-1)
    expect(Object.entries(Object(definitions))).toEqual([[name, { enum: ['a'] }]])
  })

  test('of a property of a success', async () => {
    const properties = Object.fromEntries(['first', name, 'last'].map((one) => [one, integer]))
    const { success, notes } = await successOf({ type: 'object', properties })

    expect(notes).toEqual([])
    expect(JSON.stringify(success)).toBe(JSON.stringify({ type: 'object', properties }))
  })

  test('of a parameter of the path, and of a header', async () => {
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
    const { entries } = await imported(JSON.stringify({ openapi: '3.1.0', paths }))

    expect(Object.keys(Object(entries[0]?.entry['pathParameters']))).toEqual(['first', name])
    expect(entries[0]?.entry['versions']).toEqual([3])
  })
})

test('what is imported is an endpoints file, but for the examples to give', async () => {
  const paths = Object.fromEntries(
    ['get', 'post'].map((method) => [`/api/${method}`, { [method]: { responses: {} } }]),
  )
  const { text } = await imported(JSON.stringify({ openapi: '3.0.0', paths }))

  expect(parseEndpoints({ setting: 'x', file: 'e.json', text }).issues).toEqual([])
})

test('a document has at most 2,000 operations, of which some may be chosen', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 2_001 }, (_, number) => [`/api/a/${number}`, { get: { tags: [`t${number % 2}`] } }]),
  )
  const text = JSON.stringify({ openapi: '3.1.0', paths })

  expect(await mistakeOf(text)).toMatch(/at most 2000 operations; choose operations by --include or --tag/)
  expect((await imported(text, { tag: 't1' })).entries).toHaveLength(1_000)
})

describe('what an import costs', () => {
  test('300 operations have each schema compiled once', async () => {
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
    const { entries } = await imported(JSON.stringify({ openapi: '3.1.0', paths }))
    const compiled = compile.mock.calls.length
    compile.mockRestore()

    expect(entries).toHaveLength(300)
    // Each parameter, each query, and the file itself.
    expect(compiled).toBeLessThanOrEqual(9 + 7 + 7 + 1)
    expect(compiled).toBeGreaterThan(9)
  })
})
