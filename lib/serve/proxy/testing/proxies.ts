import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import { buffer, text as textFrom } from 'node:stream/consumers'
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
    credentials: [],
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
  const server = await serve(typeof answer === 'function' ? answer : (socket) => socket.write(answer))
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
export function answering(
  content: string | Buffer,
  fields: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
  status = 200,
): Promise<string> {
  return service((_, response) => response.writeHead(status, fields).end(content))
}

/** What is asked of a proxy. */
export interface Asking {
  readonly method?: string
  readonly path?: string
  /** Names and values in turn; without `host`. */
  readonly fields?: readonly string[]
  readonly content?: string | Buffer
}

/** An answer, whole. */
export interface Answer {
  readonly status: number
  readonly reason: string
  /** Names and values in turn, as they came. */
  readonly raw: readonly string[]
  readonly headers: IncomingMessage['headers']
  readonly content: Buffer
  readonly text: string
}

/** Sends a request on a connection of its own and gives the answer once its head is there. */
export async function begin(
  address: string,
  { method = 'GET', path = '/', fields = [], content }: Asking = {},
): Promise<IncomingMessage> {
  const { host } = new URL(address)
  const sent = httpRequest(address, { method, path, agent: false, headers: ['Host', host, ...fields] })
  // What comes after the answer began is the answer's.
  sent.on('error', () => {}).end(content)
  const [answer]: readonly IncomingMessage[] = await once(sent, 'response')
  if (answer === undefined) throw new Error('no answer')
  return answer
}

/** Sends a request on a connection of its own and reads the whole answer. */
export async function ask(address: string, asking: Asking = {}): Promise<Answer> {
  const answer = await begin(address, asking)
  const content = await buffer(answer)
  return {
    status: answer.statusCode ?? 0,
    reason: answer.statusMessage ?? '',
    raw: answer.rawHeaders,
    headers: answer.headers,
    content,
    text: content.toString(),
  }
}

/** Asks a new proxy before this service once, and gives the answer, and what was logged. */
export async function askBefore(
  baseUrl: string,
  asking: Asking = {},
): Promise<Answer & Pick<LoggedProxy, 'lines'>> {
  const { address, lines } = await proxyTo(baseUrl)
  return { ...(await ask(address, asking)), lines }
}

/** Sends these bytes and waits for the end of the connection. */
export async function sendBytes(address: string, bytes: string): Promise<string> {
  const { port } = new URL(address)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(bytes, 'latin1')
  return textFrom(socket)
}
