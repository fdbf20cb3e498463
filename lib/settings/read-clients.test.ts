import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { flawRows } from '../specification/flaws.ts'
import { ruleOf } from '../specification/rules.ts'
import { clientPrefixes, clientTable } from './client-settings.ts'
import { credentialsOf } from './read-clients.ts'
import { apiKey, read, secretKey, settingsOf, target } from './testing/read.ts'

const everyClient = Object.fromEntries(
  clientTable.flatMap((entry) => [
    [entry.apiKey, `${entry.name}-key-e5c1`],
    [entry.secretKey, `${entry.name}-secret-e5c1`],
  ]),
)

async function clientsOf(env: Parameters<typeof read>[0]): Promise<readonly (readonly string[])[]> {
  return credentialsOf(settingsOf(await read(env))).map(({ name, apiKey: key, secretKey: secret }) => [
    name,
    key.name,
    key.reveal(),
    secret.name,
    secret.reveal(),
  ])
}

test('the credentials are those of every client that is configured, by their settings', async () => {
  const all = clientTable.map(({ name, apiKey: key, secretKey: secret }) => [
    name,
    key,
    `${name}-key-e5c1`,
    secret,
    `${name}-secret-e5c1`,
  ])

  expect(await clientsOf({ ...target, ...everyClient })).toEqual(all)
  expect(await clientsOf(target)).toEqual([
    ['target', 'TARGET_API_KEY', apiKey, 'TARGET_SECRET_KEY', secretKey],
  ])
  expect(await clientsOf({ TARGET_BASE_URL: 'embedded' })).toEqual([])
})

test.each(clientTable.filter(({ name }) => name !== 'target'))(
  '$name is a fixture of its own',
  async (entry) => {
    const [key, secret] = [entry.apiKey, entry.secretKey]
    // The key of another client with a secret of its own is accepted.
    const { fixtures } = settingsOf(await read({ ...target, [key]: apiKey, [secret]: 'other-secret-1' }))
    const client = entry.name === 'target' ? null : fixtures[entry.name]

    expect([client?.apiKey.name, client?.secretKey.name]).toEqual([key, secret])
    expect([client?.apiKey.reveal(), client?.secretKey.reveal()]).toEqual([apiKey, 'other-secret-1'])
  },
)

test('no credential shows, however settings are printed', async () => {
  const settings = settingsOf(await read(target))

  for (const text of [JSON.stringify(settings), inspect(settings, { depth: null, showHidden: true })]) {
    expect(text).not.toContain(apiKey)
    expect(text).not.toContain(secretKey)
  }
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
