import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TargetModel } from '../../judge/target-model.ts'
import { read, settingsOf, target, temporaryFolder } from '../../settings/testing/read.ts'
import { targetModel } from './model-of-settings.ts'

async function known(
  env: Readonly<Record<string, string>> = {},
  endpoints: unknown = null,
): Promise<TargetModel> {
  const folder = temporaryFolder()
  const file = join(folder, 'endpoints.json')
  writeFileSync(file, JSON.stringify(endpoints ?? []))
  const given = endpoints === null ? env : { ...env, TARGET_ENDPOINTS: file }
  return targetModel(settingsOf(await read({ ...target, ...given })))
}

describe('what is known of a service', () => {
  it('is the target client and the list endpoint, where nothing more is given', async () => {
    const { clients, endpoints, unsupportedVersion } = await known()

    expect(clients.map(({ name }) => name)).toEqual(['target'])
    expect(endpoints).toHaveLength(1)
    expect(endpoints[0]).toMatchObject({
      method: 'GET',
      path: '/api/customizations/list',
      version: '1',
      label: 'GET /api/customizations/list',
      query: null,
      invalidQuery: null,
      inactive: false,
    })
    expect(unsupportedVersion).toBe('2147483647')
  })

  it('is what the settings say of the list endpoint', async () => {
    const { endpoints, unsupportedVersion } = await known({
      TARGET_VERSION: '3',
      TARGET_QUERY: 'page=1',
      FIXTURE_INVALID_QUERY: 'page=x',
      FIXTURE_UNSUPPORTED_VERSION: '9',
    })

    expect(endpoints[0]).toMatchObject({ version: '3', query: 'page=1', invalidQuery: 'page=x' })
    expect(unsupportedVersion).toBe('9')
  })

  it('is what the endpoints file says of the query of the list endpoint', async () => {
    const query = { type: 'object', properties: { limit: { type: 'integer', maximum: 100 } } }
    const { endpoints } = await known({}, [
      { method: 'GET', path: '/api/customizations/list', versions: [1], query },
    ])

    expect(endpoints).toHaveLength(1)
    expect(endpoints[0]?.described?.query).toEqual(query)
  })

  it('is every client that is given, by its name', async () => {
    const prefixes = ['SECOND', 'NO_CUSTOMER', 'INACTIVE', 'UNAUTHORIZED', 'EXHAUSTED', 'DISPOSABLE']
    const env = Object.fromEntries(
      prefixes.flatMap((prefix) => [
        [`FIXTURE_${prefix}_API_KEY`, `key-of-${prefix}`],
        [`FIXTURE_${prefix}_SECRET_KEY`, `secret-of-${prefix}`],
      ]),
    )
    const { clients } = await known(env)

    expect(clients.map(({ name, credentials }) => [name, credentials.apiKey.reveal()])).toEqual([
      ['target', target.TARGET_API_KEY],
      ['second', 'key-of-SECOND'],
      ['noCustomer', 'key-of-NO_CUSTOMER'],
      ['inactive', 'key-of-INACTIVE'],
      ['unauthorized', 'key-of-UNAUTHORIZED'],
      ['exhausted', 'key-of-EXHAUSTED'],
      ['disposable', 'key-of-DISPOSABLE'],
    ])
  })

  it('is an inactive endpoint, which is no other in disguise', async () => {
    const { endpoints } = await known({ FIXTURE_INACTIVE_ENDPOINT: 'GET /api/old' })

    expect(endpoints.map(({ label, inactive }) => [label, inactive])).toEqual([
      ['GET /api/customizations/list', false],
      ['GET /api/old', true],
    ])
  })

  it('is the path with an example for each parameter, percent-encoded, under the name that the file has for it', async () => {
    const pathParameters = {
      cardId: { schema: { type: 'string' }, example: 'a b' },
      part: { schema: {}, example: 7 },
    }
    const { endpoints } = await known({}, [
      { method: 'GET', path: '/api/cards/{cardId}/{part}.json', pathParameters },
    ])

    expect(endpoints[1]).toMatchObject({
      path: '/api/cards/a%20b/7.json',
      label: 'GET /api/cards/{cardId}/{part}.json',
      described: { number: 1, template: '/api/cards/{cardId}/{part}.json', pathParameters },
    })
  })

  it('is every version of every endpoint of the file, under a name of its own', async () => {
    const { endpoints } = await known({}, [
      { method: 'GET', path: '/api/cards', versions: [1, 2], invalidQuery: 'a=b' },
      { method: 'GET', path: '/api/other', versions: [4] },
    ])

    expect(
      endpoints.slice(1).map(({ label, version, invalidQuery }) => [label, version, invalidQuery]),
    ).toEqual([
      ['GET /api/cards (version 1)', '1', 'a=b'],
      ['GET /api/cards (version 2)', '2', 'a=b'],
      ['GET /api/other', '4', null],
    ])
    expect(new Set(endpoints.map(({ label }) => label)).size).toBe(endpoints.length)
  })

  it('does not know the list endpoint twice where the file names it, too', async () => {
    const success = { type: 'object' }
    const { endpoints } = await known({}, [
      { method: 'GET', path: '/api/customizations/list', versions: [1], success },
    ])

    expect(endpoints).toHaveLength(1)
    expect(endpoints[0]).toMatchObject({ success })
  })

  it('sends to methods with side effects only what the file allows', async () => {
    const { endpoints } = await known({}, [
      { method: 'POST', path: '/api/a', versions: [1] },
      { method: 'DELETE', path: '/api/b', versions: [1], fuzz: true },
      { method: 'GET', path: '/api/c', versions: [1] },
      { method: 'OPTIONS', path: '/api/d', versions: [1] },
    ])

    expect(endpoints.map(({ mayBeSent }) => mayBeSent)).toEqual([true, false, true, true, true])
  })

  it('carries the query that an endpoint cannot do without', async () => {
    const query = {
      type: 'object',
      required: ['page'],
      properties: { page: { type: 'integer', minimum: 1 } },
    }
    const { endpoints } = await known({}, [{ method: 'GET', path: '/api/c', versions: [1], query }])

    expect(endpoints[1]?.query).toBe('page=1')
  })
})
