/** What becomes of the requests of a client. */
export type Standing =
  | 'target'
  | 'second'
  | 'noCustomer'
  | 'inactive'
  | 'unauthorized'
  | 'exhausted'
  | 'disposable'

/** A client that the conformant service knows. */
export interface KnownClient {
  readonly standing: Standing
  readonly key: string
  readonly secret: string
}

const prefixes: Readonly<Record<Standing, string>> = {
  target: 'TARGET',
  second: 'FIXTURE_SECOND',
  noCustomer: 'FIXTURE_NO_CUSTOMER',
  inactive: 'FIXTURE_INACTIVE',
  unauthorized: 'FIXTURE_UNAUTHORIZED',
  exhausted: 'FIXTURE_EXHAUSTED',
  disposable: 'FIXTURE_DISPOSABLE',
}

/** Keys and secrets with the characters that base64 has and URLs escape. */
export const usualClients: readonly KnownClient[] = [
  { standing: 'target', key: 'Zm9vYmFy+Tq/81==', secret: 'R0k+uVnE2/xw7Qy9LbHd3sTz6Mf1Pa8J' },
  { standing: 'second', key: 'c2Vjb25k+Xy/42==', secret: 'W4p+jKqT8/ne5Rv2GsYc7mBz9Dh6Lu3F' },
  { standing: 'noCustomer', key: 'bm9jdXN0+Ab/13==', secret: 'H6t+oPzX1/wb9Nk4UdSf2qJy8Ev7Cg5M' },
  { standing: 'inactive', key: 'aW5hY3Rp+Cd/24==', secret: 'K2x+yBfS7/mg3Wl8QnTe6vRz1Ij4Oh9P' },
  { standing: 'unauthorized', key: 'dW5hdXRo+Ef/35==', secret: 'V9c+dLhU5/tk1Zp6XaGb4rNy3Js8Mw2Q' },
  { standing: 'exhausted', key: 'ZXhoYXVz+Gh/46==', secret: 'B8e+gMiC4/us7Fo1OvDx9lWz2Kt5Hq3R' },
  { standing: 'disposable', key: 'ZGlzcG9z+Ij/57==', secret: 'S3f+nQjY9/vr6Am5EwUk1hXz8Lp4Tb7C' },
]

/** Keys and secrets that are UUIDs, with letters whose case a service may ignore. */
export const uuidClients: readonly KnownClient[] = usualClients.map(({ standing }, index) => ({
  standing,
  key: `3f2b8c1${index}-9ade-4c7b-8f1d-6a5be0c4d27${index}`,
  secret: `b7d4e9a${index}-1c3f-4e8a-9b6d-f02ac8d513e${index}`,
}))

/** The environment variables that name these clients. */
export function settingsOfClients(clients: readonly KnownClient[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    clients.flatMap(({ standing, key, secret }) => [
      [`${prefixes[standing]}_API_KEY`, key],
      [`${prefixes[standing]}_SECRET_KEY`, secret],
    ]),
  )
}
