import { describe, expect, test } from 'vitest'

import { apiKey, issuesOf, read, secretKey, settingsOf, target, wrongSettings } from './testing/read.ts'

const disposable = {
  FIXTURE_DISPOSABLE_API_KEY: 'disposable-key',
  FIXTURE_DISPOSABLE_SECRET_KEY: 'disposable-secret',
}

describe.each(['TARGET_QUERY', 'FIXTURE_INVALID_QUERY'])('%s', (setting) => {
  test.each([
    ['?page=1', 'without the question mark'],
    ['page=1#x', 'without a fragment'],
    ['page=1 2', 'without white space'],
    ['page=1\n', 'without white space'],
    ['page=ä', 'visible ASCII'],
    ['page=\u0007', 'visible ASCII'],
    [`key=${apiKey}`, 'without any of the configured credentials'],
    [`key=${secretKey}&page=1`, 'without any of the configured credentials'],
    [`key=${secretKey.replace('-', '%2D')}`, 'without any of the configured credentials'],
  ])('%j is refused', async (given, expected) => {
    const result = await read({ ...target, [setting]: given })

    expect(issuesOf(result)).toEqual([
      expect.objectContaining({ setting, expected: expect.stringContaining(expected) }),
    ])
    expect(JSON.stringify(result)).not.toContain('1b6e0d4f93a75c28')
  })

  test.each(['page=1', 'a=%20&b=?', 'limit=abc', "q=it's"])('%s is accepted', async (given) => {
    const { target: judged, fixtures } = settingsOf(await read({ ...target, [setting]: given }))

    expect([judged.query, fixtures.invalidQuery]).toContain(given)
  })
})

test("a proxy's user name may stand in a query", async () => {
  const env = { ...target, HTTPS_PROXY: 'http://page:proxypw@proxy.example:1', TARGET_QUERY: 'page=1' }

  expect(settingsOf(await read(env)).target.query).toBe('page=1')
})

describe('FIXTURE_INACTIVE_ENDPOINT', () => {
  test.each(['GET /api/old/list', 'POST /api/x', 'GET /api/a%20b'])('%s is accepted', async (text) => {
    const { fixtures } = settingsOf(await read({ ...target, FIXTURE_INACTIVE_ENDPOINT: text }))
    const [method, path] = text.split(' ')

    expect(fixtures.inactiveEndpoint).toEqual({ method, path })
  })

  test.each([
    '/api/x',
    'get /api/x',
    'GET /v1/api/x',
    'GET api/x',
    'GET  /api/x',
    'GET /api/x?y=1',
    'GET /api/x#y',
    'GET /api/{id}',
    'GET https://a.example/api/x',
    'GET /api/customizations/list',
  ])('%s is refused', async (text) => {
    const env = { ...target, FIXTURE_INACTIVE_ENDPOINT: text }

    expect(wrongSettings(await read(env))).toEqual(['FIXTURE_INACTIVE_ENDPOINT'])
  })
})

describe('FIXTURE_DISPOSABLE_QUOTA', () => {
  test('belongs to a disposable client', async () => {
    const env = { ...target, FIXTURE_DISPOSABLE_QUOTA: '50' }

    expect(wrongSettings(await read(env))).toEqual(['FIXTURE_DISPOSABLE_QUOTA'])
    expect(settingsOf(await read({ ...env, ...disposable })).fixtures.disposableQuota).toBe(50)
  })

  test('with half a client, the other half is what is missing', async () => {
    const env = { ...target, FIXTURE_DISPOSABLE_QUOTA: '50', FIXTURE_DISPOSABLE_API_KEY: 'disposable-key' }

    expect(wrongSettings(await read(env))).toEqual(['FIXTURE_DISPOSABLE_SECRET_KEY'])
  })

  test.each(['0', '-5', '1.5', 'many'])('%s is refused', async (FIXTURE_DISPOSABLE_QUOTA) => {
    const env = { ...target, ...disposable, FIXTURE_DISPOSABLE_QUOTA }

    expect(wrongSettings(await read(env))).toEqual(['FIXTURE_DISPOSABLE_QUOTA'])
  })
})

describe('FIXTURE_UNSUPPORTED_VERSION', () => {
  test.each([
    [{ FIXTURE_UNSUPPORTED_VERSION: '1' }, '1'],
    [{ FIXTURE_UNSUPPORTED_VERSION: '3', TARGET_VERSION: '3' }, '3'],
    [{ TARGET_VERSION: '2147483647' }, null],
  ])('must differ from TARGET_VERSION: %j', async (env, given) => {
    expect(issuesOf(await read({ ...target, ...env }))).toEqual([
      expect.objectContaining({ setting: 'FIXTURE_UNSUPPORTED_VERSION', given }),
    ])
  })
})
