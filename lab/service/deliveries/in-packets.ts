import type { Deliverer } from '../../../lib/serve/reference/answer.ts'

/** The delay between two packets, in milliseconds, long enough that the network does not join them. */
const between = 12

/** Sends the head, and the body after a delay. */
export const headFirst: Deliverer = ({ status, fields, body }, response) => {
  response.writeHead(status, [...fields, 'content-length', String(Buffer.byteLength(body))])
  response.flushHeaders()
  setTimeout(() => response.end(body), between)
}

/** Sends the body in this many pieces, with a delay before each. */
export function inPieces(count: number): Deliverer {
  return ({ status, fields, body }, response) => {
    const bytes = Buffer.from(body)
    const size = Math.max(1, Math.ceil(bytes.length / count))
    response.writeHead(status, [...fields, 'content-length', String(bytes.length)])
    const next = (at: number): void => {
      if (at + size >= bytes.length) {
        response.end(bytes.subarray(at))
        return
      }
      response.write(bytes.subarray(at, at + size))
      setTimeout(() => next(at + size), between)
    }
    next(0)
  }
}
