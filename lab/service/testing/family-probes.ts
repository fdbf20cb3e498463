import type { ReferenceClients } from '../../../lib/serve/reference/clients.ts'
import { headersOf, type Question } from '../../../lib/serve/reference/testing/ask.ts'

const path = '/api/customizations/list'

/** Requests as real clients and attackers send them: fields of their own, flaws together, side doors, near forms of a key. */
export function familyProbes(clients: ReferenceClients): readonly Question[] {
  const { permitted, inactive, unauthorized, noCustomer, exhausted } = clients
  const usual = headersOf(permitted)
  const wrong = headersOf({ ...permitted, secretKey: 'wrong' })
  const { apiKey, secretKey } = permitted
  const clientFields = [
    ['accept-encoding', 'gzip'],
    ['accept-encoding', 'identity'],
    ['cache-control', 'no-cache'],
    ['sec-fetch-mode', 'cors'],
    ['accept-language', 'de'],
    ['traceparent', 'zz'],
    ['if-modified-since', 'yesterday'],
    ['connection', 'close'],
  ]
  const doors = [
    `${path};a=1`,
    `/${path}`,
    '/api%2fcustomizations%2flist',
    `${path}.json`,
    `${path}.`,
    `${path}?debug=true`,
    `/api/zz/../${path.slice(5)}`,
    `${path.slice(0, -1)}%2574`,
  ]
  const keys = [`${apiKey.slice(0, -3)}%`, apiKey.replaceAll('_', '')]
  const fullWidth = Buffer.from(
    [...secretKey].map((one) => String.fromCodePoint(one.charCodeAt(0) + 0xfee0)).join(''),
  ).toString('latin1')

  return [
    ...clientFields.flatMap((fields) => [
      { headers: [...usual, ...fields] },
      { headers: [...wrong, ...fields] },
    ]),
    ...doors.map((target) => ({ target, headers: ['x-version', '1'] })),
    { headers: ['x-version', '1', 'x-forwarded-user', 'zz'] },
    ...['zzflag', 'limit%5B%5D=1', 'version=1'].map((query) => ({ target: `${path}?${query}` })),
    { target: `${path}?version=1`, headers: usual.slice(0, 4) },
    { target: `${path}?version=1`, headers: headersOf(permitted, '2147483647') },
    { target: `${path}?limit=abc`, headers: usual.slice(2) },
    { target: `${path}?limit=abc`, headers: headersOf(permitted, '2147483647') },
    { target: '/api/zzabcdefghijklmn?a=1' },
    { target: '/api/zzabcdefghijklmn/%22' },
    ...['latest', '\xb2'].map((version) => ({ headers: headersOf(permitted, version) })),
    { headers: headersOf({ ...inactive, secretKey: 'wrong' }) },
    { target: `${path}?x=1`, headers: headersOf(exhausted) },
    { headers: headersOf(exhausted) },
    { headers: headersOf(unauthorized, '2147483647') },
    { target: `${path}?x=1`, headers: headersOf(noCustomer) },
    ...keys.map((key) => ({ headers: headersOf({ apiKey: key, secretKey }) })),
    { headers: headersOf({ apiKey, secretKey: fullWidth }) },
    {},
    { headers: headersOf({ apiKey: apiKey.slice(0, -1), secretKey: apiKey.slice(-1) + secretKey }) },
  ]
}
