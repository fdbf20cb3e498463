import { describe, expect, it } from 'vitest'
import { endToEnd, fieldsOfChanged, onwardFields, originForm, throughProxy } from './fields.ts'

type Fields = readonly (readonly [string, string])[]

/** Fields that are each of the connection. */
const ofConnection: Fields = [
  ['Connection', 'close, X-Hop ,x-other'],
  ['Keep-Alive', 'a'],
  ['Proxy-Connection', 'a'],
  ['TE', 'a'],
  ['Trailer', 'a'],
  ['Transfer-Encoding', 'a'],
  ['Upgrade', 'a'],
]
const repeated: Fields = [
  ['X-Key', 'a'],
  ['accept', '*/*'],
  ['x-key', 'b'],
  ['X-Empty', ''],
]
const needed: Fields = [
  ['Host', 'a'],
  ['Content-Length', '3'],
]

it.each<readonly [string, Fields, Fields]>([
  ['keep their order, letter case and repetitions', repeated, repeated],
  [
    'are not of the connection, nor named by it',
    [...ofConnection, ['x-hop', '1'], ['X-Other', '2'], ['x-key', '3']],
    [['x-key', '3']],
  ],
  ['hold what the message needs', [['Connection', 'host, content-length'], ...needed], needed],
])('the fields that are passed on %s', (_, given, passed) => {
  expect(endToEnd(given.flat())).toEqual(passed)
})

describe('a request that goes on', () => {
  const target = { host: 'service.example:8443' }
  const host = ['HOST', 'service.example:8443'] as const
  const asIs: Fields = [
    ['X-Api-Key', 'key'],
    ['accept', '*/*'],
  ]

  it("names the target's host in the place of the proxy's, and for a client of HTTP/1.0 that names none", () => {
    const rawHeaders = ['HOST', '127.0.0.1:1', ...asIs.flat()]

    expect(onwardFields({ method: 'GET', headers: { host: '127.0.0.1:1' }, rawHeaders }, target)).toEqual([
      host,
      ...asIs,
    ])
    expect(onwardFields({ method: 'GET', headers: {}, rawHeaders: [] }, target)).toEqual([['Host', host[1]]])
  })

  it.each<readonly [string, Readonly<Record<string, string>>, Fields]>([
    ['POST', { 'transfer-encoding': 'chunked' }, [['Transfer-Encoding', 'chunked']]],
    ['GET', { 'transfer-encoding': 'chunked' }, [['Transfer-Encoding', 'chunked']]],
    ['POST', { 'content-length': '7' }, [['content-length', '7']]],
    ['POST', {}, [['Content-Length', '0']]],
    ['GET', {}, []],
    ['DELETE', {}, []],
  ])('says how its content ends: %s, %j', (method, framing, onward) => {
    const headers = { host: 'a', ...framing }
    const rawHeaders = Object.entries(headers).flat()

    expect(onwardFields({ method, headers, rawHeaders }, target).slice(1)).toEqual(onward)
  })
})

it('an answer whose content was changed has the new length, and nothing that described the old content', () => {
  const described = ['Content-Length', 'Content-Encoding', 'ETag', 'Content-MD5', 'Digest', 'Content-Digest']
  const old = [...described, 'Repr-Digest', 'Accept-Ranges'].map((name) => [name, 'a'] as const)
  const [type, cookie] = [['Content-Type', 'application/json'] as const, ['Set-Cookie', 'a=b'] as const]

  expect(fieldsOfChanged([type, ...old, cookie], 42)).toEqual([type, cookie, ['content-length', '42']])
})

it.each([
  ['/api/a?b=c', '/api/a?b=c'],
  ['//a//b', '//a//b'],
  ['*', '*'],
  ['http://service.example:80/api?x', '/api?x'],
  ['HTTP://user:word@service.example', '/'],
  ['http://service.example?x', '/?x'],
  ['/http://inside/', '/http://inside/'],
])('the target of a request, %s, is asked for as %s', (target, asked) => {
  expect(originForm(target)).toBe(asked)
})

describe('a location', () => {
  const target = { origin: 'https://service.example', prefix: '/v1' }
  const proxy = 'http://127.0.0.1:4000'

  it.each([
    ['https://service.example/v1/api/a?b#c', 'http://127.0.0.1:4000/api/a?b#c', '/v1'],
    ['https://service.example:443/v1/a', 'http://127.0.0.1:4000/a', '/v1'],
    ['HTTPS://SERVICE.example/v1', 'http://127.0.0.1:4000', '/v1'],
    ['//service.example/v1/a', 'http://127.0.0.1:4000/a', '/v1'],
    ['/v1/a%2fb', '/a%2fb', '/v1'],
    ['/v1', '/', '/v1'],
    ['/v1?a', '?a', '/v1'],
    ['https://service.example/a', 'http://127.0.0.1:4000/a', ''],
    ['/a', '/a', ''],
  ])('%s below the base URL becomes %s: %j', (location, expected, prefix) => {
    expect(throughProxy(location, { ...target, prefix }, proxy)).toBe(expected)
  })

  const near = ['/v10/a', '/other', ':444/v1/a', '.evil/v1/a'].map((rest) => `https://service.example${rest}`)
  const far = [
    'http://service.example/v1/a',
    'https://user@/v1',
    'https://elsewhere.example/v1/a',
    'mailto:a@b',
  ]

  it.each([...near, ...far, 'a/b', '../a', '?page=2', '/elsewhere', ''])('%s stays as it is', (location) => {
    expect(throughProxy(location, target, proxy)).toBe(location)
  })
})
