import { expect, test } from 'vitest'

import type { SettingsInput } from './sources.ts'
import { apiKey, read, settingsOf, target, temporaryFolder } from './testing/read.ts'

const cwd = temporaryFolder({
  'endpoints.json': '[]',
  'ca.pem': '',
  'staging.env': 'TARGET_VERSION=2\nTARGET_ENDPOINTS=endpoints.json\n',
  'embedded.env': 'TARGET_BASE_URL=embedded\n',
})

const address = ['--base-url', target.TARGET_BASE_URL]

async function flagsOf(
  env: SettingsInput['env'],
  others: Partial<Pick<SettingsInput, 'flags' | 'envFile'>> = {},
): Promise<readonly string[]> {
  return settingsOf(await read(env, { cwd, ...others })).run.replayFlags
}

test('the address alone is added where the environment and .env say everything', async () => {
  expect(await flagsOf({ ...target, TARGET_QUERY: 'page=1', TARGET_VERSION: '2' })).toEqual(address)
})

test('every flag is added that decides what is sent, and none that does not', async () => {
  const flags = {
    TARGET_BASE_URL: 'https://staging.example/v2/',
    TARGET_VERSION: '2',
    TARGET_QUERY: "q=it's&page=1",
    TARGET_LABEL: 'vendor',
    TARGET_BUILD: '7',
    TARGET_ENDPOINTS: 'endpoints.json',
    FIXTURE_UNSUPPORTED_VERSION: '9',
    FIXTURE_INVALID_QUERY: 'limit=abc',
    RUN_PROFILE: 'nightly',
    RUN_STRICT: 'true',
    RUN_SEED: '7',
    RUN_ONLY: 'fuzz/*',
    RUN_MAX_EXHAUST: '5',
    RUN_TIMEOUT_MS: '300',
    RUN_MAX_MINUTES: '5',
    RUN_REPORTS_DIR: 'elsewhere',
    RUN_QUIET: 'true',
  }

  expect(await flagsOf(target, { flags })).toEqual(
    [
      ['--base-url', 'https://staging.example/v2/'],
      ['--target-version', '2'],
      ['--query', "q=it's&page=1"],
      ['--endpoints', 'endpoints.json'],
      ['--unsupported-version', '9'],
      ['--invalid-query', 'limit=abc'],
      ['--max-exhaust', '5'],
      ['--timeout-ms', '300'],
    ].flat(),
  )
})

test('the env file that was named is added, and but for the address nothing that it says', async () => {
  expect(await flagsOf(target, { envFile: 'staging.env' })).toEqual([
    '--settings-file',
    'staging.env',
    ...address,
  ])
})

test('an endpoints file is added, wherever else it was named', async () => {
  const env = { ...target, TARGET_ENDPOINTS: 'endpoints.json' }

  expect(await flagsOf(env)).toEqual([...address, '--endpoints', 'endpoints.json'])
})

test.each([
  [{ TARGET_BASE_URL: 'embedded' }, {}, []],
  [{}, { flags: { TARGET_BASE_URL: 'embedded' } }, []],
  [{}, { envFile: 'embedded.env' }, ['--settings-file', 'embedded.env']],
])('the embedded service is asked for outright: %j, %j', async (env, others, before) => {
  expect(await flagsOf(env, others)).toEqual([...before, '--base-url', 'embedded'])
})

test('what the embedded service does not use is not added', async () => {
  const flags = { TARGET_BASE_URL: 'embedded', TARGET_VERSION: '7', FIXTURE_INVALID_QUERY: 'a=b' }

  expect(await flagsOf({}, { flags })).toEqual(['--base-url', 'embedded'])
})

test('a secret is never added, even where a flag would give it', async () => {
  const flags = { TARGET_API_KEY: apiKey, HTTPS_PROXY: 'http://me:pr0xypass@proxy.example' }

  expect(await flagsOf(target, { flags })).toEqual(address)
})
