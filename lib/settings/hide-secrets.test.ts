import * as fc from 'fast-check'
import { expect, test, describe } from 'vitest'
import { spellings } from '../../tests/leaks/spellings.ts'
import { Secret } from '../redact/secret.ts'
import { credentialSearch, hideSecrets, type CredentialSearch } from './hide-secrets.ts'
import { shortened } from './issue.ts'
import type { SettingsInput } from './sources.ts'
import { apiKey, issuesOf, read, secretKey, settingsOf, target, wrongSettings } from './testing/read.ts'

const oddSecret = 's3cret"value+1'

function searchFor(...values: readonly string[]): CredentialSearch {
  return credentialSearch(values.map((value) => new Secret('KEY', value)))
}

test.each([
  ['plain', oddSecret],
  ['inside', `before ${oddSecret} after`],
  ['after what would be cut', `${'x'.repeat(75)}${oddSecret}`],
  ['percent-encoded', encodeURIComponent(oddSecret)],
  ['as JSON', JSON.stringify({ oddSecret })],
])('a secret %s is not shown', (_, given) => {
  const shown = { setting: 'X', given, expected: `a ${oddSecret}`, hint: given }

  expect(hideSecrets([shown], searchFor(oddSecret))).toEqual([
    {
      setting: 'X',
      given: `a value of ${given.length} characters, not shown since it holds KEY or most of it`,
      expected: 'a <KEY>',
      hint: null,
    },
  ])
})

test('a short secret hides only what equals it', () => {
  const mistake = { setting: 'X', given: 'a1', expected: 'e', hint: null }

  expect(hideSecrets([mistake], searchFor('a'))[0]?.given).toBe('a1')
  expect(hideSecrets([{ ...mistake, given: 'a' }], searchFor('a'))[0]?.given).not.toBe('a')
})

test('what is shown holds no control characters and at most 80 characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const shown = shortened(text)

      expect(Array.from(shown).length).toBeLessThanOrEqual(80)
      expect(shown).not.toMatch(/\p{Cc}|\p{Surrogate}|[\u202a-\u202e]/u)
    }),
  )
})

test.each<readonly [string, string, boolean]>([
  ...['devices of dev-2', 'dev', 'a/dev/b'].map((text) => ['dev', text, true] as const),
  ...['devices', 'my2dev', 'devdev'].map((text) => ['dev', text, false] as const),
  // Also where it is no word at all.
  ...['a.b', '(((', '-^]', '\\d{', '/$|'].map((odd) => [odd, `x ${odd} y`, true] as const),
  ...['a.b', '(((', '-^]', '\\d{', '/$|'].map((odd) => [odd, 'xaxb y', false] as const),
])('a secret of a few characters, %s, is found as a word of its own: %s', (secret, text, found) => {
  expect(searchFor(secret).in(text)).toBe(found ? 'KEY' : null)
})

describe('a credential in a setting that is shown', () => {
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
    ['FIXTURE_SECOND_SECRET_KEY', 'ab12'],
  ])('is refused in a label, and named: %s', async (name, credential) => {
    const result = await read({ ...target, ...clients, TARGET_LABEL: `build ${credential}` })

    expect(issuesOf(result).find(({ setting }) => setting === 'TARGET_LABEL')).toEqual({
      setting: 'TARGET_LABEL',
      given: `a value of ${credential.length + 6} characters, not shown since it holds ${name} or most of it`,
      expected: 'a text without any of the configured credentials, since it stands in reports in clear',
      hint: null,
    })
    expect(JSON.stringify(result)).not.toContain(credential)
  })

  const proxy = 'http://conn:pr0xypass@proxy.example'

  test.each<readonly [string, SettingsInput['env']]>([
    // Of the embedded service, which uses no client.
    ['TARGET_LABEL', { TARGET_BASE_URL: 'embedded', TARGET_LABEL: apiKey }],
    ['TARGET_BASE_URL', { TARGET_BASE_URL: `https://${apiKey}.example` }],
    // Three characters are refused where they are the whole label.
    ['TARGET_LABEL', { TARGET_API_KEY: 'ild', TARGET_LABEL: 'ild' }],
    ['TARGET_LABEL', { HTTPS_PROXY: proxy, TARGET_LABEL: 'pr0xypas' }],
  ])('is refused in %s: %j', async (setting, env) => {
    expect(wrongSettings(await read({ ...target, ...env }))).toEqual([setting])
  })

  test.each<readonly [string, SettingsInput['env']]>([
    ['test-key', { TARGET_BASE_URL: 'https://test.example' }],
    ['test-key-7f3d9a61', { TARGET_LABEL: 'test-key staging' }],
    ['staging-key-1', { TARGET_LABEL: 'staging' }],
    ['staging', { TARGET_BASE_URL: 'https://staging.example' }],
    ['customer-a', { TARGET_BASE_URL: 'https://customer-a.example/customer-a' }],
    ['sandbox1', { TARGET_LABEL: 'sandbox', RUN_REPORTS_DIR: '/srv/sandbox/reports' }],
    ['changeme', { TARGET_LABEL: 'change request 17' }],
    ['20261120', { TARGET_LABEL: 'build 2026112' }],
    ['customizations', { FIXTURE_INACTIVE_ENDPOINT: 'GET /api/customizations/old' }],
    ['customizations', { TARGET_LABEL: 'Customizations of Acme' }],
    ['my-secret-key-1', { TARGET_LABEL: 'Acme, x-secret-key over mTLS' }],
    ['staging_api_key', { TARGET_LABEL: 'Staging API' }],
    ['card-switch-test', { TARGET_LABEL: 'card-switch service' }],
    ['demo', { RUN_BASELINE: 'demo/baseline.json' }],
    ['ild', { TARGET_LABEL: 'build 7' }],
    ['customer', { RUN_ONLY: '*/customer-not-found' }],
    [apiKey, { NO_PROXY: `${apiKey}.example` }],
    // The user name of a proxy is no secret.
    [apiKey, { HTTPS_PROXY: proxy, TARGET_LABEL: 'conn' }],
  ])('is accepted where it tells little of %s: %j', async (credential, env) => {
    expect(settingsOf(await read({ ...target, TARGET_API_KEY: credential, ...env }))).toBeDefined()
  })
})

const random = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 12,
  maxLength: 99,
})

// Nobody types a list of bytes.
test.each(Object.entries(spellings).filter(([name]) => name !== 'as the bytes of a buffer'))(
  'a row of three quarters is found wherever it stands, and a shorter one is not: %s',
  (_, spell) => {
    fc.assert(
      fc.property(random, fc.nat(), (credential, place) => {
        fc.pre(new Set(credential).size > credential.length * 0.6 || new Set(credential).size > 40)
        const search = searchFor(credential)
        const length = Math.ceil(credential.length * 0.75)
        const rowOf = (most: number): string => {
          const from = place % (credential.length - most + 1)
          return credential.slice(from, from + most)
        }

        expect(search.in(`build 7, ${spell(rowOf(length))}`)).toBe('KEY')
        expect(search.in(`§${rowOf(length - 2)}§`)).toBeNull()
      }),
      { numRuns: 5 },
    )
  },
)
