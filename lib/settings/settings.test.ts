import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { makeCertificates } from '../http/testing/certificates.ts'
import { temporaryFolder } from '../text/folder.testing.ts'
import { clientTable } from './connection-settings.ts'
import { profiles } from './profiles.ts'
import { settingNamed, settingTable } from './setting-table.ts'
import { readSettings } from './settings.ts'
import type { SettingsInput } from './sources.ts'
import { apiKey, read, secretKey, settingsOf, target, wrongSettings, type Others } from './testing/read.ts'

const { ca: certificate, local } = makeCertificates()
const disposable = { FIXTURE_DISPOSABLE_API_KEY: 'key-3', FIXTURE_DISPOSABLE_SECRET_KEY: 'secret-3' }
const TARGET_ENDPOINTS = 'endpoints.json'
const embedded = { TARGET_BASE_URL: 'embedded' }
const endpoint = { method: 'GET', path: '/api/cards' }
const waiver = { rule: 'quota/exhausted', reason: 'r', owner: 'o', expires: '2026-11-19' }
const cwd = temporaryFolder({
  'waivers.json': JSON.stringify([waiver]),
  'ca.pem': `a comment\n${certificate}`,
  'both.pem': local.key + certificate + certificate.replace('MII', 'AAA'),
  'key.txt': `${apiKey}\n`,
  'secret.txt': `${secretKey}\r\n`,
  'endpoints.json': JSON.stringify([endpoint]),
  'staging.env': 'TARGET_VERSION=2\nTARGET_ENDPOINTS=endpoints.json\n',
  'embedded.env': 'TARGET_BASE_URL=embedded\n',
  taken: '',
})

test('a run with only a target has the defaults from the gate profile and the setting table', async () => {
  const settings = settingsOf(await read(target))
  const usual = settingTable.flatMap((one) => (one.default === undefined ? [] : [[one.name, one.default]]))

  const text = JSON.stringify(settings)
  await expect(JSON.parse(text)).toMatchFileSnapshot('../../tests/golden/forms/settings.txt')
  expect(settingsOf(await read({ ...target, ...Object.fromEntries(usual) }))).toEqual(settings)
  expect(settingNamed('RUN_PROFILE')?.choices).toEqual(Object.keys(profiles))
  const inspected = inspect(settings, { depth: null, showHidden: true })
  expect([apiKey, secretKey].filter((one) => `${text}${inspected}`.includes(one))).toEqual([])
})

const acceptance = { strict: true, seed: 20260101, fuzzCases: 200, maxRequests: 10_000 }
const nightly = { strict: false, seed: 20261120, fuzzCases: 2_000, maxRequests: 50_000 }
const ofProfile = { RUN_PROFILE: 'acceptance', RUN_STRICT: 'no', RUN_SEED: '7', RUN_FUZZ_CASES: '0' }
const hosts = ['proxy.example:3128', 'me:pr0xypass@proxy.example:3128', 'u:100%25@proxy.example:1']
const proxies = hosts.map((host) => `http://${host}`)
const lowerCase = { no_proxy: 'b', https_proxy: 'http://a:1', HTTPS_PROXY: ' ' }
const loopback = ['http://localhost:8080', 'http://127.0.0.1', 'http://127.8.9.10:1', 'http://[::1]:8080']
const remote = ['https://127.example', 'https://localhost.example', 'https://10.0.0.1']
const pem = certificate
const baseline = { mode: 'replace', file: join(cwd, 'b') }
const build = `sha256:${'0a'.repeat(32)}`

test.each<readonly [SettingsInput['env'], object]>([
  [{ RUN_PROFILE: 'acceptance' }, { run: acceptance }],
  [{ RUN_PROFILE: 'nightly' }, { run: nightly }],
  [ofProfile, { run: { strict: false, seed: 7, fuzzCases: 0 } }],
  ...['true', 'YES', '1'].map((text) => [{ RUN_QUIET: text }, { run: { quiet: true } }] as const),
  ...['false', 'no', '0'].map((text) => [{ RUN_QUIET: text }, { run: { quiet: false } }] as const),
  [{ RUN_MAX_RPS: '0.5', RUN_MAX_EXHAUST: '1' }, { run: { maxRps: 0.5, maxExhaust: 1 } }],
  [{ RUN_SEED: '0', RUN_MAX_MINUTES: '0.05' }, { run: { seed: 0, maxMinutes: 0.05 } }],
  [{ RUN_SEED: ' 2147483647 ', RUN_CONCURRENCY: '256' }, { run: { seed: 2_147_483_647, concurrency: 256 } }],
  [{ RUN_MAX_MINUTES: '10080', RUN_TIMEOUT_MS: '1' }, { run: { maxMinutes: 10_080, timeoutMs: 1 } }],
  [{ RUN_FORMAT: 'json', NO_PROXY: 'a, .b' }, { run: { format: 'json', noProxy: 'a, .b' } }],
  [lowerCase, { run: { noProxy: 'b', httpsProxy: lowerCase.https_proxy } }],
  ...proxies.map((httpsProxy) => [{ HTTPS_PROXY: httpsProxy }, { run: { httpsProxy } }] as const),
  ...loopback.map((url) => [{ TARGET_BASE_URL: url }, { run: { maxRps: null } }] as const),
  ...remote.map((url) => [{ TARGET_BASE_URL: url }, { run: { maxRps: 25 } }] as const),
  [{ RUN_SEDE: '' }, { run: { seed: 20260101 } }],
  // A waiver without a fingerprint gets null.
  [{ RUN_WAIVERS: 'waivers.json' }, { run: { waivers: [{ ...waiver, fingerprint: null }] } }],
  ...['ca.pem', 'both.pem'].map((file) => [{ RUN_CA_FILE: file }, { run: { ca: { file, pem } } }] as const),
  [{ RUN_BASELINE: 'b', RUN_RESET_BASELINE: '1' }, { run: { baseline } }],
  [{ TARGET_ENDPOINTS }, { target: { endpoints: [{ ...endpoint, file: TARGET_ENDPOINTS, number: 1 }] } }],
  [{ TARGET_VERSION: '0', TARGET_BUILD: build }, { target: { version: '0', build } }],
  [{ FIXTURE_UNSUPPORTED_VERSION: '99' }, { fixtures: { unsupportedVersion: '99' } }],
  ...['page=1', 'a=%20&b=?', 'limit=abc', "q=it's"].flatMap((query) => [
    [{ TARGET_QUERY: query }, { target: { query } }] as const,
    [{ FIXTURE_INVALID_QUERY: query }, { fixtures: { invalidQuery: query } }] as const,
  ]),
  // The user name of a proxy is not a secret.
  [{ HTTPS_PROXY: 'http://page:pw@p.example', TARGET_QUERY: 'page=1' }, { target: { query: 'page=1' } }],
  ...['GET /api/old/list', 'POST /api/x', 'GET /api/a%20b'].map((text) => {
    const [method, path] = text.split(' ')
    const inactiveEndpoint = { method, path }
    return [{ FIXTURE_INACTIVE_ENDPOINT: text }, { fixtures: { inactiveEndpoint } }] as const
  }),
  [{ ...disposable, FIXTURE_DISPOSABLE_QUOTA: '50' }, { fixtures: { disposableQuota: 50 } }],
])('the settings %j are read as %o', async (env, expected) => {
  expect(settingsOf(await read({ ...target, ...env }, { cwd }))).toMatchObject(expected)
})

test('a result with mistakes has the valid settings and the reports folder, but no credentials', async () => {
  const wrong = { RUN_SEED: 'x', RUN_CONCURRENCY: '0', TARGET_VERSION: '07', RUN_ONLY: 'quota/*,nope' }
  const right = { RUN_PROFILE: 'acceptance', RUN_REPORTS_DIR: 'out', TARGET_LABEL: 'vendor' }
  const result = await read({ ...target, ...wrong, ...right }, { cwd: '/somewhere' })

  expect(wrongSettings(result)).toEqual(['TARGET_VERSION', 'RUN_SEED', 'RUN_CONCURRENCY', 'RUN_ONLY'])
  expect(result).toMatchObject({
    partial: {
      target: { baseUrl: 'https://staging.example', version: '1', label: 'vendor' },
      run: { profile: 'acceptance', seed: 20260101, only: ['quota/*', 'nope'], reportsDir: '/somewhere/out' },
    },
  })
  const labelled = await read({ ...target, TARGET_LABEL: `run with ${secretKey}`, RUN_SEED: 'x' })
  expect(wrongSettings(labelled)).toEqual(['RUN_SEED', 'TARGET_LABEL'])
  expect(labelled).toMatchObject({ partial: { target: { label: null } } })
  const taken = await read({ ...target, RUN_REPORTS_DIR: 'taken' }, { cwd })
  expect(taken).toMatchObject({ partial: { run: { reportsDir: join(cwd, 'reports') } } })
})

const embeddedNotice = 'EMBEDDED REFERENCE SERVICE'
const ignored = { TARGET_VERSION: 'abc', TARGET_QUERY: '?x', FIXTURE_SECOND_API_KEY: apiKey }
const judgedAs = { TARGET_LABEL: 'demo', TARGET_BUILD: '42', HTTPS_PROXY: 'socks5://nowhere' }
const notUsed = { ...embedded, ...ignored, ...judgedAs, FIXTURE_DISPOSABLE_QUOTA: '0' }
const none = { baseUrl: null, client: null, query: null }
const ofReference = {
  target: { embedded: true, version: '1', label: 'demo', build: '42', ...none },
  fixtures: { second: null, disposableQuota: null },
  run: { maxRps: null, httpsProxy: null },
}
const notUsedNotice = `TARGET_API_KEY, TARGET_SECRET_KEY, ${Object.keys(ignored).join(', ')}, FIXTURE_DISPOSABLE_QUOTA`

test.each<[SettingsInput['env'], readonly string[], Others?, object?]>([
  [{ TARGET_BASE_URL: 'http://staging.example' }, ['unencrypted']],
  [{ RUN_WAIVERS: 'waivers.json' }, ['quota/exhausted expired on 2026-11-19']],
  [{ TARGET_BASE_URL: 'http://127.0.0.1:8080' }, []],
  [{ CI: 'true', TARGET_API_KEY: '', TARGET_SECRET_KEY: '' }, [embeddedNotice], { flags: embedded }],
  // The embedded service ignores clients, fixtures and the proxy, even if they are invalid.
  [notUsed, [embeddedNotice, notUsedNotice], {}, ofReference],
])('the settings %j cause the notices %j', async (env, notices, others = {}, settings = {}) => {
  const result = await read({ ...target, ...env }, { cwd, ...others })

  const shown = notices.map((one) => expect.stringContaining(one))
  expect(result).toMatchObject({ kind: 'settings', notices: shown, settings })
  expect(JSON.stringify(result)).not.toContain(apiKey)
})

const folder = temporaryFolder({ '.env': 'RUN_SUITES=./own\n' })
const other = { RUN_SUITES: 'other' }
const line = expect.stringMatching(/^RUN_SUITES in \.env is ignored, .*--suites/)

test.each<readonly [string, Partial<SettingsInput>, string | null, readonly unknown[]]>([
  ['ignored with a notice in a .env that the user did not name', {}, null, [line]],
  ['taken from a judgedAs .env', { envFile: '.env' }, 'own', []],
  ['taken from the environment', { env: { ...target, ...other } }, 'other', []],
  ['taken from a flag', { flags: other }, 'other', []],
])('RUN_SUITES is %s', async (_, others, expected, notices) => {
  const folders: (string | null)[] = []
  const input = { env: target, flags: {}, envFile: null, cwd: folder, now: new Date(), ...others }
  const result = await readSettings(input, async (one) => {
    folders.push(one)
    return { value: [], issues: [] }
  })

  expect(folders).toEqual([expected === null ? null : join(folder, expected)])
  expect(result.notices).toEqual(notices)
})

const { TARGET_BASE_URL } = target
const ofFiles = { TARGET_API_KEY_FILE: 'key.txt', TARGET_SECRET_KEY_FILE: 'secret.txt' }
const ofTarget = `TARGET_API_KEY=${apiKey} TARGET_SECRET_KEY=${secretKey}`
const shared = { FIXTURE_SECOND_API_KEY: apiKey, FIXTURE_SECOND_SECRET_KEY: 'other-1' }
const ofShared = `FIXTURE_SECOND_API_KEY=${apiKey} FIXTURE_SECOND_SECRET_KEY=other-1`
const keys = clientTable.flatMap((one) => [one.apiKey, one.secretKey])
const ofEvery = Object.fromEntries(keys.map((one) => [one, `value-of-${one}`]))

test.each<[string, SettingsInput['env'], string]>([
  ['every configured client', ofEvery, keys.map((one) => `${one}=value-of-${one}`).join(' ')],
  ['the target client from files', ofFiles, ofTarget],
  ['clients that share a key, but not a secret', { ...target, ...shared }, `${ofTarget} ${ofShared}`],
])('clients are read: %s', async (_what, env, clients) => {
  const { target: own, fixtures } = settingsOf(await read({ TARGET_BASE_URL, ...env }, { cwd }))
  const pairs = clientTable.map(({ name }) => (name === 'target' ? own.client : fixtures[name]))
  const all = pairs.flatMap((pair) => (pair === null ? [] : [pair.apiKey, pair.secretKey]))

  expect(all.map((one) => `${one.name}=${one.reveal()}`).join(' ')).toBe(clients)
})

const address = ['--base-url', target.TARGET_BASE_URL]
const ofEmbedded = ['--base-url', 'embedded']
const endpoints = ['--endpoints', TARGET_ENDPOINTS]
const sent = {
  TARGET_BASE_URL: 'https://staging.example/v2/',
  TARGET_VERSION: '2',
  TARGET_QUERY: "q=it's&page=1",
  TARGET_ENDPOINTS,
  FIXTURE_UNSUPPORTED_VERSION: '9',
  FIXTURE_INVALID_QUERY: 'limit=abc',
  RUN_MAX_EXHAUST: '5',
  RUN_TIMEOUT_MS: '300',
}
const ofOutput = { TARGET_LABEL: 'vendor', TARGET_BUILD: '7', RUN_REPORTS_DIR: 'elsewhere', RUN_QUIET: '1' }
const ofChoice = { RUN_PROFILE: 'nightly', RUN_STRICT: 'true', RUN_SEED: '7', RUN_ONLY: 'fuzz/*' }
const decidesNothing = { ...ofOutput, ...ofChoice, RUN_MAX_MINUTES: '5' }
const sentFlags = settingTable.flatMap(({ name, flag }) => {
  const value = new Map(Object.entries(sent)).get(name)
  return value === undefined ? [] : [`--${flag}`, value]
})
const secrets = { TARGET_API_KEY: apiKey, HTTPS_PROXY: 'http://me:pr0xypass@proxy.example' }
const unused = { ...embedded, TARGET_VERSION: '7', FIXTURE_INVALID_QUERY: 'a=b' }
const named = (file: string): readonly string[] => ['--settings-file', file]

test.each<readonly [string, SettingsInput['env'], Others, readonly string[]]>([
  ['the address alone', { ...target, TARGET_QUERY: 'page=1', TARGET_VERSION: '2' }, {}, address],
  ['all flags that decide what is sent', target, { flags: { ...sent, ...decidesNothing } }, sentFlags],
  ['the named env file', target, { envFile: 'staging.env' }, [...named('staging.env'), ...address]],
  ['the address and an endpoints file', { ...target, TARGET_ENDPOINTS }, {}, [...address, ...endpoints]],
  ['the address "embedded" from the environment', embedded, {}, ofEmbedded],
  ['the address "embedded" from a flag', {}, { flags: embedded }, ofEmbedded],
  ['the env file and "embedded"', {}, { envFile: 'embedded.env' }, [...named('embedded.env'), ...ofEmbedded]],
  ['the address "embedded" without unused flags', {}, { flags: unused }, ofEmbedded],
  ['the address without secrets', target, { flags: secrets }, address],
])('the flags of a replay line are %s', async (_, env, others, flags) => {
  expect(settingsOf(await read(env, { cwd, ...others })).run.replayFlags).toEqual(flags)
})
