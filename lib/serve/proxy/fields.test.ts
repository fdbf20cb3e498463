import { describe, expect, it } from 'vitest'
import { endToEnd, fieldsOfChanged, onwardFields, originForm, throughProxy } from './fields.ts'

describe('the fields that are passed on', () => {
  it('keep their order, their letter case and their repetitions', () => {
    const raw = ['X-Key', 'a', 'accept', '*/*', 'x-key', 'b', 'X-Empty', '']

    expect(endToEnd(raw)).toEqual([
      ['X-Key', 'a'],
      ['accept', '*/*'],
      ['x-key', 'b'],
      ['X-Empty', ''],
    ])
  })

  it('are not those of the connection, nor those that it names', () => {
    const ofConnection = [
      'Connection',
      'Keep-Alive',
      'Proxy-Connection',
      'TE',
      'Trailer',
      'Transfer-Encoding',
      'Upgrade',
    ]
    const raw = [
      ...ofConnection.flatMap((name) => [name, name === 'Connection' ? 'close, X-Hop ,x-other' : 'value']),
      'x-hop',
      '1',
      'X-Other',
      '2',
      'x-key',
      '3',
    ]

    expect(endToEnd(raw)).toEqual([['x-key', '3']])
  })

  it('hold what the message cannot do without, whatever the connection names', () => {
    const raw = ['Connection', 'host, content-length', 'Host', 'a', 'Content-Length', '3']

    expect(endToEnd(raw)).toEqual([
      ['Host', 'a'],
      ['Content-Length', '3'],
    ])
  })
})

describe('a request that goes on', () => {
  const target = { host: 'service.example:8443' }

  it("names the target's host in the place of the proxy's, and nobody on the way", () => {
    const rawHeaders = ['X-Api-Key', 'key', 'HOST', '127.0.0.1:1', 'accept', '*/*']

    const fields = onwardFields({ method: 'GET', headers: { host: '127.0.0.1:1' }, rawHeaders }, target)

    expect(fields).toEqual([
      ['X-Api-Key', 'key'],
      ['HOST', 'service.example:8443'],
      ['accept', '*/*'],
    ])
  })

  it('names the host for a client of HTTP/1.0 that does not', () => {
    expect(onwardFields({ method: 'GET', headers: {}, rawHeaders: [] }, target)).toEqual([
      ['Host', 'service.example:8443'],
    ])
  })

  it('says how its content ends', () => {
    const framed = (method: string, headers: Readonly<Record<string, string>>) =>
      onwardFields(
        {
          method,
          headers: { host: 'a', ...headers },
          rawHeaders: ['host', 'a', ...Object.entries(headers).flat()],
        },
        target,
      ).slice(1)

    expect(framed('POST', { 'transfer-encoding': 'chunked' })).toEqual([['Transfer-Encoding', 'chunked']])
    expect(framed('GET', { 'transfer-encoding': 'chunked' })).toEqual([['Transfer-Encoding', 'chunked']])
    expect(framed('POST', { 'content-length': '7' })).toEqual([['content-length', '7']])
    expect(framed('POST', {})).toEqual([['Content-Length', '0']])
    expect(framed('GET', {})).toEqual([])
    expect(framed('DELETE', {})).toEqual([])
  })
})

describe('an answer whose content was changed', () => {
  it('has the new length, and nothing that described the old content', () => {
    const fields = [
      ['Content-Type', 'application/json'],
      ['Content-Length', '5'],
      ['Content-Encoding', 'gzip'],
      ['ETag', '"a"'],
      ['Content-MD5', 'a'],
      ['Digest', 'a'],
      ['Content-Digest', 'a'],
      ['Repr-Digest', 'a'],
      ['Accept-Ranges', 'bytes'],
      ['Set-Cookie', 'a=b'],
    ] as const

    expect(fieldsOfChanged(fields, 42)).toEqual([
      ['Content-Type', 'application/json'],
      ['Set-Cookie', 'a=b'],
      ['content-length', '42'],
    ])
  })
})

describe('the target of a request', () => {
  it.each([
    ['/api/a?b=c', '/api/a?b=c'],
    ['//a//b', '//a//b'],
    ['*', '*'],
    ['http://service.example:80/api?x', '/api?x'],
    ['HTTP://user:word@service.example', '/'],
    ['http://service.example?x', '/?x'],
    ['/http://inside/', '/http://inside/'],
  ])('%s is asked for as %s', (target, asked) => {
    expect(originForm(target)).toBe(asked)
  })
})

describe('a location', () => {
  const target = { origin: 'https://service.example', prefix: '/v1' }
  const proxy = 'http://127.0.0.1:4000'

  it.each([
    ['https://service.example/v1/api/a?b#c', 'http://127.0.0.1:4000/api/a?b#c'],
    ['https://service.example:443/v1/a', 'http://127.0.0.1:4000/a'],
    ['HTTPS://SERVICE.example/v1', 'http://127.0.0.1:4000'],
    ['//service.example/v1/a', 'http://127.0.0.1:4000/a'],
    ['/v1/a%2fb', '/a%2fb'],
    ['/v1', '/'],
    ['/v1?a', '?a'],
  ])('%s below the base URL becomes %s', (location, expected) => {
    expect(throughProxy(location, target, proxy)).toBe(expected)
  })

  it.each([
    'https://service.example/v10/a',
    'https://service.example/other',
    'http://service.example/v1/a',
    'https://service.example:444/v1/a',
    'https://service.example.evil/v1/a',
    'https://user@/v1',
    'https://elsewhere.example/v1/a',
    'mailto:a@b',
    'a/b',
    '../a',
    '?page=2',
    '/elsewhere',
    '',
  ])('%s stays as it is', (location) => {
    expect(throughProxy(location, target, proxy)).toBe(location)
  })

  it('keeps its path where the base URL has none', () => {
    const bare = { ...target, prefix: '' }

    expect(throughProxy('https://service.example/a', bare, proxy)).toBe('http://127.0.0.1:4000/a')
    expect(throughProxy('/a', bare, proxy)).toBe('/a')
  })
})
