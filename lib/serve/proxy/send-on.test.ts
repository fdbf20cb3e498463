import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { buffer, text as textFrom } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tunnelling } from '../../../tests/support/tunnelling.ts'
import { makeCertificates } from '../../http/testing/certificates.ts'
import { listen, ok, serve, type RawServer } from '../../http/testing/servers.ts'
import { answering, ask, askBefore, proxyBefore, proxyTo, sendBytes, service } from './testing/proxies.ts'

const fine = ok('fine')

describe('a request', () => {
  it('arrives as it was sent, but for the host and what belongs to the connection', async () => {
    const { server, address } = await proxyBefore(fine)

    await sendBytes(
      address,
      'GET /api//a%zz;b?c=%C3%A9&c HTTP/1.1\r\nX-API-Key: k\u00e9y  \r\nhost: proxy\r\naccept: */*\r\nx-api-key:second\r\n' +
        'X-Empty:\r\nKeep-Alive: timeout=9\r\nTE: trailers\r\nConnection: close, x-hop\r\nX-Hop: 1\r\nCookie: a=b; c\r\n\r\n',
    )

    expect(server.heads).toEqual([
      `GET /api//a%zz;b?c=%C3%A9&c HTTP/1.1\r\nX-API-Key: k\u00e9y\r\nhost: 127.0.0.1:${server.port}\r\naccept: */*\r\nx-api-key: second\r\n` +
        'X-Empty: \r\nCookie: a=b; c\r\nConnection: keep-alive\r\n\r\n',
    ])
  })

  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'PATCH', 'PUT', 'PROPFIND'])(
    'keeps its method, %s',
    async (method) => {
      const { server, address } = await proxyBefore(ok(''), { path: '/v1/' })

      const { status } = await ask(address, { method, path: '/a' })

      expect(status).toBe(200)
      expect(server.heads[0]).toMatch(new RegExp(`^${method} /v1/a HTTP/1.1\r\n`))
    },
  )

  it('may name the proxy in its target, or no path at all', async () => {
    const { server, address } = await proxyBefore(fine, { path: '/v1' })

    await sendBytes(address, `GET ${address}/a?b HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\n\r\n`)
    await sendBytes(address, 'OPTIONS * HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\n\r\n')
    await sendBytes(address, 'GET /old HTTP/1.0\r\n\r\n')

    expect(server.heads.map((head) => head.split(' HTTP')[0])).toEqual([
      'GET /v1/a?b',
      'OPTIONS *',
      'GET /v1/old',
    ])
    for (const head of server.heads) expect(head).toMatch(/\r\nHost: 127\.0\.0\.1:\d+\r\n/i)
  })

  it('may have more fields than node counts by default, and expect what only the service knows', async () => {
    const { server, address } = await proxyBefore(fine)
    const many = Array.from({ length: 2_500 }, () => ['a', '']).flat()

    const { status } = await ask(address, { fields: ['Expect', 'the unexpected', ...many] })

    expect(status).toBe(200)
    expect(server.heads[0]).toContain('Expect: the unexpected\r\n')
    expect(server.heads[0]?.match(/\r\na:/g)).toHaveLength(2_500)
  })

  it('is answered by the proxy itself where its fields are longer than 16 KiB', async () => {
    const { server, address } = await proxyBefore(fine)

    const { status } = await ask(address, { fields: ['x-long', 'a'.repeat(20_000)] })

    expect(status).toBe(431)
    expect(server.connections()).toBe(0)
  })

  it.each([
    ['again on a new one where that was closed', {}, 4],
    ['once where it has a side effect', { method: 'POST', fields: ['Content-Length', '0'] }, 3],
  ])('that follows another goes out on the same connection, %s', async (_, asking, heads) => {
    const { server, address } = await proxyBefore((socket, head) =>
      head.includes('/last') ? socket.resetAndDestroy() : socket.write(fine),
    )

    const statuses = [
      await ask(address),
      await ask(address),
      await ask(address, { path: '/last', ...asking }),
    ]

    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 502])
    expect(server.heads).toHaveLength(heads)
    expect(server.connections()).toBe(heads - 2)
  })
})

describe('the content of a request', () => {
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256))

  it.each([
    ['with a length', ['Content-Length', String(content.length)], 'content-length'],
    ['in chunks', ['Transfer-Encoding', 'chunked'], 'transfer-encoding'],
  ])('%s arrives byte for byte', async (_, fields, framing) => {
    const base = await service((request, response) => {
      void buffer(request).then((received) =>
        response.end(`${String(received.equals(content))} ${String(request.headers[framing])}`),
      )
    })
    const { address } = await proxyTo(base)

    const { text: says } = await ask(address, { method: 'POST', fields, content })

    expect(says).toBe(`true ${framing === 'content-length' ? content.length : 'chunked'}`)
  })

  it('is sent on while it comes', async () => {
    const base = await service((request, response) => void request.once('data', () => response.end('begun')))
    const { address } = await proxyTo(base)
    const sending = httpRequest(address, { method: 'POST', headers: { 'content-length': 10 } })
    onTestFinished(() => void sending.destroy())

    sending.write('first')
    const [answer] = await once(sending, 'response')

    expect(await textFrom(answer)).toBe('begun')
  })

  it('is asked for by the service, where the client waits for that', async () => {
    const server = createServer().on('checkContinue', (request, response) => {
      if (request.url === '/no') response.writeHead(417).end()
      else {
        response.writeContinue()
        void textFrom(request).then((received) => response.end(received))
      }
    })
    const port = await listen(server)
    onTestFinished(() => void server.close())
    const { address } = await proxyTo(`http://127.0.0.1:${port}`)
    const expecting = { method: 'POST', headers: { expect: '100-continue', 'content-length': '4' } }

    const welcome = httpRequest(address, expecting).on('continue', () => welcome.end('body'))
    const [served] = await once(welcome, 'response')
    const isAskedFor = vi.fn<() => void>()
    const refused = httpRequest(`${address}/no`, expecting).on('continue', isAskedFor)
    refused.flushHeaders()
    const [refusal] = await once(refused, 'response')
    refused.destroy()

    expect(await textFrom(served)).toBe('body')
    expect(refusal).toMatchObject({ statusCode: 417, headers: { connection: 'close' } })
    expect(isAskedFor).not.toHaveBeenCalled()
  })

  it.each([
    ['would read the rest', (socket: Socket) => socket.resume()],
    ['closes the connection', (socket: Socket) => socket.destroy()],
  ])('may be answered before its end by a service that %s', async (_, then) => {
    const sockets: Socket[] = []
    const { address } = await proxyBefore((socket) => {
      sockets.push(socket.pause())
      socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo large')
    })
    const large = Buffer.alloc(40_000_000)
    const headers = { connection: 'keep-alive', 'content-length': large.length }
    const sending = httpRequest(address, { method: 'POST', headers })
    const sent = once(sending, 'finish')

    sending.end(large)
    const [answer] = await once(sending, 'response')
    const says = await textFrom(answer)
    sockets.forEach(then)

    expect([answer.statusCode, says]).toEqual([413, 'too large'])
    await sent
  })
})

describe('a target', () => {
  const { ca, local } = makeCertificates()
  const serveTls = (): Promise<RawServer> => serve((socket) => socket.write(fine), { certificate: local })

  it('is trusted by its authority', async () => {
    const server = await serveTls()
    const base = `https://localhost:${server.port}`

    const trusting = await ask((await proxyTo(base, { ca })).address)
    const doubting = await ask((await proxyTo(base)).address)

    expect(trusting.text).toBe('fine')
    expect(server.heads[0]).toContain(`Host: localhost:${server.port}\r\n`)
    expect(doubting.status).toBe(502)
    expect(doubting.text).toContain('signed by an authority that is not trusted: give it with RUN_CA_FILE')
  })

  it('is reached through a further proxy', async () => {
    const server = await serveTls()
    const { port, tunnels } = await tunnelling(onTestFinished)
    const httpsProxy = `http://user:hush@127.0.0.1:${port}`
    const { address } = await proxyTo(`https://127.0.0.1:${server.port}`, { ca, httpsProxy })

    expect((await ask(address)).text).toBe('fine')
    expect(tunnels).toEqual([`127.0.0.1:${server.port}`])
  })

  it('that redirects is not followed', async () => {
    const elsewhere = await answering('elsewhere')

    const { status, headers } = await askBefore(await answering('', { location: elsewhere }, 302))

    expect([status, headers.location]).toEqual([302, elsewhere])
  })
})

describe('where there is no answer', () => {
  it('says why in plain text, and no header field', async () => {
    const { address, lines } = await proxyTo('http://127.0.0.1:1')

    const { status, headers, text } = await ask(address, { fields: ['x-secret-key', 'hush-hush-hush'] })

    expect(status).toBe(502)
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^The proxy has no answer of the service: nothing is listening on 127\.0\.0\.1:1 /)
    expect(lines[0]).toMatch(/ 502 \d+ ms: no answer: nothing is listening on 127\.0\.0\.1:1 /)
    expect(text + lines.join()).not.toContain('hush')
  })

  const success = 'HTTP/1.1 200 OK\r\n'
  const twoLengths = `${success}Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi`
  const gzipped = `${success}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`
  const twice = `${success}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`
  const cut = `${success}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`

  it.each([
    ['hangs up', '', 'closed the connection before its answer was complete'],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH\r\n', 'is not HTTP'],
    ['has endless fields', `${success}a: ${'a'.repeat(20_000)}\r\n\r\n`, 'longer than this proxy reads'],
    ['breaks off', cut, 'closed'],
    ['has a status that is none', 'HTTP/1.1 042 What\r\nContent-Length: 0\r\n\r\n', 'cannot be passed on'],
    ['has the status 000', 'HTTP/1.1 000 \u0001\r\nContent-Length: 0\r\n\r\n', 'cannot be passed on'],
    ['has a status of four digits', 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n', 'is not HTTP'],
    ['folds a field', `${success}X-A: a\r\n b\r\nContent-Length: 0\r\n\r\n`, 'is not HTTP'],
    ['has a control character in a field', `${success}X-A: \u0001\r\n\r\n`, 'is not HTTP'],
    ['has a name that is none', `${success}X(A): a\r\n\r\n`, 'is not HTTP'],
    ['has a length that is none', `${success}Content-Length: -2\r\n\r\nhi`, 'is not HTTP'],
    ['has two lengths', twoLengths, 'is not HTTP'],
    ['compresses what it transfers', gzipped, 'in a transfer coding that cannot be undone'],
    ['transfers in chunks of chunks', twice, 'in a transfer coding that cannot be undone'],
  ])('since the target %s', async (_, bytes, says) => {
    const { address } = await proxyBefore((socket) => socket.end(bytes))

    const { status, text } = await ask(address)

    expect(status).toBe(502)
    expect(text).toContain(says)
  })

  it.each([
    ['as asked for', 'Connection: upgrade\r\nUpgrade: websocket\r\n'],
    ['without saying to what', ''],
    ['with content', 'Content-Length: 2\r\n'],
    ['in chunks', 'Connection: upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n'],
  ])('since the target switches protocols, at once, and its connection is closed: %s', async (_, fields) => {
    const sockets: Socket[] = []
    const { address } = await proxyBefore((socket) => {
      sockets.push(socket)
      socket.write(`HTTP/1.1 101 Switching\r\n${fields}\r\nhi`)
    })

    const { status, text } = await ask(address, { fields: ['Connection', 'upgrade', 'Upgrade', 'websocket'] })

    expect(status).toBe(502)
    expect(text).toMatch(/: 127\.0\.0\.1:\d+ answered with 101, which the request did not ask for\n$/)
    await expect.poll(() => sockets[0]?.closed).toBe(true)
  })

  it('in time', async () => {
    const { address } = await proxyBefore(() => {}, { timeoutMs: 50 })

    expect(await ask(address)).toMatchObject({
      status: 502,
      text: expect.stringContaining('did not begin to answer within 50 ms (RUN_TIMEOUT_MS)'),
    })
  })

  it('to its end, the client does not take it for whole', async () => {
    const { address, lines } = await proxyBefore((socket) =>
      socket.end(`${success}Content-Length: 9\r\n\r\nhalf`),
    )

    await expect(ask(address)).rejects.toThrow('aborted')
    await expect.poll(() => lines[0]).toMatch(/ 200 \d+ ms: cut: .* closed the connection before/)
  })

  it('for the first, there may be one for the next', async () => {
    const { address } = await proxyBefore((socket, head) =>
      head.includes('/bad') ? socket.destroy() : socket.write(fine),
    )

    expect((await ask(address, { path: '/bad' })).status).toBe(502)
    expect((await ask(address)).text).toBe('fine')
  })
})
