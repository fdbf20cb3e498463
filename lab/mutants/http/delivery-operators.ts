import type { ServerResponse } from 'node:http'
import { kinds, write, type PlainAnswer } from './answer.ts'
import type { Operator } from './operator.ts'

/** Longer than a run waits for an answer here, in milliseconds. */
const tooLong = 3_000

/** How long an answer waits for another one to be exchanged with, in milliseconds. */
const patience = 40

type Delivery = readonly [name: string, about: string, send: Operator['send']]

function family(name: string, deliveries: readonly Delivery[]): readonly Operator[] {
  return deliveries.map(([own, about, send]) => ({
    name: `${name}-${own}`,
    family: name,
    about,
    kinds,
    send,
  }))
}

function head(response: ServerResponse, { status, fields }: PlainAnswer): void {
  response.sendDate = false
  response.writeHead(status, fields.flat())
  response.flushHeaders()
}

const connection = family('connection', [
  [
    'closed-before',
    'the connection is closed instead of an answer',
    (_, { response }) => void response.destroy(),
  ],
  [
    'reset-before',
    'the connection is reset instead of an answer',
    (_, { response }) => void response.socket?.resetAndDestroy(),
  ],
  [
    'closed-after-head',
    'the connection is closed behind the head',
    (answer, { response }) => {
      head(response, answer)
      setImmediate(() => response.destroy())
    },
  ],
  [
    'closed-within-body',
    'the connection is closed half-way through the body',
    (answer, { response }) => {
      head(response, answer)
      response.write(answer.body.subarray(0, answer.body.length / 2), () => response.destroy())
    },
  ],
  [
    'chunks-unended',
    'the body comes in chunks, and the connection is closed before the last one',
    (answer, { response }) => {
      head(response, { ...answer, fields: answer.fields.filter(([name]) => name !== 'content-length') })
      response.write(answer.body, () => response.destroy())
    },
  ],
  [
    'closed-after',
    'the connection is closed behind the answer, unannounced',
    (answer, { response }) => {
      const { socket } = response
      response.once('finish', () => socket?.end())
      write(response, answer)
    },
  ],
  [
    'reset-after',
    'the connection is reset behind the answer',
    (answer, { response }) => {
      const { socket } = response
      response.once('finish', () => socket?.resetAndDestroy())
      write(response, answer)
    },
  ],
  [
    'head-within-line',
    'the connection is closed within the status line',
    (_, { response }) => void response.socket?.end('HTTP/1.1 2'),
  ],
  ['not-http', 'what comes is no HTTP', (_, { response }) => void response.socket?.end('hello\r\n\r\n')],
  ['never', 'no answer comes, and the connection stays', () => {}],
])

function later(ms: number): Operator['send'] {
  return (answer, { response }) => {
    setTimeout(() => write(response, answer), ms).unref()
  }
}

const latency = family('latency', [
  ['20', 'the answer comes 20 ms later', later(20)],
  ['200', 'the answer comes 200 ms later', later(200)],
  ['too-long', 'the answer comes later than a run waits', later(tooLong)],
  [
    'body-too-long',
    'the body comes later than a run waits',
    (answer, { response }) => {
      head(response, answer)
      setTimeout(() => response.end(answer.body), tooLong).unref()
    },
  ],
])

/** The bytes of an answer, as they follow another one on the same connection. */
function bytesOf({ status, fields, body }: PlainAnswer): Buffer {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${String(status)} Again\r\n${lines}\r\n`, 'latin1'), body])
}

const order = family('order', [
  [
    'twice',
    'the answer comes twice',
    (answer, { response }) => {
      const { socket } = response
      response.once('finish', () => socket?.write(bytesOf(answer)))
      write(response, answer)
    },
  ],
  [
    'stale',
    'the previous answer to any request comes instead',
    (answer, { response, previous }) => write(response, previous ?? answer),
  ],
  [
    'exchanged',
    'the answers of two concurrent requests are exchanged',
    (answer, { response }, others) => {
      void others.next(patience).then((other) => {
        write(response, other?.answer ?? answer)
        other?.write(answer)
      })
    },
  ],
  [
    'interim',
    '103 (Early Hints) comes before the answer',
    (answer, { response }) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' })
      write(response, answer)
    },
  ],
])

/** Operators that change whether, when and to whom the bytes of an answer go. */
export const deliveryOperators: readonly Operator[] = [...connection, ...latency, ...order]
