import type { ClientName } from '../oracle/knowledge.ts'

const settings: Readonly<Record<ClientName, string>> = {
  target: 'TARGET_API_KEY',
  second: 'FIXTURE_SECOND_API_KEY',
  noCustomer: 'FIXTURE_NO_CUSTOMER_API_KEY',
  inactive: 'FIXTURE_INACTIVE_API_KEY',
  unauthorized: 'FIXTURE_UNAUTHORIZED_API_KEY',
  exhausted: 'FIXTURE_EXHAUSTED_API_KEY',
  disposable: 'FIXTURE_DISPOSABLE_API_KEY',
}

/** How sentences call a client: by the setting that names its key. */
export function clientSetting(client: ClientName): string {
  return `the client of ${settings[client]}`
}
