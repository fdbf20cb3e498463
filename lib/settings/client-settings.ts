import { Secret, type Credentials } from '../redact/secret.ts'
import { clientNames, clientRows, ofClients, type ClientName } from '../specification/client-rows.ts'
import { issue, parsed } from './issue.ts'
import type { Checked, SettingName, Texts } from './setting-table.ts'

type Prefix<Name = SettingName> = Name extends `${infer Beginning}_API_KEY` ? Beginning : never

/** A client with its settings. */
export function clientEntry(name: ClientName) {
  const prefix: Prefix = clientRows[name].prefix
  return { name, apiKey: `${prefix}_API_KEY`, secretKey: `${prefix}_SECRET_KEY` } as const
}

/** The credentials of a client, named by their settings. */
export function credentialsOf(name: ClientName, texts: Readonly<Record<'apiKey' | 'secretKey', string>>) {
  const { apiKey, secretKey } = clientEntry(name)
  return { apiKey: new Secret(apiKey, texts.apiKey), secretKey: new Secret(secretKey, texts.secretKey) }
}

/** Every client with its settings. */
export const clientTable = clientNames.map(clientEntry)

/** Names a client in a sentence, by the setting for its key. */
export function clientSetting(client: ClientName) {
  return `the client of ${clientEntry(client).apiKey}`
}

/** Credentials of each client, null if not configured. */
export type Clients = ReturnType<typeof readClients>['value']

/** The clients, each of which must get a different answer. That of the target may be required, and a quota requires its client. */
export function readClients(checked: Checked, texts: Texts, needsClient: boolean) {
  const required = [needsClient && 'target', texts.FIXTURE_DISPOSABLE_QUOTA !== undefined && 'disposable']
  const missing = clientTable.flatMap(({ name, apiKey, secretKey }) => {
    const settings = [apiKey, secretKey].filter((setting) => texts[setting] === undefined)
    const expected = `both ${apiKey} and ${secretKey} of a client`
    const isWrong = settings.length === 1 || (settings.length === 2 && required.includes(name))
    return isWrong ? settings.map((setting) => issue(setting, { expected, hint: noFlag })) : []
  })
  const clients = ofClients((name): Credentials | null => {
    const entry = clientEntry(name)
    const { [entry.apiKey]: apiKey, [entry.secretKey]: secretKey } = checked
    return apiKey === undefined || secretKey === undefined ? null : credentialsOf(name, { apiKey, secretKey })
  })
  const pairOf = (name: ClientName) =>
    [clients[name]?.apiKey.reveal(), clients[name]?.secretKey.reveal()].join('\n')
  const same = clientTable.flatMap(({ name, apiKey, secretKey }, index) => {
    const twin = clientTable.slice(0, index).find((earlier) => pairOf(earlier.name) === pairOf(name))
    if (twin === undefined || clients[name] === null) return []
    const given = `the same client as ${twin.apiKey} and ${twin.secretKey}`
    const expected = 'a separate client: the two must get different answers, so they cannot be the same'
    const hint = `leave ${apiKey} and ${secretKey} out if you have no such client`
    return [issue(apiKey, { given, expected, hint })]
  })
  return parsed(clients, ...missing, ...same)
}

const noFlag =
  'set it in the environment or in .env; it has no flag, because anyone could read it in the process list'
