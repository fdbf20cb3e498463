import { memberNames } from '../../text/members.ts'

/** The credentials of a client. */
export interface ReferenceClient {
  readonly apiKey: string
  readonly secretKey: string
}

/**
 * The credentials issued by the service, by the outcome of their requests. They are the same at every start, so that a seed sends the same
 * bytes, and valid only for this service. They have letters of both cases, to detect services that ignore case.
 */
export const clients = {
  permitted: issued('ak_live_HuPvbsz8YJEinxxqnoezFVok', 'JPx8WkJAMtj4pQioSD3iU9CMWNH562SstB2FS9oZ'),
  second: issued('ak_live_EJtNV6YWEFAwGrae6S5HShtN', 'giCQChzfZdRn4BgyjjEDBv5Yved2xy6ETkyX9wrF'),
  noCustomer: issued('ak_live_kDYCFBH3mBdHfLGP8nXHQmd8', 'EeWGqnXSFNo6h6W4oR7nnGEfYD4VYnPER9eVwtEn'),
  inactive: issued('ak_live_MakFmKK3BwZ9KEUSR5YDyR8d', 'bsN2RDi87j5Q9Hrk3Jum4jU6db82yqdu9uhHc9mJ'),
  unauthorized: issued('ak_live_p6tVAWr2QWHGMBeD4Gef7ekv', '27R6CZc9M5qxLMyHyb6aZWhCQzJDk2Y3rUSqk3zQ'),
  exhausted: issued('ak_live_Sd2DDsgyKTuJDxdgBu8GA6eV', 'mAjb66ogfLQiCmLiNqySK2b4RL2nQw6GyYDWgTWf'),
  disposable: issued('ak_live_bccmpQyjDpkCjivHMxTQewGi', 'TuE3q8DDVXXa93iGv6ge6ZMrrVxiLwAoYatQDZcK'),
}

function issued(apiKey: string, secretKey: string): ReferenceClient {
  return { apiKey, secretKey }
}

/** The name of a client. */
export type ClientName = keyof typeof clients

/** The names of all clients. */
export const clientNames = memberNames(clients)

/** The credentials of every client, by name. */
export type ReferenceClients = Readonly<Record<ClientName, ReferenceClient>>

/** A client as the service sees it: its credentials, and its name, which determines its rights. */
export interface Client extends ReferenceClient {
  readonly name: ClientName
}

/** Every client of the plain service, with its name. */
export const everyClient: readonly Client[] = named(clients)

/** Clients with their names. */
export function named(credentials: ReferenceClients): readonly Client[] {
  return clientNames.map((name) => ({ name, ...credentials[name] }))
}
