import { inspect } from 'node:util'

import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { flawRows } from '../specification/flaws.ts'
import { ruleOf } from '../specification/rules.ts'
import { clientPrefixes, clientTable } from './client-settings.ts'
import { credentialsOf } from './read-clients.ts'
import { apiKey, issuesOf, read, secretKey, settingsOf, target, wrongSettings } from './testing/read.ts'

const inner = 'k3y-9a8b7c6d'

describe('a credential', () => {
  const ascii = 'visible ASCII characters, with or without spaces between them'
  const unreplaced = ' with nothing but a variable that was not replaced'

  test.each<readonly [value: string, expected: string, what: string]>([
    [`${inner}\n`, 'a value without line breaks', ' with a line break at position 13'],
    [`k3y\r${inner}`, 'a value without line breaks', ' with a line break at position 4'],
    [`${inner}\t`, 'a value without control characters', ' with a control character at position 13'],
    [`\u0085${inner}`, 'a value without control characters', ' with a control character at position 1'],
    [`${inner}é`, ascii, ' with a character outside ASCII at position 13'],
    [`${inner}\u00a0`, ascii, ' with a character outside ASCII at position 13'],
    ...['$(API_KEY)', '${API_KEY}', '${{ secrets.API_KEY }}', '{{ API_KEY }}', '%API_KEY%', '<API_KEY>'].map(
      (value) => [value, 'the value itself, not the name of a variable', unreplaced] as const,
    ),
    ...['"', "'", '`'].map(
      (mark) =>
        [`${mark}${inner}${mark}`, 'a value without quotes around it', ' with quotes around it'] as const,
    ),
    [` ${inner}`, 'a value without white space before or after it', ' with white space at position 1'],
    [`${inner} `, 'a value without white space before or after it', ' with white space at position 13'],
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

  test.each(['{"k":"mN3b","s":[1]}', '<b>jH5</b>', '$HOME`id`', '"a" and "b', '%41%42', '{API_KEY}', '$(a'])(
    'may look like this: %s',
    async (value) => {
      const settings = settingsOf(await read({ ...target, TARGET_SECRET_KEY: value }))

      expect(settings.target.client?.secretKey.reveal()).toBe(value)
    },
  )

  test('may hold spaces inside, be as long as 4,096 characters, and equal its secret', async () => {
    const value = `a ${'b'.repeat(4094)}`
    const settings = settingsOf(await read({ ...target, TARGET_API_KEY: value, TARGET_SECRET_KEY: value }))

    expect(settings.target.client?.apiKey.reveal()).toBe(value)
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

describe('a pair', () => {
  test.each(clientTable.filter(({ name }) => name !== 'target'))('$name gives a client', async (entry) => {
    const env = { ...target, [entry.apiKey]: 'other-key-1', [entry.secretKey]: 'other-secret-1' }
    const { fixtures } = settingsOf(await read(env))
    const client = entry.name === 'target' ? null : fixtures[entry.name]

    expect([client?.apiKey.name, client?.secretKey.name]).toEqual([entry.apiKey, entry.secretKey])
    expect([client?.apiKey.reveal(), client?.secretKey.reveal()]).toEqual(['other-key-1', 'other-secret-1'])
  })

  test.each(clientTable)(
    '$name with one half is a mistake naming the other',
    async ({ apiKey: key, secretKey: secret }) => {
      const { TARGET_BASE_URL } = target
      const env = key === 'TARGET_API_KEY' ? { TARGET_BASE_URL } : target

      expect(wrongSettings(await read({ ...env, [key]: 'half-of-a-pair' }))).toEqual([secret])
      expect(wrongSettings(await read({ ...env, [secret]: 'half-of-a-pair' }))).toEqual([key])
    },
  )

  test('of the target is required', async () => {
    const issues = issuesOf(await read({ TARGET_BASE_URL: target.TARGET_BASE_URL }))

    expect(issues.map(({ setting, given }) => [setting, given])).toEqual([
      ['TARGET_API_KEY', null],
      ['TARGET_SECRET_KEY', null],
    ])
  })

  test.each(clientTable.filter(({ name }) => name !== 'target'))(
    '$name must not be the target',
    async (entry) => {
      const env = { ...target, [entry.apiKey]: apiKey, [entry.secretKey]: secretKey }

      expect(issuesOf(await read(env))).toEqual([
        expect.objectContaining({
          setting: entry.apiKey,
          given: 'the same client as TARGET_API_KEY and TARGET_SECRET_KEY',
        }),
      ])
    },
  )

  test('must not be another fixture either', async () => {
    const env = {
      ...target,
      FIXTURE_SECOND_API_KEY: 'other-key-1',
      FIXTURE_SECOND_SECRET_KEY: 'other-secret-1',
      FIXTURE_DISPOSABLE_API_KEY: 'other-key-1',
      FIXTURE_DISPOSABLE_SECRET_KEY: 'other-secret-1',
    }

    expect(wrongSettings(await read(env))).toEqual(['FIXTURE_DISPOSABLE_API_KEY'])
  })

  test('with the key of another client but a secret of its own is accepted', async () => {
    const env = { ...target, FIXTURE_SECOND_API_KEY: apiKey, FIXTURE_SECOND_SECRET_KEY: 'other-secret-1' }

    expect(settingsOf(await read(env)).fixtures.second).not.toBeNull()
  })
})

describe('the credentials of the settings', () => {
  const everyClient = Object.fromEntries(
    clientTable.flatMap((entry) => [
      [entry.apiKey, `${entry.name}-key-e5c1`],
      [entry.secretKey, `${entry.name}-secret-e5c1`],
    ]),
  )

  test('are those of every client that is configured, by their settings', async () => {
    const settings = settingsOf(await read({ ...target, ...everyClient }))

    expect(
      credentialsOf(settings).map(({ name, apiKey: key, secretKey: secret }) => [
        name,
        key.name,
        key.reveal(),
        secret.name,
        secret.reveal(),
      ]),
    ).toEqual(
      clientTable.map((entry) => [
        entry.name,
        entry.apiKey,
        `${entry.name}-key-e5c1`,
        entry.secretKey,
        `${entry.name}-secret-e5c1`,
      ]),
    )
    expect(credentialsOf(settingsOf(await read(target))).map(({ name }) => name)).toEqual(['target'])
    expect(credentialsOf(settingsOf(await read({ TARGET_BASE_URL: 'embedded' })))).toEqual([])
  })

  test('show nowhere, however settings are printed', async () => {
    const settings = settingsOf(await read(target))
    const texts = [JSON.stringify(settings), inspect(settings, { depth: null, showHidden: true })]

    for (const text of texts) {
      expect(text).not.toContain(apiKey)
      expect(text).not.toContain(secretKey)
    }
  })
})

describe('the rules about refused clients', () => {
  const refused = flawRows.flatMap(({ needs, part, rule }) =>
    part === 'client' && needs !== undefined && needs !== 'invalidQuery' ? [{ client: needs, rule }] : [],
  )

  test.each(refused)('name the settings of $client', ({ client, rule }) => {
    const prefix = clientPrefixes[client]

    expect(rule === undefined ? '' : ruleOf(rule.id).needs).toContain(`${prefix}_API_KEY`)
    expect(ruleOf('authentication/stays-refused').needs).toContain(`${prefix}_…`)
  })
})
