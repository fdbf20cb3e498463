import { IncomingMessage, STATUS_CODES, type IncomingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import { readContent, headerSize, trimOws, valueOf } from '../../lib/http/exchange.ts'
import type { Request, Response } from '../../lib/http/exchange.ts'
import { openTransport, type Connection, type Transport } from '../../lib/http/transport.ts'
import type { Answer } from '../../lib/serve/reference/answer.ts'
import { callOf } from '../../lib/serve/reference/call.ts'
import { outgoingOf } from '../../lib/serve/reference/deliver.ts'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'

/** No server refuses a smaller head on its own. A larger head goes over a socket. */
const mostHeadBytes = 8 * 1024

/** Fields that an HTTP server interprets itself. */
const framing = new Set('host connection expect upgrade transfer-encoding content-length te'.split(' '))

/**
 * Carries the requests of a run to the handler of the reference service without a socket. Requests whose
 * bytes matter to an HTTP server still use one. The signal ends the run if an answer is not sent whole: only
 * bytes on a socket can show that behaviour, so the run must then use sockets. `note` is called with each request
 * before it is sent: its method, target, fields and body.
 */
export function memoryTransport(
  service: ReferenceService,
  options: { readonly connections: number; readonly timeoutMs: number },
  note: (piece: string) => unknown = () => {},
): { readonly transport: Transport; readonly signal: AbortSignal } {
  const ending = new AbortController()
  const { origin } = new URL(service.baseUrl)
  const direct = { ca: null, clientCertificate: null, httpsProxy: null, noProxy: null }
  const sockets = openTransport({ ...options, ...direct, baseUrl: service.baseUrl })
  const traffic = { underWay: 0, lastStatus: 0 }
  const answered = async (request: Request, socket: Socket): Promise<Response> => {
    const answer = await answerTo(service, request, socket)
    const isWhole = answer.delivery === 'whole' && answer.status !== 204 && answer.status !== 304
    if (!isWhole) ending.abort(new Error(`the answer to ${origin} is not sent whole`))
    ending.signal.throwIfAborted()
    return received(answer, request.method)
  }
  const open = (count: number): Connection => {
    const free = Array.from({ length: count }, () => new Socket())
    const used = new WeakSet<Socket>()
    const waiting: (() => void)[] = []
    return {
      async send(request, signal) {
        note(textOf(request))
        signal?.throwIfAborted()
        if (!isPlain(request)) return sockets.send(request, signal)
        while (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
        const socket = free.shift() ?? new Socket()
        const started = performance.now()
        const amidOthers = traffic.underWay > 0
        const followsSuccess = Math.floor(traffic.lastStatus / 100) === 2
        traffic.underWay += 1
        try {
          const response = await answered(request, socket)
          traffic.lastStatus = response.status
          // As over a socket, an answer takes at least one turn of the event loop.
          await new Promise((resolve) => setImmediate(resolve))
          signal?.throwIfAborted()
          const [durationMs, reused] = [performance.now() - started, used.has(socket)]
          return { request, response, durationMs, reused, amidOthers, followsSuccess }
        } finally {
          traffic.underWay -= 1
          free.push(socket)
          used.add(socket)
          waiting.shift()?.()
        }
      },
      close: () => Promise.resolve(),
    }
  }
  let shared = open(options.connections)
  const transport: Transport = {
    rawSocketUnavailable: null,
    send: (request, signal) => shared.send(request, signal),
    connection: () => open(1),
    useAtMost(connections) {
      shared = open(connections)
    },
    close: () => sockets.close(),
  }
  return { transport, signal: ending.signal }
}

/** The answer of the reference service to a request on the connection of a socket, which is not used. */
export async function answerTo(service: ReferenceService, request: Request, socket: Socket): Promise<Answer> {
  const { host, pathname } = new URL(service.baseUrl)
  const message = new IncomingMessage(socket)
  message.method = request.method
  message.url = pathname.replace(/\/$/, '') + request.target
  message.httpVersion = '1.1'
  const fields = request.fields.flatMap((field) => [field.name, trimOws(valueOf(field))])
  message.rawHeaders = ['host', host, 'connection', 'keep-alive', ...fields]
  message.headers = headersOf(message.rawHeaders)
  return service.answer(callOf(message, 0))
}

function textOf({ method, target, fields, body = '', form }: Request): string {
  const lines = fields.map((field) => `${field.name}: ${valueOf(field)}\n`)
  return `${method} ${target}\n${lines.join('')}${JSON.stringify(form) ?? ''}\n${body}\n`
}

function isPlain(request: Request): boolean {
  const { route, body, method, target, fields } = request
  return (
    route === undefined &&
    body === undefined &&
    (method === 'GET' || method === 'HEAD') &&
    target.length + headerSize(request) < mostHeadBytes &&
    !fields.some(({ name }) => framing.has(name.toLowerCase()))
  )
}

/** Fields of which Node's server keeps the first. */
const single = new Set(
  `age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location
  max-forwards proxy-authorization referer retry-after server user-agent`.split(/\s+/),
)

/** Header fields, joined as by Node's server. */
function headersOf(raw: readonly string[]): IncomingHttpHeaders {
  const joined: Record<string, string> = {}
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [raw[at]?.toLowerCase() ?? '', raw[at + 1] ?? '']
    const known = Object.hasOwn(joined, name) ? joined[name] : undefined
    if (known === undefined) joined[name] = value
    else if (!single.has(name)) joined[name] = `${known}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  return joined
}

/** An answer as Node's server would have sent it. */
export function received(answer: Answer, method: string): Response {
  const { status, fields, body } = outgoingOf(answer)
  const length = ['content-length', String(Buffer.byteLength(body))]
  const all = [...fields, ...length, 'Date', new Date().toUTCString(), 'Connection', 'keep-alive']
  const pairs = all.flatMap((name, at) => (at % 2 ? [] : [[name, trimOws(all[at + 1] ?? '')] as const]))
  const { text, body: read } = readContent(Buffer.from(method === 'HEAD' ? '' : body), pairs)
  return { status, reason: STATUS_CODES[status] ?? '', fields: pairs, trailers: [], text, body: read }
}
