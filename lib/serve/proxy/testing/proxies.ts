import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listen, serve, type RawAnswerer, type RawServer } from '../../../http/testing/servers.ts'
import { startProxy, type Proxy, type ProxyOptions } from '../start-proxy.ts'

/** A proxy that closes when the test ends, and what it logged. */
interface LoggedProxy extends Proxy {
  readonly lines: readonly string[]
}

/** Starts a proxy before a target. */
export async function proxyTo(baseUrl: string, options: Partial<ProxyOptions> = {}): Promise<LoggedProxy> {
  const lines: string[] = []
  const proxy = await startProxy({
    baseUrl,
    changes: ['added', 'order', 'opaque'],
    seed: 7,
    opaque: ['id', '*_id', 'name'],
    logChanges: false,
    host: '127.0.0.1',
    port: 0,
    timeoutMs: 5_000,
    ca: null,
    httpsProxy: null,
    noProxy: null,
    log: (line) => lines.push(line),
    ...options,
  })
  onTestFinished(() => proxy.close())
  return { ...proxy, lines }
}

/** A service on bytes that answers so, and a proxy before what stands below a path of it. */
export async function proxyBefore(
  answer: RawAnswerer | string | Buffer,
  { path = '', ...options }: Partial<ProxyOptions> & { readonly path?: string } = {},
): Promise<LoggedProxy & { readonly server: RawServer }> {
  const server = await serve(typeof answer === 'function' ? answer : (socket) => socket.end(answer))
  return { server, ...(await proxyTo(`http://127.0.0.1:${server.port}${path}`, options)) }
}

/** A service of node:http that ends with the test; its address. */
export async function service(listener: RequestListener, onFinished = onTestFinished): Promise<string> {
  const server = createServer(listener)
  const port = await listen(server)
  onFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${port}`
}

/** A service whose every answer is this. */
export function answering(content: string, fields = { 'content-type': 'application/json' }): Promise<string> {
  return service((_, response) => response.writeHead(200, fields).end(content))
}

/** Sends a request on a connection of its own and gives the answer once its head is there. */
export async function begin(address: string, path = '/'): Promise<IncomingMessage> {
  // What comes after the answer began is the answer's.
  const sent = httpRequest(address + path, { agent: false }).on('error', () => {})
  sent.end()
  const [answer]: readonly IncomingMessage[] = await once(sent, 'response')
  if (answer === undefined) throw new Error('no answer')
  return answer
}

/** Sends these bytes and waits for the end of the connection; a character of the result is a byte. */
export async function sendBytes(address: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  socket.write(bytes, 'latin1')
  return (await buffer(socket)).toString('latin1')
}
