import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'

/** Writes another reason phrase, which may be empty (RFC 9112, 4). */
export function withReason(phrase: (status: number) => string): Deliverer {
  return ({ status, fields, body }, response) => {
    response.writeHead(status, phrase(status), [...fields, 'content-length', String(Buffer.byteLength(body))])
    response.end(body)
  }
}

/** Leaves out the date, as a service without a clock must (RFC 9110, 6.6.1). */
export const withoutDate: Deliverer = (outgoing, response) => {
  response.sendDate = false
  whole(outgoing, response)
}

/** Closes the connection after every answer, and announces it. */
export const closingAfter: Deliverer = (outgoing, response) => {
  whole({ ...outgoing, fields: [...outgoing.fields, 'connection', 'close'] }, response)
}

/**
 * Closes the connection after every `count`th answer without announcing it, as a server may at any time (RFC
 * 9112, 9.5).
 */
export function closingUnannounced(count: number): Deliverer {
  const answers = new WeakMap<object, number>()
  return (outgoing, response) => {
    const { socket } = response.req
    const nth = (answers.get(socket) ?? 0) + 1
    answers.set(socket, nth)
    if (nth % count === 0) response.once('finish', () => socket.end())
    whole(outgoing, response)
  }
}
