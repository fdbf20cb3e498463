import { describe, expect, test } from 'vitest'

import { apiKey, mistakesOf, read, secretKey, settingsOf, target, wrongSettings } from './testing/read.ts'

describe('nothing given at all', () => {
  test.each([
    {},
    { CI: '' },
    { CI: 'false' },
    { CI: '0' },
    { RUN_SEED: '4', RUN_QUIET: 'yes' },
    { TARGET_ENV: 'x' },
  ])('judges the embedded service with %j, and says so in capitals', async (env) => {
    const result = await read(env)
    const { target: judged, fixtures, run } = settingsOf(result)

    expect(judged).toMatchObject({ embedded: true, baseUrl: null, client: null, version: '1' })
    expect(fixtures.second).toBeNull()
    expect(run.maxRps).toBeNull()
    expect(result).toMatchObject({ notices: [expect.stringContaining('EMBEDDED REFERENCE SERVICE')] })
  })

  test.each(['true', '1', 'woodpecker'])('is refused in a pipeline (CI=%s)', async (CI) => {
    const mistakes = mistakesOf(await read({ CI }))

    expect(mistakes.map(({ setting }) => setting)).toEqual(['TARGET_BASE_URL'])
    expect(mistakes[0]?.hint).toContain('--base-url embedded')
  })

  test('is refused in a pipeline also where the settings are there but empty', async () => {
    const env = { CI: 'true', TARGET_BASE_URL: '', TARGET_API_KEY: '', TARGET_SECRET_KEY: '' }

    expect(wrongSettings(await read(env))).toEqual(['TARGET_BASE_URL'])
  })
})

describe('embedded', () => {
  test('may be asked for outright, also in a pipeline, without a notice', async () => {
    const result = await read({ CI: 'true' }, { flags: { TARGET_BASE_URL: 'embedded' } })

    expect(settingsOf(result).target.embedded).toBe(true)
    expect(result).toMatchObject({ notices: [] })
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
    expect(wrongSettings(await read(env))).toEqual(settings)
  })

  test('an empty --base-url never means the embedded service', async () => {
    const result = await read({}, { flags: { TARGET_BASE_URL: '' } })

    expect(wrongSettings(result)).toEqual(['TARGET_BASE_URL', 'TARGET_API_KEY', 'TARGET_SECRET_KEY'])
  })
})

test('a misspelt embedded is not asked for a client', async () => {
  const [mistake, ...others] = mistakesOf(await read({ TARGET_BASE_URL: 'Embeded' }))

  expect(mistake).toMatchObject({ setting: 'TARGET_BASE_URL', hint: 'did you mean embedded?' })
  expect(others).toEqual([])
})
