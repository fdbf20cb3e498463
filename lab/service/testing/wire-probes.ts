import { clients, type ReferenceClient } from '../../../lib/serve/reference/clients.ts'
import { written } from './on-the-wire.ts'

const listPath = '/api/customizations/list'
const ending = ['host: a', 'connection: close']
const { permitted, second } = clients

const versions = [
  '',
  '0',
  '2',
  '3',
  '999',
  '-1',
  '01',
  '1.0',
  'abc',
  utf8('\uFF11'),
  '2147483648',
  '20260101',
  '2147483646',
]

const queries = [
  'q=1&q=2',
  'format=xml',
  'debug=true',
  'limit=1&limit=x',
  'LIMIT=1',
  'a[]=1',
  'a%5B%5D=1',
  'q=%zz',
  'q=a|b',
  `q=${'a'.repeat(300)}`,
  `q=${'a'.repeat(5_000)}`,
  Array.from({ length: 30 }, (_, index) => `zz${String(index)}=1`).join('&'),
]

const targets = [
  `${listPath}/`,
  `${listPath}/1`,
  `${listPath}.json`,
  `${listPath};v=1`,
  '/api//customizations/list',
  '/api/customizations/LIST',
  '/api/customizations/lis%74',
  '/api/x/../customizations/list',
  `/${listPath}`,
]

const lines = [
  'x-api-key: wrong',
  `x-api-key: ${permitted.apiKey}`,
  'x-zz: wrong\r\nx-api-key: wrong',
  'accept: text/html',
  'cookie: a=1',
  'user-agent: Firefox/144.0',
  'user-agent: curl/8.16.0',
  'origin: https://a.example',
  'if-none-match: "abc"',
  'range: bytes=0-0',
  'traceparent: zz',
  'if-modified-since: Thu, 01 Jan 2037 00:00:00 GMT',
  'if-modified-since: yesterday',
  'authorization: Bearer zz',
  'x-http-method-override: HEAD',
  'x-original-url: /api/zz',
  `x-zz: ${'a'.repeat(5_000)}`,
  `x-zz: ${'a'.repeat(9_000)}`,
]

/** Requests as bytes, each to be sent on a connection of its own, on one of which every variant answers otherwise than the plain service. */
export const wireProbes: readonly string[] = [
  plain(),
  ...['accept-language: de', 'accept-encoding: br'].map((line) =>
    plain({ lines: [line], without: ['x-api-key'] }),
  ),
  ...Array.from({ length: 8 }, () => plain({ client: clients.disposable })),
  ...versions.map((version) => plain({ version })),
  ...queries.map((query) => plain({ target: `${listPath}?${query}` })),
  ...targets.map((target) => plain({ target })),
  ...['HEAD', 'OPTIONS', 'POST'].map((method) => plain({ method })),
  ...lines.map((line) => plain({ lines: [line] })),
  ...blanks().flatMap((client) => [plain({ client }), plain({ client: { ...client, apiKey: 'nobody' } })]),
  plain({ lines: ['connection: close, x-api-key'] }),
  plain({ lines: [`x_api_key: ${permitted.apiKey}`], without: ['x-api-key'] }),
  plain({ client: { ...permitted, secretKey: `${permitted.secretKey}${utf8('\u00a0')}` } }),
  plain({ client: { ...permitted, apiKey: `${permitted.apiKey}\xa0` } }),
  plain({ client: { ...permitted, apiKey: "' or '1'='1" } }),
  plain({ client: { ...permitted, apiKey: utf8('ключ') } }),
  plain({ client: { ...permitted, apiKey: 'a\u0001b' } }),
  plain({ without: ['host'] }),
  plain({ target: '/api/zz%0d%0ax-zz:%201' }),
  plain().replace('HTTP/1.1', 'HTTP/1.0'),
  ...flawPairs(),
]

/** Two requests in one segment, the second without a key. */
export const pairInSegment = `${plain({ ending: ['host: a'] })}${plain({ without: ['x-api-key'] })}`

const noEnd = { ending: ['host: a'] }

/** Messages, some in two segments, on one of which every service that frames messages wrongly answers otherwise than the plain service. */
export const messageProbes: readonly (string | readonly string[])[] = [
  ...['GET', 'HEAD'].flatMap((method) =>
    [listPath, '/api/qwzxv', '/api/zz%0d%0ax-zz:%201'].map((target) => plain({ method, target })),
  ),
  ...[listPath, '/api/qwzxv'].map((target) => plain({ target }).replace('HTTP/1.1', 'HTTP/1.0')),
  plain().replaceAll(': ', ':'),
  ...[`x-api-key: ${permitted.apiKey.slice(0, 3)}`, 'x-secret-key', `${permitted.apiKey}\r`].map((end) => {
    const at = plain().indexOf(end) + end.length
    return [plain().slice(0, at), plain().slice(at)]
  }),
  ...['x-api-key', 'x-secret-key'].map((name) => `${plain(noEnd)}${plain({ without: [name] })}`),
  `${plain(noEnd)}${plain({ client: { ...permitted, apiKey: 'nobody' } })}`,
]

/** So many requests at once that every limit is met, on one connection. */
export const flood = `${plain({ ending: ['host: a'] }).repeat(400)}${plain()}`

/** So many wrong secrets in a row that a client may be locked, and then the right one. */
export const manyGuesses = `${plain({ secretKey: 'wrong', ending: ['host: a'] }).repeat(25)}${plain()}`

/** Three requests on one connection, after which it stays open or does not. */
export const threeInARow = plain({ ending: ['host: a'] }).repeat(3)

interface Parts {
  readonly client?: ReferenceClient
  /** In the place of the client's own. */
  readonly secretKey?: string
  readonly version?: string
  readonly target?: string
  readonly method?: string
  readonly lines?: readonly string[]
  readonly ending?: readonly string[]
  /** Names of fields that are left out. */
  readonly without?: readonly string[]
}

function plain(parts: Parts = {}): string {
  const { client = permitted, version = '1', target = listPath, method = 'GET', without = [] } = parts
  const all = [
    `x-api-key: ${client.apiKey}`,
    `x-secret-key: ${parts.secretKey ?? client.secretKey}`,
    `x-version: ${version}`,
    ...(parts.lines ?? []),
    ...(parts.ending ?? ending),
  ]
  return written(
    target,
    all.filter((line) => !without.some((name) => line.startsWith(`${name}:`))),
    method,
  )
}

/** Every flaw alone and every two of different kinds together. */
function flawPairs(): readonly string[] {
  const { noCustomer, inactive, unauthorized, exhausted } = clients
  const askers = [noCustomer, inactive, unauthorized, exhausted, { ...permitted, apiKey: 'nobody' }]
  const kinds: readonly (readonly Parts[])[] = [
    askers.map((client) => ({ client })),
    ['wrong', second.secretKey].map((secretKey) => ({ secretKey })),
    [{ version: '2147483647' }],
    ['/api/qwzxv', `${listPath}?limit=abc`].map((target) => ({ target })),
    [{ without: ['x-api-key'] }],
    [{ without: ['x-secret-key'] }],
    [{ without: ['x-version'] }],
  ]
  return kinds.flatMap((kind, index) =>
    kind.flatMap((flaw) => [
      plain(flaw),
      ...kinds.slice(index + 1).flatMap((others) => others.map((other) => plain(both(flaw, other)))),
    ]),
  )
}

function both(one: Parts, other: Parts): Parts {
  return { ...one, ...other, without: [...(one.without ?? []), ...(other.without ?? [])] }
}

function blanks(): readonly ReferenceClient[] {
  return [
    { ...permitted, apiKey: '' },
    { ...permitted, secretKey: '' },
  ]
}

function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
