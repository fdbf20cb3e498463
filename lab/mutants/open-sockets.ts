import { subscribe } from 'node:diagnostics_channel'
import type { Server, Socket } from 'node:net'

const sockets = new Set<Socket>()
let isWatching = false
const servers = new Set<Server>()

/** Records every connection that a server of this process accepts, because a mutant may be unable to close them. */
export function watchSockets(): void {
  if (isWatching) return
  isWatching = true
  subscribe('net.server.socket', (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- node documents this message
    const { socket } = message as { readonly socket: Socket & { readonly server: Server } }
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    servers.add(socket.server)
  })
}

/** Cuts every connection and stops every server that has accepted one, as at the end of a process. */
export function closeAll(): void {
  for (const server of servers) server.close()
  for (const socket of sockets) socket.destroy()
  servers.clear()
}
