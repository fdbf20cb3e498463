/** The clients of the reference service, named after the outcome of their requests. */
export const clientNames = [
  'permitted',
  'second',
  'noCustomer',
  'inactive',
  'unauthorized',
  'exhausted',
  'disposable',
] as const

/** The name of a client. */
export type ClientName = (typeof clientNames)[number]

/** The credentials of a client. */
export interface ReferenceClient {
  readonly apiKey: string
  readonly secretKey: string
}

/** The credentials of every client, by name. */
export type ReferenceClients = Readonly<Record<ClientName, ReferenceClient>>

/** A client as the service sees it: its credentials, and its name, which determines its rights. */
export interface Client extends ReferenceClient {
  readonly name: ClientName
}

/**
 * The credentials issued by the service, the same at every start, so that a seed sends the same bytes. They are valid only for this
 * service. They have letters of both cases, to detect services that ignore case.
 */
export const clients: ReferenceClients = {
  permitted: {
    apiKey: 'ak_live_HuPvbsz8YJEinxxqnoezFVok',
    secretKey: 'JPx8WkJAMtj4pQioSD3iU9CMWNH562SstB2FS9oZ',
  },
  second: {
    apiKey: 'ak_live_EJtNV6YWEFAwGrae6S5HShtN',
    secretKey: 'giCQChzfZdRn4BgyjjEDBv5Yved2xy6ETkyX9wrF',
  },
  noCustomer: {
    apiKey: 'ak_live_kDYCFBH3mBdHfLGP8nXHQmd8',
    secretKey: 'EeWGqnXSFNo6h6W4oR7nnGEfYD4VYnPER9eVwtEn',
  },
  inactive: {
    apiKey: 'ak_live_MakFmKK3BwZ9KEUSR5YDyR8d',
    secretKey: 'bsN2RDi87j5Q9Hrk3Jum4jU6db82yqdu9uhHc9mJ',
  },
  unauthorized: {
    apiKey: 'ak_live_p6tVAWr2QWHGMBeD4Gef7ekv',
    secretKey: '27R6CZc9M5qxLMyHyb6aZWhCQzJDk2Y3rUSqk3zQ',
  },
  exhausted: {
    apiKey: 'ak_live_Sd2DDsgyKTuJDxdgBu8GA6eV',
    secretKey: 'mAjb66ogfLQiCmLiNqySK2b4RL2nQw6GyYDWgTWf',
  },
  disposable: {
    apiKey: 'ak_live_bccmpQyjDpkCjivHMxTQewGi',
    secretKey: 'TuE3q8DDVXXa93iGv6ge6ZMrrVxiLwAoYatQDZcK',
  },
}

/** Every client of the plain service, with its name. */
export const everyClient: readonly Client[] = named(clients)

/** Clients with their names. */
export function named(credentials: ReferenceClients): readonly Client[] {
  return clientNames.map((name) => ({ name, ...credentials[name] }))
}
