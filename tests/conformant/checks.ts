/** What a conformant service looks at, in an order that the specification leaves to it. */
export type Check =
  | 'key is there'
  | 'secret is there'
  | 'version is there'
  | 'key is known'
  | 'secret fits'
  | 'customer exists'
  | 'endpoint is in version'
  | 'endpoint is active'
  | 'client is permitted'
  | 'quota is left'
  | 'input is valid'

/** How a conformant service reads requests, where the specification lets it choose. */
export interface Reading {
  readonly clients: readonly KnownClient[]
  readonly order: readonly Check[]
  /** What a blank header counts as. */
  readonly blank: 'missing' | 'invalid'
  /** Whether another client's secret does not fit (1007), or the pair has no customer (1012). */
  readonly looksUp: 'the key' | 'the pair'
  readonly letterCase: 'matters' | 'does not matter'
  readonly version: string
  /** The version that a text means. */
  readonly versionOf: (text: string) => string
  readonly unknownParameters: 'ignored' | 'refused'
  /** A parameter that must be there, or null. */
  readonly needs: string | null
}

/** A request as the checks see it; a header that is absent is null. */
export interface Asked {
  readonly key: string | null
  readonly secret: string | null
  readonly version: string | null
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
}

/** The order of a service that asks who is there before it looks at what they want. */
export const usualOrder: readonly Check[] = [
  'key is there',
  'secret is there',
  'key is known',
  'secret fits',
  'customer exists',
  'version is there',
  'endpoint is in version',
  'endpoint is active',
  'client is permitted',
  'input is valid',
  'quota is left',
]

/** The documented code of the first check that a request fails, or null. `take` counts against the quota. */
export function refusal(
  asked: Asked,
  reading: Reading,
  take: (client: KnownClient) => boolean,
): string | null {
  const client = reading.clients.find(({ key }) => same(key, asked.key, reading)) ?? null
  const seen = { asked, reading, client, take }

  const failed = reading.order.find((check) => !checks[check].passes(seen))
  return failed === undefined ? null : checks[failed].code
}

interface Seen {
  readonly asked: Asked
  readonly reading: Reading
  /** The owner of the key. */
  readonly client: KnownClient | null
  readonly take: (client: KnownClient) => boolean
}

const listPath = '/api/customizations/list'

const checks: Readonly<Record<Check, { readonly code: string; readonly passes: (seen: Seen) => boolean }>> = {
  'key is there': { code: '1001', passes: ({ asked, reading }) => isThere(asked.key, reading) },
  'secret is there': { code: '1002', passes: ({ asked, reading }) => isThere(asked.secret, reading) },
  'version is there': { code: '1003', passes: ({ asked, reading }) => isThere(asked.version, reading) },
  'key is known': { code: '1006', passes: ({ client }) => client !== null },
  'secret fits': { code: '1007', passes: secretFits },
  'customer exists': { code: '1012', passes: customerExists },
  'endpoint is in version': { code: '1010', passes: endpointIsThere },
  'endpoint is active': { code: '1011', passes: ({ client }) => client?.standing !== 'inactive' },
  'client is permitted': { code: '1013', passes: ({ client }) => client?.standing !== 'unauthorized' },
  'quota is left': { code: '1020', passes: ({ client, take }) => client === null || take(client) },
  'input is valid': { code: '1030', passes: inputIsValid },
}

function isThere(value: string | null, { blank }: Reading): boolean {
  return value !== null && (value !== '' || blank === 'invalid')
}

/** A version that is missing is another flaw, whichever is looked at first. */
function endpointIsThere({ asked: { version, path, method }, reading }: Seen): boolean {
  if (path !== listPath || (method !== 'GET' && method !== 'HEAD')) return false
  return !isThere(version, reading) || reading.versionOf(version ?? '') === reading.version
}

/** A secret that is somebody's passes where its key is nobody's, or where the pair is looked up: later checks tell. */
function secretFits({ asked, reading, client }: Seen): boolean {
  const secrets = client === null || reading.looksUp === 'the pair' ? reading.clients : [client]
  return secrets.some(({ secret }) => same(secret, asked.secret, reading))
}

function customerExists({ asked, reading, client }: Seen): boolean {
  if (client === null) return true
  return client.standing !== 'noCustomer' && same(client.secret, asked.secret, reading)
}

function inputIsValid({ asked: { query }, reading: { unknownParameters, needs } }: Seen): boolean {
  const known = ['size', 'page']
  if (needs !== null && !query.has(needs)) return false
  if (unknownParameters === 'refused' && [...query.keys()].some((name) => !known.includes(name))) return false
  return [...query].every(([name, value]) => !known.includes(name) || /^[1-9]\d?$/.test(value))
}

function same(known: string, given: string | null, { letterCase }: Reading): boolean {
  if (given === null) return false
  return letterCase === 'matters' ? known === given : known.toLowerCase() === given.toLowerCase()
}

/** What becomes of the requests of a client. */
type Standing = 'target' | 'second' | 'noCustomer' | 'inactive' | 'unauthorized' | 'exhausted' | 'disposable'

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
