import { describe, expect, test } from 'vitest'
import { spellings } from '../../tests/leaks/spellings.ts'
import { settingTable } from './setting-table.ts'
import { issuesOf, read, settingsOf, target, temporaryFolder, wrongSettings } from './testing/read.ts'

const sought = 'sk_9fQ2mLx7Tzv4Rk1wYc83'
const part = sought.slice(0, -1)
/** Some of them for each place; the search for one is tested with all. */
const someSpellings = Object.entries(spellings)
  .filter(([name], place) => place % 6 === 0 && name !== 'as the bytes of a buffer')
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
const agreed = { rule: 'quota/exhausted', reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }

describe('three quarters of a credential or more, in any spelling, are refused and not shown', () => {
  test.each(someSpellings)('in each setting that is shown: %s', async (_, text) => {
    const env = open.map(({ name, kind }) => [
      name,
      values[name]?.(text) ?? (kind === 'path' ? `x/${text}` : text),
    ])
    const result = await read({ ...withSecret, ...Object.fromEntries(env) })

    const isHidden = / holds TARGET_SECRET_KEY or most of it$/
    expect(issuesOf(result).filter(({ given }) => !isHidden.test(given ?? ''))).toEqual([])
    expect(wrongSettings(result)).toEqual(expect.arrayContaining(open.map(({ name }) => name)))
    expect(JSON.stringify(result).toLowerCase()).not.toContain(text.toLowerCase())
  })

  test.each(someSpellings)('in each text of a file that is shown, by its place: %s', async (_, text) => {
    const waivers = [
      { ...agreed, reason: `as ${text}` },
      { ...agreed, owner: text },
      { ...agreed, fingerprint: text },
      { ...agreed, fingerprints: ['a', text] },
    ]
    const endpoints = [
      { method: 'GET', path: `/api/cards/${text}` },
      { method: 'GET', path: '/api/cards', invalidQuery: `limit=${text}` },
      { method: 'GET', path: '/api/cards/{id}', pathParameters: { id: { schema: {}, example: text } } },
      { method: 'POST', path: '/api/cards', body: { schema: {}, example: { card: text } } },
    ]
    const cwd = temporaryFolder({ 'w.json': JSON.stringify(waivers), 'e.json': JSON.stringify(endpoints) })
    const result = await read({ ...withSecret, RUN_WAIVERS: 'w.json', TARGET_ENDPOINTS: 'e.json' }, { cwd })

    const told = issuesOf(result).map(({ expected }) => expected)
    const without = 'without any of the configured credentials'
    const inClear = `a text ${without}, since it stands in reports in clear`
    const ofWaivers = ['[0].reason', '[1].owner', '[2].fingerprint', '[3].fingerprints[1]']
    const ofEndpoints = ['[0].path', '[2].pathParameters.id.example', '[3].body.example']
    const places = [
      ...ofWaivers.map((place) => `w.json, ${place}: ${inClear}`),
      ...ofEndpoints.map((place) => `e.json, ${place}: ${inClear}`),
      `e.json, [1].invalidQuery: a query ${without}`,
    ]
    // Other texts are malformed as a path or a fingerprint, and then nothing else is said of the file.
    if (/^[\w.~%-]+$/.test(text)) expect(told).toEqual(expect.arrayContaining(places))
    else expect(told).not.toEqual([])
    expect(JSON.stringify(result).toLowerCase()).not.toContain(text.toLowerCase())
  })

  test('in the name of a settings file', async () => {
    const name = `${Buffer.from(part).toString('hex')}.env`
    const result = await read(withSecret, { cwd: temporaryFolder({ [name]: '1' }), envFile: name })

    expect(issuesOf(result).map(({ given }) => given)).toEqual([
      `a value of ${name.length} characters, not shown since it holds TARGET_SECRET_KEY or most of it`,
    ])
  })

  test.each(someSpellings)('in the name of a property of a file: %s', async (_, text) => {
    const cwd = temporaryFolder({ 'w.json': JSON.stringify([{ ...agreed, [text]: 1 }]) })
    const result = await read({ ...withSecret, RUN_WAIVERS: 'w.json' }, { cwd })

    expect(JSON.stringify(issuesOf(result)).toLowerCase()).not.toContain(text.toLowerCase())
  })
})

test.each(['x-api-key-1', 'error_code_1001', 'api-key-missing-1'])(
  'what tells less of %s is shown in the reason of a waiver that names rules, fields and messages',
  async (credential) => {
    const rule = 'authentication/api-key-missing'
    const reason = `${rule}: x-api-key is optional, "invalid api key" until May`
    const cwd = temporaryFolder({ 'w.json': JSON.stringify([{ ...agreed, rule, reason }]) })
    const env = { ...target, TARGET_API_KEY: credential, RUN_WAIVERS: 'w.json' }

    expect(settingsOf(await read(env, { cwd })).run.waivers).toHaveLength(1)
  },
)
