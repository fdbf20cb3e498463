import { fork } from 'node:child_process'
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import type { Field } from './request.ts'
import { Secret } from '../redact/secret.ts'
import { makeCertificates } from './testing/certificates.ts'
import type { Certificates } from './testing/certificates.ts'
import { ok, serve, transportTo } from './testing/servers.ts'
import type { RawAnswerer, RawServer } from './testing/servers.ts'

const get = { route: 'raw', method: 'GET', target: '/x', fields: [] } as const
const answer: RawAnswerer = (socket) => socket.write(ok('{}'))

function headWith(lines: string, { port }: RawServer): string {
  return `GET /x HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines}connection: close\r\n\r\n`
}

/** Every byte that no HTTP client sends in a value, but for the line ends, which have tests of their own. */
const controls = Array.from({ length: 0xa0 }, (_, code) => code)
  .filter((code) => (code < 0x20 && code !== 0x0a && code !== 0x0d) || code >= 0x7f)
  .map((code) => String.fromCharCode(code))

const lines: readonly (readonly [what: string, field: Field, line: string])[] = [
  ['a bare CR', { name: 'x-api-key', value: 'abc\rdef' }, 'x-api-key: abc\rdef\r\n'],
  ['a folded line', { name: 'x-api-key', value: '\r\n abc\r\n\tdef' }, 'x-api-key: \r\n abc\r\n\tdef\r\n'],
  ['a line folded with LF', { name: 'x-api-key', value: 'abc\n def' }, 'x-api-key: abc\n def\r\n'],
  ['a space before the colon', { name: 'X-Api-Key ', value: 'abc' }, 'X-Api-Key : abc\r\n'],
  ['a name with UTF-8 bytes', { name: 'x-api\xe2\x80\x8b-key', value: 'a' }, 'x-api\xe2\x80\x8b-key: a\r\n'],
  ['a name with a NUL', { name: 'x-api-key\0', value: 'a' }, 'x-api-key\0: a\r\n'],
  ['white space around a value', { name: 'x', value: ' \ta \t' }, 'x:  \ta \t\r\n'],
  ['an empty value', { name: 'x', value: '' }, 'x: \r\n'],
  ['every byte from 0xA0', { name: 'x', value: '\xa0\xc0\xff' }, 'x: \xa0\xc0\xff\r\n'],
  ['a secret', { name: 'x', value: new Secret('TARGET_API_KEY', 'k\0y') }, 'x: k\0y\r\n'],
]

describe('a request of the raw socket goes out byte for byte', () => {
  test.for(lines)('%s', async ([, field, line]) => {
    const server = await serve(answer)
    const { response } = await transportTo(`http://127.0.0.1:${server.port}`).send({
      ...get,
      fields: [field],
    })

    expect(response.status).toBe(200)
    expect(server.heads).toEqual([headWith(line, server)])
  })

  test('each control character: C0, DEL and C1, at the beginning, inside and at the end', async () => {
    const server = await serve(answer)
    const transport = transportTo(`http://127.0.0.1:${server.port}`)
    for (const one of controls) {
      await transport.send({ ...get, fields: [{ name: 'x-api-key', value: `${one}ab${one}cd${one}` }] })
    }

    expect(controls).toHaveLength(30 + 33)
    expect(server.heads).toEqual(
      controls.map((one) => headWith(`x-api-key: ${one}ab${one}cd${one}\r\n`, server)),
    )
  })

  test('a connection field of its own takes the place of ours', async () => {
    const server = await serve(answer)
    const fields = [
      { name: 'Connection', value: 'x-api-key' },
      { name: 'x-api-key', value: 'abc' },
    ]
    await transportTo(`http://127.0.0.1:${server.port}`).send({ ...get, fields })

    expect(server.heads[0]?.split('\r\n').slice(2)).toEqual([
      'Connection: x-api-key',
      'x-api-key: abc',
      '',
      '',
    ])
  })

  test('method, target and prefix', async () => {
    const server = await serve((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'))
    await transportTo(`http://127.0.0.1:${server.port}/one//Two%2f/`).send({
      ...get,
      method: 'HEAD',
      target: '/api/%zz?a=\xff\0',
    })

    expect(server.heads[0]?.split('\r\n')[0]).toBe('HEAD /one//Two%2f/api/%zz?a=\xff\0 HTTP/1.1')
  })
})

describe('over TLS', () => {
  let certificates: Certificates
  beforeAll(() => {
    certificates = makeCertificates()
  })

  test('the same bytes', async () => {
    const server = await serve(answer, { certificate: certificates.local })
    const transport = transportTo(`https://localhost:${server.port}`, { ca: certificates.ca })
    await transport.send({ ...get, fields: [{ name: 'x ', value: 'a\0b\rc\r\n d' }] })

    expect(server.heads).toEqual([
      `GET /x HTTP/1.1\r\nhost: localhost:${server.port}\r\nx : a\0b\rc\r\n d\r\nconnection: close\r\n\r\n`,
    ])
  })
})

const answers: readonly (readonly [what: string, answer: RawAnswerer])[] = [
  ['of a known length', (socket) => socket.write(ok('{"a":1}'))],
  ['until the connection is closed', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{"a":1}')],
  ['of an HTTP/1.0 server', (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n{"a":1}')],
  [
    'in chunks',
    (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n'),
  ],
  [
    'compressed',
    (socket) => socket.write(ok(gzipSync('{"a":1}'), ['Content-Encoding: gzip', 'Connection: close'])),
  ],
  [
    'after an interim answer',
    (socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')
      socket.write(ok('{"a":1}'))
    },
  ],
]

describe('an answer', () => {
  test.for(answers)('%s', async ([, answerer]) => {
    const server = await serve(answerer)
    const { response } = await transportTo(`http://127.0.0.1:${server.port}`).send(get)

    expect(response).toMatchObject({ status: 200, text: '{"a":1}' })
  })

  // In another process, so that the connection breaks while this one writes.
  test('that comes before the request was written whole is not lost to the closing of the connection', async () => {
    const server = fork(new URL('testing/early-answer.mjs', import.meta.url))
    onTestFinished(() => void server.kill())
    const [port] = await once(server, 'message')
    const transport = transportTo(`http://127.0.0.1:${String(port)}`)
    const sizes = [64, 1_024, 4_096, 8_192, 8_192, 8_192, 8_192, 8_192]
    for (const size of sizes) {
      const fields = [{ name: 'x-api-key', value: 'k'.repeat(size * 1_024) }]
      const { response } = await transport.send({ ...get, fields })

      expect(response).toMatchObject({ status: 431, text: 'too large' })
    }
  })
})

describe('connections of the raw socket', () => {
  test(
    'are new for each request, also beside a connection of its own, and closed after it',
    { timeout: 5_000 },
    async () => {
      const closed: Promise<unknown>[] = []
      const server = await serve((socket, head) => {
        if (head.startsWith('GET /raw')) closed.push(once(socket, 'close'))
        socket.write(ok('{}', ['Keep-Alive: timeout=600']))
      })
      const transport = transportTo(`http://127.0.0.1:${server.port}`)
      const own = transport.connection()
      const raw = { ...get, target: '/raw' }
      const plain = { method: 'GET', target: '/x', fields: [] }
      for (const request of [plain, raw, raw, plain]) await own.send(request)
      await transport.send(raw)
      await Promise.all(closed)

      expect(closed).toHaveLength(3)
      expect(server.connections()).toBe(4)
    },
  )

  test('are waited for when the transport is closed, and none is opened then', async () => {
    const server = await serve((socket) => setImmediate(() => socket.write(ok('{}'))))
    const transport = transportTo(`http://127.0.0.1:${server.port}`)
    const sending = transport.send(get)
    await transport.close()

    await expect(sending).resolves.toMatchObject({ response: { status: 200 } })
    await expect(transport.send(get)).rejects.toThrow(/closed/)
    expect(server.connections()).toBe(1)
  })

  test('are not opened for a request that hides something', async () => {
    const server = await serve(answer)
    const fields = [{ name: 'x', value: 'hidden\r\n\r\nGET /' }]
    const sending = transportTo(`http://127.0.0.1:${server.port}`).send({ ...get, fields })

    await expect(sending).rejects.toThrow(TypeError)
    await expect(sending).rejects.not.toThrow(/hidden/)
    expect(server.connections()).toBe(0)
  })
})
