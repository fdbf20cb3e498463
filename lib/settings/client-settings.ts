import { Secret } from '../redact/secret.ts'
import { clientNames, clientRows, type ClientName } from '../specification/client-rows.ts'
import type { SettingName } from './setting-table.ts'

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
export function clientSetting(client: ClientName): string {
  return `the client of ${clientEntry(client).apiKey}`
}
