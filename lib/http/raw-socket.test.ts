import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { growth, linear } from '../../tests/support/processor-time.ts'
import { Secret } from '../redact/secret.ts'
import { headOf } from './raw-socket.ts'
import type { Field, Request } from './request.ts'
import { targetOf } from './target-address.ts'
import { makeCertificates } from './testing/certificates.ts'
import { connectedTo, ok, transportTo } from './testing/servers.ts'

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
  ] as const)(
    'with all names and values, including control characters in any place%s',
    async ([, options]) => {
      const { server, transport } = await connectedTo(ok('{}'), options)
      const { response } = await transport.send({ ...get, fields })

      expect(response.status).toBe(200)
      expect(controls).toHaveLength(30 + 33)
      expect(server.heads[0]?.split('\r\n').slice(2).join('\r\n')).toBe(
        `${lines.map(([line]) => `${line}\r\n`).join('')}connection: close\r\n\r\n`,
      )
    },
  )

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
    ['http://h', 'h', '80'],
    ['http://h:80/', 'h', '80'],
    ['https://h', 'h', '443'],
    ['https://[::1]:8443/p', '[::1]:8443', '8443'],
  ] as const)('to %s with the host field %s', ([baseUrl, host, port]) => {
    const there = targetOf(baseUrl)

    expect(headOf(get, there).toString()).toContain(`\r\nhost: ${host}\r\n`)
    expect(there.port).toBe(port)
  })
})

describe('the head of a raw request rejects', () => {
  it.each([
    ['an empty line', 'a\r\n\r\nGET / HTTP/1.1'],
    ['another field', 'a\r\nx-other: b'],
    ['another field, after LF', 'a\nx-other: b'],
    ['CRLF at the end', 'a\r\n'],
    ['LF at the end', 'a\n'],
    ['a folded line of only white space', 'a\r\n '],
    ['a folded line of only white space, then another', 'a\r\n \t\r\n b'],
    ['a folded line of only control characters', 'a\r\n \x0b\x85\r\n b'],
    ['a bare CR at the end', 'a\r'],
    ['two bare CRs', 'a\r\rb'],
    ['a bare CR before a folded line', 'a\r\r\n b'],
    ['a field after a bare CR', 'a\rx-other: b'],
    ['a bare CR and a colon in a later line', 'a\rb\r\n c\0:'],
    ['a length in a folded line', 'a\r\n content-length: 5'],
    ['a coding after a vertical tab', 'a\x0bTransfer-Encoding : chunked'],
    ['a host after NEL', 'a\x85host: other'],
    ['a character that is not a byte', 'a\u0141'],
  ])('a value with %s', (_, value) => {
    for (const given of [value, new Secret('a secret', value)])
      expect(writing({ fields: [{ name: 'x-api-key', value: given }] })).toThrow(TypeError)
  })

  const broken = ['', 'a\r\nb', 'a\rb', 'a\nb', 'x-other: a', '\u200b']
  const continuing = [' a', '\ta']
  const framing = [
    'Content-Length',
    'transfer-encoding',
    'transfer-encoding ',
    'transfer_encoding',
    'Host',
    'upgrade\0',
  ]

  it.each([...broken, ...continuing, ...framing])('a name %j', (name) => {
    expect(writing({ fields: [{ name, value: 'v' }] })).toThrow(TypeError)
  })

  it.each([
    ...['/x\r\ny', '/x\n', '/x\ry', '/\u0141'].map((path) => ({ target: path })),
    ...['GET /y', 'GET\r\n', '', 'CONNECT'].map((method) => ({ method })),
  ])('the target or method %j', (changes) => {
    expect(writing(changes)).toThrow(TypeError)
  })

  it('a value before connecting, with an error that names the field but not the value', async () => {
    const { server, transport } = await connectedTo(ok('{}'))
    const sending = transport.send({ ...get, fields: [{ name: 'x-api-key', value: 'hidden\rvalue\r' }] })

    await expect(sending).rejects.toThrow(TypeError)
    await expect(sending).rejects.toThrow(/"x-api-key" has a value with an empty line/)
    await expect(sending).rejects.not.toThrow(/hidden/)
    expect(server.connections()).toBe(0)
  })

  it('hostile values in linear time', async () => {
    const write = (size: number): string =>
      writing({ fields: [{ name: 'x', value: `${'\ra'.repeat(size)}\r\n ${'\t'.repeat(size)}b` }] })()

    expect(await growth(write, 400_000)).toBeLessThan(linear)
  })
})

// In a separate process, so that the connection breaks while this one writes.
test('an early answer is read even if the connection closes while the request is sent', async () => {
  const server = fork(new URL('testing/early-answer.mjs', import.meta.url))
  onTestFinished(() => void server.kill())
  const [port] = await once(server, 'message')
  const transport = transportTo(`http://127.0.0.1:${String(port)}`)
  for (const size of Array.from({ length: 40 }, (_, count) => [8, 32, 64, 128][count % 4] ?? 0)) {
    const fields = [{ name: 'x-api-key', value: 'k'.repeat(size * 1_024) }]

    expect(await transport.send({ ...get, fields })).toMatchObject({
      response: { status: 431, text: 'too large' },
    })
  }
})

test('each request on the raw socket opens and closes its own connection', async () => {
  const closed: Promise<unknown>[] = []
  const { server, transport } = await connectedTo((socket, head) => {
    if (head.startsWith('GET /raw')) closed.push(once(socket, 'close'))
    socket.write(ok('{}', ['Keep-Alive: timeout=600']))
  })
  const own = transport.connection()
  const raw: Request = { ...get, target: '/raw' }
  const plain: Request = { method: 'GET', target: '/x', fields: [] }
  for (const request of [plain, raw, raw, plain]) await own.send(request)
  await transport.send(raw)
  await Promise.all(closed)

  expect(closed).toHaveLength(3)
  expect(server.connections()).toBe(4)
})
