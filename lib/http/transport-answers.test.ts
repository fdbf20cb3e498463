import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { later, timeByTurns } from '../../tests/support/virtual-time.ts'
import { type Request } from './exchange.ts'
import { connectedTo, ok, routes, serve, transportTo, type RawAnswerer } from './testing/servers.ts'
import { MAX_ANSWER_BYTES, TransportError, type TransportErrorKind } from './transport-error.ts'

const get: Request = { method: 'GET', target: '/', fields: [{ name: 'x-secret-key', value: 'hidden-value' }] }

async function troubleOf(sending: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await sending.catch((thrown: unknown) => thrown)
  if (!(error instanceof TransportError)) throw new Error('not a TransportError', { cause: error })
  expect(error.message).not.toContain('hidden-value')

  return error
}

const success = 'HTTP/1.1 200 OK\r\n'
const chunked = `${success}Transfer-Encoding: chunked\r\n\r\n`
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n'
const likeInterim = `\n${hints}${' '.repeat(200_000)}`
const manyFields = Array.from({ length: 60 }, (_, index) => `X-${index}: ${'a'.repeat(1_000)}`)
const json = { status: 200, text: '{"a":1}', body: { kind: 'json', value: { a: 1 } } }
const noContent = { text: '', body: { kind: 'empty' } }
/** Digits whose order shows in the text. */
const numbers = `[${Array.from({ length: 500 }, (_, at) => 1_000 + at).join()}]`.padEnd(2_502)
const inTinyChunks = `${chunked}${numbers.replaceAll(/./g, '1\r\n$&\r\n')}0\r\n\r\n`
const reasons = ['', 'No Way', 'Schl\u00FCssel: 1', ' A ']
const unmodified = 'HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n'
const found = 'HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n'
const pairs = (...lines: readonly string[]) => lines.map((line) => line.split(': '))
const fields = ['X-A: 1', 'x-a:  2 ', 'Set-Cookie: \u00FC']
const fine = ok('{"a":1}').toString()
const interim = [
  goOn,
  'HTTP/1.1 100\r\n\r\n',
  'HTTP/1.0 100 Continue\r\nConnection: close\r\n\r\n',
  `HTTP/1.1 102 Processing\r\n\r\n${hints}`,
  '\r\nHTTP/1.1 199 \xff\r\nx: HTTP/1.1 200 OK\r\n\r\n',
  'HTTP/1.1 100 Continue\n\n',
]
const many = goOn.repeat(1_000)
const ofLength = { ...json, fields: pairs('Content-Length: 7') }
const inOrder = pairs('Content-Length: 7', 'X-A: 1', 'x-a: 2', 'Set-Cookie: \u00FC')
const trailers = pairs('X-Sum: a', 'x-sum: b')

const most = 'x'.repeat(MAX_ANSWER_BYTES)
const bomb = gzipSync(`${most}x`)

type Answer = string | Buffer | RawAnswerer

/** Answers, with parts of the response that is read. */
const readable: readonly (readonly [what: string, Answer, response: object, method?: string])[] = [
  ['fields in order', ok('{"a":1}', fields), { ...json, reason: 'OK', trailers: [], fields: inOrder }],
  ['a redirect', found, { status: 302, ...noContent }],
  ...reasons.map((reason) => [`the reason "${reason}"`, reasoned(reason), { status: 400, reason }] as const),
  ['60 KiB of fields', ok('{}', manyFields), { fields: { length: 61, 60: ['X-59', 'a'.repeat(1_000)] } }],
  ['compressed content', ok(gzipSync('{"a":1}'), ['Content-Encoding: GZIP', 'Connection: close']), json],
  ['chunks', `${chunked}3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n`, json],
  ['2,502 chunks of one byte', inTinyChunks, { text: numbers }],
  ['trailers', `${chunked}2\r\n{}\r\n0\r\nX-Sum:  a \r\nx-sum: b\r\n\r\n`, { text: '{}', trailers }],
  ['content delimited by the end of a connection', ends(`${success}\r\n{"a":1}`), json],
  ['an answer from an HTTP/1.0 server', ends('HTTP/1.0 200 OK\r\n\r\n{"a":1}'), json],
  ...[...interim, many].map((before) => ['interim answers', latin1(before + fine), ofLength] as const),
  ['interim answers byte by byte', byteByByte, { text: goOn }],
  ['many line ends first', '\r\n'.repeat(100) + fine, json],
  ['no content to HEAD', `${success}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n`, noContent, 'HEAD'],
  ['no content', 'HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n', noContent],
  ['the status 304', unmodified, noContent],
  ['a body of the maximum size', ok(most), { text: most }],
  ['a body that looks like an interim answer', ok(likeInterim), { text: likeInterim }],
]

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function reasoned(reason: string): Buffer {
  return Buffer.from(`HTTP/1.1 400 ${reason}\r\nContent-Length: 2\r\n\r\n{}`)
}

function byteByByte(socket: Socket): void {
  const whole = Buffer.concat([latin1(interim.join('')), ok(goOn)])
  socket.setNoDelay(true)
  const next = (at: number): void => {
    if (at < whole.length) socket.write(whole.subarray(at, at + 1), () => setImmediate(next, at + 1))
  }
  next(0)
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

const begun = `${success}Content-Length: 1000\r\n`
const close = 'Connection: close\r\n\r\n'
const switching = 'HTTP/1.1 101 Switching Protocols\r\n'
const upgrade = `${switching}Connection: upgrade\r\nUpgrade: x\r\n\r\n`
const tooLong = `X-A: ${'a'.repeat(80 * 1024)}`

function ends(bytes: string): RawAnswerer {
  return (socket) => socket.end(bytes)
}

const resets: RawAnswerer = (socket) => socket.write(`${begun}\r\nabc`, () => socket.resetAndDestroy())

/** Answers that cannot be used, with the kind of the error and what it says. */
const unusable: readonly (readonly [what: string, Answer, kind: TransportErrorKind, says: RegExp])[] = [
  ['silence', () => {}, 'timeout', /no answer came within 200 ms/],
  ['silence within the header', `${success}X-`, 'timeout', /within 200 ms/],
  ['a slow body', repeating(`${begun}\r\n`, 'x', 20), 'timeout', /started but did not end within 200 ms/],
  ['a closed connection', (socket) => socket.end(), 'connection-closed', /closed/],
  ['a reset', (socket) => socket.resetAndDestroy(), 'connection-closed', /closed/],
  ['a reset within the body', resets, 'connection-closed', /closed/],
  ['a short body', ends(`${begun}\r\nabc`), 'connection-closed', /closed/],
  ['a short body, then a close', ends(`${begun}${close}abc`), 'connection-closed', /content-length/],
  ['a chunked body without an end', ends(`${chunked}5\r\nabcde\r\n`), 'connection-closed', /closed/],
  ['bytes that are not HTTP', '220 mail.example ESMTP\r\n', 'not-http', /not HTTP/],
  ['a version without a number', 'HTTP 100 Continue\r\n\r\n', 'not-http', /not HTTP/],
  ['a status of four digits', 'HTTP/1.1 2100 Odd\r\n\r\n', 'not-http', /not HTTP/],
  ['a part of a status line', ends('HTTP/1.1'), 'connection-closed', /closed/],
  ['a status of 099', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', 'not-http', /status 99/],
  ['only a 100', goOn, 'timeout', /no answer came within 200 ms/],
  ['endless interim answers', repeating('', goOn.repeat(10), 1), 'timeout', /no answer came within 200 ms/],
  ['a 100, then a closed connection', ends(`${goOn}HTTP/1.1 1`), 'connection-closed', /closed/],
  ['an unrequested 101', upgrade, 'not-http', /answered with 101, which/],
  ['a 101 without a protocol, after 100', `${goOn}${switching}\r\n`, 'not-http', /answered with 101, which/],
  ['header fields of 80 KiB', ok('', [tooLong]), 'answer-too-large', /header fields .*64 KiB/],
  ['an endless header field', endless('X-A: ', 'a'), 'answer-too-large', /header fields/],
  ['endless header fields', endless('', 'a:b\r\n'), 'answer-too-large', /header fields/],
  ['a body of 1 GiB', endless(`Content-Length: ${2 ** 30}\r\n\r\n`, 'x'), 'answer-too-large', /4 MiB/],
  ['over 4 MiB in gzip', ok(bomb, ['Content-Encoding: gzip']), 'answer-too-large', /decoding gzip/],
  ['an unknown coding', ok('x', ['Content-Encoding: rot13']), 'undecodable', /content-encoding/],
]

function endless(begins: string, repeated: string): RawAnswerer {
  return (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(repeated.repeat(10_000)));
    }
    socket.on('drain', more)
    socket.write(`${success}${begins}`)
    more()
  }
}

describe.for(routes)('on %s', ([, route]) => {
  const request = { ...get, ...route }

  test.for(readable)('an answer is read unchanged: %s', async ([, answer, response, method = 'GET']) => {
    onTestFinished(timeByTurns())
    const sent = { ...request, method }
    const { server, transport } = await connectedTo(answer, { timeoutMs: 1e9 })
    const exchange = await transport.send(sent)

    expect(exchange).toMatchObject({ request: sent, response })
    expect(exchange.durationMs).toBeGreaterThan(0)
    expect(server.heads).toHaveLength(1)
  })

  test.for(unusable)('an unusable answer is reported: %s', async ([, answer, kind, says]) => {
    onTestFinished(timeByTurns())
    // Only the rows for timeouts may end by a timeout.
    const { transport } = await connectedTo(answer, { timeoutMs: kind === 'timeout' ? 200 : 1e9 })
    const trouble = await troubleOf(transport.send(request))

    expect(trouble).toMatchObject({ kind, message: expect.stringMatching(says) })
  })

  test.for([
    ['127.0.0.1', 'connection-refused', 'nothing is listening on 127.0.0.1:1 (connection refused)'],
    ['localhost', 'connection-refused', 'nothing is listening on localhost:1'],
    ['no-such-host.invalid', 'host-not-found', 'no-such-host.invalid:1'],
  ] as const)('an unreachable service at %s is reported as %s', async ([host, kind, says]) => {
    const trouble = await troubleOf(transportTo(`http://${host}:1`).send(request))

    expect(trouble).toMatchObject({ kind, message: expect.stringContaining(says) })
  })

  test('a connection that is never made ends at the timeout, and closing does not wait for it', async () => {
    const server = await serve(() => {})
    const transport = transportTo(`https://127.0.0.1:${server.port}`, { timeoutMs: 200 })
    const trouble = await troubleOf(transport.send(request))
    // The server holds the connection until the test has ended.
    await transport.close()

    const message = expect.stringContaining('within 200 ms')
    expect(trouble).toMatchObject({ kind: 'connect-timeout', message })
  })

  const moments = ['before', 'while connecting', 'while waiting', 'within the body']
  test.for(moments)('the caller’s signal ends a request with its own reason: %s', async (when) => {
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
  })

  test('the caller’s signal affects one request: before it is sent, it never is, and after its answer nothing', async () => {
    const { server, transport } = await connectedTo(ok('{}'))
    const own = transport.connection()
    const [early, late] = [new AbortController(), new AbortController()]
    const given = own.send({ ...request, target: '/given-up' }, early.signal)
    early.abort(new Error('given up'))
    await expect(given).rejects.toThrow('given up')
    await own.send(request, late.signal)
    late.abort()

    await expect(own.send(request)).resolves.toMatchObject({ response: { status: 200 } })
    expect(server.heads).toHaveLength(2)
  })
})
