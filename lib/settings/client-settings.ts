import { clientNames, type ClientName } from '../specification/client-rows.ts'
import { anyText, credential, integer, largest } from './setting.ts'

/** Credentials of the client that is judged with. */
export const targetCredentials = {
  TARGET_API_KEY: credential(
    'The API key of a client that may use the endpoint; required, but for "embedded".',
  ),
  TARGET_SECRET_KEY: credential('The secret key that belongs to TARGET_API_KEY.'),
}

/** Credentials of the other clients, and what else is known of them. */
export const clientFixtures = {
  FIXTURE_SECOND_API_KEY: credential('The API key of another permitted client.'),
  FIXTURE_SECOND_SECRET_KEY: credential('Its secret key.'),
  FIXTURE_NO_CUSTOMER_API_KEY: credential('The API key of a client without a customer, which must get 1012.'),
  FIXTURE_NO_CUSTOMER_SECRET_KEY: credential('Its secret key.'),
  FIXTURE_INACTIVE_API_KEY: credential(
    'The API key of a client for which the endpoint is inactive, which must get 1011.',
  ),
  FIXTURE_INACTIVE_SECRET_KEY: credential('Its secret key.'),
  FIXTURE_INACTIVE_ENDPOINT: anyText('endpoint', '<endpoint>', {
    about: 'An endpoint that is inactive for every client, as "GET /api/…", which must get 1011.',
  }),
  FIXTURE_UNAUTHORIZED_API_KEY: credential(
    'The API key of a client that is not permitted to use the endpoint, which must get 1013.',
  ),
  FIXTURE_UNAUTHORIZED_SECRET_KEY: credential('Its secret key.'),
  FIXTURE_EXHAUSTED_API_KEY: credential('The API key of a client whose daily quota is already used up.'),
  FIXTURE_EXHAUSTED_SECRET_KEY: credential('Its secret key.'),
  FIXTURE_DISPOSABLE_API_KEY: credential('The API key of a client whose daily quota the run may use up.'),
  FIXTURE_DISPOSABLE_SECRET_KEY: credential('Its secret key.'),
  FIXTURE_DISPOSABLE_QUOTA: integer('<requests>', [1, largest], {
    about: 'How large the daily quota of the disposable client is, where known.',
  }),
}

type SettingOfClient = keyof typeof targetCredentials | keyof typeof clientFixtures
type Prefix<Name = SettingOfClient> = Name extends `${infer Beginning}_API_KEY` ? Beginning : never

/** The beginning of the names of each client's settings. */
export const clientPrefixes = {
  target: 'TARGET',
  second: 'FIXTURE_SECOND',
  noCustomer: 'FIXTURE_NO_CUSTOMER',
  inactive: 'FIXTURE_INACTIVE',
  unauthorized: 'FIXTURE_UNAUTHORIZED',
  exhausted: 'FIXTURE_EXHAUSTED',
  disposable: 'FIXTURE_DISPOSABLE',
} as const satisfies Readonly<Record<ClientName, Prefix>>

/** A client, and the settings that hold its credentials. */
export interface ClientEntry {
  readonly name: ClientName
  readonly apiKey: `${Prefix}_API_KEY`
  readonly secretKey: `${Prefix}_SECRET_KEY`
}

/** A client with its settings. */
export function clientEntry(name: ClientName): ClientEntry {
  const prefix = clientPrefixes[name]
  return { name, apiKey: `${prefix}_API_KEY`, secretKey: `${prefix}_SECRET_KEY` }
}

/** Every client with its settings. */
export const clientTable: readonly ClientEntry[] = clientNames.map(clientEntry)

/** The name of a client in sentences: the setting of its key. */
export function clientSetting(client: ClientName): string {
  return `the client of ${clientEntry(client).apiKey}`
}
