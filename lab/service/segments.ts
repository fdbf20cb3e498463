import type { Socket } from 'node:net'
import type { Call } from '../../lib/serve/reference/call.ts'

/** The data of each connection, segment by segment, before it is parsed. */
interface Segments {
  /** Must be called for each new connection. */
  readonly connected: (socket: Socket) => void
  /** The segments of a call's connection so far, as characters up to U+00FF. */
  readonly of: (call: Call) => readonly string[]
}

/** Watches connections. */
export function watchedSegments(): Segments {
  const came = new WeakMap<object, string[]>()
  return {
    connected: (socket) => {
      const segments: string[] = []
      came.set(socket, segments)
      socket.prependListener('data', (chunk) => segments.push(Buffer.from(chunk).toString('latin1')))
    },
    of: ({ connection }) => came.get(connection) ?? [],
  }
}
