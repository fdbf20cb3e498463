import { gzipSync } from 'node:zlib'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { responseFields } from './exchange.ts'
import type { Request } from './request.ts'
import { Secret } from '../redact/secret.ts'
import { routes, ok, serve, transportTo } from './testing/servers.ts'

const get: Request = { method: 'GET', target: '/x', fields: [] }

/** A service that answers every request with these bytes, and a transport to it. */
async function transportToAnswer(bytes: string | Buffer = ok('{}'), connections?: number) {
  const server = await serve((socket) => socket.write(bytes))
  const options = connections === undefined ? {} : { connections }
  return { server, transport: transportTo(`http://127.0.0.1:${server.port}`, options) }
}

describe('a request goes out byte for byte', () => {
  test('names, order, repeated and empty values, bytes beyond ASCII, secrets', async () => {
    const { server, transport } = await transportToAnswer()
    const fields = [
      { name: 'X-Api-KEY', value: new Secret('TARGET_API_KEY', 's3cret') },
      { name: 'b', value: '2' },
      { name: 'X-Version', value: '' },
      { name: 'x-version', value: '1' },
      { name: 'A', value: 'gr\u00FC\u00DF' },
      { name: 'b', value: '1' },
      { name: '10', value: 'digits' },
    ]
    await transport.send({ method: 'GET', target: '/api//x/%zz?a=%00', fields })

    expect(server.heads).toEqual([
      `GET /api//x/%zz?a=%00 HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: keep-alive\r\n` +
        'X-Api-KEY: s3cret\r\nb: 2\r\nX-Version: \r\nx-version: 1\r\nA: gr\u00FC\u00DF\r\nb: 1\r\n10: digits\r\n\r\n',
    ])
  })

  test.for([
    ['', '/x'],
    ['/', '/x'],
    ['/one//Two%2f', '/one//Two%2f/x'],
    ['/one/', '/one/x'],
  ] as const)('below the prefix %j', async ([prefix, expected]) => {
    const server = await serve((socket) => socket.write(ok('{}')))
    await transportTo(`http://127.0.0.1:${server.port}${prefix}`).send(get)

    expect(server.heads[0]).toContain(`GET ${expected} HTTP/1.1\r\n`)
  })

  test('one that cannot be sent is our fault, and its error holds no value', async () => {
    const transport = transportTo('http://127.0.0.1:1')
    const error: unknown = await transport
      .send({ ...get, fields: [{ name: 'x', value: 'hidden\n' }] })
      .catch(String)

    expect(error).toContain(
      'TypeError: the pool does not send this request: its field "x" has a value with a control character',
    )
    expect(error).not.toContain('hidden')
  })

  test.for<readonly [string, Request]>([
    ['a control character in a value', { ...get, fields: [{ name: 'x', value: 'a\u0000' }] }],
    ['a character above U+00FF in a value', { ...get, fields: [{ name: 'x', value: '\u0100' }] }],
    ['a name that is no token', { ...get, fields: [{ name: 'x y', value: 'a' }] }],
    ['no name', { ...get, fields: [{ name: '', value: 'a' }] }],
    ['a field that is the transport’s own', { ...get, fields: [{ name: 'Expect', value: '100-continue' }] }],
    ['a list of options that is none', { ...get, fields: [{ name: 'connection', value: 'a,,b' }] }],
    ['two hosts', { ...get, fields: ['a', 'b'].map((value) => ({ name: 'host', value })) }],
    ['a length that is no number', { ...get, fields: [{ name: 'content-length', value: '-1' }] }],
    ['a space in the target', { ...get, target: '/x y' }],
    ['a target without a slash', { ...get, target: '*' }],
    ['a method that is no token', { ...get, method: 'G T' }],
  ])('however many that cannot be sent, one that can is answered: %s', async ([, unsendable]) => {
    const { server, transport } = await transportToAnswer(ok('{}'), 2)
    await transport.send(get)
    for (let times = 0; times < 5; times += 1) {
      await expect(transport.send(unsendable)).rejects.toThrow(/^the pool does not send this/)
    }

    expect((await transport.send(get)).response.status).toBe(200)
    expect(server.heads).toHaveLength(2)
  })

  test('whatever is sent, the next one is answered', async () => {
    const { transport } = await transportToAnswer(ok('{}'), 1)
    const text = fc.string({ unit: fc.nat({ max: 0x110 }).map((code) => String.fromCharCode(code)) })
    const names = fc.oneof(
      text,
      fc.constantFrom('host', 'Content-Length', 'transfer-encoding', 'Keep-Alive', 'upgrade', 'connection'),
      fc.constantFrom('expect', 'content-type', 'x-version'),
    )
    const values = fc.oneof(text, fc.constantFrom('1', 'close', 'chunked', 'a, b', ''))
    const requests = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'OPTIONS', '', 'A B', 'get'),
      target: fc.oneof(
        fc.constant('/x'),
        text.map((more) => `/${more}`),
      ),
      fields: fc.array(fc.record({ name: names, value: values }), { maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const error = await transport.send(request).then(() => null, String)
        if (error !== null) expect(error).toContain('the pool does not send this request')
        expect((await transport.send(get)).response.status).toBe(200)
      }),
    )
  })
})

describe.for(routes)('on %s, an answer comes in as it is', ([, route]) => {
  const sent = { ...get, ...route }
  const received = async (bytes: string | Buffer, request: Request = sent) =>
    (await transportToAnswer(bytes)).transport.send(request)

  test('status, fields in order, body, time', async () => {
    const { response, request, durationMs } = await received(
      ok('{"a":1}', ['X-A: 1', 'x-a:  2 ', 'Set-Cookie: \u00FC']),
    )

    expect(request).toBe(sent)
    expect(durationMs).toBeGreaterThan(0)
    expect(response).toEqual({
      status: 200,
      reason: 'OK',
      trailers: [],
      fields: [
        ['Content-Length', '7'],
        ['X-A', '1'],
        ['x-a', '2'],
        ['Set-Cookie', '\u00FC'],
      ],
      text: '{"a":1}',
      body: { kind: 'json', value: { a: 1 } },
    })
  })

  test('a redirect is an answer', async () => {
    const redirect = 'HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n'
    const { server, transport } = await transportToAnswer(redirect)
    const { response } = await transport.send(sent)

    expect(response).toMatchObject({ status: 302, text: '', body: { kind: 'empty' } })
    expect(server.heads).toHaveLength(1)
  })

  test.for(['', 'No Way', 'Schl\u00FCssel: 1', ' A '])('with the reason %j', async (reason) => {
    const { response } = await received(Buffer.from(`HTTP/1.1 400 ${reason}\r\nContent-Length: 2\r\n\r\n{}`))

    expect(response).toMatchObject({ status: 400, reason })
  })

  test('with the fields behind its body', async () => {
    const { response } = await received(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-Sum:  a \r\nx-sum: b\r\n\r\n',
    )

    expect(response).toMatchObject({
      text: '{}',
      trailers: [
        ['X-Sum', 'a'],
        ['x-sum', 'b'],
      ],
    })
  })

  test('with header fields of 60 KiB', async () => {
    const value = 'a'.repeat(1_000)
    const fields = Array.from({ length: 60 }, (_, index) => `X-${index}: ${value}`)
    const { response } = await received(ok('{}', fields))

    expect(response.fields).toHaveLength(61)
    expect(response.fields.at(-1)).toEqual(['X-59', value])
  })

  test.for([
    ['gzip', 'labelled gzip and is not gzip'],
    ['gzip, br', 'labelled br and is not br'],
  ])('labelled %s and in plain text, with a note in the place of its text', async ([coding, because]) => {
    const body = '{"error_code":"1001","error_message":"api key header is missing"}'
    const { response } = await received(ok(body, [`Content-Encoding: ${coding}`]))

    expect(response).toMatchObject({
      status: 200,
      text: `(65 bytes: ${because})`,
      body: { kind: 'damaged', because },
    })
  })

  test.for(['100 Continue', '102 Processing', '103 Early Hints'])(
    '%s before it is passed over',
    async (interim) => {
      const server = await serve((socket) => {
        socket.write(`HTTP/1.1 ${interim}\r\nLink: </a>\r\n\r\n`)
        socket.write(ok('{}'))
      })
      const { response } = await transportTo(`http://127.0.0.1:${server.port}`).send(sent)

      expect(response).toMatchObject({ status: 200, fields: [['Content-Length', '2']] })
    },
  )

  test.for([
    ['HEAD', '200 OK', 'Content-Length: 100\r\n'],
    ['GET', '204 No Content', ''],
    ['GET', '304 Not Modified', 'Content-Length: 100\r\n'],
  ] as const)('%s, %s: no body, nothing to decode', async ([method, status, length]) => {
    const { response } = await received(`HTTP/1.1 ${status}\r\nContent-Encoding: gzip\r\n${length}\r\n`, {
      ...sent,
      method,
    })

    expect(response.body).toEqual({ kind: 'empty' })
  })

  test('decoded', async () => {
    const { response } = await received(ok(gzipSync('{"a":1}'), ['Content-Encoding: GZIP']))

    expect(response).toMatchObject({ text: '{"a":1}', body: { value: { a: 1 } } })
  })
})

describe('interim answers that nobody asked for', () => {
  const interim = 'HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n'
  const whole = Buffer.concat([Buffer.from(interim.repeat(3)), ok('{"a":1}')])

  test.for(routes)('on %s, byte by byte', async ([, route]) => {
    const server = await serve((socket) => {
      socket.setNoDelay(true)
      const next = (at: number): void => {
        if (at < whole.length) socket.write(whole.subarray(at, at + 1), () => setImmediate(next, at + 1))
      }
      next(0)
    })
    const { response } = await transportTo(`http://127.0.0.1:${server.port}`).send({ ...get, ...route })

    expect(response).toMatchObject({ status: 200, text: '{"a":1}' })
  })

  test('leave the connection as it is', async () => {
    const server = await serve((socket) => socket.write(whole))
    const transport = transportTo(`http://127.0.0.1:${server.port}`, { connections: 1 })
    const texts = []
    for (let times = 0; times < 5; times += 1) texts.push((await transport.send(get)).response.text)

    expect(texts).toEqual(Array.from({ length: 5 }, () => '{"a":1}'))
    expect(server.connections()).toBe(1)
  })

  test('are no part of a body that looks like one', async () => {
    const body = JSON.stringify({ text: `${interim}${interim}` }) + ' '.repeat(200_000)
    const server = await serve((socket) => socket.write(ok(`\n${body}`)))
    const { response } = await transportTo(`http://127.0.0.1:${server.port}`).send(get)

    expect(response.text).toBe(`\n${body}`)
  })
})

describe('connections', () => {
  test('say whether a request went before', async () => {
    const server = await serve((socket, head) =>
      socket.write(ok('{}', head.startsWith('GET /last') ? ['Connection: close'] : [])),
    )
    const transport = transportTo(`http://127.0.0.1:${server.port}`, { connections: 1 })
    const own = transport.connection()
    const last = { ...get, target: '/last' }
    const raw: Request = { ...get, route: 'raw' }
    const reused = []
    for (const request of [get, get, raw, last, get, get, raw])
      reused.push((await transport.send(request)).reused)

    expect(reused).toEqual([false, true, false, true, false, true, false])
    expect([(await own.send(get)).reused, (await own.send(get)).reused]).toEqual([false, true])
  })

  test('say so of each request, also of many at once', async () => {
    const places = new Map<unknown, number>()
    const server = await serve((socket) => {
      const place = (places.get(socket) ?? 0) + 1
      places.set(socket, place)
      socket.write(ok('{}', [`x-place: ${place}`]))
    })
    const transport = transportTo(`http://127.0.0.1:${server.port}`, { connections: 4 })
    const all = await Promise.all(Array.from({ length: 50 }, () => transport.send(get)))

    expect(places.size).toBe(4)
    for (const { response, reused } of all) {
      expect(reused).toBe(Number(responseFields(response, 'x-place')[0]) > 1)
    }
  })

  test('are kept, and one of its own is nobody else’s', async () => {
    const bySocket = new Map<unknown, number>()
    const server = await serve((socket) => {
      bySocket.set(socket, (bySocket.get(socket) ?? 0) + 1)
      socket.write(ok('{}'))
    })
    const transport = transportTo(`http://127.0.0.1:${server.port}`, { connections: 1 })
    const own = transport.connection()
    for (const one of [transport, own, transport, own, own]) await one.send(get)

    expect([...bySocket.values()]).toEqual([2, 3])
  })

  test('one of its own sends one request after the other', async () => {
    const server = await serve((socket) => socket.write(ok('{}')))
    const own = transportTo(`http://127.0.0.1:${server.port}`).connection()
    await Promise.all([1, 2, 3].map(() => own.send(get)))

    expect(server.connections()).toBe(1)
  })

  test('are as many as asked for at most', async () => {
    const { server, transport } = await transportToAnswer(ok('{}'), 2)
    await Promise.all(Array.from({ length: 20 }, () => transport.send(get)))

    expect(server.connections()).toBe(2)
  })

  test('close once what is in flight has ended', async () => {
    const server = await serve((socket) => setImmediate(() => socket.write(ok('{}'))))
    const transport = transportTo(`http://127.0.0.1:${server.port}`)
    const sending = transport.connection().send(get)
    await transport.close()

    await expect(sending).resolves.toMatchObject({ response: { status: 200 } })
    await expect(transport.send(get)).rejects.toThrow(/destroyed|closed/)
  })
})
