import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { onTestFinished } from 'vitest'
import { listen } from '../../lib/http/testing/servers.ts'
import {
  refusal,
  usualOrder,
  type Asked,
  type Reading,
  settingsOfClients,
  usualClients,
  type KnownClient,
} from './checks.ts'

/** How a conformant service writes its answers, where the specification lets it choose. */
export interface Writing {
  readonly successStatus: number
  readonly success: unknown
  readonly messageOf: (code: string) => string
  /** Properties beside those of the documented error object; `null` for none. */
  readonly beside: Readonly<Record<string, unknown>> | null
  readonly print: (value: unknown) => string
  readonly contentType: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly delivery: 'whole' | 'gzip' | 'chunked' | 'http-1.0'
}

/** All that may be chosen; everything has a default. */
export interface Manner extends Reading, Writing {
  /** Before every path, as of a gateway; what does not begin with it is none of the service's. */
  readonly prefix: string
  readonly keepAliveTimeout: number
  /** Sees every request first; true means that it is taken care of. `count` is how many there were with this one. */
  readonly before: (
    request: IncomingMessage,
    response: ServerResponse,
    count: number,
  ) => boolean | Promise<boolean>
  /** Sees every connection first, to reset it. */
  readonly onConnection: (socket: Socket) => void
}

/** A running service that keeps to the specification: a third opinion beside the suite's and the reference service's. */
export interface ConformantService {
  /** With its prefix. */
  readonly baseUrl: string
  /** The environment variables of a run with every fixture. */
  readonly settings: Readonly<Record<string, string>>
  readonly requests: () => number
  /** Listens no more and cuts every connection. */
  readonly down: () => void
  /** Listens again, on the same port. */
  readonly up: () => void
}

const codes400 = new Set(['1001', '1002', '1003', '1010', '1030'])
const quota = 9

const usual: Manner = {
  clients: usualClients,
  order: usualOrder,
  blank: 'missing',
  looksUp: 'the key',
  letterCase: 'matters',
  version: '1',
  versionOf: (text) => text,
  unknownParameters: 'ignored',
  needs: null,
  successStatus: 200,
  success: { data: [{ ref: 'A-17' }, { ref: 'B-4' }], next: null },
  messageOf: (code) => `refused with ${code}`,
  beside: null,
  print: (value) => JSON.stringify(value),
  contentType: 'application/json',
  headers: {},
  delivery: 'whole',
  prefix: '',
  keepAliveTimeout: 30_000,
  before: () => false,
  onConnection: () => {},
}

/** Starts a service that keeps to the specification in this manner; it ends with the test. */
export async function conformantService(
  chosen: Partial<Manner>,
  onFinished: typeof onTestFinished,
): Promise<ConformantService> {
  const manner: Manner = { ...usual, ...chosen }
  const take = quotas()
  let count = 0
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    count += 1
    if (await manner.before(request, response, count)) return
    answer(request, response, manner, take)
  }
  const server = createServer(
    { keepAliveTimeout: manner.keepAliveTimeout, noDelay: true },
    (request, response) => void handle(request, response),
  )
  // As node does by itself; what its parser refuses counts as a request, too.
  server.on('clientError', (error: Error & { readonly code?: string }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
    count += 1
    return socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  })
  const sockets = socketsOf(server, manner.onConnection)
  const port = await listen(server)
  const down = (): void => {
    server.close()
    for (const socket of sockets) socket.resetAndDestroy()
  }
  onFinished(down)

  const baseUrl = `http://127.0.0.1:${port}${manner.prefix}`
  return {
    baseUrl,
    settings: {
      TARGET_BASE_URL: baseUrl,
      ...settingsOfClients(manner.clients),
      FIXTURE_DISPOSABLE_QUOTA: String(quota),
      FIXTURE_INVALID_QUERY: 'size=none',
    },
    requests: () => count,
    down,
    up: () => void server.listen(port, '127.0.0.1'),
  }
}

function socketsOf(server: Server, onConnection: Manner['onConnection']): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    onConnection(socket)
  })
  return sockets
}

/** Counts the requests of the client that may be used up; the exhausted one has none left. */
function quotas(): (client: KnownClient) => boolean {
  let left = quota
  return ({ standing }) => {
    if (standing === 'exhausted') return false
    if (standing !== 'disposable') return true
    left -= 1
    return left >= 0
  }
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  manner: Manner,
  take: (client: KnownClient) => boolean,
): void {
  const url = request.url ?? '/'
  if (!url.startsWith(`${manner.prefix}/`)) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>no service here</h1>')
    return
  }
  const code = refusal(askedBy(request, url.slice(manner.prefix.length)), manner, take)
  const body = code === null ? manner.success : errorObject(code, manner)
  const status = code === null ? manner.successStatus : statusOf(code)
  deliver(response, { status, text: manner.print(body), manner, isHead: request.method === 'HEAD' })
}

function askedBy({ headers, method = 'GET' }: IncomingMessage, url: string): Asked {
  const [path = '', query = ''] = url.split('?')
  const single = (name: string): string | null => {
    const value = headers[name]
    return typeof value === 'string' ? value : null
  }
  return {
    key: single('x-api-key'),
    secret: single('x-secret-key'),
    version: single('x-version'),
    method,
    path,
    query: new URLSearchParams(query),
  }
}

function statusOf(code: string): number {
  if (code === '1020') return 429
  return codes400.has(code) ? 400 : 401
}

function errorObject(code: string, { messageOf, beside }: Writing): object {
  // Another order than that of the table.
  return { ...beside, error_message: messageOf(code), error_code: code }
}

interface Outgoing {
  readonly status: number
  readonly text: string
  readonly manner: Writing
  readonly isHead: boolean
}

function deliver(response: ServerResponse, { status, text, manner, isHead }: Outgoing): void {
  const { contentType, headers, delivery } = manner
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.setHeader('content-type', contentType)
  switch (delivery) {
    case 'whole':
      response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).end(text)
      break
    case 'gzip': {
      const packed = gzipSync(text)
      response.writeHead(status, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed)
      break
    }
    case 'chunked':
      response.writeHead(status)
      for (let at = 0; at < text.length; at += 7) response.write(text.slice(at, at + 7))
      response.end()
      break
    case 'http-1.0': {
      const head = `HTTP/1.0 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: ${contentType}\r\n\r\n`
      response.socket?.end(isHead ? head : head + text)
      break
    }
  }
}
