import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

const sockets = new Set<Socket>()
let isWatching = false
const servers = new Set<{ close(): unknown }>()

/** Records every connection that a server of this process accepts, because a mutant may be unable to close them. */
export function watchSockets(): void {
  if (isWatching) return
  isWatching = true
  subscribe('net.server.socket', (message) => {
    const socket = socketIn(message)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const server: unknown = Reflect.get(socket, 'server')
    if (isServer(server)) servers.add(server)
  })
}

/** Cuts every connection and stops every server that has accepted one, as at the end of a process. */
export function closeAll(): void {
  for (const server of servers) server.close()
  for (const socket of sockets) socket.destroy()
  servers.clear()
}

function socketIn(message: unknown): Socket {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- node documents this message
  return (message as { readonly socket: Socket }).socket
}

function isServer(value: unknown): value is { close(): unknown } {
  return typeof value === 'object' && value !== null && 'close' in value
}
