import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listen } from '../../lib/http/testing/raw-server.ts'

/** A forward proxy that tunnels, or that refuses to with another status. */
export async function tunnelling(onFinished: (end: () => void) => void, status = '200 Established') {
  /** Hosts of the requested tunnels. `authorizations` has the credentials of each request. */
  const tunnels: string[] = []
  const authorizations: (string | undefined)[] = []
  const open = new Set<Socket>()
  const server = createServer().on('connect', (request, client: Socket) => {
    tunnels.push(request.url ?? '')
    authorizations.push(request.headers['proxy-authorization'])
    const { hostname, port } = new URL(`http://${request.url}`)
    if (!status.startsWith('200')) return void client.write(`HTTP/1.1 ${status}\r\n\r\n`)
    const service = connect(Number(port), hostname, () => {
      client.write(`HTTP/1.1 ${status}\r\n\r\n`)
      client.pipe(service).pipe(client)
    })
    for (const socket of [client, service]) open.add(socket.on('error', () => {}))
  })
  onFinished(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  const port = await listen(server)
  return { port, url: `http://127.0.0.1:${port}`, tunnels, authorizations }
}
