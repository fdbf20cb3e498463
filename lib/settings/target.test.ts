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
    { TARGET_BASE_URL: '', TARGET_API_KEY: '', TARGET_SECRET_KEY: '' },
  ])('is one mistake with %j, and says where settings were looked for and what to do', async (env) => {
    expect(issuesOf(await read(env))).toEqual([
      {
        setting: 'TARGET_BASE_URL',
        given: null,
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
      `in ${join(cwd, '.env')} (a file that exists, and is not read since CI is set: --env-file .env reads it);`,
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
      FIXTURE_SECOND_API_KEY: apiKey,
      FIXTURE_DISPOSABLE_QUOTA: '0',
      HTTPS_PROXY: 'socks5://nowhere',
    }
    const result = await read(env)
    const { target: judged, fixtures, run } = settingsOf(result)

    expect(judged).toMatchObject({ client: null, version: '1', query: null, label: 'demo' })
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
