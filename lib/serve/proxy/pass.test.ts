import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { answering, ask, askBefore, begin, proxyBefore, proxyTo, service } from './testing/proxies.ts'

const json = { 'content-type': 'application/json' }
const list = JSON.stringify({ customizations: [{ id: 'cust_1', name: 'Blue', weight: 1.5 }], total: 1 })

describe('a JSON answer', () => {
  it.each([200, 201, 400, 401, 404, 429, 500, 503])('of status %i is changed', async (status) => {
    const asking = { path: '/api/customizations/list?key=hush' }
    const { lines, ...answer } = await askBefore(await answering(list, json, status), asking)

    expect(answer.status).toBe(status)
    expect(answer.text).not.toBe(list)
    expect(JSON.parse(answer.text)).toMatchObject({ customizations: [{ weight: 1.5 }], total: 1 })
    expect(answer.headers['content-length']).toBe(String(answer.content.length))
    expect(answer.headers['x-tolerated-changes']).toMatch(/^added \d+ properties; .*; seed 7; answer 1$/)
    expect(lines).toEqual([expect.stringContaining(`#1 GET /api/customizations/list ${status} `)])
    expect(lines[0]).toMatch(/ms: added \d+ properties; .*; answer 1$/)
  })

  it.each([
    ['gzip', gzipSync(list)],
    ['br', brotliCompressSync(list)],
  ])('in %s arrives in clear', async (coding, bytes) => {
    const fields = { ...json, 'content-encoding': coding, etag: '"a"', 'content-md5': 'a' }
    const { text, headers } = await askBefore(await answering(bytes, fields))

    expect(JSON.parse(text)).toMatchObject({ total: 1 })
    for (const name of ['content-encoding', 'etag', 'content-md5']) expect(headers).not.toHaveProperty(name)
  })

  it('in chunks is changed as a whole', async () => {
    const base = await service((_, response) => {
      response.writeHead(200, json)
      for (const character of list) response.write(character)
      response.end()
    })
    const { text, headers } = await askBefore(base)

    expect(JSON.parse(text)).toMatchObject({ total: 1 })
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
    expect(headers).not.toHaveProperty('transfer-encoding')
  })

  it('is changed otherwise each time, and by another proxy of the same seed in the same way', async () => {
    const base = await answering(list)
    const [one, other] = [await proxyTo(base), await proxyTo(base)]

    const first = [await ask(one.address), await ask(one.address)].map(({ text }) => text)
    const second = [await ask(other.address), await ask(other.address)].map(({ text }) => text)

    expect(second).toEqual(first)
    expect(first[0]).not.toBe(first[1])
  })
})

describe('an answer is passed back byte for byte', () => {
  it.each<readonly [string, Parameters<typeof answering>]>([
    ['of another type', ['{"a":"b"}', { 'content-type': 'text/plain', etag: '"a"' }]],
    ['without a type', ['{"a":"b"}', {}]],
    ['in a coding', [gzipSync('text'), { 'content-type': 'text/html', 'content-encoding': 'gzip' }]],
    ['without content', ['', { ...json, etag: '"a"' }, 204]],
    ['that was not modified', ['', { ...json, etag: '"a"' }, 304]],
    ['that is a part', ['{"a":"b"}', { ...json, 'content-range': 'bytes 0-8/90' }, 206]],
  ])('where it is one %s', async (_, [content, fields, status]) => {
    const { lines, ...answer } = await askBefore(await answering(content, fields, status))

    expect(answer.status).toBe(status ?? 200)
    expect(answer.content).toEqual(Buffer.from(content))
    expect(answer.headers).toMatchObject(fields ?? {})
    expect(answer.headers).not.toHaveProperty('x-tolerated-changes')
    expect(lines[0]).toMatch(/ms: streamed unchanged$/)
  })

  const endless = `["${'a'.repeat(5_000_000)}"]`

  it.each<[string, Buffer, RegExp, object?]>([
    ['ends in the middle', Buffer.from('{"a":'), /^none: it ends in the middle of a value$/],
    ['holds nothing that may change', Buffer.from(' [1] '), /^none: it holds nothing that may change$/],
    ['is too long', Buffer.from(endless), /^none: the answer is longer than 4 MiB$/],
    ['is damaged', Buffer.from('no gzip'), /^none: /, { 'content-encoding': 'gzip' }],
    ['is overlong', gzipSync(Buffer.alloc(5_000_000, ' ')), /^none: /, { 'content-encoding': 'gzip' }],
  ])('where it is labelled as JSON and %s', async (_, content, says, more) => {
    const fields = { ...json, etag: '"a"', 'content-length': String(content.length), ...more }

    const { lines, ...answer } = await askBefore(await answering(content, fields))

    expect(answer.content.equals(content)).toBe(true)
    expect(answer.headers).toMatchObject({ ...fields, 'x-tolerated-changes': expect.stringMatching(says) })
    expect(lines[0]?.endsWith(`ms: ${String(answer.headers['x-tolerated-changes'])}`)).toBe(true)
  })

  it('where it turns out to be too long', async () => {
    const parts = Array.from({ length: 9 }, () => Buffer.alloc(999_999, '[1]'))
    const base = await service((_, response) => {
      response.writeHead(200, json)
      for (const part of parts) response.write(part)
      response.end()
    })

    const answer = await askBefore(base)

    expect(answer.content.equals(Buffer.concat(parts))).toBe(true)
    expect(answer.headers['x-tolerated-changes']).toBe('none: the answer is longer than 4 MiB')
  })

  it('with its reason and its fields in their order and letter case', async () => {
    const head =
      'HTTP/1.1 299 Quite fine\r\nX-B: 1\r\nserver: a\r\nx-b: \u00e9\r\nSET-Cookie: a\r\nSet-cookie: b\r\nContent-Length: 0\r\n' +
      'Connection: x-hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=1\r\n\r\n'
    const { address } = await proxyBefore(Buffer.from(head, 'latin1'))

    const { status, reason, raw } = await ask(address)

    expect([status, reason]).toEqual([299, 'Quite fine'])
    const sent = 'X-B 1 server a x-b \u00e9 SET-Cookie a Set-cookie b Content-Length 0 Connection close'
    expect(raw).toEqual(sent.split(' '))
  })

  it.each([
    ...['O\u0001K', '\u001b[31mOK', 'O\u007fK', 'O\0K'].map((phrase) => [phrase, ''] as const),
    ['\u00e9t\u00e9\tok', '\u00e9t\u00e9\tok'],
  ] as const)(
    'of the reason %j, with %j, which may be written, and so is the next',
    async (phrase, reason) => {
      const head = `HTTP/1.1 201 ${phrase}\r\nX-B: 1\r\nContent-Length: 2\r\n\r\nhi`
      const { address } = await proxyBefore(Buffer.from(head, 'latin1'))

      for (const answer of [await ask(address), await ask(address)])
        expect(answer).toMatchObject({ status: 201, reason, headers: { 'x-b': '1' }, text: 'hi' })
    },
  )

  it.each([
    ['chunks', 'Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nhi\r\n0\r\nX-T: 1\r\n\r\n'],
    ['a length', 'Content-Length: 2\r\nTrailer: X-T\r\n\r\nhi'],
  ])('without its trailers, and without announcing them, also beside %s', async (_, head) => {
    const { address } = await proxyBefore(`HTTP/1.1 200 OK\r\n${head}`)

    const { status, text, headers } = await ask(address)

    expect([status, text, headers.trailer]).toEqual([200, 'hi', undefined])
  })

  it('with more fields than node counts by default', async () => {
    const { address } = await proxyBefore(
      `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${'a:b\r\n'.repeat(2_500)}\r\n`,
    )

    const { headers } = await fetch(address)

    expect(headers.get('a')?.split(', ')).toHaveLength(2_500)
  })

  it('to a HEAD, with the length that the service gives', async () => {
    const base = await answering('', { ...json, 'content-length': '77' })

    const { content, headers } = await askBefore(base, { method: 'HEAD' })

    expect(content).toHaveLength(0)
    expect(headers).toMatchObject({ ...json, 'content-length': '77' })
    expect(headers).not.toHaveProperty('x-tolerated-changes')
  })
})

it('a location below the base URL names the proxy', async () => {
  const base = await service((request, response) => {
    const { host } = request.headers
    response.writeHead(308, { location: `http://${host}/v1/next` }).end()
  })
  const { address } = await proxyTo(`${base}/v1`)

  expect((await ask(address)).headers.location).toBe(`${address}/next`)
})

/** A service that sends half of a stream, and the other half when told to; it never answers `/never`. */
async function streaming() {
  const waiting: (() => void)[] = []
  const base = await service(({ url }, response) => {
    if (url === '/never') return
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n')
    waiting.push(() => response.end('data: last\n\n'))
  })
  return { base, goOn: (): void => waiting.forEach((end) => end()) }
}

describe('a stream', () => {
  it('arrives as it comes', async () => {
    const { base, goOn } = await streaming()
    const { address } = await proxyTo(base)

    const answer = await begin(address)
    const [first] = await once(answer, 'data')
    goOn()
    const [last] = await once(answer, 'data')

    expect([String(first), String(last)]).toEqual(['data: first\n\n', 'data: last\n\n'])
  })

  it('may rest longer than its beginning was waited for', async () => {
    const { base, goOn } = await streaming()
    const { address } = await proxyTo(base, { timeoutMs: 3_000 })

    const answer = await begin(address)
    // It is waited for as long, and from now on.
    expect((await ask(address, { path: '/never' })).status).toBe(502)
    goOn()

    expect(await textOf(answer)).toBe('data: first\n\ndata: last\n\n')
  })

  it('is not read faster than the client takes it', async () => {
    let written = 0
    const base = await service((_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      const more = (): void => {
        do written += 1
        while (written < 3_000 && response.write(Buffer.alloc(100_000)))
      }
      response.on('drain', more)
      more()
    })
    const { address } = await proxyTo(base)

    const answer = await begin(address)
    let before = -1
    const isStill = (): boolean => {
      const still = before === written
      before = written
      return still
    }
    await expect.poll(isStill, { interval: 100 }).toBe(true)
    answer.destroy()

    expect(written).toBeLessThan(1_000)
  })
})

describe('a client that leaves', () => {
  it.each([
    ['before the answer', ''],
    ['in a JSON answer', 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{'],
    ['in a stream', 'HTTP/1.1 200 OK\r\n\r\nsome'],
  ])('%s ends the request to the target', async (where, bytes) => {
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
})
