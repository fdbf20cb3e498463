import type { Deliverer } from '../../../lib/serve/reference/answer.ts'

/** How long between two packets, in milliseconds: longer than the network would join them. */
const between = 12

/** Sends the head, and the body some time after it. */
export const headFirst: Deliverer = ({ status, fields, body }, response) => {
  response.writeHead(status, [...fields, 'content-length', String(Buffer.byteLength(body))])
  response.flushHeaders()
  setTimeout(() => response.end(body), between)
}

/** Sends the body in so many pieces, each some time after the other. */
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
