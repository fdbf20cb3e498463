import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listen } from '../../lib/http/testing/raw-server.ts'

/** A forward proxy: its port, and to where it made tunnels. */
export async function tunnelling(
  onFinished: (end: () => void) => void,
): Promise<{ readonly port: number; readonly tunnels: readonly string[] }> {
  const tunnels: string[] = []
  const open = new Set<Socket>()
  const server = createServer().on('connect', (request, client: Socket) => {
    tunnels.push(request.url ?? '')
    const { hostname, port } = new URL(`http://${request.url}`)
    const service = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(service).pipe(client)
    })
    for (const socket of [client, service]) open.add(socket.on('error', () => {}))
  })
  onFinished(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return { port: await listen(server), tunnels }
}
