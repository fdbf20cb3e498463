import { memberNames } from '../text/members.ts'

/**
 * One row per client, by the treatment it should get: the prefix of its settings, its name in a list of clients, and what to ask a provider
 * for (the answer to it, or its refusal with the reason). `target` is the main client.
 */
export const clientRows = {
  target: { prefix: 'TARGET', called: 'permitted', asked: 'a success' },
  second: { prefix: 'FIXTURE_SECOND', called: 'second permitted', asked: 'a success' },
  noCustomer: {
    prefix: 'FIXTURE_NO_CUSTOMER',
    called: 'no customer',
    asked: 'no customer matches its credentials',
  },
  inactive: {
    prefix: 'FIXTURE_INACTIVE',
    called: 'inactive',
    asked: 'the endpoint is inactive for it (or name an endpoint that is inactive for all)',
  },
  unauthorized: {
    prefix: 'FIXTURE_UNAUTHORIZED',
    called: 'unauthorized',
    asked: 'it may not use the endpoint',
  },
  exhausted: {
    prefix: 'FIXTURE_EXHAUSTED',
    called: 'exhausted',
    asked: 'its daily quota is used up, every day',
  },
  disposable: {
    prefix: 'FIXTURE_DISPOSABLE',
    called: 'disposable',
    asked: 'a success, until we have used up its daily quota; then 429 with error_code 1020',
  },
} as const

/** The number of clients, in words. */
export const clientCount = 'seven'

/** The name of a client in the settings. */
export type ClientName = keyof typeof clientRows

/** Every client that the settings may name. */
export const clientNames: readonly ClientName[] = memberNames(clientRows)

/** A value for each client. */
export function ofClients<Value>(of: (client: ClientName) => Value): Readonly<Record<ClientName, Value>>
export function ofClients(of: (client: ClientName) => unknown): object {
  return Object.fromEntries(clientNames.map((client) => [client, of(client)]))
}
