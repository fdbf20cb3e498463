import { describe, expect, it } from 'vitest'
import { ok, serve, type RawAnswerer } from '../../http/testing/servers.ts'
import { proxyTo, sendBytes } from './testing/proxies.ts'

const fine = ok('fine')

/** A service that answers so, and the address of a proxy before it. */
async function proxyBefore(answerer: RawAnswerer) {
  const server = await serve(answerer)
  const { address } = await proxyTo(`http://127.0.0.1:${server.port}`)
  return { server, address }
}

const chunks = '2\r\nhi\r\n0\r\n\r\n'

describe('a malformed request is refused, and the service sees none of it:', () => {
  it.each([
    ['gzip, then chunked', 'Transfer-Encoding: gzip, chunked', 'transfer-encoding'],
    ['the same in two fields', 'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked', 'transfer-encoding'],
    ['another coding', 'Transfer-Encoding: xchunked', 'transfer-encoding'],
  ])('%s', async (_, framing, says) => {
    const { server, address } = await proxyBefore((socket) => socket.write(fine))

    const answer = await sendBytes(address, `POST / HTTP/1.1\r\nHost: proxy\r\n${framing}\r\n\r\n${chunks}`)

    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\nConnection: close\r\n/)
    expect(answer).toContain(`does not pass on this request: its ${says} is not chunked alone\n`)
    expect(server.heads).toEqual([])
  })

  it.each([
    ['Host: a.example\r\nhost: b.example', 'it has several host fields'],
    ['Host: a.example\r\nHost: a.example', 'it has several host fields'],
    ...[
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
    ].map((host): [string, string] => [`Host: ${host}`, 'its host field is no host with or without a port']),
  ])('%j', async (hosts, says) => {
    const { server, address } = await proxyBefore((socket) => socket.write(fine))

    const answer = await sendBytes(address, `GET / HTTP/1.1\r\n${hosts}\r\nX-Secret-Key: hush\r\n\r\n`)

    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain(says)
    expect(answer).not.toContain('hush')
    expect(server.heads).toEqual([])
  })

  it.each([
    'Host: proxy\r\nTransfer-Encoding: chunked\r\nContent-Length: 12',
    'Host: proxy\r\nTransfer-Encoding: chunked, gzip',
    'Host: proxy\r\nTransfer-Encoding:\r\nContent-Length: 12',
    'Host: proxy\r\nContent-Length: -2',
    'Host: proxy\r\nContent-Length: 2\r\nContent-Length: 3',
    'Host: proxy\r\nX-A: a\r\n b',
    'Host: proxy\r\nX A: a',
    'Host: proxy\r\nContent-Length : 2',
    'X-A: without a host',
  ])('%j', async (fields) => {
    const { server, address } = await proxyBefore((socket) => socket.write(fine))

    const answer = await sendBytes(address, `POST / HTTP/1.1\r\n${fields}\r\n\r\n${chunks}`)

    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(server.heads).toEqual([])
  })

  it.each([
    [`POST / HTTP/1.0\r\nHost: proxy\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`, 'HTTP/1.0'],
    ['GET /api\r\nHost: proxy\r\nContent-Length: 0\r\n\r\n', 'HTTP/0.9'],
    ['GET /api\r\n\r\n', 'HTTP/0.9'],
    ['GET /api#x HTTP/1.1\r\nHost: proxy\r\n\r\n', 'its target holds #'],
    ['GET /api\\x HTTP/1.1\r\nHost: proxy\r\n\r\n', 'its target holds #'],
  ])('%j', async (bytes, says) => {
    const { server, address } = await proxyBefore((socket) => socket.write(fine))

    const answer = await sendBytes(address, bytes)

    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain(says)
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
      const { address } = await proxyBefore((socket) => socket.write(fine))

      const answer = await sendBytes(
        address,
        `POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: Chunked\r\nTrailer: X-T\r\nConnection: close\r\n\r\n${chunks}`,
      )

      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    },
  )
})

describe('an interim answer', () => {
  const interim = 'HTTP/1.1 100 Continue\r\n\r\n'
  it.each([
    ['1.1', `${interim}HTTP/1.1 200 OK\r\n`],
    ['1.0', 'HTTP/1.1 200 OK\r\n'],
  ])('reaches a client of HTTP/%s once, if it knows any', async (version, begins) => {
    const { address } = await proxyBefore((socket) =>
      socket.write(`${interim}HTTP/1.1 103 Early\r\nLink: a\r\n\r\n${interim}${fine.toString()}`),
    )

    const answer = await sendBytes(address, `GET / HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`)

    expect(answer.slice(0, begins.length)).toBe(begins)
    expect(answer).toMatch(/fine$/)
  })
})
