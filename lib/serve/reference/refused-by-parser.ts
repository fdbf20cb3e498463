import type { Duplex } from 'node:stream'
import { bodyOf, refuse } from './answer.ts'

const answer = refuse('1030')
const body = bodyOf(answer)
const refusal =
  `HTTP/1.1 ${String(answer.status)} Bad Request\r\n` +
  `content-type: ${String(answer.contentType)}\r\n` +
  `content-length: ${String(Buffer.byteLength(body))}\r\n` +
  `connection: close\r\n\r\n${body}`

/** Maximum time for a refused sender to finish before the connection is cut, in milliseconds. */
const patience = 2_000

/** The documented error, 400 and 1030, as bytes. */
export function documentedRefusal(): string {
  return refusal
}

/**
 * Answers a request that Node's parser refused (malformed, headers too large, CONNECT) with these bytes, if any, and closes. Returns
 * whether the sender was still there.
 */
export function refuseByParser(socket: Duplex, bytes: string | null = refusal): boolean {
  // The rest of a refused request is refused again; a reset now would overtake the answer.
  if (socket.writableEnded) return false
  if (!socket.writable) {
    socket.destroy()
    return false
  }
  socket.on('error', () => socket.destroy())
  if (bytes === null) socket.end()
  else socket.end(bytes)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), patience).unref()
  socket.once('close', () => clearTimeout(timer))
  return true
}
