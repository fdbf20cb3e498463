import { createServer, type Socket } from 'node:net'
import { listen } from '../lib/http/testing/servers.ts'

/** What arrived as one request: every byte, as a character up to U+00FF, and on which connection. */
export interface Captured {
  readonly bytes: string
  /** Connections are numbered from 0. */
  readonly connection: number
}

/** A server that reads nothing into what arrives. */
export interface Capture {
  readonly port: number
  /** In the order in which they arrived. */
  readonly requests: readonly Captured[]
  /** What arrived after the last request of a connection, of all connections that have such. */
  readonly rests: () => readonly string[]
  readonly close: () => void
}

const endOfHead = '\r\n\r\n'

/** Takes all that arrives up to an empty line, and what came with that, for a request, and answers it with `answer`. */
export async function capture(answer: (bytes: string) => string): Promise<Capture> {
  const requests: Captured[] = []
  const open = new Map<Socket, string>()
  let connections = 0
  const server = createServer((socket) => {
    const connection = connections
    connections += 1
    open.set(socket, '')
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const bytes = (open.get(socket) ?? '') + chunk.toString('latin1')
      const isWhole = bytes.includes(endOfHead)
      open.set(socket, isWhole ? '' : bytes)
      if (!isWhole) return
      requests.push({ bytes, connection })
      socket.write(answer(bytes))
    })
  })
  const port = await listen(server)

  return {
    port,
    requests,
    rests: () => [...open.values()].filter((rest) => rest !== ''),
    close: () => {
      for (const socket of open.keys()) socket.destroy()
      server.close()
    },
  }
}

/** A whole answer with a JSON body. */
export function answerOf(status: number, body: unknown): string {
  const text = JSON.stringify(body)
  return [
    `HTTP/1.1 ${status} As Documented`,
    'content-type: application/json',
    `content-length: ${text.length}`,
    '',
    text,
  ].join('\r\n')
}

/** The documented answer for a path that no service has. */
export const unknownEndpoint = answerOf(400, { error_code: '1010', error_message: 'no such endpoint' })
