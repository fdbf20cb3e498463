import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import { combine, type Bend } from './bend.ts'
import { callOf, type Call } from './call.ts'
import { examine } from './checks.ts'
import { clients, type ReferenceClients } from './clients.ts'
import { deliver } from './deliver.ts'
import { disposableQuota, quotaStore, type Quotas, type QuotaStore } from './quota.ts'
import { refuseByParser } from './refused-by-parser.ts'

export type { ReferenceClient, ReferenceClients } from './clients.ts'

/** What the reference service can be told; everything has a default. */
export interface ReferenceOptions {
  /** Names of faults that bend it, several at once where they go together; default none. */
  readonly faults?: readonly string[]
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0, a free one. */
  readonly port?: number
  /** How long each answer waits, in milliseconds; default 0. */
  readonly latencyMs?: number
  /** The time in milliseconds, for the quota's reset at 00:00 UTC; default `Date.now`. */
  readonly now?: () => number
  /** Requests a day by client. By default only the exhausted and the disposable client have a quota. */
  readonly quotas?: Quotas
  /** Sees every request first; true means that it has been answered. */
  readonly intervene?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>
}

/** A running reference service. */
export interface ReferenceService {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly clients: ReferenceClients
  /** How many requests a day the disposable client may send. */
  readonly disposableQuota: number
  /** A query that the list endpoint refuses with 1030. */
  readonly invalidQuery: string
  /** A version that does not exist. */
  readonly unsupportedVersion: string
  /** How many requests arrived, those refused by the parser included. */
  requests(): number
  /** Stops listening and cuts every connection, at once. */
  close(): Promise<void>
}

interface Running {
  readonly bend: Bend
  readonly quota: QuotaStore
  readonly latencyMs: number
  readonly intervene: ReferenceOptions['intervene']
}

/** Starts the reference service. Throws where a fault has an unknown name, and node's error where it cannot listen. */
export async function startReference(options: ReferenceOptions = {}): Promise<ReferenceService> {
  const running: Running = {
    bend: combine(await bends(options.faults ?? [])),
    quota: quotaStore(options.quotas ?? {}, options.now ?? Date.now),
    latencyMs: options.latencyMs ?? 0,
    intervene: options.intervene,
  }
  let arrived = 0
  const refused = (socket: Duplex): void => {
    if (refuseByParser(socket)) arrived += 1
  }
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    arrived += 1
    respond(request, response, arrived, running).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  }
  // The service refuses a request without Host itself, so that even this error is documented.
  const server = createServer({ keepAliveTimeout: 30_000, requireHostHeader: false, noDelay: true }, handle)
  server.on('checkExpectation', handle)
  server.on('clientError', (_error, socket) => refused(socket))
  server.on('connect', (_request, socket) => refused(socket))
  const close = closing(server)
  const address = await listening(server, options.port ?? 0, options.host ?? '127.0.0.1')

  return {
    baseUrl: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${String(address.port)}`,
    clients,
    disposableQuota: options.quotas?.disposable ?? disposableQuota,
    invalidQuery: 'limit=abc',
    unsupportedVersion: '2147483647',
    requests: () => arrived,
    close,
  }
}

/** The faults are many; they are loaded only where one is asked for. */
async function bends(names: readonly string[]): Promise<readonly Bend[]> {
  if (names.length === 0) return []

  const { findFault } = await import('./faults/find-fault.ts')
  return names.map((name) => findFault(name).bend())
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  arrival: number,
  { bend, quota, latencyMs, intervene }: Running,
): Promise<void> {
  if (intervene !== undefined && (await intervene(request, response))) return
  if (latencyMs > 0) await sleep(latencyMs, undefined, { ref: false })
  const call = callOf(request, arrival)
  const answer =
    bend.around === undefined
      ? answerTo(call, bend, quota)
      : await bend.around(call, async (inner) => answerTo(inner, bend, quota))
  deliver(answer, response)
}

function answerTo(call: Call, bend: Bend, quota: QuotaStore): Answer {
  const seen = bend.see?.(call) ?? call
  const answer = bend.instead?.(call) ?? examine(seen, bend, quota)
  return bend.answer?.(answer, call) ?? answer
}

async function listening(server: Server, port: number, host: string): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the reference service has no port')
  return address
}

// node's own closeAllConnections forgets sockets whose request its parser refused.
function closing(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
}
