import type { IncomingMessage, ServerResponse } from 'node:http'
import { clients, type ClientName } from '../../lib/serve/reference/clients.ts'

/** What comes in the place of the service's own answer: status and body; null closes the connection. */
export type Came = readonly [status: number, body: string] | null

/** A page where JSON is expected. */
export const page = '<!doctype html><title>Hello</title>'
/** The documented error object with a code. */
export const error = (code: string): string => JSON.stringify({ error_code: code, error_message: 'x' })

/** Answers every request of a client so, and leaves the others to the service. */
export function answering(client: ClientName, came: Came) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.headers['x-api-key'] !== clients[client].apiKey) return false
    if (came === null) request.destroy()
    else {
      const [status, body] = came
      const type = body.startsWith('<') ? 'text/html' : 'application/json'
      response.writeHead(status, { 'content-type': type }).end(body)
    }
    return true
  }
}

/** The setting that names each client in sentences. */
export const settings = {
  permitted: 'TARGET_API_KEY',
  second: 'FIXTURE_SECOND_API_KEY',
  noCustomer: 'FIXTURE_NO_CUSTOMER_API_KEY',
  inactive: 'FIXTURE_INACTIVE_API_KEY',
  unauthorized: 'FIXTURE_UNAUTHORIZED_API_KEY',
  exhausted: 'FIXTURE_EXHAUSTED_API_KEY',
  disposable: 'FIXTURE_DISPOSABLE_API_KEY',
} as const

/** The end of what doctor says where something beside the service may be at fault. */
export const mend = 'Mend this before a run, which would be incomplete or blame the service.'
/** The end of what doctor says where only the service can be at fault. */
export const counts = 'A run would count this against the service.'
/** The end of what it says where all is well. */
export const well = 'All is well: a run can judge this target.'

type Row = readonly [clients: readonly ClientName[], came: Came, says: string, ends?: string]

const served = ['permitted', 'second', 'disposable'] as const
const others = ['second', 'disposable'] as const
const addressIsRight =
  'this is no answer that the specification documents; it is an HTML page: Hello; the address is right, since the client of TARGET_API_KEY is served there'
/** What is said only where nothing shows that the address is right. */
export const isAddressRight =
  'this is no answer that the specification documents; it is an HTML page: Hello: is TARGET_BASE_URL right?'
const gateway = 'a gateway answered 502 in the place of the service: ask again once it reaches the service'
const keyIsUnknown = 'the service does not know this API key: is it a key of this environment?'

/** The rows of a client that is refused with a code. */
function refused(
  client: ClientName,
  [status, code]: readonly [number, string],
  isServed: string,
): readonly Row[] {
  const where = `where ${status} / ${code} is documented`
  const one = [client]
  return [
    [one, [status, error(code)], `refused as it should be (${status} / ${code})`, well],
    [
      one,
      [403, error(code)],
      `answered 403 / ${code} ${where}: the code is right, and ${code} is documented with ${status} only`,
      counts,
    ],
    [
      one,
      [200, error(code)],
      `answered 200 / ${code}, which is a documented error under a success status, ${where}: the code is right, and ${code} is documented with ${status} only`,
      counts,
    ],
    [
      one,
      [status, `{"error_code":"${code}"}`],
      `answered ${status} / ${code}, without error_message, ${where}: the code is right, and the error object is not the documented one`,
      counts,
    ],
    [one, [200, '[]'], `answered 200 with JSON ${where}: ${isServed}`],
    [one, [401, error('1006')], `answered 401 / 1006 ${where}: ${keyIsUnknown}`],
    [
      one,
      [403, error('1006')],
      `answered 403 / 1006 ${where}: 1006 is documented with 401 only; if the code is meant, ${keyIsUnknown}`,
    ],
    [one, [200, page], `answered 200, with a body that is not JSON, ${where}: ${addressIsRight}`],
    [one, [404, page], `answered 404, with a body that is not JSON, ${where}: ${addressIsRight}`],
    [one, [502, page], `answered 502, with a body that is not JSON, ${where}: ${gateway}`],
    [
      one,
      [500, page],
      `answered 500, with a body that is not JSON, ${where}: the server reports a failure of its own; it is an HTML page: Hello`,
      counts,
    ],
    [one, null, 'closed the connection'],
  ]
}

const notSuchAClient = 'it is served, so it is not such a client, or the service lets it in'

const notPermitted = 'this client is not permitted to use the endpoint'
const usedUp = 'the daily quota of this client is used up'
const ifUsedUp = `${usedUp}: wait for its reset, or use another client`

/** What is said of codes that refuse a client which should be served. */
const refusals = [
  [401, '1006', keyIsUnknown],
  [401, '1007', 'the secret does not belong to this API key'],
  [401, '1011', 'the endpoint is inactive for this client'],
  [401, '1012', 'no customer matches these credentials'],
  [401, '1013', notPermitted],
  [403, '1013', `1013 is documented with 401 only; if the code is meant, ${notPermitted}`],
  [503, '1020', `1020 is documented with 429 only; if the code is meant, ${ifUsedUp}`],
] as const

const rows: readonly Row[] = [
  [served, [200, '[]'], 'served (200 with JSON)', well],
  [served, [200, error('9999')], 'served (200 / 9999)', well],
  ...refusals.map(([status, code, why]): Row => {
    const says = `answered ${status} / ${code} where success is documented: ${why}`
    return [served, [status, error(code)], says]
  }),
  [
    served,
    [200, error('1006')],
    `answered 200 / 1006, which is a documented error under a success status, where success is documented: 1006 is documented with 401 only; if the code is meant, ${keyIsUnknown}`,
  ],
  [
    served,
    [401, error('9999')],
    'answered 401 / 9999 where success is documented: "9999" is no code that the specification documents',
    counts,
  ],
  [
    served,
    [429, page],
    'too many requests, and no word of the daily quota (1020): lower RUN_MAX_RPS, or ask later',
  ],
  [
    served,
    [502, page],
    `answered 502, with a body that is not JSON, where success is documented: ${gateway}`,
  ],
  [served, [500, page], 'the server reports a failure of its own; it is an HTML page: Hello', counts],
  [served, null, 'closed the connection'],
  [['permitted'], [200, page], isAddressRight],
  [['permitted'], [404, page], isAddressRight],
  [['permitted'], [511, page], isAddressRight],
  [
    ['permitted'],
    [403, '{"message":"no"}'],
    'answered 403, without error_code, where success is documented: this is no answer that the specification documents: is TARGET_BASE_URL right?',
  ],
  [
    ['permitted'],
    [400, error('1010')],
    'the service knows no such endpoint under this version: check TARGET_BASE_URL and TARGET_VERSION',
  ],
  [
    ['permitted'],
    [400, error('1001')],
    'x-api-key was sent: something on the way drops it, or the service does not find it',
  ],
  [
    ['permitted'],
    [400, error('1030')],
    'the endpoint refuses the request without the right query: give one as TARGET_QUERY, for example page=1',
  ],
  [['permitted', 'second'], [429, error('1020')], ifUsedUp],
  [['disposable'], [429, error('1020')], 'used up today (429 / 1020), which is what it is for', well],
  [
    others,
    [200, page],
    `answered 200, with a body that is not JSON, where success is documented: ${addressIsRight}`,
  ],
  [
    others,
    [404, page],
    `answered 404, with a body that is not JSON, where success is documented: ${addressIsRight}`,
  ],
  [
    others,
    [400, error('1010')],
    'the client of TARGET_API_KEY is served with the same request but for its credentials',
  ],
  [
    others,
    [400, error('1030')],
    'the client of TARGET_API_KEY is served with the same request but for its credentials',
  ],
  ...refused('noCustomer', [401, '1012'], notSuchAClient),
  ...refused('inactive', [401, '1011'], notSuchAClient),
  ...refused('unauthorized', [401, '1013'], notSuchAClient),
  ...refused(
    'exhausted',
    [429, '1020'],
    'it is served, so its quota is not used up today, or the service does not keep to it',
  ),
  [
    ['noCustomer'],
    [401, error('1013')],
    `answered 401 / 1013 where 401 / 1012 is documented: ${notPermitted}`,
  ],
  [['unauthorized'], [429, error('1020')], `answered 429 / 1020 where 401 / 1013 is documented: ${usedUp}`],
]

/** Every sentence of doctor, by client and by what came in answer to it; the other clients are answered as documented. */
export const answersOfDoctor = rows.flatMap(([names, came, says, ends = mend]) =>
  names.map((name) => {
    const title = `${name} ${came === null ? 'no answer' : `${came[0]} ${came[1]}`}`
    return [title, { name, came, says, ends }] as const
  }),
)
