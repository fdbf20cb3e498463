import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Answer } from './answer.ts'
import { combine, type Bend } from './bend.ts'
import { bodyOf, callOf, type Call } from './call.ts'
import { examine } from './checks.ts'
import { clients, named, type ReferenceClients } from './clients.ts'
import { deliver } from './deliver.ts'
import type { FurtherReading, ServedEndpoint } from './described.ts'
import type { Fault } from './fault.ts'
import { pass } from './gateway.ts'
import type { Manner } from './manner.ts'
import { disposableQuota, quotaStore, type Quotas, type QuotaStore } from './quota.ts'
import { usualReading, type Reading } from './reading.ts'
import { documentedRefusal, refuseByParser } from './refused-by-parser.ts'
import { closing, codeOf, listening, originOf } from '../listening.ts'
import type { Variant } from './variant.ts'
import { dressed } from './writing.ts'

export type { ReferenceClient, ReferenceClients } from './clients.ts'

/** What the reference service can be told; everything has a default. */
export interface ReferenceOptions {
  /** Faults that bend it, or names of such as ship, several at once where they go together; default none. */
  readonly faults?: readonly (string | Fault)[]
  /** A variant, a conformant manner in which it serves, or the name of one that ships; default the plain one. */
  readonly variant?: string | Variant
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
  /** Further endpoints, served by their schemas. */
  readonly endpoints?: readonly ServedEndpoint[]
  /** Sees every request first; true means that it has been answered. */
  readonly intervene?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>
}

/** A running reference service. */
export interface ReferenceService {
  /** With the prefix of its variant, without a trailing slash. */
  readonly baseUrl: string
  readonly clients: ReferenceClients
  /** How many requests a day the disposable client may send. */
  readonly disposableQuota: number
  /** A query that the list endpoint refuses with 1030. */
  readonly invalidQuery: string
  /** A version that does not exist. */
  readonly unsupportedVersion: string
  /** Further settings of a run against it, by name, as its variant asks for them. */
  readonly settings: Readonly<Record<string, string>>
  /** How many requests arrived, those refused by the parser included. */
  requests(): number
  /** What it answers to a call, as it would over a connection. */
  answer(call: Call): Promise<Answer>
  /** Stops listening and cuts every connection, at once. */
  close(): Promise<void>
}

interface Running {
  readonly bend: Bend
  readonly manner: Manner
  readonly reading: Reading
  readonly quota: QuotaStore
  readonly latencyMs: number
  readonly intervene: ReferenceOptions['intervene']
  readonly further: FurtherReading
  /** Whether an endpoint looks at bodies. */
  readonly readsBodies: boolean
}

/**
 * Starts the reference service. Throws where a fault or a variant has an unknown name, and node's error where it cannot listen.
 */
export async function startReference(options: ReferenceOptions = {}): Promise<ReferenceService> {
  const { manner, settings } = await variant(options.variant)
  const issued = manner.clients ?? clients
  const quotas = { ...manner.quotas, ...options.quotas }
  const running: Running = {
    bend: combine(await bends(options.faults ?? [])),
    manner,
    reading: { ...usualReading, ...manner.reading, clients: named(issued) },
    quota: quotaStore(quotas, options.now ?? Date.now),
    latencyMs: options.latencyMs ?? 0,
    intervene: options.intervene,
    further: await further(options.endpoints ?? []),
    readsBodies: options.endpoints?.some(({ body = null }) => body !== null) === true,
  }
  let arrived = 0
  const refused = (socket: Duplex, errorCode: string): void => {
    const bytes = manner.gateway?.refusesBytes ?? documentedRefusal
    if (refuseByParser(socket, bytes(errorCode))) arrived += 1
  }
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    arrived += 1
    respond(request, response, arrived, running).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  }
  const { maxRequestsPerSocket = 0, ...server } = manner.server ?? {}
  // The service refuses a request without Host itself, so that even this error is documented.
  const http = createServer(
    { keepAliveTimeout: 30_000, requireHostHeader: false, noDelay: true, ...server },
    handle,
  )
  if (running.bend.connected !== undefined) http.on('connection', running.bend.connected)
  http.maxRequestsPerSocket = maxRequestsPerSocket
  http.on('checkExpectation', handle)
  http.on('clientError', (error, socket) => refused(socket, codeOf(error)))
  http.on('connect', (_request, socket) => refused(socket, 'CONNECT'))
  const close = closing(http)
  const address = await listening(http, options.port ?? 0, options.host ?? '127.0.0.1')

  return {
    baseUrl: `${originOf(address)}${manner.gateway?.prefix ?? ''}`,
    clients: issued,
    disposableQuota: quotas.disposable ?? disposableQuota,
    invalidQuery: 'limit=abc',
    unsupportedVersion: '2147483647',
    settings,
    requests: () => arrived,
    answer: (call) => {
      arrived += 1
      return answered({ ...call, arrival: arrived }, running)
    },
    close,
  }
}

/** The faults that ship are loaded only where one is asked for. */
async function bends(given: readonly (string | Fault)[]): Promise<readonly Bend[]> {
  if (given.length === 0) return []

  const { faultOf } = await import('./find.ts')
  return given.map((one) => faultOf(one).bend())
}

/** So are the variants. */
async function variant(
  given: ReferenceOptions['variant'],
): Promise<{ readonly manner: Manner; readonly settings: Readonly<Record<string, string>> }> {
  if (given === undefined) return { manner: {}, settings: {} }

  const { variantOf } = await import('./find.ts')
  const { manner, settings = {} } = variantOf(given)
  return { manner: manner(), settings }
}

/** Ajv comes only with further endpoints. */
async function further(endpoints: readonly ServedEndpoint[]): Promise<FurtherReading> {
  if (endpoints.length === 0) return () => null
  const { furtherReading } = await import('./described.ts')
  return furtherReading(endpoints)
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  arrival: number,
  running: Running,
): Promise<void> {
  const { manner, intervene, readsBodies } = running
  if (intervene !== undefined && (await intervene(request, response))) return
  const body = readsBodies ? await bodyOf(request) : ''
  deliver(await answered(callOf(request, arrival, body), running), response, manner.deliver)
}

async function answered(arrived: Call, running: Running): Promise<Answer> {
  const { bend, manner, latencyMs } = running
  const delay = latencyMs + (manner.delayMs?.() ?? 0)
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay).unref())
  const passed = pass(arrived, manner.gateway ?? {})
  if (passed.kind === 'answered') return passed.answer

  const { call } = passed
  return bend.around === undefined
    ? answerTo(call, running)
    : bend.around(call, async (inner) => answerTo(inner, running))
}

function answerTo(call: Call, running: Running): Answer {
  const { bend, manner, further: readsFurther } = running
  const seen = bend.see?.(call) ?? call
  const reading = readsFurther(seen)
  const examiner = reading === null ? running : { ...running, reading: { ...running.reading, ...reading } }
  const own = bend.instead?.(call) ?? examine(seen, examiner)
  const answer = bend.answer?.(own, call) ?? own
  return manner.writing === undefined ? answer : dressed(own, answer, call, manner.writing)
}
