import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  apiKey,
  issuesOf,
  read,
  secretKey,
  settingsOf,
  target,
  temporaryFolder,
  wrongSettings,
} from './testing/read.ts'

describe('nothing given at all', () => {
  test.each([
    {},
    { CI: '' },
    { CI: 'true' },
    { RUN_SEED: '4', RUN_QUIET: 'yes' },
    { TARGET_ENV: 'x' },
    { TARGET_BASE_URL: ' ', TARGET_API_KEY: '', TARGET_SECRET_KEY: '' },
  ])('is one mistake with %j, and says where settings were looked for and what to do', async (env) => {
    expect(issuesOf(await read(env))).toEqual([
      {
        setting: 'TARGET_BASE_URL',
        given: 'TARGET_BASE_URL' in env ? 'an empty value' : null,
        expected: 'the address of the service, or embedded',
        hint: "looked for among the flags, in the environment and in /nowhere-at-all/.env (a file that does not exist); set TARGET_BASE_URL, TARGET_API_KEY and TARGET_SECRET_KEY, or ask for the suite's own reference service with --base-url embedded",
      },
    ])
  })

  test('says whether the env file was there', async () => {
    const cwd = temporaryFolder({ '.env': 'RUN_SEED=3', 'other.env': '' })
    const hintOf = async (others: Parameters<typeof read>[1], env = {}) =>
      issuesOf(await read(env, { cwd, ...others }))[0]?.hint

    expect(await hintOf({})).toContain(`in ${join(cwd, '.env')} (a file that exists);`)
    expect(await hintOf({ envFile: 'other.env' })).toContain(
      `in ${join(cwd, 'other.env')} (a file that exists);`,
    )
    expect(await hintOf({}, { CI: 'true' })).toContain(
      `in ${join(cwd, '.env')} (a file that exists, and is not read in a pipeline (CI is set): --settings-file .env reads it);`,
    )
  })
})

describe('embedded', () => {
  test('is judged where it is asked for, also in a pipeline, and said in capitals', async () => {
    const result = await read({ CI: 'true' }, { flags: { TARGET_BASE_URL: 'embedded' } })

    const { target: judged, fixtures, run } = settingsOf(result)
    expect(judged).toMatchObject({ embedded: true, baseUrl: null, client: null, version: '1' })
    expect(fixtures.second).toBeNull()
    expect(run.maxRps).toBeNull()
    expect(result.notices).toEqual([expect.stringContaining('EMBEDDED REFERENCE SERVICE')])
  })

  test('uses neither clients nor fixtures, right or wrong, and says which', async () => {
    const env = {
      ...target,
      TARGET_BASE_URL: 'embedded',
      TARGET_VERSION: 'abc',
      TARGET_QUERY: '?x',
      TARGET_LABEL: 'demo',
      TARGET_BUILD: '42',
      FIXTURE_SECOND_API_KEY: apiKey,
      FIXTURE_DISPOSABLE_QUOTA: '0',
      HTTPS_PROXY: 'socks5://nowhere',
    }
    const result = await read(env)
    const { target: judged, fixtures, run } = settingsOf(result)

    expect(judged).toMatchObject({ client: null, version: '1', query: null, label: 'demo', build: '42' })
    expect(fixtures.disposableQuota).toBeNull()
    expect(run.httpsProxy).toBeNull()
    expect(result).toMatchObject({
      notices: [
        expect.stringContaining('EMBEDDED REFERENCE SERVICE'),
        expect.stringContaining(
          'TARGET_API_KEY, TARGET_SECRET_KEY, TARGET_VERSION, TARGET_QUERY, FIXTURE_SECOND_API_KEY, FIXTURE_DISPOSABLE_QUOTA',
        ),
      ],
    })
    expect(JSON.stringify(result)).not.toContain(apiKey)
  })
})

test.each(['42', `sha256:${'0a'.repeat(32)}`])('a build has any name: %s', async (build) => {
  expect(settingsOf(await read({ ...target, TARGET_BUILD: build })).target.build).toBe(build)
})

describe('without TARGET_BASE_URL', () => {
  test.each([
    [{ RUN_PROFILE: 'acceptance' }, ['TARGET_BASE_URL', 'TARGET_API_KEY', 'TARGET_SECRET_KEY']],
    [{ TARGET_LABEL: 'x' }, ['TARGET_BASE_URL', 'TARGET_API_KEY', 'TARGET_SECRET_KEY']],
    [{ TARGET_API_KEY: apiKey, TARGET_SECRET_KEY: secretKey }, ['TARGET_BASE_URL']],
    [{ FIXTURE_INVALID_QUERY: 'a=b' }, ['TARGET_BASE_URL', 'TARGET_API_KEY', 'TARGET_SECRET_KEY']],
  ])('%j is a mistake', async (env, settings) => {
    const result = await read(env)

    expect(wrongSettings(result)).toEqual(settings)
    expect(issuesOf(result)[0]?.hint).toMatch(/^needed since .+ given; looked for among the flags, .+\.env/)
  })

  test('an empty --base-url never means the embedded service', async () => {
    const result = await read({}, { flags: { TARGET_BASE_URL: '' } })

    expect(wrongSettings(result)).toEqual(['TARGET_BASE_URL', 'TARGET_API_KEY', 'TARGET_SECRET_KEY'])
  })
})

test('a misspelt embedded is not asked for a client', async () => {
  const [mistake, ...others] = issuesOf(await read({ TARGET_BASE_URL: 'Embeded' }))

  expect(mistake).toMatchObject({ setting: 'TARGET_BASE_URL', hint: 'did you mean embedded?' })
  expect(others).toEqual([])
})

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
    'GET /api/../x',
    'GET /api/x/%2E.',
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
    [{ TARGET_VERSION: '2147483647' }, 'nothing, so 2147483647'],
  ])('must differ from TARGET_VERSION: %j', async (env, given) => {
    expect(issuesOf(await read({ ...target, ...env }))).toEqual([
      expect.objectContaining({ setting: 'FIXTURE_UNSUPPORTED_VERSION', given }),
    ])
  })
})
