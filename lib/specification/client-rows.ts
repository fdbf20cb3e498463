import { memberNames } from '../text/members.ts'

/** One row per client, by the treatment it should get: the prefix of its settings, and its name in a list of clients. `target` is the main client. */
export const clientRows = {
  target: { prefix: 'TARGET', called: 'permitted' },
  second: { prefix: 'FIXTURE_SECOND', called: 'second permitted' },
  noCustomer: { prefix: 'FIXTURE_NO_CUSTOMER', called: 'no customer' },
  inactive: { prefix: 'FIXTURE_INACTIVE', called: 'inactive' },
  unauthorized: { prefix: 'FIXTURE_UNAUTHORIZED', called: 'unauthorized' },
  exhausted: { prefix: 'FIXTURE_EXHAUSTED', called: 'exhausted' },
  disposable: { prefix: 'FIXTURE_DISPOSABLE', called: 'disposable' },
} as const

/** The name of a client in the settings. */
export type ClientName = keyof typeof clientRows

/** Every client that the settings may name. */
export const clientNames: readonly ClientName[] = memberNames(clientRows)

/** A value for each client. */
export function ofClients<Value>(of: (client: ClientName) => Value): Readonly<Record<ClientName, Value>>
export function ofClients(of: (client: ClientName) => unknown): object {
  return Object.fromEntries(clientNames.map((client) => [client, of(client)]))
}
