import { describe, expect, it } from 'vitest'

import { growth, linear } from '../../tests/support/processor-time.ts'
import { headOf } from './raw-socket.ts'
import type { Field, Request } from './request.ts'
import { Secret } from '../redact/secret.ts'
import { targetOf } from './target-address.ts'

const target = targetOf('https://api.example:8443/cards/')

function requestWith(changes: Partial<Request>): Request {
  return { route: 'raw', method: 'GET', target: '/x', fields: [], ...changes }
}

function writing(changes: Partial<Request>): () => Buffer {
  return () => headOf(requestWith(changes), target)
}

/** A request with one field. */
function one(name: string, value: string): { readonly fields: readonly Field[] } {
  return { fields: [{ name, value }] }
}

describe('the head of a request', () => {
  it('is the request line, the host, the fields as they are, and the end of the connection', () => {
    const fields = [
      { name: 'X-Api-Key ', value: new Secret('TARGET_API_KEY', 'k\xe9y') },
      { name: 'x', value: '' },
    ]

    expect(headOf(requestWith({ fields }), target)).toEqual(
      Buffer.from(
        'GET /cards/x HTTP/1.1\r\nhost: api.example:8443\r\nX-Api-Key : k\xe9y\r\nx: \r\nconnection: close\r\n\r\n',
        'latin1',
      ),
    )
  })

  it('is in HTTP/1.0 where the request says so', () => {
    expect(headOf(requestWith({ form: { version: '1.0' } }), target).toString()).toMatch(
      /^GET \/cards\/x HTTP\/1\.0\r\n/,
    )
  })

  it.each([
    ['http://h', 'h', '80'],
    ['http://h:80/', 'h', '80'],
    ['https://h', 'h', '443'],
    ['https://[::1]:8443/p', '[::1]:8443', '8443'],
  ])('of %s names the host as %s', (baseUrl, host, port) => {
    const there = targetOf(baseUrl)

    expect(headOf(requestWith({}), there).toString()).toContain(`\r\nhost: ${host}\r\n`)
    expect(there.port).toBe(port)
  })
})

describe('nothing can be hidden in a head', () => {
  it.each([
    ['an end of the head', 'a\r\n\r\nGET / HTTP/1.1'],
    ['another field', 'a\r\nx-other: b'],
    ['another field, after LF', 'a\nx-other: b'],
    ['a line end at the end', 'a\r\n'],
    ['LF at the end', 'a\n'],
    ['a folded line of white space alone', 'a\r\n '],
    ['a folded line of white space alone, then another', 'a\r\n \t\r\n b'],
    ['a folded line of controls alone', 'a\r\n \x0b\x85\r\n b'],
    ['a bare CR at the end', 'a\r'],
    ['two bare CRs', 'a\r\rb'],
    ['a bare CR before a folded line', 'a\r\r\n b'],
    ['a field after a bare CR', 'a\rx-other: b'],
    ['a colon anywhere after a bare CR', 'a\rb\r\n c\0:'],
    ['a length in a folded line', 'a\r\n content-length: 5'],
    ['a coding after a vertical tab', 'a\x0bTransfer-Encoding : chunked'],
    ['a host after NEL', 'a\x85host: other'],
    ['a character that is no byte', 'a\u0141'],
  ])('a value with %s', (_, value) => {
    expect(writing(one('x-api-key', value))).toThrow(TypeError)
    expect(writing({ fields: [{ name: 'x-api-key', value: new Secret('a secret', value) }] })).toThrow(
      TypeError,
    )
  })

  it.each([
    ['nothing', ''],
    ['CRLF', 'a\r\nb'],
    ['CR', 'a\rb'],
    ['LF', 'a\nb'],
    ['a colon', 'x-other: a'],
    ['a space in front, which would continue the line before', ' a'],
    ['a tab in front', '\ta'],
    ['a character that is no byte', '\u200b'],
  ])('a name with %s', (_, name) => {
    expect(writing(one(name, 'v'))).toThrow(TypeError)
  })

  it.each([
    'Content-Length',
    'transfer-encoding',
    'transfer-encoding ',
    'transfer_encoding',
    'Host',
    'upgrade\0',
  ])('a field %j, which would frame the message', (name) => {
    expect(writing(one(name, 'v'))).toThrow(TypeError)
  })

  it.each([
    { target: '/x\r\ny' },
    { target: '/x\n' },
    { target: '/x\ry' },
    { target: '/\u0141' },
    { method: 'GET /y' },
    { method: 'GET\r\n' },
    { method: '' },
    { method: 'CONNECT' },
  ])('%j', (changes) => {
    expect(writing(changes)).toThrow(TypeError)
  })

  it('says which field it is, and never quotes a value', () => {
    expect(writing(one('x-api-key', 'hidden\rvalue\r'))).toThrow(/"x-api-key" has a value with an empty line/)
    expect(writing(one('x-api-key', 'hidden\rvalue\r'))).not.toThrow(/hidden/)
  })

  it('takes no longer for hostile values', async () => {
    const write = (size: number): Buffer =>
      writing(one('x', `${'\ra'.repeat(size)}\r\n ${'\t'.repeat(size)}b`))()

    expect(await growth(write, 400_000)).toBeLessThan(linear)
  })
})

describe('what the catalogue has is written', () => {
  it.each([
    'key\rmore',
    '\rkey',
    'k:ey\rmore',
    '\r\n k:ey',
    'ke\r\n y',
    'ke\n\ty',
    'a\0b',
    '\x7f',
    ' \t ',
    '',
    'x\x0by',
  ])('the value %j', (value) => {
    expect(writing(one('x-api-key', value))).not.toThrow()
  })

  it.each(['X-API-KEY', 'x-api-key ', 'x-api-key\t', 'x\xe2\x80\x8by', 'x\0', 'connection', 'x-host'])(
    'the name %j',
    (name) => {
      expect(writing(one(name, 'v'))).not.toThrow()
    },
  )
})
