import { IncomingMessage, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import { describeIssues, judge, readSettings, type JudgeOptions } from '../../lib/doors/library/library.ts'
import { readContent } from '../../lib/http/body.ts'
import type { Response } from '../../lib/http/exchange.ts'
import { headerSize, trimOws, valueOf, type Request } from '../../lib/http/request.ts'
import { openTransport, type Connection, type Transport } from '../../lib/http/transport.ts'
import type { Answer } from '../../lib/serve/reference/answer.ts'
import { callOf } from '../../lib/serve/reference/call.ts'
import { outgoingOf } from '../../lib/serve/reference/deliver.ts'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'

/** No server refuses a smaller head on its own. A larger head goes over a socket. */
const mostHeadBytes = 8 * 1024

/** Fields that an HTTP server interprets itself. */
const framing = new Set([
  'host',
  'connection',
  'expect',
  'upgrade',
  'transfer-encoding',
  'content-length',
  'te',
])

/** The settings and rules of a run with this environment. Throws if anything is wrong in it. */
export async function soundSettings(env: Readonly<Record<string, string>>, cwd?: string) {
  const read = await readSettings({ env, ...(cwd === undefined ? {} : { cwd }) })
  if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
  return read
}

/** Judges a service without sockets. Returns null if only sockets can show its behaviour. */
export async function judgeInMemory(
  service: ReferenceService,
  { settings, suites }: Awaited<ReturnType<typeof soundSettings>>,
  options: JudgeOptions = {},
) {
  const ending = new AbortController()
  const { concurrency: connections, timeoutMs } = settings.run
  const transport = memoryTransport(service, { connections, timeoutMs }, ending)
  const { verdict } = await judge(settings, suites, { ...options, transport, signal: ending.signal })
  return ending.signal.aborted ? null : verdict
}

/**
 * Carries the requests of a run to the handler of the reference service without a socket. Requests whose
 * bytes matter to an HTTP server still use one. Ends the run if an answer is not sent whole, which only bytes
 * on a socket can show.
 */
function memoryTransport(
  service: ReferenceService,
  options: { readonly connections: number; readonly timeoutMs: number },
  ending: AbortController,
): Transport {
  const { host, pathname, origin } = new URL(service.baseUrl)
  const prefix = pathname.replace(/\/$/, '')
  const direct = { ca: null, clientCertificate: null, httpsProxy: null, noProxy: null }
  const sockets = openTransport({ ...options, ...direct, baseUrl: service.baseUrl })
  const traffic = { underWay: 0, lastStatus: 0 }
  const answered = async (request: Request, socket: Socket): Promise<Response> => {
    const message = new IncomingMessage(socket)
    message.method = request.method
    message.url = prefix + request.target
    message.httpVersion = '1.1'
    const sent = request.fields.flatMap((field) => [field.name, trimOws(valueOf(field))])
    const lines = ['host', host, 'connection', 'keep-alive', ...sent]
    // As Node's server joins repeated fields.
    Reflect.apply(Reflect.get(message, '_addHeaderLines'), message, [lines, lines.length])
    const answer = await service.answer(callOf(message, 0))
    if (answer.delivery !== 'whole' || answer.status === 204 || answer.status === 304) {
      ending.abort()
      throw new Error(`the answer to ${origin} is not sent whole`)
    }
    return received(answer, request.method)
  }
  const open = (count: number): Connection => {
    const free = Array.from({ length: count }, () => ({ socket: new Socket(), used: false }))
    const waiting: (() => void)[] = []
    return {
      async send(request, signal) {
        signal?.throwIfAborted()
        if (!isPlain(request)) return sockets.send(request, signal)
        while (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
        const connection = free.shift() ?? { socket: new Socket(), used: false }
        const started = performance.now()
        const amidOthers = traffic.underWay > 0
        const followsSuccess = Math.floor(traffic.lastStatus / 100) === 2
        traffic.underWay += 1
        try {
          const response = await answered(request, connection.socket)
          traffic.lastStatus = response.status
          // As over a socket, an answer takes at least one turn of the event loop.
          await new Promise((resolve) => setImmediate(resolve))
          signal?.throwIfAborted()
          const [durationMs, reused] = [performance.now() - started, connection.used]
          return { request, response, durationMs, reused, amidOthers, followsSuccess }
        } finally {
          traffic.underWay -= 1
          free.push({ ...connection, used: true })
          waiting.shift()?.()
        }
      },
      close: () => Promise.resolve(),
    }
  }
  let shared = open(options.connections)
  return {
    rawSocketUnavailable: null,
    send: (request, signal) => shared.send(request, signal),
    connection: () => open(1),
    useAtMost(connections) {
      shared = open(connections)
    },
    close: () => sockets.close(),
  }
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

/** An answer as Node's server would have sent it. */
function received(answer: Answer, method: string): Response {
  const { status, fields, body } = outgoingOf(answer)
  const bytes = Buffer.from(method === 'HEAD' ? '' : body)
  const length = ['content-length', String(Buffer.byteLength(body))]
  const all = [...fields, ...length, 'Date', new Date().toUTCString(), 'Connection', 'keep-alive']
  const pairs = all.flatMap((name, at): (readonly [string, string])[] =>
    at % 2 === 0 ? [[name, trimOws(all[at + 1] ?? '')]] : [],
  )
  const { text, body: read } = readContent(bytes, pairs)
  return { status, reason: STATUS_CODES[status] ?? '', fields: pairs, trailers: [], text, body: read }
}
