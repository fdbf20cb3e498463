import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { finderOf } from '../../../tests/leaks/finder.ts'
import { spellings } from '../../../tests/leaks/spellings.ts'
import { ordered, renaming } from '../../fuzz/request-changes.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { credentials } from '../../judge/testing/exchanges.ts'
import type { Redactor } from '../../redact/redact.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { settingTable } from '../../settings/setting-table.ts'
import { read, settingsOf, target, temporaryFolder } from '../../settings/testing/read.ts'
import { clientNames, type ClientName } from '../../specification/client-rows.ts'
import { requiredFields } from '../../specification/endpoints.ts'
import { specCatalogue } from '../../specification/rules.ts'
import { fixtures, listEndpoint, listEndpoint as listed } from '../testing/contexts.ts'
import { plainRequest, redactorOf, targetModel, type TestRequest } from './suite-context.ts'

const plainOf = (more: Partial<typeof listEndpoint>, client: ClientName = 'target'): TestRequest => {
  return plainRequest({ ...listEndpoint, ...more }, { name: client, credentials })
}
const plain = plainOf({})

it('a plain valid request matches the specification and names the suite', () => {
  const { request, traits } = plain
  const { client, endpoint, plain: isPlain, ...others } = traits

  expect([request.method, request.target]).toEqual(['GET', '/api/customizations/list'])
  expect(request.fields.map(({ name, value }) => [name, value])).toEqual([
    ['x-api-key', credentials.apiKey],
    ['x-secret-key', credentials.secretKey],
    ['x-version', '1'],
    ['accept', 'application/json'],
    ['user-agent', `card-switch-conformance/${packageVersion()}`],
  ])
  expect([client, endpoint, isPlain]).toEqual(['target', 'GET /api/customizations/list', true])
  expect(new Set(Object.values(others))).toEqual(new Set([false]))
})

it('a plain valid request carries the body and the query that the endpoint needs', () => {
  const posted = plainOf({ method: 'POST', body: '{"limit":1}', query: 'page=1' })

  expect(posted.request.target).toBe('/api/customizations/list?page=1')
  expect(posted.request.fields.at(-1)).toEqual({ name: 'content-type', value: 'application/json' })
  expect(posted.without('x-api-key').request.body).toBe('{"limit":1}')
})

it('a plain valid request differs by its body and by its HTTP version', () => {
  const bodies = ['{"limit":1}', '{"limit":2}'].map((body) => plainOf({ method: 'POST', body }).hash)
  const old = plain.apply((request) => ({ ...request, form: { version: '1.0' } }))

  expect(bodies[0]).not.toBe(bodies[1])
  expect([old.hash === plain.hash, old.key === plain.key]).toEqual([false, false])
})

it('a plain valid request must succeed for the target client and a second one, unless the endpoint is inactive', () => {
  const mustSucceed = clientNames.filter((client) => plainOf({}, client).traits.plain)

  expect(mustSucceed).toEqual(['target', 'second'])
  expect(plainOf({ inactive: true }).traits.plain).toBe(false)
})

const shout = (name: string): string => name.toUpperCase()
const order = requiredFields.toReversed()
const required = 'x-api-key x-secret-key x-version'
const reversed = 'x-version x-secret-key x-api-key'
const reorderRenamed = (one: TestRequest) => one.apply(renaming(shout)).apply(ordered(order))

describe('a change', () => {
  // The expected field names, in order.
  it.each<[string, (one: TestRequest) => TestRequest, string]>([
    ['leaves fields out', (one) => one.without('X-API-Key', 'accept'), 'x-secret-key x-version user-agent'],
    ['replaces a value in its place', (one) => one.with('X-VERSION', '2'), `${required} accept user-agent`],
    ['puts a value at the end', (one) => one.with('Cookie', 'a=b'), `${required} accept user-agent Cookie`],
    ['renames fields', (one) => one.apply(renaming(shout)), shout(`${required} accept user-agent`)],
    ['orders fields', (one) => one.apply(ordered(order)), `${reversed} accept user-agent`],
    ['orders renamed ones', reorderRenamed, shout(`${reversed} accept user-agent`)],
  ])('%s, and the request is no longer plain', (_, change, expected) => {
    const changed = change(plain)

    expect(changed.request.fields.map(({ name }) => name).join(' ')).toBe(expected)
    expect([changed.traits.plain, plain.traits.plain, plain.request.fields.length]).toEqual([false, true, 5])
  })

  it('sets values, and keeps the values of renamed fields', () => {
    const values = ({ request }: TestRequest) => request.fields.map(({ value }) => value)

    expect(values(plain.with('X-VERSION', '2'))[2]).toBe('2')
    expect(values(plain.with('Cookie', 'a=b')).at(-1)).toBe('a=b')
    expect(values(plain.apply(renaming(shout)))).toEqual(values(plain))
  })

  const list = '/api/customizations/list'
  it.each<[string, (one: TestRequest) => TestRequest, string, string]>([
    ['to another path', (one) => one.to('/api/zz'), '/api/zz', `GET ${list}`],
    ['to a path with a name', (one) => one.to('/api/zz', 'an unknown path'), '/api/zz', 'an unknown path'],
    ['with a query', (one) => one.withQuery('a=1'), `${list}?a=1`, `GET ${list}`],
    ['with two queries', (one) => one.withQuery('a=?').withQuery('b=2'), `${list}?a=?&b=2`, `GET ${list}`],
    ['with another method', (one) => one.method('HEAD'), list, `GET ${list}`],
  ])('%s makes a request that is not plain, and keeps the original', (_, change, path, endpoint) => {
    const changed = change(plain)

    expect(changed.request.target).toBe(path)
    expect(changed.traits).toEqual({ ...plain.traits, plain: false, endpoint })
    expect([plain.traits.plain, plain.request.target, plain.request.method]).toEqual([true, list, 'GET'])
  })

  it('of traits alone keeps the request plain', () => {
    expect(plain.trait({ asksForQuota: true }).traits).toEqual({ ...plain.traits, asksForQuota: true })
    expect(plain.trait({ asksForQuota: true }).request).toBe(plain.request)
  })
})

async function known(env: Readonly<Record<string, string>> = {}, ...entries: readonly object[]) {
  const cwd = temporaryFolder({ 'endpoints.json': JSON.stringify(entries) })
  const given = entries.length === 0 ? env : { ...env, TARGET_ENDPOINTS: 'endpoints.json' }
  return targetModel(settingsOf(await read({ ...target, ...given }, { cwd })))
}

const list = { method: 'GET', path: '/api/customizations/list', versions: [1] }
const cards = { method: 'GET', path: '/api/cards', versions: [1], invalidQuery: 'a=b' }
const ofList = { TARGET_VERSION: '3', TARGET_QUERY: 'page=1', FIXTURE_INVALID_QUERY: 'page=x' }
const inactive = { FIXTURE_INACTIVE_ENDPOINT: 'GET /api/old' }
const success = { type: 'object' }
const limit = { type: 'object', properties: { limit: { type: 'integer', maximum: 100 } } }
const page = { type: 'object', required: ['page'], properties: { page: { type: 'integer', minimum: 1 } } }
const cardId = { schema: { type: 'string' }, example: 'a b' }
const pathParameters = { cardId, part: { schema: {}, example: 7 } }
const template = '/api/cards/{cardId}/{part}.json'

const withParameters = { ...cards, path: template, pathParameters }
const described = { number: 1, template, pathParameters }
const filled = { path: '/api/cards/a%20b/7.json', label: `GET ${template}`, described }
const other = { ...cards, path: '/api/other', versions: [4] }
const named = [
  listed,
  { label: 'GET /api/cards (version 1)', version: '1', invalidQuery: 'a=b' },
  { label: 'GET /api/cards (version 2)', version: '2', invalidQuery: 'a=b' },
  { label: 'GET /api/other', version: '4', invalidQuery: 'a=b' },
]
const eachMethod = [{ method: 'POST' }, { method: 'DELETE', fuzz: true }, {}, { method: 'OPTIONS' }]
const methods = eachMethod.map((one) => ({ ...cards, ...one }))
const listAnew = { ...list, success }
const mayBeSent = [true, false, true, true, true].map((may) => ({ mayBeSent: may }))

it.each<[string, readonly object[], Readonly<Record<string, string>>, readonly object[]]>([
  ['knows only the list endpoint by default', [], {}, [listed]],
  ['takes version and queries', [], ofList, [{ version: '3', query: 'page=1', invalidQuery: 'page=x' }]],
  ["knows the list's query", [{ ...list, query: limit }], {}, [{ ...listed, described: { query: limit } }]],
  ['knows the list endpoint once if the file names it', [listAnew], {}, [{ path: list.path, success }]],
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
  const names = ['second', 'noCustomer', 'inactive', 'unauthorized', 'exhausted', 'disposable']
  const keysOf = (of: TargetModel) => of.clients.map((one) => [one.name, one.credentials.apiKey.reveal()])

  expect(keysOf(await known())).toEqual([['target', target.TARGET_API_KEY]])
  const keys = names.map((name, at) => [name, `key-of-${prefixes[at]}-Zx81`])
  expect(keysOf(await known(fixtures(...prefixes))).slice(1)).toEqual(keys)
})

it('the model knows an unsupported version', async () => {
  expect((await known()).unsupportedVersion).toBe('2147483647')
  expect((await known({ FIXTURE_UNSUPPORTED_VERSION: '9' })).unsupportedVersion).toBe('9')
})

const baseUrl = 'https://staging.acme.example/cards'
const secretKey = 'sk_51HzYq8Lk2mW'
const label = 'Acme, build 7'

const given = { TARGET_BASE_URL: baseUrl, TARGET_SECRET_KEY: secretKey, TARGET_LABEL: label }

const redactorWith = async (TARGET_API_KEY: string): Promise<Redactor> =>
  redactorOf(settingsOf(await read({ ...given, TARGET_API_KEY })))

const names = settingTable.map(({ name }) => name)
const says = [...specCatalogue.values()].map((rule) => rule.says)
const allTexts = [...says, ...names, baseUrl].map((text) => text.toLowerCase()).join('\n')
const words = [...new Set(allTexts.match(/[a-z\d]+/g))]
const curl = `curl --http1.1 --path-as-is --globoff -sSi -H "x-api-key: $TARGET_API_KEY" -H "x-secret-key: $TARGET_SECRET_KEY" -H 'x-version: 1' -H 'accept: application/json' -H 'user-agent: card-switch-conformance/1.0.0' '${baseUrl}/api/customizations/list'`
const sentences = [
  curl,
  'answered 401 / 1012 where 401 / 1006 is documented; sent: x-api-key with x after character 15',
  'answered 200 with JSON where 400 / 1001 is documented, or the client of FIXTURE_INACTIVE_API_KEY is not such a client',
  'a plain valid request did not succeed either (see endpoints/list-succeeds)',
  '{"error_code":"1006","error_message":"invalid api key"}',
  `${baseUrl}/api/customizations/list`,
  label,
]

const someWords = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 })
const separator = fc.constantFrom('-', '_', '.', '')
const unit = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789')
const random = fc.string({ unit, minLength: 1, maxLength: 4 })
/** Words of ours plus some characters, which together are not a word of ours. */
const credential = fc
  .tuple(someWords, separator, random)
  .map(([some, sign, more]) => [...some, more].join(sign))
  .filter((text) => text.length >= 6 && !allTexts.includes(text))

it('a credential built from suite words is masked, and sentences of the suite are not', async () => {
  const texts = fc.array(fc.constantFrom(...says), { maxLength: 20 })
  const isMasked = fc.asyncProperty(credential, texts, async (apiKey, some) => {
    const redactor = await redactorWith(apiKey)

    for (const text of [...sentences, ...some]) expect(redactor.redact(text)).toBe(text)
    expect(redactor.redact(`(${apiKey})`)).toBe('(<TARGET_API_KEY>)')
  })
  await fc.assert(isMasked, { numRuns: 25 })
})

/** Typical keys and secrets of staging systems, each with more than words of ours. */
const ordinary = ['my_api_key_1', 'secret-key-123', 'card-switch-test', 'error_code_1001', 'list-endpoint']

test.for(ordinary)('%s is masked in every spelling', async (apiKey) => {
  const redactor = await redactorWith(apiKey)
  const find = finderOf([apiKey])

  for (const sentence of sentences) expect(redactor.redact(sentence)).toBe(sentence)
  for (const [name, spell] of Object.entries(spellings))
    expect(find(Buffer.from(redactor.ofAnswer().redact(`nobody is ${spell(apiKey)}`))), name).toEqual([])
})
