import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Secret } from '../redact/secret.ts'
import { readSettings } from './read-settings.ts'
import { settingTable } from './setting-table.ts'
import type { SettingsInput } from './sources.ts'
import {
  apiKey,
  now,
  read,
  secretKey,
  settingsOf,
  target,
  temporaryFolder,
  wrongSettings,
} from './testing/read.ts'

const disposable = { FIXTURE_DISPOSABLE_API_KEY: 'key-3', FIXTURE_DISPOSABLE_SECRET_KEY: 'secret-3' }
const embedded = { TARGET_BASE_URL: 'embedded' }
const waiver = { rule: 'quota/exhausted', reason: 'r', owner: 'o', expires: '2026-11-19' }
const cwd = temporaryFolder({ 'waivers.json': JSON.stringify([waiver]), taken: '' })

test('a target alone gets the defaults of gate', async () => {
  const { target: judged, fixtures, run } = settingsOf(await read(target))

  expect(judged).toMatchObject({
    baseUrl: 'https://staging.example',
    embedded: false,
    version: '1',
    query: null,
    label: null,
    build: null,
    endpoints: [],
  })
  expect(judged.client?.apiKey).toBeInstanceOf(Secret)
  expect(fixtures).toEqual({
    unsupportedVersion: '2147483647',
    invalidQuery: null,
    second: null,
    noCustomer: null,
    inactive: null,
    unauthorized: null,
    exhausted: null,
    disposable: null,
    disposableQuota: null,
    inactiveEndpoint: null,
  })
  expect(run).toEqual({
    profile: 'gate',
    strict: false,
    seed: 20260101,
    fuzzCases: 20,
    only: null,
    essential: false,
    failed: false,
    identify: false,
    trace: false,
    clientCertificate: null,
    maxRequests: 500,
    maxExhaust: 1000,
    maxRps: 25,
    concurrency: 8,
    timeoutMs: 10_000,
    maxMinutes: 60,
    reportsDir: '/nowhere-at-all/reports',
    waivers: [],
    baseline: null,
    signingKeyFile: null,
    validDays: null,
    format: 'text',
    history: '/nowhere-at-all/reports/history.jsonl',
    quiet: false,
    ca: null,
    httpsProxy: null,
    noProxy: null,
    replayFlags: ['--base-url', target.TARGET_BASE_URL],
  })
})

test('defaults are those that the table tells', async () => {
  const told = settingTable.flatMap((one) => (one.default === undefined ? [] : [[one.name, one.default]]))

  expect(settingsOf(await read({ ...target, ...Object.fromEntries(told) }))).toEqual(
    settingsOf(await read(target)),
  )
})

const ofProfile = { RUN_PROFILE: 'acceptance', RUN_STRICT: 'no', RUN_SEED: '7', RUN_FUZZ_CASES: '0' }

test.each<readonly [SettingsInput['env'], object]>([
  [{ RUN_PROFILE: 'acceptance' }, { strict: true, seed: 20260101, fuzzCases: 200, maxRequests: 10_000 }],
  [{ RUN_PROFILE: 'nightly' }, { strict: false, seed: 20261120, fuzzCases: 2_000, maxRequests: 50_000 }],
  [ofProfile, { strict: false, seed: 7, fuzzCases: 0 }],
  ...['true', 'YES', '1'].map((text) => [{ RUN_QUIET: text }, { quiet: true }] as const),
  ...['false', 'no', '0'].map((text) => [{ RUN_QUIET: text }, { quiet: false }] as const),
  [{ RUN_MAX_RPS: '0.5' }, { maxRps: 0.5 }],
  [{ RUN_SEED: '0' }, { seed: 0 }],
  [{ RUN_SEED: ' 2147483647 ' }, { seed: 2_147_483_647 }],
  [{ RUN_MAX_EXHAUST: '1' }, { maxExhaust: 1 }],
  [{ RUN_MAX_MINUTES: '0.05' }, { maxMinutes: 0.05 }],
  [{ RUN_MAX_MINUTES: '10080' }, { maxMinutes: 10_080 }],
  [
    { RUN_TIMEOUT_MS: '1', RUN_CONCURRENCY: '256' },
    { timeoutMs: 1, concurrency: 256 },
  ],
  [{ RUN_FORMAT: 'json' }, { format: 'json' }],
  [{ NO_PROXY: 'localhost, .example' }, { noProxy: 'localhost, .example' }],
  ...['http://localhost:8080', 'http://127.0.0.1', 'http://127.8.9.10:1', 'http://[::1]:8080'].map(
    (url) => [{ TARGET_BASE_URL: url }, { maxRps: null }] as const,
  ),
  ...['https://127.example', 'https://localhost.example', 'https://10.0.0.1'].map(
    (url) => [{ TARGET_BASE_URL: url }, { maxRps: 25 }] as const,
  ),
  [{ RUN_SEDE: '' }, { seed: 20260101 }],
  // Waivers without a fingerprint of their own have none.
  [{ RUN_WAIVERS: 'waivers.json' }, { waivers: [{ ...waiver, fingerprint: null }] }],
])('%j makes a run with %o', async (env, expected) => {
  expect(settingsOf(await read({ ...target, ...env }, { cwd })).run).toMatchObject(expected)
})

const build = `sha256:${'0a'.repeat(32)}`
const aProxy = 'http://page:proxypw@proxy.example:1'

test.each<readonly [SettingsInput['env'], object]>([
  [{ TARGET_VERSION: '0' }, { target: { version: '0' } }],
  [{ FIXTURE_UNSUPPORTED_VERSION: '99' }, { fixtures: { unsupportedVersion: '99' } }],
  [{ TARGET_BUILD: '42' }, { target: { build: '42' } }],
  [{ TARGET_BUILD: build }, { target: { build } }],
  ...['page=1', 'a=%20&b=?', 'limit=abc', "q=it's"].flatMap((query) => [
    [{ TARGET_QUERY: query }, { target: { query } }] as const,
    [{ FIXTURE_INVALID_QUERY: query }, { fixtures: { invalidQuery: query } }] as const,
  ]),
  // The user name of a proxy is no secret.
  [{ HTTPS_PROXY: aProxy, TARGET_QUERY: 'page=1' }, { target: { query: 'page=1' } }],
  ...['GET /api/old/list', 'POST /api/x', 'GET /api/a%20b'].map((text) => {
    const [method, path] = text.split(' ')
    return [
      { FIXTURE_INACTIVE_ENDPOINT: text },
      { fixtures: { inactiveEndpoint: { method, path } } },
    ] as const
  }),
  [{ ...disposable, FIXTURE_DISPOSABLE_QUOTA: '50' }, { fixtures: { disposableQuota: 50 } }],
])('%j is read as %o', async (env, expected) => {
  expect(settingsOf(await read({ ...target, ...env }))).toMatchObject(expected)
})

describe('mistakes', () => {
  test('come all at once, with what was right', async () => {
    const wrong = { RUN_SEED: 'x', RUN_CONCURRENCY: '0', TARGET_VERSION: '07', RUN_ONLY: 'quota/*,nope' }
    const named = { TARGET_LABEL: 'vendor', TARGET_BUILD: '42' }
    const right = { RUN_PROFILE: 'acceptance', RUN_REPORTS_DIR: 'out', ...named }
    const result = await read({ ...target, ...wrong, ...right }, { cwd: '/somewhere' })

    expect(wrongSettings(result)).toEqual(['TARGET_VERSION', 'RUN_SEED', 'RUN_CONCURRENCY', 'RUN_ONLY'])
    expect(result).toMatchObject({
      reportsDir: '/somewhere/out',
      partial: {
        profile: 'acceptance',
        strict: true,
        seed: 20260101,
        fuzzCases: 200,
        baseUrl: 'https://staging.example',
        embedded: false,
        version: '1',
        label: 'vendor',
        build: '42',
        only: ['quota/*', 'nope'],
        maxRequests: 10_000,
        maxMinutes: 60,
        format: 'text',
        quiet: false,
      },
    })
  })

  const halves = 'left-half-5d,right-half-5d'
  const labelled = { TARGET_LABEL: `run with ${secretKey}`, RUN_SEED: 'x' }

  test.each<readonly [string, SettingsInput['env'], readonly string[], object]>([
    ['no credential in a label', labelled, ['RUN_SEED', 'TARGET_LABEL'], { partial: { label: null } }],
    // Reports go to the default.
    ['a file', { RUN_REPORTS_DIR: 'taken' }, ['RUN_REPORTS_DIR'], { reportsDir: join(cwd, 'reports') }],
    ['no part of one', { TARGET_SECRET_KEY: halves, RUN_ONLY: halves }, ['RUN_ONLY', 'RUN_ONLY'], {}],
  ])('show %s: %j', async (_, env, wrong, shown) => {
    const result = await read({ ...target, ...env }, { cwd })

    expect(wrongSettings(result)).toEqual(wrong)
    expect(result).toMatchObject(shown)
    expect(JSON.stringify(result)).not.toContain('half-5d')
  })
})

const proxied = { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'localhost, 10.*' }
const announced = 'NO_PROXY: the entry 10.* can match nothing'
const embeddedNotice = 'EMBEDDED REFERENCE SERVICE'
const notUsed = {
  ...embedded,
  TARGET_VERSION: 'abc',
  TARGET_QUERY: '?x',
  FIXTURE_SECOND_API_KEY: apiKey,
  FIXTURE_DISPOSABLE_QUOTA: '0',
}
const notUsedNotice =
  'TARGET_API_KEY, TARGET_SECRET_KEY, TARGET_VERSION, TARGET_QUERY, FIXTURE_SECOND_API_KEY, FIXTURE_DISPOSABLE_QUOTA'

test.each<[SettingsInput['env'], readonly string[], Partial<SettingsInput>?]>([
  [{ TARGET_BASE_URL: 'http://staging.example' }, ['unencrypted']],
  [{ RUN_WAIVERS: 'waivers.json' }, ['quota/exhausted expired on 2026-11-19']],
  [proxied, [announced]],
  [{ ...proxied, NO_PROXY: 'localhost, 10.0.0.0/8' }, []],
  // Only https has a proxy.
  [{ ...proxied, TARGET_BASE_URL: 'http://127.0.0.1:8080' }, []],
  [{ CI: 'true', TARGET_API_KEY: '', TARGET_SECRET_KEY: '' }, [embeddedNotice], { flags: embedded }],
  [notUsed, [embeddedNotice, notUsedNotice]],
])('%j is announced as %j', async (env, notices, others = {}) => {
  const result = await read({ ...target, ...env }, { cwd, ...others })

  expect(result).toMatchObject({
    kind: 'settings',
    notices: notices.map((one) => expect.stringContaining(one)),
  })
  if (env === notUsed) expect(JSON.stringify(result)).not.toContain(apiKey)
})

test('the embedded service uses neither clients nor fixtures, right or wrong, and no proxy', async () => {
  const named = { TARGET_LABEL: 'demo', TARGET_BUILD: '42', HTTPS_PROXY: 'socks5://nowhere' }
  const none = { baseUrl: null, client: null, query: null }

  expect(settingsOf(await read({ ...target, ...notUsed, ...named }))).toMatchObject({
    target: { embedded: true, version: '1', label: 'demo', build: '42', ...none },
    fixtures: { second: null, disposableQuota: null },
    run: { maxRps: null, httpsProxy: null },
  })
})

describe('own rules', () => {
  const folder = temporaryFolder({ '.env': 'RUN_SUITES=./own\n' })
  const other = { RUN_SUITES: 'other' }
  const line = expect.stringMatching(/^RUN_SUITES in \.env is not used, .*--suites/)

  test.each<readonly [string, Partial<SettingsInput>, string | null, readonly unknown[]]>([
    ['not taken from a .env that nobody named, and one line says so', {}, null, [line]],
    ['taken from a .env that is named', { envFile: '.env' }, 'own', []],
    ['taken from the environment', { env: { ...target, ...other } }, 'other', []],
    ['taken from a flag', { flags: other }, 'other', []],
  ])('are %s', async (_, others, expected, notices) => {
    const folders: (string | null)[] = []
    const input = { env: target, flags: {}, envFile: null, cwd: folder, now, ...others }
    const result = await readSettings(input, async (one) => {
      folders.push(one)
      return { value: [], issues: [] }
    })

    expect(folders).toEqual([expected === null ? null : join(folder, expected)])
    expect(result.notices).toEqual(notices)
  })
})
