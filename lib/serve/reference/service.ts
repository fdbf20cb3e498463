import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { codeOf } from '../../text/printable.ts'
import { closing, listening, originOf } from '../listening.ts'
import type { Answer } from './answer.ts'
import { combine, type Bend } from './bend.ts'
import { bodyOf, callOf, type Call } from './call.ts'
import { examine, type Examiner } from './checks.ts'
import { clients, named, type ReferenceClients } from './clients.ts'
import { deliver } from './deliver.ts'
import type { FurtherReading, ServedEndpoint } from './described.ts'
import type { Fault } from './fault.ts'
import { pass } from './gateway.ts'
import type { Manner } from './manner.ts'
import { disposableQuota, quotaStore, type Quotas } from './quota.ts'
import { usualReading } from './reading.ts'
import { documentedRefusal, refuseByParser } from './refused-by-parser.ts'
import type { Variant } from './variant.ts'
import { dressed } from './writing.ts'

export type { ReferenceClient, ReferenceClients } from './clients.ts'

/** Options of the reference service. */
export interface ReferenceOptions {
  /** Faults, or names of faults in the package; several can be combined if they are compatible. Default none. */
  readonly faults?: readonly (string | Fault)[]
  /** A conformant variant, or the name of a variant in the package. Default the plain service. */
  readonly variant?: string | Variant | undefined
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0, a free one. */
  readonly port?: number
  /** Delay of each answer, in milliseconds; default 0. */
  readonly latencyMs?: number
  /** The time in milliseconds, for the quota's reset at 00:00 UTC; default `Date.now`. */
  readonly now?: () => number
  /** Requests per day by client. By default, only the exhausted and the disposable client have a quota. */
  readonly quotas?: Quotas
  /** Further endpoints, served according to their schemas. */
  readonly endpoints?: readonly ServedEndpoint[]
  /** Sees every request first; returns true if it answered the request. */
  readonly intervene?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>
}

/** A running reference service. */
export interface ReferenceService {
  /** With the prefix of its variant, without a trailing slash. */
  readonly baseUrl: string
  readonly clients: ReferenceClients
  /** Quota of the disposable client, in requests per day. */
  readonly disposableQuota: number
  /** A query that the list endpoint refuses with 1030. */
  readonly invalidQuery: string
  /** Further settings that its variant needs in a run, by name. */
  readonly settings: Readonly<Record<string, string>>
  /** Number of received requests, including those refused by the parser. */
  requests(): number
  /** Its answer to a call, as over a connection. */
  answer(call: Call): Promise<Answer>
  /** Stops listening and cuts every connection. */
  close(): Promise<void>
}

interface Running extends Examiner {
  readonly manner: Manner
  readonly latencyMs: number
  readonly intervene: ReferenceOptions['intervene']
  readonly further: FurtherReading
  /** Whether any endpoint reads bodies. */
  readonly readsBodies: boolean
}

/** Starts the reference service. Throws an error for an unknown fault or variant, or Node's error if it cannot listen. */
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
  http.on('clientError', (error, socket) => refused(socket, String(codeOf(error))))
  http.on('connect', (_request, socket) => refused(socket, 'CONNECT'))
  const close = closing(http)
  const address = await listening(http, options.port ?? 0, options.host ?? '127.0.0.1')

  return {
    baseUrl: `${originOf(address)}${manner.gateway?.prefix ?? ''}`,
    clients: issued,
    disposableQuota: quotas.disposable ?? disposableQuota,
    invalidQuery: 'limit=abc',
    settings,
    requests: () => arrived,
    answer: (call) => {
      arrived += 1
      return answered({ ...call, arrival: arrived }, running)
    },
    close,
  }
}

/** The faults in the package are loaded only on demand. */
async function bends(given: readonly (string | Fault)[]): Promise<readonly Bend[]> {
  if (given.length === 0) return []

  const { faultOf } = await import('./find.ts')
  return given.map((one) => faultOf(one).bend())
}

/** Variants too are loaded on demand. */
async function variant(
  given: ReferenceOptions['variant'],
): Promise<{ readonly manner: Manner; readonly settings: Readonly<Record<string, string>> }> {
  if (given === undefined) return { manner: {}, settings: {} }

  const { variantOf } = await import('./find.ts')
  const { manner, settings = {} } = variantOf(given)
  return { manner: manner(), settings }
}

/** Ajv is loaded only for further endpoints. */
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
