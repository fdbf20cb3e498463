import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { targetOf } from '../http/target.ts'
import type { Changing } from './change-answer.ts'
import { logLine } from './log-line.ts'
import { pass } from './pass.ts'
import type { Way } from './send-on.ts'
import { TargetAgent, type ReachOptions } from './target-agent.ts'

/** What a proxy is told. */
export interface ProxyOptions extends ReachOptions, Changing {
  /** `http(s)://host[:port][/prefix]`. */
  readonly baseUrl: string
  readonly host: string
  /** 0 is a free one. */
  readonly port: number
  /** Takes a line for every request, without its end. */
  readonly log: (line: string) => void
}

/** A running proxy. */
export interface Proxy {
  /** `http://host:port`. */
  readonly address: string
  /** Listens no more, cuts what is in flight after a moment, and every connection. */
  close(): Promise<void>
}

/** How long what is in flight may take to its end when the proxy closes, in milliseconds. */
const graceMs = 1_000

/** Starts a proxy before a target, to which nothing is sent yet. Throws node's error where it cannot listen. */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const target = targetOf(options.baseUrl)
  const way = { target, agent: new TargetAgent(target, options), timeoutMs: options.timeoutMs }
  const inFlight = new Set<Promise<void>>()
  let count = 0
  const server = createServer({ keepAliveTimeout: 30_000, requestTimeout: 0, noDelay: true })
  const sockets = socketsOf(server)
  const address = await listening(server, options).catch(async (error: unknown) => {
    await way.agent.close()
    throw error
  })

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    count += 1
    const passing = logged({ request, response, number: count, proxy: address }, way, options)
    inFlight.add(passing)
    void passing.finally(() => inFlight.delete(passing))
  }
  server.on('request', handle)
  server.on('checkContinue', handle)
  server.on('checkExpectation', handle)
  // Bytes bound them; node would leave out those beyond a number.
  server.maxHeadersCount = 0

  return {
    address,
    async close() {
      server.close()
      server.closeIdleConnections()
      await Promise.race([Promise.allSettled(inFlight), pause(graceMs, undefined, { ref: false })])
      for (const socket of sockets) socket.destroy()
      await way.agent.close()
    },
  }
}

async function logged(call: Parameters<typeof pass>[0], way: Way, options: ProxyOptions): Promise<void> {
  const startedAt = new Date()
  const started = performance.now()
  const outcome = await pass(call, way, options)
  const { method = '', url = '' } = call.request
  const durationMs = performance.now() - started
  options.log(logLine({ ...outcome, startedAt, number: call.number, method, target: url, durationMs }))
}

function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

async function listening(server: Server, { host, port }: ProxyOptions): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${shown}:${address.port}`
}
