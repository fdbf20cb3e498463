import { refuse, type Answer, type Code } from './answer.ts'
import type { Bend } from './bend.ts'
import { field, type Call } from './call.ts'
import type { Client } from './clients.ts'
import type { QuotaStore } from './quota.ts'
import type { CheckName, Reading } from './reading.ts'

/** Everything needed to check a request. */
export interface Examiner {
  readonly bend: Bend
  readonly reading: Reading
  readonly quota: QuotaStore
}

/** Input of the checks. A header that counts as missing is null. */
interface Examination extends Examiner {
  readonly call: Call
  readonly apiKey: string | null
  readonly secretKey: string | null
  readonly version: string | null
  /** The owner of the key, for any secret. */
  readonly client: Client | null
  /** Whether a check is still to come, and will handle a missing value. */
  readonly awaits: (check: CheckName) => boolean
}

/** The code of the refusal, or null. */
type Check = (seen: Examination) => Code | null

const checks: Readonly<Record<CheckName, Check>> = {
  // RFC 9112, 3.2: a request without Host is refused with 400.
  host: ({ call }) => unless(call.headers.host !== undefined || call.httpVersion === '1.0', '1030'),
  'api-key-present': ({ apiKey }) => unless(apiKey !== null, '1001'),
  'secret-key-present': ({ secretKey }) => unless(secretKey !== null, '1002'),
  'version-present': ({ version }) => unless(version !== null, '1003'),
  'endpoint-in-version': endpointInVersion,
  'api-key-valid': (seen) => unless(isKeyKnown(seen), '1006'),
  'secret-key-valid': (seen) => unless(isSecretKnown(seen), '1007'),
  customer: (seen) => unless(hasCustomer(seen), '1012'),
  'endpoint-active': ({ client }) => unless(client?.name !== 'inactive', '1011'),
  permitted: ({ client }) => unless(client?.name !== 'unauthorized', '1013'),
  quota: ({ client, quota }) => unless(client === null || quota.take(client.name), '1020'),
  input: ({ call, reading }) => unless(reading.isValidQuery(call.query) && reading.isValidBody(call), '1030'),
}

/** The answer to a request: the error of the first failed check, or the list. */
export function examine(call: Call, examiner: Examiner): Answer {
  const { bend, reading } = examiner
  const credential = (name: string): string | null =>
    counted(field(call, name), reading.blankCredential === 'missing')
  const apiKey = credential('x-api-key')
  const client = clientOf(apiKey, bend, reading)
  const order = reading.order().filter((check) => bend.skips?.(check, call, client) !== true)
  const seen = {
    ...examiner,
    call,
    apiKey,
    secretKey: credential('x-secret-key'),
    version: counted(field(call, 'x-version'), reading.blankVersion === 'missing'),
    client,
  }
  for (const [at, check] of order.entries()) {
    const code = checks[check]({ ...seen, awaits: (other) => order.indexOf(other) > at })
    if (code !== null) return { ...refuse(code), client }
  }

  return { ...reading.list(call.query), client }
}

function unless(holds: boolean, code: Code): Code | null {
  return holds ? null : code
}

function counted(value: string | undefined, blankIsMissing: boolean): string | null {
  return value === undefined || (value === '' && blankIsMissing) ? null : value
}

function endpointInVersion({ call, version, reading, awaits }: Examination): Code | null {
  if (!reading.isForList(call)) return '1010'
  if (version === null) return awaits('version-present') ? null : '1010'
  return reading.refusesVersion(version)
}

// An exact match goes first, so that a fault in comparing confuses no valid client with another.
function clientOf(apiKey: string | null, { keyMatches }: Bend, { clients, same }: Reading): Client | null {
  if (apiKey === null) return null
  const exact = clients.find((client) => same(client.apiKey, apiKey))
  if (exact !== undefined || keyMatches === undefined || apiKey === '') return exact ?? null
  return clients.find((client) => keyMatches(apiKey, client)) ?? null
}

function isKeyKnown(seen: Examination): boolean {
  const { apiKey, client, reading, awaits } = seen
  if (client !== null) return true
  if (apiKey === null) return awaits('api-key-present')
  // A pair of which neither half is known has no customer: a later check says so.
  return reading.looksUp === 'the pair' && awaits('customer') && !isSomebodysSecret(seen)
}

function isSecretKnown(seen: Examination): boolean {
  const { secretKey, client, reading, bend, awaits } = seen
  if (secretKey === null && awaits('secret-key-present')) return true
  if (client === null) return reading.looksUp !== 'each' || isSomebodysSecret(seen)
  if (fits(secretKey, client, reading) || bend.secretMatches?.(secretKey ?? '', client) === true) return true
  return reading.looksUp === 'the pair' && awaits('customer') && isSomebodysSecret(seen)
}

function hasCustomer(seen: Examination): boolean {
  const { apiKey, secretKey, client, reading } = seen
  if (client?.name === 'noCustomer') return false
  if (reading.looksUp !== 'the pair' || apiKey === null || secretKey === null) return true
  // What one half alone explains is the business of its own check.
  const isKnown = isSomebodysSecret(seen)
  return client === null ? isKnown : fits(secretKey, client, reading) || !isKnown
}

function isSomebodysSecret({ secretKey, reading }: Examination): boolean {
  return reading.clients.some((client) => fits(secretKey, client, reading))
}

function fits(secretKey: string | null, client: Client, { same }: Reading): boolean {
  return secretKey !== null && same(client.secretKey, secretKey)
}
