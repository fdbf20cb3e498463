import { describe, expect, onTestFinished, test } from 'vitest'
import { later, timeByTurns } from '../../tests/support/virtual-time.ts'
import type { Behind } from './exchange.ts'
import type { MessageForm } from './request.ts'
import { connectedTo, ok, type RawAnswerer } from './testing/servers.ts'

const get = { route: 'raw', method: 'GET', target: '/x', fields: [{ name: 'a', value: 'bc' }] } as const
const next = { route: 'raw', method: 'GET', target: '/y', fields: [] } as const

const refusal = Buffer.from('HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}')
const timedOut = Buffer.from('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n')
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

/** The status and what followed the answer of such a server, including the status of a second answer. */
async function heard(
  answer: RawAnswerer,
  form: MessageForm,
  method = 'GET',
): Promise<{ readonly status: number; readonly next: number | null } & Omit<Behind, 'next'>> {
  onTestFinished(timeByTurns())
  const { transport } = await connectedTo(answer)
  const { response, behind } = await transport.send({ ...get, method, form })
  if (behind === undefined) throw new Error('nothing was read after the answer')
  return { ...behind, status: response.status, next: behind.next?.status ?? null }
}

/** The segments in which a request of this form arrives. */
async function segmentsOf(form: MessageForm): Promise<readonly string[]> {
  const segments: string[] = []
  const { server, transport } = await connectedTo((socket) => socket.end(ok('{}')), {
    onConnection: (socket) => socket.on('data', (bytes) => segments.push(bytes.toString('latin1'))),
  })
  await transport.send({ ...get, form })
  return segments.map((text) => text.replaceAll(String(server.port), 'port'))
}

describe('a request is written', () => {
  const line = 'GET /x HTTP/1.1\r\nhost: 127.0.0.1:port\r\n'
  const close = 'connection: close\r\n\r\n'
  const tight = 'GET /x HTTP/1.1\r\nhost:127.0.0.1:port\r\na:bc\r\nconnection:close\r\n\r\n'
  const both = `${line}a: bc\r\n\r\n${line.replace('/x', '/y')}${close}`

  test.for<[string, MessageForm, readonly string[]]>([
    ['in HTTP/1.0', { version: '1.0' }, [`${line}a: bc\r\n${close}`.replace('1.1', '1.0')]],
    ['without spaces', { isTight: true }, [tight]],
    ['in two segments', { cut: { behind: 'a: ', by: 1 } }, [`${line}a: b`, `c\r\n${close}`]],
    ['in one segment with the next', { followedBy: { request: next, isInSameSegment: true } }, [both]],
  ])('%s', async ([, form, segments]) => {
    expect(await segmentsOf(form)).toEqual(segments)
  })
})

describe('after an answer', () => {
  const closing = { followedBy: 'closing' } as const
  const ends =
    (...parts: readonly (Buffer | string)[]): RawAnswerer =>
    (socket) =>
      socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))))
  const unclosed = { strayBytes: 0, isClosed: false }

  test.for<[string, RawAnswerer, Partial<Behind>, string?]>([
    ['the connection closes', ends(ok('{}')), { strayBytes: 0, isClosed: true }],
    ['the connection closes later', thenLate(''), { isClosed: true }],
    ['a reset', (socket) => socket.write(ok('{}'), () => socket.resetAndDestroy()), { isClosed: true }],
    ['nothing', (socket) => socket.write(ok('{}')), unclosed],
    ['an empty line', ends(ok('{}'), '\r\n'), { strayBytes: 0 }],
    ['more bytes', ends(ok('{}'), '<!-- -->'), { strayBytes: 8 }],
    ['more bytes later', thenLate('}'), { strayBytes: 1 }],
    ['a second answer', ends(ok('{}'), ok('{}')), { strayBytes: ok('{}').length }],
    ['a 408', ends(ok('{}'), timedOut), { strayBytes: 0 }],
    ['chunks', ends(chunked, '2\r\n{}\r\n0\r\nx-sum: 1\r\n\r\n'), { strayBytes: 0 }],
    ['bytes after chunks', ends(chunked, '2\r\n{}\r\n0\r\n\r\n}'), { strayBytes: 1 }],
    ['content that ends with the connection', ends('HTTP/1.1 200 OK\r\n\r\n{}\n\n'), { strayBytes: 0 }],
    ['content of an answer to HEAD', ends(ok('{}')), { strayBytes: 2 }, 'HEAD'],
    ['no content of an answer to HEAD', ends(ok('{}').subarray(0, -2)), { strayBytes: 0 }, 'HEAD'],
  ])('stray bytes are counted and a close is noticed: %s', async ([, answer, behind, method]) => {
    expect(await heard(answer, closing, method)).toMatchObject({ status: 200, ...behind })
  })

  test.for<[string, boolean, RawAnswerer, object]>([
    ['the next answer', false, inTurn(ok('{}'), refusal), { strayBytes: 0, next: 400 }],
    ['the next answer in the same segment', true, inTurn(ok('{}'), refusal), { next: 400 }],
    ['bytes before it', false, inTurn(Buffer.concat([ok('{}'), Buffer.alloc(9)]), refusal), { next: null }],
    ['a close instead of an answer', true, ends(ok('{}')), { strayBytes: 0, next: null, isClosed: true }],
    ['silence', true, inTurn(ok('{}')), { next: null, ...unclosed }],
    ['half an answer', false, inTurn(ok('{}'), refusal.subarray(0, 20)), { strayBytes: 0, next: null }],
  ])('the status of the next answer is recorded: %s', async ([, isInSameSegment, answer, behind]) => {
    const form = { followedBy: { request: next, isInSameSegment } }

    expect(await heard(answer, form)).toMatchObject({ status: 200, ...behind })
  })
})

test.for([
  ['GET', 'connection-closed'],
  ['HEAD', 'timeout'],
] as const)('a missing answer rejects the request, as on any connection: %s, %s', async ([method, kind]) => {
  onTestFinished(timeByTurns())
  const silent: RawAnswerer = (socket, head) => (head.startsWith('HEAD') ? undefined : socket.destroy())
  const { transport } = await connectedTo(silent, { timeoutMs: 200 })
  const request = { ...get, method, form: { followedBy: 'closing' } } as const
  const cancelled = AbortSignal.abort(new Error('cancelled'))

  await expect(transport.send(request)).rejects.toMatchObject({ kind })
  await expect(transport.send(request, cancelled)).rejects.toThrow('cancelled')
})

/** Answers the requests of a connection in sequence. */
function inTurn(...answers: readonly Buffer[]): RawAnswerer {
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
    socket.write(ok('{}'))
    later(() => socket.end(further), 100)
  }
}
