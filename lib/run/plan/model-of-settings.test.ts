import { expect, it } from 'vitest'
import type { TargetModel } from '../../judge/target-model.ts'
import { read, settingsOf, target, temporaryFolder } from '../../settings/testing/read.ts'
import { targetModel } from './model-of-settings.ts'

async function known(
  env: Readonly<Record<string, string>> = {},
  ...entries: readonly object[]
): Promise<TargetModel> {
  const cwd = temporaryFolder({ 'endpoints.json': JSON.stringify(entries) })
  const given = entries.length === 0 ? env : { ...env, TARGET_ENDPOINTS: 'endpoints.json' }
  return targetModel(settingsOf(await read({ ...target, ...given }, { cwd })))
}

const list = { method: 'GET', path: '/api/customizations/list', versions: [1] }
const listed = {
  method: 'GET',
  path: list.path,
  version: '1',
  label: `GET ${list.path}`,
  query: null,
  invalidQuery: null,
  inactive: false,
}
const cards = { method: 'GET', path: '/api/cards', versions: [1], invalidQuery: 'a=b' }
const ofList = { TARGET_VERSION: '3', TARGET_QUERY: 'page=1', FIXTURE_INVALID_QUERY: 'page=x' }
const inactive = { FIXTURE_INACTIVE_ENDPOINT: 'GET /api/old' }
const success = { type: 'object' }
const limit = { type: 'object', properties: { limit: { type: 'integer', maximum: 100 } } }
const page = { type: 'object', required: ['page'], properties: { page: { type: 'integer', minimum: 1 } } }
const pathParameters = {
  cardId: { schema: { type: 'string' }, example: 'a b' },
  part: { schema: {}, example: 7 },
}
const template = '/api/cards/{cardId}/{part}.json'

const withParameters = { ...cards, path: template, pathParameters }
const filled = {
  path: '/api/cards/a%20b/7.json',
  label: `GET ${template}`,
  described: { number: 1, template, pathParameters },
}
const other = { ...cards, path: '/api/other', versions: [4] }
const named = [
  listed,
  { label: 'GET /api/cards (version 1)', version: '1', invalidQuery: 'a=b' },
  { label: 'GET /api/cards (version 2)', version: '2', invalidQuery: 'a=b' },
  { label: 'GET /api/other', version: '4', invalidQuery: 'a=b' },
]
const methods = [{ method: 'POST' }, { method: 'DELETE', fuzz: true }, {}, { method: 'OPTIONS' }].map(
  (one) => ({ ...cards, ...one }),
)
const mayBeSent = [true, false, true, true, true].map((may) => ({ mayBeSent: may }))

it.each<[string, readonly object[], Readonly<Record<string, string>>, readonly object[]]>([
  ['knows only the list endpoint by default', [], {}, [listed]],
  [
    'takes the version and queries from settings',
    [],
    ofList,
    [{ version: '3', query: 'page=1', invalidQuery: 'page=x' }],
  ],
  [
    'knows the query of the list endpoint',
    [{ ...list, query: limit }],
    {},
    [{ ...listed, described: { query: limit } }],
  ],
  ['knows the list endpoint once if the file names it', [{ ...list, success }], {}, [{ ...listed, success }]],
  ['knows an inactive endpoint', [], inactive, [listed, { label: 'GET /api/old', inactive: true }]],
  ['fills the path with percent-encoded examples', [withParameters], {}, [listed, filled]],
  ['names every version of an endpoint', [{ ...cards, versions: [1, 2] }, other], {}, named],
  ['sends methods with side effects only if the file allows it', methods, {}, mayBeSent],
  ['includes a required query', [{ ...cards, query: page }], {}, [listed, { query: 'page=1' }]],
])('the model %s', async (_, entries, env, endpoints) => {
  expect((await known(env, ...entries)).endpoints).toMatchObject(endpoints)
})

it('the model knows the target client and every configured client by name', async () => {
  const prefixes = ['SECOND', 'NO_CUSTOMER', 'INACTIVE', 'UNAUTHORIZED', 'EXHAUSTED', 'DISPOSABLE']
  const env = Object.fromEntries(
    prefixes.flatMap((prefix) => [
      [`FIXTURE_${prefix}_API_KEY`, `key-of-${prefix}`],
      [`FIXTURE_${prefix}_SECRET_KEY`, `secret-of-${prefix}`],
    ]),
  )
  const names = ['second', 'noCustomer', 'inactive', 'unauthorized', 'exhausted', 'disposable']
  const keysOf = ({ clients }: TargetModel) =>
    clients.map(({ name, credentials }) => [name, credentials.apiKey.reveal()])

  expect(keysOf(await known())).toEqual([['target', target.TARGET_API_KEY]])
  expect(keysOf(await known(env)).slice(1)).toEqual(names.map((name, at) => [name, `key-of-${prefixes[at]}`]))
})

it('the model knows an unsupported version', async () => {
  expect((await known()).unsupportedVersion).toBe('2147483647')
  expect((await known({ FIXTURE_UNSUPPORTED_VERSION: '9' })).unsupportedVersion).toBe('9')
})
