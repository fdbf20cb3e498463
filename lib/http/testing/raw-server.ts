import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

/** Answers one request; `head` contains each byte of its head as a character. */
export type RawAnswerer = (socket: Socket, head: string) => void

/** Options for a server that works with raw bytes. */
export interface RawServerOptions {
  readonly certificate?: { readonly key: string; readonly cert: string } | undefined
  readonly onConnection?: (socket: Socket) => void
}

/**
 * Listens until it is closed, passes every request's head to `answer`, and notes the heads and the number of connections. Uses TLS if
 * there is a certificate.
 */
export async function openRawServer(
  answer: RawAnswerer,
  { certificate, onConnection = () => {} }: RawServerOptions = {},
) {
  const heads: string[] = []
  const open = new Set<Socket>()
  let connections = 0
  const onSocket = (socket: Socket): void => {
    let received = ''
    connections += 1
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => open.delete(socket))
    onConnection(socket)
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
        const head = received.slice(0, end + 4)
        received = received.slice(end + 4)
        heads.push(head)
        answer(socket, head)
      }
    })
  }
  const server = certificate === undefined ? createServer(onSocket) : createTlsServer(certificate, onSocket)
  server.on('tlsClientError', () => {})
  const port = await listen(server)
  const close = (): void => {
    for (const socket of open) socket.destroy()
    server.close()
  }

  return { port, heads, connections: () => connections, close }
}

/** Listens on a free port of 127.0.0.1. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')

  return address.port
}

/** A complete answer with status 200. */
export function ok(body: string | Buffer, fields: readonly string[] = []): Buffer {
  const bytes = Buffer.from(body)
  const head = ['HTTP/1.1 200 OK', `Content-Length: ${bytes.length}`, ...fields, '', ''].join('\r\n')

  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}
