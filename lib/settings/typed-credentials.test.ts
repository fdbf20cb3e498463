import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { spellings } from '../../tests/leaks/spellings.ts'
import { Secret } from '../redact/secret.ts'
import { credentialSearch } from './hide-secrets.ts'
import { settingTable } from './setting-table.ts'
import { issuesOf, read, settingsOf, target, wrongSettings } from './testing/read.ts'

// Nobody types a list of bytes.
const spelled = Object.entries(spellings).filter(([name]) => name !== 'as the bytes of a buffer')
const sought = 'sk_9fQ2mLx7Tzv4Rk1wYc83'
const part = sought.slice(0, -1)
/** Some of them for each place; the last test has all. */
const someSpellings = spelled
  .filter((_, place) => place % 6 === 0)
  .map(([name, spell]) => [name, spell(part)] as const)

/** A value of each setting, right but for the credential in it. */
const values: Readonly<Record<string, (credential: string) => string>> = {
  TARGET_BASE_URL: (credential) => `https://staging.example/tenants/${credential}`,
  TARGET_QUERY: (credential) => `key=${credential}`,
  TARGET_LABEL: (credential) => `build 7 of ${credential}`,
  FIXTURE_INVALID_QUERY: (credential) => `limit=${credential}`,
  FIXTURE_INACTIVE_ENDPOINT: (credential) => `GET /api/cards/${credential}`,
  RUN_ONLY: (credential) => `fuzz/*,${credential}`,
}
// NO_PROXY stands in no report.
const open = settingTable.filter(({ secret, name }) => !secret && name !== 'NO_PROXY')
const withSecret = { ...target, TARGET_SECRET_KEY: sought }

const agreed = { reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }

/** A folder with these files, removed after the test. */
function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'typed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(content))
  return folder
}

describe('three quarters of a credential or more, in any spelling, are refused and not shown', () => {
  test.each(someSpellings)('in each setting that is shown: %s', async (_, text) => {
    const env = open.map(({ name, kind }) => {
      const valueOf =
        values[name] ?? ((credential: string) => (kind === 'path' ? `x/${credential}` : credential))
      return [name, valueOf(text)] as const
    })
    const result = await read({ ...withSecret, ...Object.fromEntries(env) })

    const shown = issuesOf(result).filter(
      ({ given }) => given?.endsWith(' holds TARGET_SECRET_KEY or most of it') !== true,
    )
    expect(shown).toEqual([])
    expect(wrongSettings(result)).toEqual(expect.arrayContaining(open.map(({ name }) => name)))
    expect(JSON.stringify(result).toLowerCase()).not.toContain(text.toLowerCase())
  })

  test.each(someSpellings)('in each text of a file that is shown: %s', async (_, text) => {
    const waivers = [
      { reason: `as ${text}` },
      { owner: text },
      { fingerprint: text },
      { fingerprints: ['a', text] },
    ]
    const endpoints = [
      { path: `/api/cards/${text}` },
      { path: '/api/cards', invalidQuery: `limit=${text}` },
      { path: '/api/cards/{id}', pathParameters: { id: { schema: {}, example: text } } },
      { method: 'POST', path: '/api/cards', body: { schema: {}, example: { card: text } } },
    ]
    const cwd = folderWith({
      'w.json': waivers.map((one) => ({ rule: 'quota/exhausted', ...agreed, ...one })),
      'e.json': endpoints.map((one) => ({ method: 'GET', ...one })),
    })
    const result = await read({ ...withSecret, RUN_WAIVERS: 'w.json', TARGET_ENDPOINTS: 'e.json' }, { cwd })

    const told = issuesOf(result).map(({ expected }) => expected.split(':')[0])
    const places = [
      'w.json, [0].reason',
      'w.json, [1].owner',
      'w.json, [2].fingerprint',
      'w.json, [3].fingerprints[1]',
    ]
    const ofEndpoints = [
      'e.json, [0].path',
      'e.json, [1].invalidQuery',
      'e.json, [2].pathParameters.id.example',
      'e.json, [3].body.example',
    ]
    // Other texts are malformed as a path or a fingerprint, and then nothing else is said of the file.
    if (/^[\w.~%-]+$/.test(text)) expect(told).toEqual(expect.arrayContaining([...places, ...ofEndpoints]))
    else expect(told).not.toEqual([])
    expect(JSON.stringify(result).toLowerCase()).not.toContain(text.toLowerCase())
  })

  test('in the name of a settings file', async () => {
    const name = `${Buffer.from(part).toString('hex')}.env`
    const cwd = folderWith({ [name]: 1 })
    const result = await read(withSecret, { cwd, envFile: name })

    expect(issuesOf(result).map(({ given }) => given)).toEqual([
      `a value of ${name.length} characters, not shown since it holds TARGET_SECRET_KEY or most of it`,
    ])
  })

  test.each(someSpellings)('in the name of a property of a file: %s', async (_, text) => {
    const cwd = folderWith({ 'w.json': [{ rule: 'quota/exhausted', ...agreed, [text]: 1 }] })
    const result = await read({ ...withSecret, RUN_WAIVERS: 'w.json' }, { cwd })

    expect(JSON.stringify(issuesOf(result)).toLowerCase()).not.toContain(text.toLowerCase())
  })
})

describe('what tells less of a credential is shown', () => {
  test.each([
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
  ])('of %s in %j', async (credential, env) => {
    expect(settingsOf(await read({ ...target, TARGET_API_KEY: credential, ...env }))).toBeDefined()
  })

  test.each(['x-api-key-1', 'error_code_1001', 'api-key-missing-1'])(
    'of %s in the reason of a waiver that names rules, fields and messages',
    async (credential) => {
      const reason = 'authentication/api-key-missing: x-api-key is optional, "invalid api key" until May'
      const cwd = folderWith({ 'w.json': [{ rule: 'authentication/api-key-missing', ...agreed, reason }] })
      const env = { ...target, TARGET_API_KEY: credential, RUN_WAIVERS: 'w.json' }

      expect(settingsOf(await read(env, { cwd })).run.waivers).toHaveLength(1)
    },
  )
})

test('the user name of a proxy is no secret, its password is', async () => {
  const env = { ...target, HTTPS_PROXY: 'http://conn:pr0xypass@proxy.example', TARGET_LABEL: 'conn' }

  expect(settingsOf(await read(env)).target.label).toBe('conn')
  expect(wrongSettings(await read({ ...env, TARGET_LABEL: 'pr0xypas' }))).toEqual(['TARGET_LABEL'])
})

const random = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 12,
  maxLength: 99,
})

test.each(spelled)(
  'a row of three quarters is found wherever it stands, and a shorter one is not: %s',
  (_, spell) => {
    fc.assert(
      fc.property(random, fc.nat(), (credential, place) => {
        fc.pre(new Set(credential).size > credential.length * 0.6 || new Set(credential).size > 40)
        const search = credentialSearch([new Secret('KEY', credential)])
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
