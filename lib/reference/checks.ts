import { refuse, type Answer, type Code } from './answer.ts'
import type { Bend, CheckName } from './bend.ts'
import { field, type Call } from './call.ts'
import { everyClient, type Client } from './clients.ts'
import { isValidQuery, list, listPath } from './list.ts'
import type { QuotaStore } from './quota.ts'

/** What the checks look at. */
interface Examination {
  readonly call: Call
  readonly apiKey: string
  readonly secretKey: string
  readonly version: string
  /** The owner of the key, whatever the secret. */
  readonly client: Client | null
  readonly bend: Bend
  readonly quota: QuotaStore
}

interface Check {
  readonly name: CheckName
  readonly code: Code
  readonly passes: (seen: Examination) => boolean
}

// The specification sets no order; this one names what is absent first, and asks who is there before what they may do.
const checks: readonly Check[] = [
  // RFC 9112, 3.2: a request without Host is refused with 400.
  {
    name: 'host',
    code: '1030',
    passes: ({ call }) => call.headers.host !== undefined || call.httpVersion === '1.0',
  },
  { name: 'api-key-present', code: '1001', passes: ({ apiKey }) => apiKey !== '' },
  { name: 'secret-key-present', code: '1002', passes: ({ secretKey }) => secretKey !== '' },
  { name: 'version-present', code: '1003', passes: ({ version }) => version !== '' },
  { name: 'endpoint-in-version', code: '1010', passes: (seen) => isServed(seen.call, seen.version) },
  { name: 'api-key-valid', code: '1006', passes: ({ client }) => client !== null },
  { name: 'secret-key-valid', code: '1007', passes: hasSecret },
  { name: 'customer', code: '1012', passes: ({ client }) => client?.name !== 'noCustomer' },
  { name: 'endpoint-active', code: '1011', passes: ({ client }) => client?.name !== 'inactive' },
  { name: 'permitted', code: '1013', passes: ({ client }) => client?.name !== 'unauthorized' },
  { name: 'quota', code: '1020', passes: ({ client, quota }) => client === null || quota.take(client.name) },
  { name: 'input', code: '1030', passes: ({ call }) => isValidQuery(call.query) },
]

const clientByKey: ReadonlyMap<string, Client> = new Map(everyClient.map((client) => [client.apiKey, client]))

/** The answer to a request: the error of the first check that it fails, or the list. A blank header counts as absent. */
export function examine(call: Call, bend: Bend, quota: QuotaStore): Answer {
  const apiKey = field(call, 'x-api-key') ?? ''
  const client = clientOf(apiKey, bend)
  const seen: Examination = {
    call,
    apiKey,
    secretKey: field(call, 'x-secret-key') ?? '',
    version: field(call, 'x-version') ?? '',
    client,
    bend,
    quota,
  }
  const failed = checks.find(
    (check) => bend.skips?.(check.name, call, client) !== true && !check.passes(seen),
  )
  const answer = failed === undefined ? list(call.query) : refuse(failed.code)

  return { ...answer, client }
}

function isServed(call: Call, version: string): boolean {
  return version === '1' && call.path === listPath && (call.method === 'GET' || call.method === 'HEAD')
}

// An exact match goes first, so that a fault in comparing confuses no valid client with another.
function clientOf(apiKey: string, { keyMatches }: Bend): Client | null {
  const exact = clientByKey.get(apiKey)
  if (exact !== undefined || keyMatches === undefined || apiKey === '') return exact ?? null
  return everyClient.find((client) => keyMatches(apiKey, client)) ?? null
}

function hasSecret({ client, secretKey, bend }: Examination): boolean {
  if (client === null || secretKey === client.secretKey) return true
  return bend.secretMatches?.(secretKey, client) === true
}
