import { describe, expect, it } from 'vitest'
import { ok } from '../../http/testing/servers.ts'
import { proxyBefore, proxyTo, sendBytes } from './testing/proxies.ts'

const fine = ok('fine')
const chunks = '2\r\nhi\r\n0\r\n\r\n'

function post(fields: string): string {
  return `POST / HTTP/1.1\r\n${fields}\r\n\r\n${chunks}`
}

function to(hosts: string): string {
  return `GET / HTTP/1.1\r\n${hosts}\r\nX-Secret-Key: hush\r\n\r\n`
}

const coding = 'does not pass on this request: its transfer-encoding is not chunked alone\n'
const several = 'it has several host fields'
const noHost = 'its host field is no host with or without a port'
const names = [
  '',
  'user@a.example',
  'a.example, b.example',
  'a.example/b',
  'a b',
  'a:b',
  'a:65536',
  '[::1',
  '"a"',
  '\u00e9',
]

describe('a malformed request is refused, and the service sees none of it:', () => {
  it.each<readonly [bytes: string, says: string]>([
    [post('Host: proxy\r\nTransfer-Encoding: gzip, chunked'), coding],
    [post('Host: proxy\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked'), coding],
    [post('Host: proxy\r\nTransfer-Encoding: xchunked'), coding],
    [to('Host: a.example\r\nhost: b.example'), several],
    [to('Host: a.example\r\nHost: a.example'), several],
    ...names.map((host) => [to(`Host: ${host}`), noHost] as const),
    [post('Host: proxy\r\nTransfer-Encoding: chunked\r\nContent-Length: 12'), ''],
    [post('Host: proxy\r\nTransfer-Encoding: chunked, gzip'), ''],
    [post('Host: proxy\r\nTransfer-Encoding:\r\nContent-Length: 12'), ''],
    [post('Host: proxy\r\nContent-Length: -2'), ''],
    [post('Host: proxy\r\nContent-Length: 2\r\nContent-Length: 3'), ''],
    [post('Host: proxy\r\nX-A: a\r\n b'), ''],
    [post('Host: proxy\r\nX A: a'), ''],
    [post('Host: proxy\r\nContent-Length : 2'), ''],
    [post('X-A: without a host'), ''],
    [post('Host: proxy\r\nTransfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0'), 'HTTP/1.0'],
    ['GET /api\r\nHost: proxy\r\nContent-Length: 0\r\n\r\n', 'HTTP/0.9'],
    ['GET /api\r\n\r\n', 'HTTP/0.9'],
    ['GET /api#x HTTP/1.1\r\nHost: proxy\r\n\r\n', 'its target holds #'],
    ['GET /api\\x HTTP/1.1\r\nHost: proxy\r\n\r\n', 'its target holds #'],
  ])('%j', async (bytes, says) => {
    const { server, address } = await proxyBefore(fine)

    const answer = await sendBytes(address, bytes)

    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n(?:[^]*\r\n)?Connection: close\r\n/)
    expect(answer).toContain(says)
    expect(answer).not.toContain('hush')
    expect(server.heads).toEqual([])
  })

  it('and the log says why', async () => {
    const { address, lines } = await proxyTo('http://127.0.0.1:1')

    await sendBytes(address, 'GET /a HTTP/1.1\r\nHost: a@b\r\n\r\n')

    expect(lines[0]).toMatch(/ #1 GET \/a 400 \d+ ms: not passed on: its host field is no host/)
  })

  it.each(['a.example', 'A_b.example:', '127.0.0.1:65535', '[::1]:80', 'localhost'])(
    'unlike one for %s',
    async (host) => {
      const { address } = await proxyBefore(fine)
      const fields = `Host: ${host}\r\nTransfer-Encoding: Chunked\r\nTrailer: X-T\r\nConnection: close`

      expect(await sendBytes(address, post(fields))).toMatch(/^HTTP\/1\.1 200 /)
    },
  )
})

describe('an interim answer', () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n'
  it.each([
    ['1.1', `${interim}HTTP/1.1 200 OK\r\n`],
    ['1.0', 'HTTP/1.1 200 OK\r\n'],
  ])('reaches a client of HTTP/%s once, if it knows any', async (version, begins) => {
    const { address } = await proxyBefore(
      `${interim}HTTP/1.1 103 Early\r\nLink: a\r\n\r\n${interim}${fine.toString()}`,
    )

    const answer = await sendBytes(address, `GET / HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`)

    expect(answer.slice(0, begins.length)).toBe(begins)
    expect(answer).toMatch(/fine$/)
  })
})
