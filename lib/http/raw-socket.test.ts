import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { growth, linear } from '../../tests/support/processor-time.ts'
import { later, timeByTurns } from '../../tests/support/virtual-time.ts'
import { Secret } from '../redact/secret.ts'
import { targetOf, type Field, type MessageForm, type Request } from './exchange.ts'
import { headOf } from './raw-socket.ts'
import { makeCertificates } from './testing/certificates.ts'
import { connectedTo, ok, transportTo, type RawAnswerer } from './testing/servers.ts'

const get: Request = { route: 'raw', method: 'GET', target: '/x', fields: [] }
const target = targetOf('https://api.example:8443/cards/')

function writing(changes: Partial<Request>): () => string {
  return () => headOf({ ...get, ...changes }, target).toString('latin1')
}

/** Every byte that HTTP clients never send in a value, except line ends, which have separate rows. */
const controls = Array.from({ length: 0xa0 }, (_, code) => code)
  .filter((code) => (code < 0x20 && code !== 0x0a && code !== 0x0d) || code >= 0x7f)
  .map((code) => String.fromCharCode(code))

/** Field lines from the catalogue, which must be written as given. */
const lines: readonly (readonly [line: string, name: string, value: Field['value']])[] = [
  ['x-api-key: abc\rdef', 'x-api-key', 'abc\rdef'],
  ['x: \rkey', 'x', '\rkey'],
  ['x: k:ey\rmore', 'x', 'k:ey\rmore'],
  ['x-api-key: \r\n abc\r\n\tdef', 'x-api-key', '\r\n abc\r\n\tdef'],
  ['x: \r\n k:ey', 'x', '\r\n k:ey'],
  ['x-api-key: abc\n def', 'x-api-key', 'abc\n def'],
  ['X-Api-Key : abc', 'X-Api-Key ', 'abc'],
  ['x-api-key\t: abc', 'x-api-key\t', 'abc'],
  ['x-api\xe2\x80\x8b-key: a', 'x-api\xe2\x80\x8b-key', 'a'],
  ['x-api-key\0: a', 'x-api-key\0', 'a'],
  ['x-host: a', 'x-host', 'a'],
  ['x:  \ta \t', 'x', ' \ta \t'],
  ['x:  \t ', 'x', ' \t '],
  ['x: ', 'x', ''],
  ['x: \xa0\xc0\xff', 'x', '\xa0\xc0\xff'],
  ['x: k\0y', 'x', new Secret('TARGET_API_KEY', 'k\0y')],
  ...controls.map((one) => [`x: ${one}ab${one}cd${one}`, 'x', `${one}ab${one}cd${one}`] as const),
]

describe('a request on the raw socket goes out byte for byte', () => {
  const fields = lines.map(([, name, value]) => ({ name, value }))
  const { ca, local } = makeCertificates()

  test.for([
    ['', {}],
    [' over TLS', { certificate: local, ca }],
  ] as const)('with all names and values, and control characters in any place%s', async ([, options]) => {
    const { server, transport } = await connectedTo(ok('{}'), options)
    const { response } = await transport.send({ ...get, fields })

    expect(response.status).toBe(200)
    expect(controls).toHaveLength(30 + 33)
    const written = [...lines.map(([line]) => line), 'connection: close', '', '']
    expect(server.heads[0]?.split('\r\n').slice(2).join('\r\n')).toBe(written.join('\r\n'))
  })

  const connection = { name: 'Connection', value: 'x-api-key' }

  test.for<[line: string, last: string, Partial<Request>]>([
    ['GET /cards/x HTTP/1.1', 'connection: close', {}],
    ['GET /cards/x HTTP/1.0', 'connection: close', { form: { version: '1.0' } }],
    ['GET /cards/x HTTP/1.1', 'Connection: x-api-key', { fields: [connection] }],
    ['HEAD /cards/%zz?a=\xff\0 HTTP/1.1', 'connection: close', { method: 'HEAD', target: '/%zz?a=\xff\0' }],
  ])('%j, %j', ([line, last, changes]) => {
    expect(writing(changes)()).toBe(`${line}\r\nhost: api.example:8443\r\n${last}\r\n\r\n`)
  })

  test.for([
    ['http://h', '/x', 'h', '80'],
    ['http://h:80/', '/x', 'h', '80'],
    ['https://h', '/x', 'h', '443'],
    ['https://[::1]:8443/p//Q%2f', '/p//Q%2f/x', '[::1]:8443', '8443'],
  ] as const)('to %s with the path %s and the host field %s', ([baseUrl, path, host, port]) => {
    const there = targetOf(baseUrl)

    expect(headOf(get, there).toString()).toContain(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n`)
    expect(there.port).toBe(port)
  })
})

const holding = (value: Field['value']) => ({ fields: [{ name: 'x-api-key', value }] })
const valued = (...values: readonly string[]) =>
  values.flatMap((value) => [holding(value), holding(new Secret('a secret', value))])
const called = (...names: readonly string[]) => names.map((name) => ({ fields: [{ name, value: 'v' }] }))
const framing = ['Content-Length', 'transfer-encoding', 'transfer-encoding ', 'transfer_encoding']

it.each<[what: string, ...changes: readonly Partial<Request>[]]>([
  ['a value with an empty line', ...valued('a\r\n\r\nGET / HTTP/1.1')],
  ['a value with another field', ...valued('a\r\nx-other: b', 'a\nx-other: b')],
  ['a value with a line end at its end', ...valued('a\r\n', 'a\n', 'a\r')],
  ['a folded line of only white space', ...valued('a\r\n ', 'a\r\n \t\r\n b')],
  ['a folded line of only control characters', ...valued('a\r\n \x0b\x85\r\n b')],
  ['a bare CR before another line end', ...valued('a\r\rb', 'a\r\r\n b')],
  ['a field after a bare CR, or a colon in a later line', ...valued('a\rx-other: b', 'a\rb\r\n c\0:')],
  ['a length in a folded line', ...valued('a\r\n content-length: 5')],
  ['framing after a control character', ...valued('a\x0bTransfer-Encoding : chunked', 'a\x85host: other')],
  ['a character that is not a byte', ...valued('a\u0141')],
  ['a name that is no name', ...called('', 'a\r\nb', 'a\rb', 'a\nb', 'x-other: a', '\u200b')],
  ['a name that continues the line before it', ...called(' a', '\ta')],
  ['a name that sets the length or leads elsewhere', ...called(...framing, 'Host', 'upgrade\0')],
  ['a target', ...['/x\r\ny', '/x\n', '/x\ry', '/\u0141'].map((path) => ({ target: path }))],
  ['a method', ...['GET /y', 'GET\r\n', '', 'CONNECT'].map((method) => ({ method }))],
])('the head of a raw request rejects %s', (_, ...changes) => {
  for (const one of changes) expect(writing(one), JSON.stringify(one)).toThrow(TypeError)
})

it('the head of a raw request rejects a value before connecting, with an error that names the field but not the value', async () => {
  const { server, transport } = await connectedTo(ok('{}'))
  const sending = transport.send({ ...get, fields: [{ name: 'x-api-key', value: 'hidden\rvalue\r' }] })

  await expect(sending).rejects.toThrow(TypeError)
  await expect(sending).rejects.toThrow(/"x-api-key" has a value with an empty line/)
  await expect(sending).rejects.not.toThrow(/hidden/)
  expect(server.connections()).toBe(0)
})

it('the head of a raw request rejects hostile values in linear time', async () => {
  const write = (size: number): string =>
    writing({ fields: [{ name: 'x', value: `${'\ra'.repeat(size)}\r\n ${'\t'.repeat(size)}b` }] })()

  expect(await growth(write, 100_000)).toBeLessThan(linear)
})

// In a separate process, so that the connection breaks while this one writes.
test('an early answer is read even if the connection closes while the request is sent', async () => {
  const server = fork(new URL('testing/early-answer.mjs', import.meta.url))
  onTestFinished(() => void server.kill())
  const [port] = await once(server, 'message')
  const transport = transportTo(`http://127.0.0.1:${String(port)}`)
  for (const size of Array.from({ length: 40 }, (_, count) => [8, 32, 64, 128][count % 4] ?? 0)) {
    const { response } = await transport.send({ ...get, ...holding('k'.repeat(size * 1_024)) })

    expect(response).toMatchObject({ status: 431, text: 'too large' })
  }
})

const filled: Request = { ...get, fields: [{ name: 'a', value: 'bc' }] }
const next: Request = { ...get, target: '/y' }

const fine = ok('{}').toString()
const refusal = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}'
const timedOut = 'HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n'
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

const line = 'GET /x HTTP/1.1\r\nhost: 127.0.0.1:port\r\n'
const close = 'connection: close\r\n\r\n'
const tight = 'GET /x HTTP/1.1\r\nhost:127.0.0.1:port\r\na:bc\r\nconnection:close\r\n\r\n'
const both = `${line}a: bc\r\n\r\n${line.replace('/x', '/y')}${close}`

test.for<[string, MessageForm, readonly string[]]>([
  ['without spaces', { isTight: true }, [tight]],
  ['in two segments', { cut: { behind: 'a: ', by: 1 } }, [`${line}a: b`, `c\r\n${close}`]],
  ['in one segment with the next', { followedBy: { request: next, isInSameSegment: true } }, [both]],
])('a request in a special form is written %s', async ([, form, segments]) => {
  const came: string[] = []
  const onConnection = (socket: Socket) =>
    void socket.on('data', (bytes) => came.push(bytes.toString('latin1')))
  const { server, transport } = await connectedTo((socket) => socket.end(ok('{}')), { onConnection })
  await transport.send({ ...filled, form })

  expect(came.map((text) => text.replaceAll(String(server.port), 'port'))).toEqual(segments)
})

const closing = { followedBy: 'closing' } as const
const nextApart = { followedBy: { request: next, isInSameSegment: false } }
const nextTogether = { followedBy: { request: next, isInSameSegment: true } }
const ends = (text: string): RawAnswerer => {
  return (socket) => socket.end(text)
}
const resets: RawAnswerer = (socket) => socket.write(fine, () => socket.resetAndDestroy())
const [none, unclosed] = [{ strayBytes: 0 }, { strayBytes: 0, isClosed: false }]
const second = { next: { status: 400 } }

test.for<[string, MessageForm, RawAnswerer, object, string?]>([
  ['the connection closes', closing, ends(fine), { strayBytes: 0, isClosed: true }],
  ['the connection closes later', closing, thenLate(''), { isClosed: true }],
  ['a reset', closing, resets, { isClosed: true }],
  ['nothing', closing, inTurn(fine), unclosed],
  ['an empty line', closing, ends(`${fine}\r\n`), none],
  ['more bytes', closing, ends(`${fine}<!-- -->`), { strayBytes: 8 }],
  ['more bytes later', closing, thenLate('}'), { strayBytes: 1 }],
  ['a second answer', closing, ends(fine + fine), { strayBytes: fine.length }],
  ['a 408', closing, ends(fine + timedOut), none],
  ['chunks', closing, ends(`${chunked}2\r\n{}\r\n0\r\nx-sum: 1\r\n\r\n`), none],
  ['bytes after chunks', closing, ends(`${chunked}2\r\n{}\r\n0\r\n\r\n}`), { strayBytes: 1 }],
  ['content that ends with the connection', closing, ends('HTTP/1.1 200 OK\r\n\r\n{}\n\n'), none],
  ['content of an answer to HEAD', closing, ends(fine), { strayBytes: 2 }, 'HEAD'],
  ['no content of an answer to HEAD', closing, ends(fine.slice(0, -2)), none, 'HEAD'],
  ['the next answer', nextApart, inTurn(fine, refusal), { ...none, ...second }],
  ['the next answer in the same segment', nextTogether, inTurn(fine, refusal), second],
  ['bytes before it', nextApart, inTurn(fine + '\0'.repeat(9), refusal), { next: null }],
  ['a close instead of an answer', nextTogether, ends(fine), { ...none, next: null, isClosed: true }],
  ['silence', nextTogether, inTurn(fine), { next: null, ...unclosed }],
  ['half an answer', nextApart, inTurn(fine, refusal.slice(0, 20)), { ...none, next: null }],
])('what follows an answer is noticed: %s', async ([, form, answer, behind, method = 'GET']) => {
  onTestFinished(timeByTurns())
  const { transport } = await connectedTo(answer)

  const came = await transport.send({ ...filled, method, form })
  expect(came).toMatchObject({ response: { status: 200 }, behind })
})

const missing = { GET: 'connection-closed', HEAD: 'timeout' } as const
test.for(Object.entries(missing))('a missing answer rejects a request: %s, %s', async ([method, kind]) => {
  onTestFinished(timeByTurns())
  const silent: RawAnswerer = (socket, head) => (head.startsWith('HEAD') ? undefined : socket.destroy())
  const { transport } = await connectedTo(silent, { timeoutMs: 200 })
  const request = { ...filled, method, form: { followedBy: 'closing' } } as const
  const cancelled = AbortSignal.abort(new Error('cancelled'))

  await expect(transport.send(request)).rejects.toMatchObject({ kind })
  await expect(transport.send(request, cancelled)).rejects.toThrow('cancelled')
})

/** Answers the requests of a connection in sequence. */
function inTurn(...answers: readonly string[]): RawAnswerer {
  let count = 0
  return (socket) => {
    const answer = answers[count]
    count += 1
    if (answer !== undefined) socket.write(answer)
  }
}

/** Answers, then ends after a while with these bytes. */
function thenLate(further: string): RawAnswerer {
  return (socket) => {
    socket.write(fine)
    later(() => socket.end(further), 100)
  }
}
