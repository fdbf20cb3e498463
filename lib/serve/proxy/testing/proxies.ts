import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listen, serve, type RawAnswerer } from '../../../http/testing/servers.ts'
import { startProxy, type ProxyOptions } from '../start-proxy.ts'

/** Starts a proxy that closes when the test ends. Also returns the lines that it logs. */
export async function proxyTo(baseUrl: string, options: Partial<ProxyOptions> = {}) {
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const changing = { changes: ['added', 'order', 'opaque'], seed: 7, opaque: ['id', '*_id', 'name'] } as const
  const own = { host: '127.0.0.1', port: 0, logChanges: false, log }
  const toService = { baseUrl, timeoutMs: 5_000, ca: null, httpsProxy: null, noProxy: null }
  const proxy = await startProxy({ ...changing, ...own, ...toService, ...options })
  onTestFinished(() => proxy.close())
  return { ...proxy, lines }
}

/** A raw server that answers with these bytes or this function, and a proxy for one of its paths. */
export async function proxyBefore(
  answer: RawAnswerer | string | Buffer,
  { path = '', ...options }: Partial<ProxyOptions> & { readonly path?: string } = {},
) {
  const server = await serve(typeof answer === 'function' ? answer : (socket) => socket.end(answer))
  return { server, ...(await proxyTo(`http://127.0.0.1:${server.port}${path}`, options)) }
}

/** A node:http service that ends with the test. Returns its address. */
export async function service(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  const port = await listen(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${port}`
}

/** A service that answers every request with this JSON. */
export function answering(json: string): Promise<string> {
  const fields = { 'content-type': 'application/json' }
  return service((_, response) => response.writeHead(200, fields).end(json))
}

/** Sends a request on a separate connection. Returns the answer once its head has arrived. */
export async function begin(address: string, path = '/'): Promise<IncomingMessage> {
  // Errors that come after the start of the answer belong to the answer.
  const sent = httpRequest(address + path, { agent: false }).on('error', () => {})
  sent.end()
  const [answer]: readonly IncomingMessage[] = await once(sent, 'response')
  if (answer === undefined) throw new Error('no answer')
  return answer
}

/** Sends these bytes and waits for the end of the connection. Each character of the result is one byte. */
export async function sendBytes(address: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  socket.write(bytes, 'latin1')
  return (await buffer(socket)).toString('latin1')
}
