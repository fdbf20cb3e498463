import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { later, timeByTurns } from '../../tests/support/virtual-time.ts'
import { MAX_ANSWER_BYTES } from './receive.ts'
import type { Request } from './request.ts'
import { connectedTo, listen, ok, routes, serve, transportTo, type RawAnswerer } from './testing/servers.ts'
import { TransportError, type TransportErrorKind } from './transport-error.ts'

const get: Request = { method: 'GET', target: '/', fields: [{ name: 'x-secret-key', value: 'hidden-value' }] }

async function troubleOf(sending: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await sending.catch((thrown: unknown) => thrown)
  if (!(error instanceof TransportError)) throw new Error('not a TransportError', { cause: error })
  expect(error.message).not.toContain('hidden-value')

  return error
}

async function unusedPort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))

  return port
}

/** Begins with some bytes, then repeats others every few milliseconds. */
function repeating(begins: string, repeated: string, ms: number): RawAnswerer {
  return (socket) => {
    const more = (): void => {
      if (socket.destroyed) return
      socket.write(repeated)
      later(more, ms)
    }
    socket.write(begins)
    more()
  }
}

const begun = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n'
const close = 'Connection: close\r\n\r\n'
const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${close}5\r\nabcde\r\n`
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n'
const switching = 'HTTP/1.1 101 Switching Protocols\r\n'
const upgrade = `${switching}Connection: upgrade\r\nUpgrade: x\r\n\r\n`
const tooLong = `X-A: ${'a'.repeat(80 * 1024)}`

function ends(bytes: string): RawAnswerer {
  return (socket) => socket.end(bytes)
}

const resets: RawAnswerer = (socket) => socket.write(`${begun}\r\nabc`, () => socket.resetAndDestroy())

type Row = readonly [
  what: string,
  kind: TransportErrorKind,
  says: RegExp,
  answer: RawAnswerer | string | Buffer,
]

const answers: readonly Row[] = [
  ['silence', 'timeout', /no answer came within 200 ms/, () => {}],
  ['silence within the header', 'timeout', /within 200 ms/, 'HTTP/1.1 200 OK\r\nX-'],
  [
    'a body that drips',
    'timeout',
    /started but did not end within 200 ms/,
    repeating(`${begun}\r\n`, 'x', 20),
  ],
  ['a closed connection', 'connection-closed', /closed/, (socket) => socket.end()],
  ['a reset', 'connection-closed', /closed/, (socket) => socket.resetAndDestroy()],
  ['a reset within the body', 'connection-closed', /closed/, resets],
  ['a short body', 'connection-closed', /closed/, ends(`${begun}\r\nabc`)],
  ['a short body, then a close', 'connection-closed', /content-length/, ends(`${begun}${close}abc`)],
  ['a chunked body without an end', 'connection-closed', /closed/, ends(chunked)],
  ['bytes that are not HTTP', 'not-http', /not HTTP/, '220 mail.example ESMTP\r\n'],
  ['a status of 099', 'not-http', /status 99/, 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
  ['only a 100', 'timeout', /no answer came within 200 ms/, goOn],
  ['endless interim answers', 'timeout', /no answer came within 200 ms/, repeating('', goOn.repeat(10), 1)],
  ['a 100, then a closed connection', 'connection-closed', /closed/, ends(`${goOn}HTTP/1.1 1`)],
  ['an unrequested 101', 'not-http', /answered with 101, which/, upgrade],
  ['a 101 without a protocol, after 100', 'not-http', /answered with 101, which/, `${goOn}${switching}\r\n`],
  ['header fields of 80 KiB', 'answer-too-large', /header fields .*64 KiB/, ok('', [tooLong])],
  ['an endless header field', 'answer-too-large', /header fields/, endlessField('X-A: ', 'a')],
  ['endless header fields', 'answer-too-large', /header fields/, endlessField('', 'a:b\r\n')],
  ['an unknown coding', 'undecodable', /content-encoding/, ok('x', ['Content-Encoding: rot13'])],
]

function endlessField(begins: string, repeated: string): RawAnswerer {
  return (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(repeated.repeat(10_000)));
    }
    socket.on('drain', more)
    socket.write(`HTTP/1.1 200 OK\r\n${begins}`)
    more()
  }
}

describe.concurrent.for(routes)('on %s, unusable answers', ([, route]) => {
  beforeAll(timeByTurns)

  test.for(answers)('are reported: %s', async ([, kind, says, answer], context) => {
    // Only the rows for timeouts may end by a timeout.
    const timeoutMs = kind === 'timeout' ? 200 : 1e9
    const { transport } = await connectedTo(answer, { timeoutMs, onFinished: context.onTestFinished })
    const trouble = await troubleOf(transport.send({ ...get, ...route }))

    context.expect(trouble).toMatchObject({ kind, message: context.expect.stringMatching(says) })
  })
})

describe.for(routes)('on %s, an unreachable service', ([, route]) => {
  const request = { ...get, ...route }

  test.for([
    ['127.0.0.1', 'connection-refused', 'nothing is listening on 127.0.0.1:PORT (connection refused)'],
    ['localhost', 'connection-refused', 'nothing is listening on localhost:PORT'],
    ['no-such-host.invalid', 'host-not-found', 'no-such-host.invalid:PORT'],
  ] as const)('at %s is reported as %s', async ([host, kind, says]) => {
    const port = `${await unusedPort()}`
    const trouble = await troubleOf(transportTo(`http://${host}:${port}`).send(request))

    expect(trouble.kind).toBe(kind)
    expect(trouble.message).toContain(says.replace('PORT', port))
  })

  test('is reported after the timeout, and closing does not wait for the connection', async () => {
    const server = await serve(() => {})
    const transport = transportTo(`https://127.0.0.1:${server.port}`, { timeoutMs: 200 })
    const trouble = await troubleOf(transport.send(request))
    // The server holds the connection until the test has ended.
    await transport.close()

    expect(trouble).toMatchObject({
      kind: 'connect-timeout',
      message: expect.stringContaining('within 200 ms'),
    })
  })
})

describe.for(routes)('on %s, the caller’s signal', ([, route]) => {
  const request = { ...get, ...route }

  test.for(['before', 'while connecting', 'while waiting', 'within the body'])(
    'ends a request with its own reason: %s',
    async (when) => {
      const controller = new AbortController()
      const reason = new Error(when)
      onTestFinished(timeByTurns())
      const abort = (): void => void later(() => controller.abort(reason), 20)
      const onConnection = when === 'while connecting' ? abort : () => {}
      const answer: RawAnswerer = (socket) => {
        if (when === 'within the body') socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')
        abort()
      }
      const server = await serve(answer, { onConnection })
      const scheme = when === 'while connecting' ? 'https' : 'http'
      if (when === 'before') controller.abort(reason)

      const transport = transportTo(`${scheme}://127.0.0.1:${server.port}`)
      await expect(transport.send(request, controller.signal)).rejects.toBe(reason)
    },
  )

  test('does not affect the transport if it comes after the answer', async () => {
    const { transport } = await connectedTo(ok('{}'))
    const controller = new AbortController()
    await transport.send(request, controller.signal)
    controller.abort()

    await expect(transport.send(request)).resolves.toMatchObject({ response: { status: 200 } })
  })

  test('cancels a request while connecting, so that it is never sent', async () => {
    const { server, transport } = await connectedTo(ok('{}'))
    const own = transport.connection()
    const controller = new AbortController()
    const given = own.send({ ...request, target: '/given-up' }, controller.signal)
    controller.abort(new Error('given up'))

    await expect(given).rejects.toThrow('given up')
    await own.send(request)
    expect(server.heads).toHaveLength(1)
  })
})

describe.for(routes)('on %s, endless answers', ([, route]) => {
  const request = { ...get, ...route }

  test('of 1 GiB are cut off early, with little memory used', async () => {
    let written = 0
    let closed = false
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const { transport } = await connectedTo((socket) => {
      const more = (): void => {
        while (!socket.destroyed && written < 2 ** 30) {
          written += chunk.length
          if (!socket.write(chunk)) return
        }
      }
      socket.on('drain', more).on('close', () => (closed = true))
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 30}\r\n\r\n`)
      more()
    })
    const trouble = await troubleOf(transport.send(request))
    await expect.poll(() => closed).toBe(true)

    expect(trouble.kind).toBe('answer-too-large')
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  test('are also cut off if 1 MiB decodes to 1 GiB', async () => {
    const part = gzipSync(Buffer.alloc(8 * 1024 * 1024))
    const bomb = Buffer.concat(Array.from({ length: 128 }, () => part))
    const { transport } = await connectedTo(ok(bomb, ['Content-Encoding: gzip']))
    const before = process.memoryUsage.rss()
    const trouble = await troubleOf(transport.send(request))

    expect(trouble).toMatchObject({
      kind: 'answer-too-large',
      message: expect.stringContaining('after decoding gzip'),
    })
    // Other tests in this process need some memory, too.
    expect(process.memoryUsage.rss() - before).toBeLessThan(512 * 1024 * 1024)
  })

  test('are cut off only if they exceed the maximum size', async () => {
    const { transport } = await connectedTo(ok('x'.repeat(MAX_ANSWER_BYTES)), { timeoutMs: 300_000 })
    const { response } = await transport.send(request)

    expect(response.text).toHaveLength(MAX_ANSWER_BYTES)
  })
})
