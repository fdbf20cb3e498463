import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tunnelling } from '../../../tests/support/tunnelling.ts'
import { makeCertificates } from '../../http/testing/certificates.ts'
import { listen, ok, serve } from '../../http/testing/servers.ts'
import { begin, proxyBefore, proxyTo, sendBytes, service } from './testing/proxies.ts'

interface Row {
  /** Method and target, or the whole request line. */
  readonly asks?: string
  /** Fields, with CRLF after each. */
  readonly fields?: string
  readonly content?: string
  readonly answer?: string
  /** The request that reaches the service, with `HOST` for its host, or null if none does. */
  readonly onward?: string | null
  /** The exact answer that the client gets, or a pattern for it. */
  readonly back?: string | RegExp
  /** The log line from the number on, without the duration. */
  readonly logged?: string | RegExp
}

const fine = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine'
const success = 'HTTP/1.1 200 OK\r\n'
const list = JSON.stringify({ customizations: [{ id: 'cust_1', name: 'Blue', weight: 1.5 }], total: 1 })
const [chunked, chunks] = ['Transfer-Encoding: chunked\r\n', '2\r\nhi\r\n0\r\n\r\n']
const manyFields = 'a: b\r\n'.repeat(2_500)

const ofJson = 'application/json'
const location = 'Location: http://elsewhere.example/\r\n'
const hostless: Row = { asks: 'GET /old HTTP/1.0', fields: '' }
const cutPath = /^#1 GET \/a{190,200}.{0,40} 200: streamed unchanged$/
const chunkedPost: Row = { asks: 'POST /', fields: `Host: proxy\r\n${chunked}`, content: chunks }
const longField = `Host: proxy\r\nX-Long: ${'a'.repeat(20_000)}\r\n`
const gzipped = 'Host: a\r\nTransfer-Encoding: gzip, chunked\r\n'
const lengthAlone = `${success}Content-Type: ${ofJson}\r\nContent-Length: 77\r\n\r\n`
const ofGzip = `${success}Transfer-Encoding: gzip, chunked\r\n\r\n${chunks}`
const tooMuch = `["${'a'.repeat(5_000_000)}"]`

const json = (content: string, more = ''): string =>
  `${success}Content-Type: ${ofJson}\r\n${more}Content-Length: ${content.length}\r\n\r\n${content}`
const compressed = json(gzipSync(list).toString('latin1'), 'Content-Encoding: gzip\r\n')
const onward = (asks: string, more = '') =>
  `${asks} HTTP/1.1\r\nHost: HOST\r\n${more}Connection: close\r\n\r\n`
/** An answer that is passed on unchanged, except for `connection`. */
const asItCame = (answer: string): Row => ({ answer, back: answer, logged: / \d+: streamed unchanged$/ })
const badGateway =
  'HTTP/1.1 502 Bad Gateway\\r\\ncontent-type: text/plain; charset=utf-8\\r\\n[^]*The proxy got no answer from the service: '
const noAnswer = (answer: string, says: string): Row => ({
  answer,
  back: new RegExp(`^${badGateway}.*${says}[^]*\\n$`),
  logged: new RegExp(`^#1 GET / 502: .*${says}`),
})
const malformed = (fields: string, says = ''): Row => ({
  asks: 'POST /',
  fields,
  content: chunks,
  onward: null,
  back: new RegExp(`^HTTP/1.1 400 Bad Request\\r\\n(?:[^]*\\r\\n)?Connection: close\\r\\n[^]*${says}`),
})
const headOfChanged = '(?!.*content-encoding)[^]*content-length: \\d+\\r\\nx-tolerated-changes: added \\d+'
const changedTo = (status: string): RegExp => new RegExp(`^HTTP/1.1 ${status}\\r\\n${headOfChanged}`)
const notChanged = (answer: string, says: string): Row => ({
  answer,
  back: answer.replace('\r\n\r\n', `\r\nx-tolerated-changes: none: ${says}\r\n\r\n`),
  logged: `#1 GET / 200: none: ${says}`,
})
const upgraded = (fields: string): Row => ({
  fields: `Host: proxy\r\n${fields}`,
  ...noAnswer(`HTTP/1.1 101 Switching\r\n${fields}\r\nhi`, '101'),
})
const changed = (status: string): Row => ({
  asks: 'GET /a?key=hush',
  answer: json(list, 'ETag: "a"\r\n').replace('200 OK', status),
  back: changedTo(status),
  logged: new RegExp(`^#1 GET /a ${status.slice(0, 3)}: added \\d+ properties; .*; seed 7; answer 1$`),
})

const rows: Readonly<Record<string, Row>> = {
  'the fields of a request with their order, spelling and repetitions, except connection fields': {
    asks: 'GET /api//a%zz;b?c=%C3%A9&c',
    fields:
      'X-API-Key: k\u00e9y  \r\nhost: proxy\r\naccept: */*\r\nx-api-key:second\r\nX-Empty:\r\nKeep-Alive: timeout=9\r\n' +
      'TE: trailers\r\nProxy-Connection: a\r\nUpgrade: a\r\nTrailer: a\r\nConnection: close, X-Hop , host\r\nX-Hop: 1\r\nCookie: a=b; c\r\n',
    onward:
      'GET /api//a%zz;b?c=%C3%A9&c HTTP/1.1\r\nX-API-Key: k\u00e9y\r\nhost: HOST\r\naccept: */*\r\nx-api-key: second\r\n' +
      'X-Empty: \r\nCookie: a=b; c\r\nConnection: close\r\n\r\n',
    back: fine,
    logged: '#1 GET /api//a%zz;b 200: streamed unchanged',
  },
  'the method HEAD': { asks: 'HEAD /a', onward: onward('HEAD /a') },
  'the method DELETE': { asks: 'DELETE /a', onward: onward('DELETE /a') },
  'the method OPTIONS': { asks: 'OPTIONS *', onward: onward('OPTIONS *') },
  'the method PROPFIND': { asks: 'PROPFIND /a', onward: onward('PROPFIND /a', 'Content-Length: 0\r\n') },
  'a request with an expectation and more fields than Node counts': {
    fields: `Host: proxy\r\nExpect: the unexpected\r\n${manyFields}`,
    onward: onward('GET /', `Expect: the unexpected\r\n${manyFields}`),
  },
  'a target that is a URL, of which only the path is logged': {
    asks: 'GET http://user:word@service.example/a?b',
    onward: onward('GET /a?b'),
    logged: '#1 GET /a 200: streamed unchanged',
  },
  'HTTP/1.0 without a host': { ...hostless, onward: onward('GET /old'), back: fine },
  'a long path, cut in the log': { asks: `GET /${'a'.repeat(5_000)}`, logged: cutPath },
  'chunked content': { ...chunkedPost, onward: onward('POST /', chunked) },
  'fields of more than 16 KiB': { fields: longField, onward: null, back: /^HTTP\/1\.1 431 / },
  'two hosts': malformed(`Host: a\r\nhost: b\r\n${chunked}`, 'several host fields'),
  'no host': malformed(chunked),
  'a coding that Node does not decode': malformed(gzipped, 'a transfer-encoding other than chunked'),
  'a coding together with a length': malformed(`Host: a\r\n${chunked}Content-Length: 12\r\n`),
  'a folded field': malformed('Host: a\r\nX-A: a\r\n b\r\n'),

  'the reason and fields of an answer with their order and spelling, except connection fields': {
    answer:
      'HTTP/1.1 299 Quite fine\r\nX-B: 1\r\nserver: a\r\nx-b: \u00e9\r\nSET-Cookie: a\r\nSet-cookie: b\r\nContent-Length: 0\r\n' +
      'Connection: x-hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=1\r\n\r\n',
    back: 'HTTP/1.1 299 Quite fine\r\nX-B: 1\r\nserver: a\r\nx-b: \u00e9\r\nSET-Cookie: a\r\nSet-cookie: b\r\nContent-Length: 0\r\n\r\n',
  },
  'an answer with more fields than Node counts': asItCame(`${success}${manyFields}Content-Length: 0\r\n\r\n`),
  'an answer of another type': asItCame(json('{"a":"b"}', 'ETag: "a"\r\n').replace(ofJson, 'text/plain')),
  'a redirect without following it': asItCame(`HTTP/1.1 302 Found\r\n${location}Content-Length: 0\r\n\r\n`),
  'a partial answer': asItCame(json(list).replace('200 OK', '206 Partial Content')),
  'no content': asItCame('HTTP/1.1 204 None\r\nContent-Type: application/json\r\nETag: "a"\r\n\r\n'),
  'a length without content in an answer to HEAD': { asks: 'HEAD /', ...asItCame(lengthAlone) },
  'an answer without its trailers and their announcement': {
    answer: `${success}${chunked}Trailer: X-T\r\n\r\n2\r\nhi\r\n0\r\nX-T: 1\r\n\r\n`,
    back: `${success}${chunked}\r\n${chunks}`,
  },
  'a stream that is cut off, which does not look complete': {
    answer: `${success}Content-Length: 9\r\n\r\nhalf`,
    back: /half$/,
    logged: /^#1 GET \/ 200: cut: .* closed the connection before/,
  },

  'JSON with status 200, changed': changed('200 OK'),
  'JSON with status 401, changed': changed('401 Unauthorized'),
  'JSON with status 503, changed': changed('503 Unavailable'),
  'JSON in a coding, changed': { answer: compressed, back: changedTo('200 OK') },
  'JSON that is cut off': notChanged(json('{"a":'), 'it ends in the middle of a value'),
  'JSON that is too long': notChanged(json(tooMuch, 'ETag: "a"\r\n'), 'the answer is longer than 4 MiB'),

  'a service that closes the connection': noAnswer('', 'closed the connection before'),
  'bytes that are not HTTP': noAnswer('SSH-2.0-OpenSSH\r\n', 'is not HTTP'),
  'endless fields': noAnswer(`${success}a: ${'a'.repeat(20_000)}\r\n\r\n`, 'is not HTTP'),
  'two lengths': noAnswer(`${success}Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi`, 'is not HTTP'),
  'JSON whose connection breaks off': noAnswer(json(list).slice(0, -9), 'closed the connection before'),
  'the status 042': noAnswer('HTTP/1.1 042 What\r\nContent-Length: 0\r\n\r\n', 'cannot be forwarded'),
  'an illegal character in a reason phrase': noAnswer('HTTP/1.1 200 O\u0001K\r\n\r\n', 'cannot be forwarded'),
  'an answer in a coding that Node does not decode': noAnswer(
    ofGzip,
    'a transfer-encoding other than chunked',
  ),
  'an upgrade to another protocol': upgraded('Connection: close, upgrade\r\nUpgrade: websocket\r\n'),
  'another protocol without an upgrade': upgraded(''),
}

it.each(Object.entries(rows))('the proxy forwards or refuses, and logs, %s', async (_, row) => {
  const { asks = 'GET /', fields = 'Host: proxy\r\n', content = '', answer = fine, back, logged } = row
  const { server, address, lines } = await proxyBefore(Buffer.from(answer, 'latin1'))
  const line = asks.includes(' HTTP/') ? asks : `${asks} HTTP/1.1`
  const isOpen = !/^connection:/im.test(fields)

  const close = isOpen ? 'Connection: close\r\n' : ''
  const came = await sendBytes(address, `${line}\r\n${close}${fields}\r\n${content}`)

  if (row.onward !== undefined) {
    const heads = row.onward === null ? [] : [row.onward.replaceAll('HOST', `127.0.0.1:${server.port}`)]
    // Chunked content looks like another head.
    expect(server.heads.slice(0, 1)).toEqual(heads)
  }
  if (back instanceof RegExp) expect(came).toMatch(back)
  else if (back !== undefined) expect(withoutConnection(came)).toBe(withoutConnection(back))
  if (logged !== undefined) {
    const said = () => lines.map((one) => one.replace(/^\S+ /, '').replace(/ \d+ ms:/, ':'))
    await expect.poll(said).toEqual([typeof logged === 'string' ? logged : expect.stringMatching(logged)])
  }
})

function withoutConnection(message: string): string {
  return message.replace(/\r\nConnection: (?:close|keep-alive)(?=\r\n)/, '')
}

/** A service that sends half of a stream, and the other half after `goOn`. It never answers `/never`. */
async function streaming() {
  const waiting: (() => void)[] = []
  const base = await service(({ url }, response) => {
    if (url === '/never') return
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n')
    waiting.push(() => response.end('data: last\n\n'))
  })
  return { base, goOn: (): void => waiting.forEach((end) => end()) }
}

it('a stream arrives as it is sent, and may pause for longer than RUN_TIMEOUT_MS', async () => {
  const { base, goOn } = await streaming()
  const { address } = await proxyTo(base, { timeoutMs: 500 })

  const answer = await begin(address)
  const [first] = await once(answer, 'data')
  // This waits for the full timeout while the stream pauses.
  const refusal = await begin(address, '/never')
  goOn()
  const [last] = await once(answer, 'data')

  expect(await textOf(refusal)).toContain('did not begin to answer within 500 ms (RUN_TIMEOUT_MS)')
  expect([String(first), String(last)]).toEqual(['data: first\n\n', 'data: last\n\n'])
})

it.each([
  ['before the answer', ''],
  ['in a JSON answer', `${success}Content-Type: application/json\r\n\r\n{`],
  ['in a stream', `${success}\r\nsome`],
])('a client that disconnects %s ends the request to the target', async (where, bytes) => {
  const arrived: Socket[] = []
  const { address, lines } = await proxyBefore((socket) => {
    arrived.push(socket)
    socket.write(bytes)
  })

  const client = connect(Number(new URL(address).port), '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: proxy\r\n\r\n')
  await expect.poll(() => arrived.length).toBe(1)
  if (where === 'in a stream') await once(client, 'data')
  client.destroy()

  await expect.poll(() => arrived[0]?.closed).toBe(true)
  await expect.poll(() => lines[0]).toMatch(/#1 GET \/ - \d+ ms: the client left before the end$/)
})

describe('the content of a request', () => {
  it('is forwarded while it arrives, byte for byte', async () => {
    const base = await service((request, response) => void request.pipe(response))
    const { address } = await proxyTo(base)
    const sending = httpRequest(address, { method: 'POST', headers: { 'content-length': 10 } })

    sending.write('first')
    const [answer] = await once(sending, 'response')
    sending.end('\u0000\r\n0\n')

    expect(await textOf(answer)).toBe('first\u0000\r\n0\n')
  })

  const ends = [['/', 200, 'body'] as const, ['/no', 417, ''] as const]

  it.each(ends)('waits for 100 Continue if the client does: %s, %i', async (path, status, content) => {
    const server = createServer().on('checkContinue', (request, response) => {
      if (request.url === '/no') return void response.writeHead(417).end()
      response.writeContinue()
      request.pipe(response)
    })
    const port = await listen(server)
    onTestFinished(() => void server.close())
    const { address } = await proxyTo(`http://127.0.0.1:${port}`)
    const headers = { expect: '100-continue', 'content-length': '4' }

    const sending = httpRequest(address + path, { method: 'POST', headers }).on('error', () => {})
    sending.on('continue', () => sending.end('body')).flushHeaders()
    const [answer] = await once(sending, 'response')
    const came = [answer.statusCode, await textOf(answer), sending.writableEnded]
    sending.destroy()

    expect(came).toEqual([status, content, content === 'body'])
  })

  it.each([
    ['keeps reading', (socket: Socket) => socket.resume()],
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
    const says = await textOf(answer)
    sockets.forEach(then)

    expect([answer.statusCode, says]).toEqual([413, 'too large'])
    await sent
  })
})

it('a target is trusted only if its certificate authority is, even through another proxy', async () => {
  const { ca, local } = makeCertificates()
  const { port } = await serve((socket) => socket.end(ok('fine')), { certificate: local })
  const tunnel = await tunnelling(onTestFinished)
  const base = `https://127.0.0.1:${port}`
  const httpsProxy = `http://user:hush@127.0.0.1:${tunnel.port}`
  const [trusting, tunnelled, doubting] = [
    await begin((await proxyTo(base, { ca })).address),
    await begin((await proxyTo(base, { ca, httpsProxy })).address),
    await begin((await proxyTo(base)).address),
  ]

  expect(await Promise.all([trusting, tunnelled].map(textOf))).toEqual(['fine', 'fine'])
  expect(tunnel.tunnels).toEqual([`127.0.0.1:${port}`])
  expect(doubting.statusCode).toBe(502)
  expect(await textOf(doubting)).toContain('an untrusted authority: to trust it, set RUN_CA_FILE')
})

it("an unreachable target is named, without the request's header fields", async () => {
  const { address, lines } = await proxyTo('http://127.0.0.1:1')
  const fields = 'Host: a\r\nX-Secret-Key: hush-hush\r\nConnection: close\r\n'
  const came = await sendBytes(address, `GET / HTTP/1.1\r\n${fields}\r\n`)

  expect(came).toMatch(/The proxy got no answer from the service: nothing is listening on 127\.0\.0\.1:1 /)
  expect(came + lines.join()).not.toContain('hush')
})

it('requests are numbered by arrival, and forwarded below the path of the base URL', async () => {
  const waiting: Socket[] = []
  const { address, lines, server } = await proxyBefore(
    (socket, head) => {
      if (head.includes('/slow')) waiting.push(socket)
      else socket.end(fine)
    },
    { path: '/v1/' },
  )

  const slow = begin(address, '/slow')
  await expect.poll(() => waiting.length).toBe(1)
  await begin(address, '/quick')
  await expect.poll(() => lines.length).toBe(1)
  waiting[0]?.end(fine)
  await slow

  await expect
    .poll(() => lines.map((line) => line.split(' ').slice(1, 4).join(' ')))
    .toEqual(['#2 GET /quick', '#1 GET /slow'])
  expect(server.heads.map((head) => head.split(' ')[1])).toEqual(['/v1/slow', '/v1/quick'])
})
