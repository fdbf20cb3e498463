import { describe, expect, test } from 'vitest'
import { settingTable } from './setting-table.ts'
import type { SettingsInput } from './sources.ts'
import { apiKey, read, settingsOf, target, temporaryFolder } from './testing/read.ts'

const embedded = { TARGET_BASE_URL: 'embedded' }
const cwd = temporaryFolder({
  'endpoints.json': '[]',
  'staging.env': 'TARGET_VERSION=2\nTARGET_ENDPOINTS=endpoints.json\n',
  'embedded.env': 'TARGET_BASE_URL=embedded\n',
})

describe('the flags of a line that replays', () => {
  const address = ['--base-url', target.TARGET_BASE_URL]
  const endpoints = [...address, '--endpoints', 'endpoints.json']
  const ofEmbedded = ['--base-url', 'embedded']
  const sent = {
    TARGET_BASE_URL: 'https://staging.example/v2/',
    TARGET_VERSION: '2',
    TARGET_QUERY: "q=it's&page=1",
    TARGET_ENDPOINTS: 'endpoints.json',
    FIXTURE_UNSUPPORTED_VERSION: '9',
    FIXTURE_INVALID_QUERY: 'limit=abc',
    RUN_MAX_EXHAUST: '5',
    RUN_TIMEOUT_MS: '300',
  }
  const decidesNothing = {
    TARGET_LABEL: 'vendor',
    TARGET_BUILD: '7',
    RUN_PROFILE: 'nightly',
    RUN_STRICT: 'true',
    RUN_SEED: '7',
    RUN_ONLY: 'fuzz/*',
    RUN_MAX_MINUTES: '5',
    RUN_REPORTS_DIR: 'elsewhere',
    RUN_QUIET: 'true',
  }
  const sentFlags = settingTable.flatMap(({ name, flag }) => {
    const value = new Map(Object.entries(sent)).get(name)
    return value === undefined ? [] : [`--${flag}`, value]
  })
  const secrets = { TARGET_API_KEY: apiKey, HTTPS_PROXY: 'http://me:pr0xypass@proxy.example' }
  const unused = { ...embedded, TARGET_VERSION: '7', FIXTURE_INVALID_QUERY: 'a=b' }

  test.each<readonly [string, SettingsInput['env'], Partial<SettingsInput>, readonly string[]]>([
    ['the address alone', { ...target, TARGET_QUERY: 'page=1', TARGET_VERSION: '2' }, {}, address],
    ['all that decide what is sent', target, { flags: { ...sent, ...decidesNothing } }, sentFlags],
    [
      'the named env file',
      target,
      { envFile: 'staging.env' },
      ['--settings-file', 'staging.env', ...address],
    ],
    ['an endpoints file', { ...target, TARGET_ENDPOINTS: 'endpoints.json' }, {}, endpoints],
    ['embedded, of the environment', embedded, {}, ofEmbedded],
    ['embedded, of a flag', {}, { flags: embedded }, ofEmbedded],
    [
      'embedded, of a file',
      {},
      { envFile: 'embedded.env' },
      ['--settings-file', 'embedded.env', ...ofEmbedded],
    ],
    ['embedded, and nothing that it does not use', {}, { flags: unused }, ofEmbedded],
    ['no secret', target, { flags: secrets }, address],
  ])('are %s', async (_, env, others, flags) => {
    expect(settingsOf(await read(env, { cwd, ...others })).run.replayFlags).toEqual(flags)
  })
})
