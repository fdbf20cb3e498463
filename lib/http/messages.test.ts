import { describe, expect, onTestFinished, test } from 'vitest'

import { later, timeByTurns } from '../../tests/support/virtual-time.ts'
import type { Behind } from './exchange.ts'
import type { MessageForm } from './request.ts'
import { ok, serve, transportTo, type RawAnswerer } from './testing/servers.ts'

const get = { route: 'raw', method: 'GET', target: '/x', fields: [{ name: 'a', value: 'bc' }] } as const
const next = { route: 'raw', method: 'GET', target: '/y', fields: [] } as const

/** What is heard of a server that answers so; of the next answer its status. */
async function heard(
  answer: RawAnswerer,
  form: MessageForm,
  method = 'GET',
): Promise<{ readonly status: number; readonly next: number | null } & Omit<Behind, 'next'>> {
  onTestFinished(timeByTurns())
  const server = await serve(answer)
  const transport = transportTo(`http://127.0.0.1:${server.port}`)
  const { response, behind } = await transport.send({ ...get, method, form })
  if (behind === undefined) throw new Error('nothing was read behind the answer')
  return { ...behind, status: response.status, next: behind.next?.status ?? null }
}

/** The segments that come of a request in this form. */
async function segmentsOf(form: MessageForm): Promise<readonly string[]> {
  const segments: string[] = []
  const server = await serve((socket) => socket.end(ok('{}')), {
    onConnection: (socket) => socket.on('data', (bytes) => segments.push(bytes.toString('latin1'))),
  })
  await transportTo(`http://127.0.0.1:${server.port}`).send({ ...get, form })
  return segments.map((text) => text.replaceAll(String(server.port), 'port'))
}

describe('a request is written', () => {
  test.for<[string, MessageForm, readonly string[]]>([
    [
      'in HTTP/1.0',
      { version: '1.0' },
      ['GET /x HTTP/1.0\r\nhost: 127.0.0.1:port\r\na: bc\r\nconnection: close\r\n\r\n'],
    ],
    [
      'without spaces',
      { isTight: true },
      ['GET /x HTTP/1.1\r\nhost:127.0.0.1:port\r\na:bc\r\nconnection:close\r\n\r\n'],
    ],
    [
      'in two segments',
      { cut: { behind: 'a: ', by: 1 } },
      ['GET /x HTTP/1.1\r\nhost: 127.0.0.1:port\r\na: b', 'c\r\nconnection: close\r\n\r\n'],
    ],
    [
      'with the next one in the same segment',
      { followedBy: { request: next, isInSameSegment: true } },
      [
        'GET /x HTTP/1.1\r\nhost: 127.0.0.1:port\r\na: bc\r\n\r\nGET /y HTTP/1.1\r\nhost: 127.0.0.1:port\r\nconnection: close\r\n\r\n',
      ],
    ],
  ])('%s', async ([, form, segments]) => {
    expect(await segmentsOf(form)).toEqual(segments)
  })
})

describe('behind an answer', () => {
  const closing = { followedBy: 'closing' } as const

  test.for<[string, RawAnswerer, Partial<Behind>]>([
    ['the end', (socket) => socket.end(ok('{}')), { strayBytes: 0, isClosed: true }],
    ['the end, later', thenLate(''), { isClosed: true }],
    ['a reset', (socket) => socket.write(ok('{}'), () => socket.resetAndDestroy()), { isClosed: true }],
    ['nothing at all', (socket) => socket.write(ok('{}')), { strayBytes: 0, isClosed: false }],
    [
      'an empty line',
      (socket) => socket.end(Buffer.concat([ok('{}'), Buffer.from('\r\n')])),
      { strayBytes: 0 },
    ],
    [
      'further bytes',
      (socket) => socket.end(Buffer.concat([ok('{}'), Buffer.from('<!-- -->')])),
      { strayBytes: 8 },
    ],
    ['further bytes, later', thenLate('}'), { strayBytes: 1 }],
    [
      'a second answer',
      (socket) => socket.end(Buffer.concat([ok('{}'), ok('{}')])),
      { strayBytes: ok('{}').length },
    ],
    ['408', (socket) => socket.end(Buffer.concat([ok('{}'), timedOut])), { strayBytes: 0 }],
    ['chunks', (socket) => socket.end(chunked('2\r\n{}\r\n0\r\nx-sum: 1\r\n\r\n')), { strayBytes: 0 }],
    ['bytes behind chunks', (socket) => socket.end(chunked('2\r\n{}\r\n0\r\n\r\n}')), { strayBytes: 1 }],
    ['what the closing ends', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{}\n\n'), { strayBytes: 0 }],
  ])('%s', async ([, answer, behind]) => {
    expect(await heard(answer, closing)).toMatchObject({ status: 200, ...behind })
  })

  test('to HEAD, content', async () => {
    expect(await heard((socket) => socket.end(ok('{}')), closing, 'HEAD')).toMatchObject({ strayBytes: 2 })
    const head = ok('{}').subarray(0, -2)
    expect(await heard((socket) => socket.end(head), closing, 'HEAD')).toMatchObject({ strayBytes: 0 })
  })

  const [together, after] = [true, false].map((isInSameSegment) => ({
    followedBy: { request: next, isInSameSegment },
  }))

  test.for<[string, MessageForm, RawAnswerer, object]>([
    ['the next answer', after ?? {}, inTurn(ok('{}'), refusal), { strayBytes: 0, next: 400 }],
    ['the next answer in the same segment', together ?? {}, inTurn(ok('{}'), refusal), { next: 400 }],
    [
      'bytes before it',
      after ?? {},
      inTurn(Buffer.concat([ok('{}'), Buffer.from('x'.repeat(9))]), refusal),
      { next: null },
    ],
    [
      'the end instead',
      together ?? {},
      (socket) => socket.end(ok('{}')),
      { strayBytes: 0, next: null, isClosed: true },
    ],
    ['silence', together ?? {}, inTurn(ok('{}')), { strayBytes: 0, next: null, isClosed: false }],
    ['half an answer', after ?? {}, inTurn(ok('{}'), refusal.subarray(0, 20)), { strayBytes: 0, next: null }],
  ])('%s', async ([, form, answer, behind]) => {
    expect(await heard(answer, form)).toMatchObject({ status: 200, ...behind })
  })
})

test('without an answer it is trouble, as on any connection', async () => {
  onTestFinished(timeByTurns())
  const server = await serve((socket, head) => (head.startsWith('HEAD') ? undefined : socket.destroy()))
  const transport = transportTo(`http://127.0.0.1:${server.port}`, { timeoutMs: 200 })
  const sent = (method: string): Promise<unknown> =>
    transport.send({ ...get, method, form: { followedBy: 'closing' } })

  await expect(sent('GET')).rejects.toMatchObject({ kind: 'connection-closed' })
  await expect(sent('HEAD')).rejects.toMatchObject({ kind: 'timeout' })
  await expect(
    transport.send({ ...get, form: {} }, AbortSignal.abort(new Error('cancelled'))),
  ).rejects.toThrow('cancelled')
})

const refusal = Buffer.from('HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}')
const timedOut = Buffer.from('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n')

function chunked(content: string): string {
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${content}`
}

/** Answers the requests of a connection in turn. */
function inTurn(...answers: readonly Buffer[]): RawAnswerer {
  let count = 0
  return (socket) => {
    const answer = answers[count]
    count += 1
    if (answer !== undefined) socket.write(answer)
  }
}

/** Answers, and ends with further bytes some time later. */
function thenLate(further: string): RawAnswerer {
  return (socket) => {
    socket.write(ok('{}'))
    later(() => socket.end(further), 100)
  }
}
