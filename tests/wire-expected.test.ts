import { describe, expect, it } from 'vitest'
import { contextWith } from './fuzz-contexts.ts'
import { host, plainBytes, prefix, settings } from './wire-class.ts'
import { differenceFrom } from './wire-expected.ts'

const place = { host, prefix }
const { request } = (await contextWith(settings)).list.request
const bytes = plainBytes(request)

describe('bytes other than what a request says are noticed', () => {
  it('but for those of a plain request', () => {
    expect(differenceFrom(request, bytes, place)).toBeNull()
  })

  it.each([
    ['another method', 'GET ', 'HEAD '],
    ['a normalised target', '/v%31/', '/v1/'],
    ['no prefix', prefix, ''],
    ['another version of HTTP', 'HTTP/1.1', 'HTTP/1.0'],
    ['no host', /host: .*?\r\n/, ''],
    ['two hosts', /host: .*?\r\n/, 'host: 127.0.0.1:1\r\nhost: 127.0.0.1:1\r\n'],
    ['another host', '127.0.0.1:1', 'localhost'],
    ['no connection', 'connection: keep-alive\r\n', ''],
    ['another connection', 'keep-alive', 'close'],
    ['a name in another case', 'x-api-key', 'X-Api-Key'],
    ['a value with less', 'x-version: 1', 'x-version: '],
    ['a value without the space before it', 'x-version: 1', 'x-version:1'],
    ['a value with white space after it', 'x-version: 1', 'x-version: 1 '],
    ['a length', 'x-version: 1\r\n', 'x-version: 1\r\ncontent-length: 0\r\n'],
    [
      'another order',
      'x-version: 1\r\naccept: application/json\r\n',
      'accept: application/json\r\nx-version: 1\r\n',
    ],
    ['a body', '\r\n\r\n', '\r\n\r\n{}'],
    ['a second request', '\r\n\r\n', '\r\n\r\nGET / HTTP/1.1\r\n\r\n'],
    ['no end', '\r\n\r\n', '\r\n'],
  ])('%s', (_, from, to) => {
    const bent = bytes.replace(from, to)

    expect(bent).not.toBe(bytes)
    expect(differenceFrom(request, bent, place)).not.toBeNull()
  })
})
