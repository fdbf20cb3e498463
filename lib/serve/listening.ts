import type { AddressInfo, Server, Socket } from 'node:net'

/** Starts listening and returns the address. Throws Node's error if it cannot listen. */
export async function listening(server: Server, port: number, host: string): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it has no port')
  return address
}

/** An address as a URL without a path. */
export function originOf({ family, address, port }: AddressInfo) {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`
}

/**
 * Returns a function that stops listening and closes every connection. Node's closeAllConnections misses sockets whose request was refused
 * by its parser.
 */
export function closing(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
}

/** The target of a request without a scheme and a host, which a client may also send (RFC 9112, 3.2.2). */
export function originForm(url = '/') {
  return url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*\/?/i, '/')
}
