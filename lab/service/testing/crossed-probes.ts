import type { ReferenceClients } from '../../../lib/serve/reference/clients.ts'
import { headersOf, type Question } from '../../../lib/serve/reference/testing/ask.ts'

const path = '/api/customizations/list'

/** Fields of one condition each. */
const fields: readonly (readonly string[])[] = [
  ['x-requested-with', 'XMLHttpRequest'],
  ['content-type', 'application/json;charset=UTF-8'],
  ['x-b3-sampled', '0'],
  ['cache-control', 'no-store'],
  ['x-app-version', '4.12.0'],
  ['sec-fetch-mode', 'navigate'],
  ['sec-fetch-mode', 'cors'],
  ['connection', 'close'],
  ['accept', '*/*'],
  ['accept', 'application/json, text/plain, */*'],
  ['accept', 'application/xml'],
  ['accept', 'text/html, application/json;q=0.9'],
  ['accept', 'Application/JSON'],
  ...['de', 'en-US', 'fr-FR', 'ar'].map((language) => ['accept-language', language]),
  ['accept-encoding', 'br'],
  ['if-none-match', '*'],
  ['if-modified-since', 'Thu, 01 Jan 2037 00:00:00 GMT'],
  ['range', 'bytes=0-3'],
  ['authorization', 'Bearer zz'],
  ['authorization', `Basic ${btoa('zz:zz')}`],
  ['x-forwarded-for', '192.0.2.17'],
  ['cookie', 'session=zz'],
  ['cookie', 'x-api-key=zz; x-secret-key=zz'],
  ['x-request-id', 'zz', 'x-request-id', 'zz'],
  ['x-original-url', '/api/zz'],
  ['x-http-method-override', 'HEAD'],
  ['x-rewrite-url', '/api/zz'],
  ['x_api_key', 'zz'],
  ['x_secret_key', 'zz'],
]

const queries = [
  '',
  '_=17',
  'callback=x',
  'format=xml',
  'debug=true',
  ...['api_key', 'x-api-key', 'apikey', 'key', 'secret_key', 'x-secret-key', 'apisecret', 'secret'].map(
    (name) => `${name}=zz`,
  ),
]

/** Each flaw crossed with each condition, on which faults show that need both. */
export function crossedProbes(clients: ReferenceClients): readonly Question[] {
  const { permitted, unauthorized } = clients
  const usual = headersOf(permitted)
  const flawed = [
    usual,
    usual.slice(2),
    usual.toSpliced(2, 2),
    usual.slice(0, 4),
    headersOf({ ...permitted, secretKey: 'wrong' }),
    headersOf({ ...permitted, apiKey: 'wrong' }),
    headersOf({ apiKey: 'wrong', secretKey: 'wrong' }),
    headersOf(permitted, '2147483647'),
    headersOf(unauthorized),
  ]
  return [
    ...fields.flatMap((lines) => flawed.map((headers) => ({ headers: [...headers, ...lines] }))),
    ...queries.flatMap((query) => flawed.map((headers) => ({ target: `${path}?${query}`, headers }))),
  ]
}
