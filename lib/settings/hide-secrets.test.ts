import * as fc from 'fast-check'
import { expect, test, describe } from 'vitest'
import { Secret } from '../redact/secret.ts'
import { credentialSearch, hideSecrets, type CredentialSearch } from './hide-secrets.ts'
import { shortened } from './issue.ts'
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

const oddSecret = 's3cret"value+1'

function searchFor(...values: readonly string[]): CredentialSearch {
  return credentialSearch(values.map((value) => new Secret('KEY', value)))
}

test.each([
  ['plain', oddSecret],
  ['inside', `before ${oddSecret} after`],
  ['behind what would be cut', `${'x'.repeat(75)}${oddSecret}`],
  ['percent-encoded', encodeURIComponent(oddSecret)],
  ['as JSON', JSON.stringify({ oddSecret })],
])('a secret %s is not shown', (_, given) => {
  const [mistake] = hideSecrets(
    [{ setting: 'X', given, expected: `a ${oddSecret}`, hint: given }],
    searchFor(oddSecret),
  )

  expect(mistake).toEqual({
    setting: 'X',
    given: `a value of ${given.length} characters, not shown since it holds KEY or most of it`,
    expected: 'a <KEY>',
    hint: null,
  })
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

test('a short secret hides only what equals it', () => {
  const mistake = { setting: 'X', given: 'a1', expected: 'e', hint: null }

  expect(hideSecrets([mistake], searchFor('a'))[0]?.given).toBe('a1')
  expect(hideSecrets([{ ...mistake, given: 'a' }], searchFor('a'))[0]?.given).not.toBe('a')
})

test.each([
  ['devices of dev-2', true],
  ['dev', true],
  ['a/dev/b', true],
  ['devices', false],
  ['my2dev', false],
  ['devdev', false],
])('a secret of three characters is found as a word of its own: %s', (text, found) => {
  expect(searchFor('dev').in(text) !== null).toBe(found)
})

test.each(['a.b', '(((', '-^]', '\\d{', '/$|'])('also where it is no word at all: %s', (odd) => {
  expect(searchFor(odd).in(`x ${odd} y`)).toBe('KEY')
  expect(searchFor(odd).in('xaxb y')).toBeNull()
})

describe('a credential in a setting that is shown', () => {
  test.each([
    ['TARGET_API_KEY', apiKey],
    ['TARGET_SECRET_KEY', encodeURIComponent(secretKey).replace('-', '%2d')],
    ['FIXTURE_SECOND_API_KEY', 'other-key-91'],
    ['FIXTURE_EXHAUSTED_API_KEY', 'misspelt-key-17'],
    ['HTTPS_PROXY', 'pr0xy-p%40ss'],
    ['FIXTURE_SECOND_SECRET_KEY', 'ab12'],
  ])('is refused in a label, and named: %s', async (name, credential) => {
    const result = await read({
      ...target,
      FIXTURE_SECOND_API_KEY: 'other-key-91',
      FIXTURE_SECOND_SECRET_KEY: 'ab12',
      FIXTURE_EXHAUSTED_APIKEY: 'misspelt-key-17',
      HTTPS_PROXY: 'http://jenkins:pr0xy-p%40ss@proxy.example',
      TARGET_LABEL: `build ${credential}`,
    })

    expect(issuesOf(result).find(({ setting }) => setting === 'TARGET_LABEL')).toEqual({
      setting: 'TARGET_LABEL',
      given: `a value of ${credential.length + 6} characters, not shown since it holds ${name} or most of it`,
      expected: 'a text without any of the configured credentials, since it stands in reports in clear',
      hint: null,
    })
    expect(JSON.stringify(result)).not.toContain(credential)
  })

  test('is refused in a label of the embedded service, which uses no client', async () => {
    const env = { ...target, TARGET_BASE_URL: 'embedded', TARGET_LABEL: apiKey }

    expect(wrongSettings(await read(env))).toEqual(['TARGET_LABEL'])
  })

  test('is refused in the host of an address', async () => {
    const env = { ...target, TARGET_BASE_URL: `https://${apiKey}.example` }

    expect(wrongSettings(await read(env))).toEqual(['TARGET_BASE_URL'])
  })
})

test.each([
  [
    'the user name of a proxy',
    { HTTPS_PROXY: 'http://jenkins:pr0xypass@proxy.example', TARGET_LABEL: 'jenkins 7' },
  ],
  ['a short credential in a host', { TARGET_API_KEY: 'staging', TARGET_BASE_URL: 'https://staging.example' }],
  ['a short credential in a file name', { TARGET_API_KEY: 'demo', RUN_BASELINE: 'demo/baseline.json' }],
  ['one of three characters in a word', { TARGET_API_KEY: 'ild', TARGET_LABEL: 'build 7' }],
  ['a credential in NO_PROXY', { NO_PROXY: `${apiKey}.example` }],
  ['a credential that is a word of a rule', { TARGET_API_KEY: 'customer', RUN_ONLY: '*/customer-not-found' }],
])('%s is let be', async (_, env) => {
  expect(settingsOf(await read({ ...target, ...env }))).toBeDefined()
})

test('three characters are refused where they are the whole label', async () => {
  expect(wrongSettings(await read({ ...target, TARGET_API_KEY: 'ild', TARGET_LABEL: 'ild' }))).toEqual([
    'TARGET_LABEL',
  ])
})

describe('a credential in a file that is shown', () => {
  const waiver = { fingerprint: '3f2a9c', reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }
  const cwd = temporaryFolder({
    'waivers.json': JSON.stringify([
      waiver,
      { ...waiver, reason: `for ${secretKey}` },
      { ...waiver, owner: apiKey, fingerprint: apiKey },
    ]),
    'endpoints.json': JSON.stringify([{ method: 'GET', path: `/api/cards/${apiKey}/list` }]),
  })

  test.each([
    ['RUN_WAIVERS', 'waivers.json', ['[1].reason', '[2].fingerprint', '[2].owner']],
    ['TARGET_ENDPOINTS', 'endpoints.json', ['[0].path']],
  ])('of %s is refused with its place', async (name, file, places) => {
    const result = await read({ ...target, [name]: file }, { cwd })

    expect(issuesOf(result).map(({ setting, expected }) => [setting, expected])).toEqual(
      places.map((place) => [
        name,
        `${file}, ${place}: a text without any of the configured credentials, since it stands in reports in clear`,
      ]),
    )
  })
})
