import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clientTable } from './client-settings.ts'
import type { SettingsInput } from './sources.ts'
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

const disposable = { FIXTURE_DISPOSABLE_API_KEY: 'key-3', FIXTURE_DISPOSABLE_SECRET_KEY: 'secret-3' }
const nobody = { TARGET_API_KEY: undefined, TARGET_SECRET_KEY: undefined }
const nothing = { ...nobody, TARGET_BASE_URL: undefined }
const all = 'TARGET_BASE_URL TARGET_API_KEY TARGET_SECRET_KEY'

const whole = (from: number, to: number) => `a whole number from ${from} to ${to}, written in digits only`
const whole31 = whole(0, 2_147_483_647)
const credential = 'a query without any of the configured credentials'
const visible = 'a query of visible ASCII characters, without white space'
const method = 'a method in capitals, one space and a path from /api/'
const queries = ['TARGET_QUERY', 'FIXTURE_INVALID_QUERY'].flatMap((setting): Wrong[] => [
  [setting, 'a query without the question mark', ['?page=1'], 'leave the ? out'],
  [setting, 'a query without a fragment', ['page=1#x'], 'a # in a value is %23'],
  [setting, visible, ['page=1 2', 'page=1\n', 'page=ä', 'page=\u0007'], 'a space is %20'],
  [setting, credential, [`key=${apiKey}`, `a=${secretKey}&b=1`, `key=${secretKey.replace('-', '%2D')}`]],
])

type Wrong = [setting: string, expected: string, given: readonly string[], hint?: string]

test.each<Wrong>([
  ['RUN_PROFILE', 'one of gate, acceptance, nightly', ['production']],
  ['RUN_PROFILE', 'one of', ['Gate'], 'did you mean gate?'],
  ['RUN_PROFILE', 'one of', ['accept', 'acceptence'], 'did you mean acceptance?'],
  ['RUN_STRICT', 'true or false', ['on', '2']],
  ['RUN_QUIET', 'true or false', ['y']],
  ['RUN_FORMAT', 'one of text, json', ['xml']],
  ['RUN_FORMAT', 'one of text, json', ['JSON'], 'did you mean json?'],
  ['RUN_SEED', whole31, ['abc', '-1', '2147483648', '1.5', '1e3', '0x10', '٣']],
  ['RUN_FUZZ_CASES', whole(0, 1_000_000), ['1000001']],
  ['RUN_MAX_REQUESTS', whole(1, 2_147_483_647), ['0', '99999999999999999999']],
  ['RUN_MAX_REQUESTS', 'digits only', ['1,000', '1_000'], 'did you mean 1000?'],
  ['RUN_MAX_EXHAUST', 'from 1', ['0']],
  ['RUN_MAX_RPS', 'above 0', ['0', '-1', 'Infinity', '1e9']],
  ['RUN_CONCURRENCY', whole(1, 256), ['0', '257']],
  ['RUN_TIMEOUT_MS', whole(1, 600_000), ['600001', '10s']],
  ['TARGET_VERSION', whole31, ['v1']],
  ['TARGET_VERSION', whole31, ['01', '+1'], 'did you mean 1?'],
  ['FIXTURE_UNSUPPORTED_VERSION', whole31, ['2147483648']],
  ['TARGET_LABEL', 'control characters', ['a\u001b[31mb']],
  ['TARGET_LABEL', 'at most 200', ['x'.repeat(201)]],
  ['TARGET_BUILD', 'at most 200', ['x'.repeat(201)]],
  ['RUN_WAIVERS', 'control characters', ['a\u0007b']],
  ['NO_PROXY', 'control characters', ['a\nb']],
  ...queries,
  [
    'FIXTURE_INACTIVE_ENDPOINT',
    method,
    ['/api/x', 'get /api/x', 'GET /v1/api/x', 'GET api/x', 'GET  /api/x'],
  ],
  [
    'FIXTURE_INACTIVE_ENDPOINT',
    method,
    ['GET /api/x?y=1', 'GET /api/x#y', 'GET /api/{id}', 'GET https://a.example/api/x'],
  ],
  ['FIXTURE_INACTIVE_ENDPOINT', 'the segments . and ..', ['GET /api/../x', 'GET /api/x/%2E.']],
  ['FIXTURE_INACTIVE_ENDPOINT', 'another endpoint than', ['GET /api/customizations/list']],
  ['FIXTURE_DISPOSABLE_QUOTA', whole(1, 2_147_483_647), ['0', '-5', '1.5', 'many']],
])('%s must be %s, not %j', async (setting, expected, given, hint) => {
  for (const one of given) {
    const result = await read({ ...target, ...disposable, [setting]: one })

    expect(issuesOf(result)).toEqual([
      {
        setting,
        given: expect.any(String),
        expected: expect.stringContaining(expected),
        hint: hint === undefined ? null : expect.stringContaining(hint),
      },
    ])
    expect(JSON.stringify(result)).not.toContain('1b6e0d4f93a75c28')
  }
})

const sameClient = 'the same client as TARGET_API_KEY and TARGET_SECRET_KEY'
const two = { FIXTURE_SECOND_API_KEY: 'key-2', FIXTURE_SECOND_SECRET_KEY: 'secret-2' }
const asSecond = { FIXTURE_DISPOSABLE_API_KEY: 'key-2', FIXTURE_DISPOSABLE_SECRET_KEY: 'secret-2' }
const quota = { FIXTURE_DISPOSABLE_QUOTA: '50' }
const misspelt = { FIXTURE_DISPOSABLE_APIKEY: 'x', FIXTURE_DISPOSABLE_SECRETKEY: 'y' }

type Asked = [SettingsInput['env'], string, string?]

test.each<Asked>([
  [{ ...nothing, RUN_PROFILE: 'acceptance' }, all],
  [{ ...nothing, TARGET_LABEL: 'x' }, all],
  [{ ...nothing, FIXTURE_INVALID_QUERY: 'a=b' }, all],
  [{ TARGET_BASE_URL: undefined }, 'TARGET_BASE_URL'],
  [nobody, 'TARGET_API_KEY TARGET_SECRET_KEY'],
  [{ ...nobody, TARGET_BASE_URL: 'Embeded' }, 'TARGET_BASE_URL'],
  [{ ...two, ...asSecond }, 'FIXTURE_DISPOSABLE_API_KEY'],
  [quota, 'FIXTURE_DISPOSABLE_QUOTA'],
  [{ ...quota, FIXTURE_DISPOSABLE_API_KEY: 'key-3' }, 'FIXTURE_DISPOSABLE_SECRET_KEY'],
  [{ FIXTURE_UNSUPPORTED_VERSION: '1' }, 'FIXTURE_UNSUPPORTED_VERSION', '1'],
  [{ FIXTURE_UNSUPPORTED_VERSION: '3', TARGET_VERSION: '3' }, 'FIXTURE_UNSUPPORTED_VERSION', '3'],
  [{ TARGET_VERSION: '2147483647' }, 'FIXTURE_UNSUPPORTED_VERSION', 'nothing, so 2147483647'],
  ...clientTable.flatMap(({ name, apiKey: key, secretKey: secret }): Asked[] => {
    const others = name === 'target' ? nobody : {}
    const key1 = { ...others, [key]: 'half-of-a-pair' }
    const same: Asked = [{ [key]: apiKey, [secret]: secretKey }, key, sameClient]
    const half: Asked = [{ ...others, [secret]: 'half-of-a-pair' }, key]
    return [[key1, secret], half, ...(name === 'target' ? [] : [same])]
  }),
  // What a misspelt name meant is not called missing, too.
  [{ TARGET_BASE_URL: '', TARGET_BASE_ULR: 'https://a.example' }, 'TARGET_BASE_ULR'],
  [{ TARGET_API_KEY: '', TARGET_API_KYE: 'x' }, 'TARGET_API_KYE'],
  [{ TARGET_API_KEY: '', TARGET_API_KYE_FILE: 'x' }, 'TARGET_API_KYE_FILE'],
  [{ FIXTURE_SECOND_APIKEY: 'x', FIXTURE_SECOND_SECRET_KEY: 'y' }, 'FIXTURE_SECOND_APIKEY'],
  [{ RUN_CERT_FIL: 'x', RUN_KEY_FILE: 'y' }, 'RUN_CERT_FIL'],
  [{ RUN_BASELIN: 'x', RUN_UPDATE_BASELINE: 'true' }, 'RUN_BASELIN'],
  [{ ...misspelt, ...quota }, 'FIXTURE_DISPOSABLE_APIKEY FIXTURE_DISPOSABLE_SECRETKEY'],
])('%j is wrong in %s', async (env, wrong, given) => {
  const issues = issuesOf(await read({ ...target, ...env }))

  expect(issues.map(({ setting }) => setting).join(' ')).toBe(wrong)
  if (given !== undefined) expect(issues[0]?.given).toBe(given)
  if (wrong === all) expect(issues[0]?.hint).toMatch(/^needed since .+ given; looked for among .+\.env/)
})

test.each<[wrong: string, env: SettingsInput['env'], others: Partial<SettingsInput>]>([
  ['TARGET_API_KEY TARGET_SECRET_KEY', { TARGET_BASE_URL: target.TARGET_BASE_URL }, {}],
  // What a misspelt flag meant is not called missing, another setting is.
  ['TARGET_API_KEY', { TARGET_SECRET_KEY: secretKey }, { misread: ['TARGET_BASE_URL'] }],
  // An empty flag never means the embedded service.
  [all, {}, { flags: { TARGET_BASE_URL: '' } }],
])('%s is not given by %j and %j', async (wrong, env, others) => {
  const issues = issuesOf(await read(env, others))

  expect(issues.map(({ setting }) => setting).join(' ')).toBe(wrong)
  expect(issues.at(-1)?.given).toBeNull()
})

describe('a credential', () => {
  const inner = 'k3y-9a8b7c6d'
  const ascii = 'visible ASCII characters, with or without spaces between them'
  const around = 'a value without white space before or after it'
  const variables = [
    '$(API_KEY)',
    '${API_KEY}',
    '${{ secrets.API_KEY }}',
    '{{ API_KEY }}',
    '%API_KEY%',
    '<API_KEY>',
  ]
  const unreplaced = ' with nothing but a variable that was not replaced'
  const quoted = ' with quotes around it'

  test.each<readonly [value: string, expected: string, what: string]>([
    [`${inner}\n`, 'a value without line breaks', ' with a line break at position 13'],
    [`k3y\r${inner}`, 'a value without line breaks', ' with a line break at position 4'],
    [`${inner}\t`, 'a value without control characters', ' with a control character at position 13'],
    [`\u0085${inner}`, 'a value without control characters', ' with a control character at position 1'],
    [`${inner}é`, ascii, ' with a character outside ASCII at position 13'],
    [`${inner}\u00a0`, ascii, ' with a character outside ASCII at position 13'],
    ...variables.map((one) => [one, 'the value itself, not the name of a variable', unreplaced] as const),
    ...Array.from(
      `"'\``,
      (mark) => [mark + inner + mark, `a value without${quoted.slice(5)}`, quoted] as const,
    ),
    [` ${inner}`, around, ' with white space at position 1'],
    [`${inner} `, around, ' with white space at position 13'],
    ['x'.repeat(4097), 'at most 4096 characters', ''],
  ])('%j is refused', async (value, expected, what) => {
    for (const setting of ['TARGET_API_KEY', 'TARGET_SECRET_KEY']) {
      const result = await read({ ...target, [setting]: value })

      const given = `a value of ${value.length} characters${what}`
      expect(issuesOf(result)).toEqual([{ setting, given, expected, hint: expect.any(String) }])
      expect(JSON.stringify(result)).not.toContain(value.trim())
      expect(JSON.stringify(result)).not.toContain(inner)
    }
  })

  const longest = `a ${'b'.repeat(4094)}`

  test.each([
    '{"k":"mN3b","s":[1]}',
    '<b>jH5</b>',
    '$HOME`id`',
    '"a" and "b',
    '%41%42',
    '{API_KEY}',
    '$(a',
    longest,
  ])('may be %s, and equal its secret', async (value) => {
    const env = { ...target, TARGET_API_KEY: value, TARGET_SECRET_KEY: value }
    const { client } = settingsOf(await read(env)).target

    expect([client?.apiKey.reveal(), client?.secretKey.reveal()]).toEqual([value, value])
  })

  test('has an issue for each violation', async () => {
    const result = await read({ ...target, TARGET_API_KEY: ' é\n\tk' })

    expect(wrongSettings(result)).toEqual(Array.from({ length: 4 }, () => 'TARGET_API_KEY'))
  })

  test('of any kind is never shown', async () => {
    const value = fc
      .tuple(fc.string({ minLength: 8, unit: 'binary' }), fc.constantFrom('\n', '\t', 'é', ' '))
      .map(([text, wrong]) => `sécret-${text}${wrong}`)
    await fc.assert(
      fc.asyncProperty(value, async (secret) => {
        const result = await read({ ...target, TARGET_API_KEY: secret, RUN_SEED: secret, RUN_ONLY: secret })
        const text = JSON.stringify(result)

        expect(text).not.toContain('sécret')
        expect(text).not.toContain(secret)
      }),
    )
  })
})

describe('nothing given at all', () => {
  test.each([
    {},
    { CI: '' },
    { CI: 'true' },
    { RUN_SEED: '4', RUN_QUIET: 'yes' },
    { TARGET_ENV: 'x' },
    { TARGET_BASE_URL: ' ', TARGET_API_KEY: '', TARGET_SECRET_KEY: '' },
  ])('is one mistake with %j, and says where settings were looked for and what to do', async (env) => {
    expect(issuesOf(await read(env))).toEqual([
      {
        setting: 'TARGET_BASE_URL',
        given: 'TARGET_BASE_URL' in env ? 'an empty value' : null,
        expected: 'the address of the service, or embedded',
        hint: "looked for among the flags, in the environment and in /nowhere-at-all/.env (a file that does not exist); set TARGET_BASE_URL, TARGET_API_KEY and TARGET_SECRET_KEY, or ask for the suite's own reference service with --base-url embedded",
      },
    ])
  })

  const cwd = temporaryFolder({ '.env': 'RUN_SEED=3', 'other.env': '' })
  const left = 'that exists, and is not read in a pipeline (CI is set): --settings-file .env reads it'

  test.each([
    ['.env', 'that exists', {}, {}],
    ['other.env', 'that exists', {}, { envFile: 'other.env' }],
    ['.env', left, { CI: 'true' }, {}],
  ])('says of %s: a file %s', async (file, says, env, others) => {
    const [mistake] = issuesOf(await read(env, { cwd, ...others }))

    expect(mistake?.hint).toContain(`in ${join(cwd, file)} (a file ${says});`)
  })
})
