import { clientTable } from '../../lib/settings/connection-settings.ts'
import type { ClientName } from '../../lib/specification/client-rows.ts'

/** The credentials of the clients that a service knows. */
export type Clients = Readonly<
  Partial<Record<ClientName, { readonly apiKey: string; readonly secretKey: string }>>
>

/** Settings of a run against a service from another source, whose list takes a `limit`. */
export function settingsAt(baseUrl: string, clients: Clients): Readonly<Record<string, string>> {
  const credentials = clientTable.flatMap(({ name, apiKey, secretKey }) => {
    const client = clients[name]
    return client === undefined ? [] : [{ [apiKey]: client.apiKey, [secretKey]: client.secretKey }]
  })
  return Object.assign({ TARGET_BASE_URL: baseUrl, FIXTURE_INVALID_QUERY: 'limit=abc' }, ...credentials)
}
