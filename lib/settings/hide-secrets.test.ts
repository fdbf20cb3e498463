import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { spellings } from '../../tests/leaks/spellings.ts'
import { Secret } from '../redact/secret.ts'
import { temporaryFolder } from '../text/folder.testing.ts'
import { credentialSearch, hideSecrets, type CredentialSearch } from './hide-secrets.ts'
import { settingTable, type Setting } from './setting-table.ts'
import type { SettingsInput } from './sources.ts'
import { apiKey, issuesOf, mistake, read, secretKey, target, wrongSettings } from './testing/read.ts'

const oddSecret = 's3cret"value+1'

function searchFor(...values: readonly string[]): CredentialSearch {
  return credentialSearch(values.map((value) => new Secret('KEY', value)))
}

test.each([
  ['part of another text', `before ${oddSecret} after`],
  ['cut off by the maximum shown length', `${'x'.repeat(75)}${oddSecret}`],
  ['percent-encoded', encodeURIComponent(oddSecret)],
  ['in JSON', JSON.stringify({ oddSecret })],
])('a secret is not shown if it is %s', (_, given) => {
  const shown = { setting: 'X', given, expected: `a ${oddSecret}`, hint: given }

  const hidden = `a value of ${given.length} characters, hidden because it contains KEY or most of it`
  const other = 'a different value; the details are hidden because they contain KEY or most of it'
  expect(hideSecrets([shown], searchFor(oddSecret))).toEqual([mistake('X', other, hidden)])
})

test.each<readonly [string, string, boolean]>([
  ...['devices of dev-2', 'dev', 'a/dev/b'].map((text) => ['dev', text, true] as const),
  ...['devices', 'my2dev', 'devdev'].map((text) => ['dev', text, false] as const),
  // Also if it contains no word characters.
  ...['a.b', '(((', '-^]', '\\d{', '/$|'].map((odd) => [odd, `x ${odd} y`, true] as const),
  ...['a.b', '(((', '-^]', '\\d{', '/$|'].map((odd) => [odd, 'xaxb y', false] as const),
])('the short secret "%s" is found as a separate word in "%s": %s', (secret, text, found) => {
  expect(searchFor(secret)(text)).toBe(found ? 'KEY' : null)
})

const inReports = 'a text without any of the configured credentials, because reports or logs show it'
const clients = {
  FIXTURE_SECOND_API_KEY: 'other-key-91',
  FIXTURE_SECOND_SECRET_KEY: 'ab12',
  FIXTURE_EXHAUSTED_APIKEY: 'misspelt-key-17',
  HTTPS_PROXY: 'http://jenkins:pr0xy-p%40ss@proxy.example',
}

test.each([
  ['TARGET_API_KEY', apiKey],
  ['TARGET_SECRET_KEY', encodeURIComponent(secretKey).replace('-', '%2d')],
  ['FIXTURE_SECOND_API_KEY', 'other-key-91'],
  ['FIXTURE_EXHAUSTED_API_KEY', 'misspelt-key-17'],
  ['HTTPS_PROXY', 'pr0xy-p%40ss'],
  ['HTTPS_PROXY', 'pr0xy-p@ss'],
  ['FIXTURE_SECOND_SECRET_KEY', 'ab12'],
])('a credential is refused in a label, with a message that names %s', async (name, credential) => {
  const result = await read({ ...target, ...clients, TARGET_LABEL: `build ${credential}` })

  const hidden = `a value of ${credential.length + 6} characters, hidden because it contains ${name} or most of it`
  expect(issuesOf(result)).toContainEqual(mistake('TARGET_LABEL', inReports, hidden))
  expect(JSON.stringify(result)).not.toContain(credential)
})

const proxy = 'http://conn:pr0xypass@proxy.example'

test.each<readonly [refusedIn: string, credential: string, SettingsInput['env']]>([
  // Even for the embedded service, which uses no client.
  ['TARGET_LABEL', apiKey, { TARGET_BASE_URL: 'embedded', TARGET_LABEL: apiKey }],
  ['TARGET_BASE_URL', apiKey, { TARGET_BASE_URL: `https://${apiKey}.example` }],
  // Three characters are refused if they are the whole label.
  ['TARGET_LABEL', 'ild', { TARGET_LABEL: 'ild' }],
  ['TARGET_LABEL', apiKey, { HTTPS_PROXY: proxy, TARGET_LABEL: 'pr0xypas' }],
  ['TARGET_LABEL', apiKey, { HTTPS_PROXY: 'http://a:1', https_proxy: proxy, TARGET_LABEL: 'pr0xypas' }],
  ['', 'test-key', { TARGET_BASE_URL: 'https://test.example' }],
  ['', 'test-key-7f3d9a61', { TARGET_LABEL: 'test-key staging' }],
  ['', 'staging-key-1', { TARGET_LABEL: 'staging' }],
  ['', 'staging', { TARGET_BASE_URL: 'https://staging.example' }],
  ['', 'customer-a', { TARGET_BASE_URL: 'https://customer-a.example/customer-a' }],
  ['', 'sandbox1', { TARGET_LABEL: 'sandbox', RUN_REPORTS_DIR: '/srv/sandbox/reports' }],
  ['', 'changeme', { TARGET_LABEL: 'change request 17' }],
  ['', '20261120', { TARGET_LABEL: 'build 2026112' }],
  ['', 'customizations', { FIXTURE_INACTIVE_ENDPOINT: 'GET /api/customizations/old' }],
  ['', 'customizations', { TARGET_LABEL: 'Customizations of Acme' }],
  ['', 'my-secret-key-1', { TARGET_LABEL: 'Acme, x-secret-key over mTLS' }],
  ['', 'staging_api_key', { TARGET_LABEL: 'Staging API' }],
  ['', 'card-switch-test', { TARGET_LABEL: 'card-switch service' }],
  ['', 'demo', { RUN_BASELINE: 'demo/baseline.json' }],
  ['', 'ild', { TARGET_LABEL: 'build 7' }],
  ['', 'customer', { RUN_ONLY: '*/customer-not-found' }],
  ['', apiKey, { NO_PROXY: `${apiKey}.example` }],
  // The user name of a proxy is not a secret.
  ['', apiKey, { HTTPS_PROXY: proxy, TARGET_LABEL: 'conn' }],
])('a credential is refused in "%s" if that reveals much of %s: %j', async (setting, credential, env) => {
  const result = await read({ ...target, TARGET_API_KEY: credential, ...env })

  expect(wrongSettings(result).join(' ')).toBe(setting)
})

const random = fc.stringMatching(/^[A-Za-z0-9]{12,99}$/)

// Users do not type credentials as lists of bytes.
const typed = Object.entries(spellings).filter(([name]) => name !== 'as the bytes of a buffer')
test.each(typed)('three quarters of a credential in a row are found, but no shorter part: %s', (_, spell) => {
  const property = fc.property(random, fc.nat(), (credential, place) => {
    fc.pre(new Set(credential).size > credential.length * 0.6 || new Set(credential).size > 40)
    const search = searchFor(credential)
    const length = Math.ceil(credential.length * 0.75)
    const rowOf = (most: number): string => {
      const from = place % (credential.length - most + 1)
      return credential.slice(from, from + most)
    }

    expect(search(`build 7, ${spell(rowOf(length))}`)).toBe('KEY')
    expect(search(`§${rowOf(length - 2)}§`)).toBeNull()
  })
  fc.assert(property, { numRuns: 5 })
})

const sought = 'sk_9fQ2mLx7Tzv4Rk1wYc83'
const part = sought.slice(0, -1)
/** A sample to test in every place. The search itself is tested with all spellings. */
const someSpellings = typed
  .filter((_, place) => place % 6 === 0)
  .map(([name, spell]) => [name, spell(part)] as const)

/** For each setting, a value that is valid except for the credential in it. */
const values: Readonly<Record<string, (credential: string) => string>> = {
  TARGET_BASE_URL: (credential) => `https://staging.example/tenants/${credential}`,
  TARGET_QUERY: (credential) => `key=${credential}`,
  TARGET_LABEL: (credential) => `build 7 of ${credential}`,
  FIXTURE_INVALID_QUERY: (credential) => `limit=${credential}`,
  FIXTURE_INACTIVE_ENDPOINT: (credential) => `GET /api/cards/${credential}`,
  RUN_ONLY: (credential) => `fuzz/*,${credential}`,
}
// NO_PROXY appears in no report.
const open = settingTable.filter(({ secret, name }) => !secret && name !== 'NO_PROXY')
const withSecret = { ...target, TARGET_SECRET_KEY: sought }
const agreed = { rule: 'quota/exhausted', reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }

test.each(someSpellings)(
  'three quarters of a credential are refused in each shown setting, and in each shown text and name of a file: %s',
  async (_, text) => {
    const valueOf = ({ name, kind }: Setting) =>
      values[name]?.(text) ?? (kind === 'path' ? `x/${text}` : text)
    const env = open.map((setting) => [setting.name, valueOf(setting)])
    const shown = [
      { reason: `as ${text}` },
      { owner: text },
      { fingerprint: text },
      { fingerprints: ['a', text] },
    ]
    const waivers = shown.map((one) => ({ ...agreed, ...one }))
    const endpoints = [
      { method: 'GET', path: `/api/cards/${text}` },
      { method: 'GET', path: '/api/cards', invalidQuery: `limit=${text}` },
      { method: 'GET', path: '/api/cards/{id}', pathParameters: { id: { schema: {}, example: text } } },
      { method: 'POST', path: '/api/cards', body: { schema: {}, example: { card: text } } },
    ]
    const files = { 'w.json': waivers, 'e.json': endpoints, 'n.json': [{ ...agreed, [text]: 1 }] }
    const texts = Object.entries(files).map(([name, list]) => [name, JSON.stringify(list)])
    const cwd = temporaryFolder(Object.fromEntries(texts))
    const ofSettings = await read({ ...withSecret, ...Object.fromEntries(env) })
    const ofTexts = await read({ ...withSecret, RUN_WAIVERS: 'w.json', TARGET_ENDPOINTS: 'e.json' }, { cwd })
    const ofName = await read({ ...withSecret, RUN_WAIVERS: 'n.json' }, { cwd })

    const isHidden = / contains TARGET_SECRET_KEY or most of it$/
    expect(issuesOf(ofSettings).filter(({ given }) => given !== null && !isHidden.test(given))).toEqual([])
    expect(wrongSettings(ofSettings)).toEqual(expect.arrayContaining(open.map(({ name }) => name)))
    const reported = issuesOf(ofTexts).map(({ expected }) => expected)
    const ofWaivers = '[0].reason [1].owner [2].fingerprint [3].fingerprints[1]'
    const ofEndpoints = '[0].path [1].invalidQuery [2].pathParameters.id.example [3].body.example.card'
    const at = (file: string, all: string) => all.split(' ').map((place) => `${file}, ${place}: ${inReports}`)
    const places = [...at('w.json', ofWaivers), ...at('e.json', ofEndpoints)]
    // Other texts are malformed as a path or a fingerprint. Then nothing else in the file is reported.
    if (/^[\w.~%-]+$/.test(text)) expect(reported).toEqual(expect.arrayContaining(places))
    else expect(reported).not.toEqual([])
    expect(issuesOf(ofName)).not.toEqual([])
    expect(JSON.stringify([ofSettings, ofTexts, ofName]).toLowerCase()).not.toContain(text.toLowerCase())
  },
)

test('three quarters of a credential are refused in the name of a settings file', async () => {
  const name = `${Buffer.from(part).toString('hex')}.env`
  const result = await read(withSecret, { cwd: temporaryFolder({ [name]: '1' }), envFile: name })

  const hidden = `a value of ${name.length} characters, hidden because it contains TARGET_SECRET_KEY or most of it`
  expect(issuesOf(result).map(({ given }) => given)).toEqual([hidden])
})

const inOurWords = ['x-api-key-1', 'error_code_1001', 'api-key-missing-1']
test.each(inOurWords)('a waiver reason may share our words with a credential: %s', async (credential) => {
  const rule = 'authentication/api-key-missing'
  const reason = `${rule}: x-api-key is optional, "invalid api key" until May`
  const cwd = temporaryFolder({ 'w.json': JSON.stringify([{ ...agreed, rule, reason }]) })
  const env = { ...target, TARGET_API_KEY: credential, RUN_WAIVERS: 'w.json' }

  expect(await read(env, { cwd })).toMatchObject({ settings: { run: { waivers: [{ reason }] } } })
})
