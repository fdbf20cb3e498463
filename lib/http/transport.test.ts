import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../redact/secret.ts'
import { curlLine } from '../verdict/show.ts'
import { has, runInBash } from '../verdict/testing/run-in-bash.ts'
import { responseFields, type Request } from './exchange.ts'
import { connectedTo, listen, ok, routes, transportTo, type RawAnswerer } from './testing/servers.ts'

const get: Request = { method: 'GET', target: '/x', fields: [] }

describe('a request goes out byte for byte', () => {
  test('with its prefix, names, order, repeated and empty values, bytes beyond ASCII, and secrets', async () => {
    const { server, transport } = await connectedTo(ok('{}'), { path: '/one//Two%2f/' })
    const lines = ['b: 2', 'X-Version:  \tb ', 'x-version: 1', 'A: gr\u00FC\u00DF', 'b: 1', '10: digits']
    const key = { name: 'X-Api-KEY', value: new Secret('TARGET_API_KEY', 's3cret') }
    const fields = lines.map((line) => ({ name: line.replace(/:.*/, ''), value: line.replace(/^.+?: /, '') }))
    await transport.send({ method: 'GET', target: '/api//x/%zz?a=%00', fields: [key, ...fields] })

    const start = `GET /one//Two%2f/api//x/%zz?a=%00 HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: keep-alive`
    expect(server.heads).toEqual([[start, 'X-Api-KEY: s3cret', ...lines, '', ''].join('\r\n')])
  })

  const having = (name: string, value: string): Partial<Request> => ({ fields: [{ name, value }] })

  test.for<readonly [string, Partial<Request>]>([
    ['a control character in a value', having('x', 'hidden\u0000')],
    ['a character above U+00FF in a value', having('x', 'hidden\u0100')],
    ['a name that is not a token', having('x y', 'hidden')],
    ['no name', having('', 'hidden')],
    ['a field that the transport sets itself', having('Expect', '100-continue')],
    ['an invalid list of options', having('connection', 'a,,b')],
    ['two hosts', { fields: ['a', 'b'].map((value) => ({ name: 'host', value })) }],
    ['a length that is not a number', having('content-length', '-1')],
    ['a length for its body', { ...having('content-length', '1'), method: 'POST', body: '{}' }],
    ['a space in the target', { target: '/x y' }],
    ['a target without a slash', { target: '*' }],
    ['a method that is not a token', { method: 'G T' }],
  ])('an unsendable request is a bug in the suite and affects no other: %s', async ([, unsendable]) => {
    const { server, transport } = await connectedTo(ok('{}'), { connections: 2 })
    await transport.send(get)
    for (let times = 0; times < 5; times += 1) {
      const error: unknown = await transport.send({ ...get, ...unsendable }).catch(String)
      expect(error).toMatch(/^TypeError: the pool does not send this request: (?!.*hidden)/)
    }

    expect((await transport.send(get)).response.status).toBe(200)
    expect(server.heads).toHaveLength(2)
  })

  test('any request leaves the connection usable for the next one', async () => {
    const { transport } = await connectedTo(ok('{}'), { connections: 1 })
    const anyText = fc.string({ unit: fc.nat({ max: 0x110 }).map((code) => String.fromCharCode(code)) })
    const framing = 'host Content-Length transfer-encoding Keep-Alive upgrade connection expect x-version'
    const names = fc.oneof(anyText, fc.constantFrom(...framing.split(' ')))
    const values = fc.oneof(anyText, fc.constantFrom('1', 'close', 'chunked', 'a, b', ''))
    const requests = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'OPTIONS', '', 'A B', 'get'),
      target: anyText.map((more) => `/${more}`),
      fields: fc.array(fc.record({ name: names, value: values }), { maxLength: 3 }),
    })
    const property = fc.asyncProperty(requests, async (request) => {
      const error = await transport.send(request).then(() => null, String)
      if (error !== null) expect(error).toContain('the pool does not send this request')
      expect((await transport.send(get)).response.status).toBe(200)
    })
    await fc.assert(property)
  })
})

const ofJson = { name: 'content-type', value: 'application/json' }
const escaped = String.raw`{"holder":"O'Brien \"!$HOME\" \\n","é":["𝄞"]}`
const long = JSON.stringify({ holder: 'é𝄞'.repeat(5_000) })
const posting = ['{"limit":500}', '', escaped, 'null', long, '@/etc/hosts'].map((body) => {
  return { method: 'POST', target: '/api/cards', fields: [ofJson], body } as const
})
const expected = posting.map(({ body }) => {
  return ['POST', 'application/json', String(Buffer.byteLength(body)), undefined, body]
})

/** Listens until the test ends, and records the method, type, length, expectation and body that arrive. */
async function arriving() {
  const arrived: unknown[] = []
  const server = createServer((request, response) => {
    const { 'content-type': type, 'content-length': length, expect: expects } = request.headers
    void text(request).then((body) => {
      arrived.push([request.method, type, length, expects, body])
      response.end('{}')
    })
  })
  onTestFinished(() => void server.close())
  return { baseUrl: `http://127.0.0.1:${await listen(server)}`, arrived }
}

test.for(routes)('a body arrives on %s with its type and its length in bytes', async ([, route]) => {
  const { baseUrl, arrived } = await arriving()
  const transport = transportTo(baseUrl, { connections: 1 })
  const reused = []
  for (const request of posting) reused.push((await transport.send({ ...request, ...route })).reused)

  expect(arrived).toEqual(expected)
  expect(reused).toEqual(posting.map((_, at) => at > 0 && !('route' in route)))
})

test.skipIf(!has('curl'))('a body arrives unchanged from curl', async () => {
  const { baseUrl, arrived } = await arriving()
  const { stderr } = await runInBash(posting.map((one) => curlLine(one, { baseUrl }) ?? 'no line'))

  expect(stderr).toBe('')
  expect(arrived).toEqual(expected)
})

describe('connections', () => {
  test('report whether they were used before; single ones are never shared, and those of the raw socket close', async () => {
    const sockets: unknown[] = []
    const closed: Promise<unknown>[] = []
    const counting: RawAnswerer = (socket, head) => {
      sockets.push(socket)
      if (head.startsWith('GET /raw')) closed.push(once(socket, 'close'))
      socket.write(ok('{}', head.startsWith('GET /last') ? ['Connection: close'] : []))
    }
    const { transport } = await connectedTo(counting, { connections: 1 })
    const own = transport.connection()
    const last = { ...get, target: '/last' }
    const raw: Request = { ...get, target: '/raw', route: 'raw' }
    const answers = [await transport.send(get), await own.send(get)]
    for (const request of [get, raw, last, get, raw]) answers.push(await transport.send(request))
    answers.push(...(await Promise.all([own.send(get), own.send(get)])), await own.send(raw))
    await Promise.all(closed)

    const isReused = [false, false, true, false, true, false, false, true, true, false]
    expect(answers.map(({ reused }) => reused)).toEqual(isReused)
    // Only the second of two requests at once has company.
    expect(answers.map(({ amidOthers }) => amidOthers)).toEqual(isReused.map((_, at) => at === 8))
    expect(sockets.map((socket) => sockets.indexOf(socket))).toEqual([0, 1, 0, 3, 0, 5, 6, 1, 1, 9])
    expect(closed).toHaveLength(3)
  })

  test('report this for each of many concurrent requests, and never exceed the maximum', async () => {
    const places = new Map<unknown, number>()
    const counting: RawAnswerer = (socket) => {
      const place = (places.get(socket) ?? 0) + 1
      places.set(socket, place)
      socket.write(ok('{}', [`x-place: ${place}`]))
    }
    const { transport } = await connectedTo(counting, { connections: 4 })
    const all = await Promise.all(Array.from({ length: 50 }, () => transport.send(get)))

    expect(places.size).toBe(4)
    for (const { response, reused } of all) {
      expect(reused).toBe(Number(responseFields(response, 'x-place')[0]) > 1)
    }
  })

  test.for(routes)('on %s, close after the requests in flight, and stay closed', async ([, route]) => {
    const { server, transport } = await connectedTo((socket) => setImmediate(() => socket.write(ok('{}'))))
    const sending = transport.connection().send({ ...get, ...route })
    await transport.close()

    await expect(sending).resolves.toMatchObject({ response: { status: 200 } })
    await expect(transport.send({ ...get, ...route })).rejects.toThrow(/destroyed|closed/)
    expect(server.connections()).toBe(1)
  })
})
