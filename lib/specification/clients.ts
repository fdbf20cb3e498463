/** The clients of the settings, by their expected treatment; `target` is the one that is judged with. */
export type ClientName = (typeof clientNames)[number]

/** Every client that settings may name. */
export const clientNames = [
  'target',
  'second',
  'noCustomer',
  'inactive',
  'unauthorized',
  'exhausted',
  'disposable',
] as const

/** A value for each client. */
export function ofClients<Value>(of: (client: ClientName) => Value): Readonly<Record<ClientName, Value>> {
  return {
    target: of('target'),
    second: of('second'),
    noCustomer: of('noCustomer'),
    inactive: of('inactive'),
    unauthorized: of('unauthorized'),
    exhausted: of('exhausted'),
    disposable: of('disposable'),
  }
}
