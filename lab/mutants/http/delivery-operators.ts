import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { kinds, write, type PlainAnswer } from './answer.ts'
import type { Operator } from './operator.ts'

/** Longer than a run waits for an answer here, in milliseconds. */
const tooLong = 3_000

/** How long an answer waits for another one to swap with, in milliseconds. */
const patience = 40

type Delivery = readonly [name: string, about: string, send: Operator['send']]

function family(name: string, deliveries: readonly Delivery[]): readonly Operator[] {
  const of = { family: name, kinds }
  return deliveries.map(([own, about, send]) => ({ ...of, name: `${name}-${own}`, about, send }))
}

function head(response: ServerResponse, { status, fields }: PlainAnswer): void {
  response.sendDate = false
  response.writeHead(status, fields.flat())
  response.flushHeaders()
}

/** Sends the head, then the rest. */
function afterHead(rest: (answer: PlainAnswer, response: ServerResponse) => void): Operator['send'] {
  return (answer, { response }) => {
    head(response, answer)
    rest(answer, response)
  }
}

/** Sends the answer, then acts on its connection. */
function afterwards(act: (socket: Socket, answer: PlainAnswer) => void): Operator['send'] {
  return (answer, { response }) => {
    const { socket } = response
    response.once('finish', () => void (socket !== null && act(socket, answer)))
    write(response, answer)
  }
}

const unended: Operator['send'] = (answer, { response }) => {
  head(response, { ...answer, fields: answer.fields.filter(([name]) => name !== 'content-length') })
  response.write(answer.body, () => response.destroy())
}
const closed: Operator['send'] = (_, { response }) => void response.destroy()
const reset: Operator['send'] = (_, { response }) => void response.socket?.resetAndDestroy()
const closedAfter = afterwards((socket) => socket.end())
const resetAfter = afterwards((socket) => socket.resetAndDestroy())
const half = ({ body }: PlainAnswer): Buffer => body.subarray(0, body.length / 2)
const cut = afterHead((answer, response) => response.write(half(answer), () => response.destroy()))
const headAlone = afterHead((_, response) => void setImmediate(() => response.destroy()))
const bytes =
  (text: string): Operator['send'] =>
  (_, { response }) =>
    void response.socket?.end(text)

const connection = family('connection', [
  ['closed-before', 'the connection is closed instead of an answer', closed],
  ['reset-before', 'the connection is reset instead of an answer', reset],
  ['closed-after-head', 'the connection is closed behind the head', headAlone],
  ['closed-within-body', 'the connection is closed half-way through the body', cut],
  ['chunks-unended', 'the body comes in chunks, and the connection is closed before the last one', unended],
  ['closed-after', 'the connection is closed behind the answer, unannounced', closedAfter],
  ['reset-after', 'the connection is reset behind the answer', resetAfter],
  ['head-within-line', 'the connection is closed within the status line', bytes('HTTP/1.1 2')],
  ['not-http', 'what comes is no HTTP', bytes('hello\r\n\r\n')],
  ['never', 'no answer comes, and the connection stays', () => {}],
])

function later(ms: number): Operator['send'] {
  return (answer, { response }) => {
    setTimeout(() => write(response, answer), ms).unref()
  }
}

const bodyLater = afterHead(({ body }, response) => setTimeout(() => response.end(body), tooLong).unref())

const latency = family('latency', [
  ['20', 'the answer comes 20 ms later', later(20)],
  ['200', 'the answer comes 200 ms later', later(200)],
  ['too-long', 'the answer comes later than a run waits', later(tooLong)],
  ['body-too-long', 'the body comes later than a run waits', bodyLater],
])

/** The bytes of an answer that follows another one on the same connection. */
function bytesOf({ status, fields, body }: PlainAnswer): Buffer {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${String(status)} Again\r\n${lines}\r\n`, 'latin1'), body])
}

const stale: Operator['send'] = (answer, { response, previous }) => write(response, previous ?? answer)
const exchanged: Operator['send'] = (answer, { response }, next) => {
  void next(patience).then((other) => {
    write(response, other?.answer ?? answer)
    other?.write(answer)
  })
}
const interim: Operator['send'] = (answer, { response }) => {
  response.writeEarlyHints({ link: '</a.css>; rel=preload' })
  write(response, answer)
}

const order = family('order', [
  ['twice', 'the answer comes twice', afterwards((socket, answer) => socket.write(bytesOf(answer)))],
  ['stale', 'the previous answer to any request comes instead', stale],
  ['exchanged', 'the answers of two concurrent requests are exchanged', exchanged],
  ['interim', '103 (Early Hints) comes before the answer', interim],
])

/** Operators that change whether, when and to which client an answer is sent. */
export const deliveryOperators: readonly Operator[] = [...connection, ...latency, ...order]
