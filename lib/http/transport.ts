import { Pool } from 'undici'
import type { buildConnector } from 'undici'

import { receive } from './answer.ts'
import { readBody } from './body.ts'
import { classifyTrouble } from './classify-trouble.ts'
import { openConnector } from './connector.ts'
import { decodeContent } from './decode.ts'
import type { Exchange } from './exchange.ts'
import { valueOf } from './request.ts'
import type { Request } from './request.ts'

/** How the service is reached. */
export interface TransportOptions {
  /** `http(s)://host[:port][/prefix]`, with or without a slash at its end. */
  readonly baseUrl: string
  /** For a whole exchange, from connecting to the last byte of the answer; milliseconds. */
  readonly timeoutMs: number
  /** The most connections that stand open at once, those of {@link Transport.connection} not counted. */
  readonly connections: number
  /** PEM text of authorities that are trusted besides the system's, or null. */
  readonly ca: string | null
  /** `http(s)://[user:password@]host[:port]` of a proxy that tunnels (CONNECT) to `https` targets, or null. */
  readonly httpsProxy: string | null
  /** Hosts that are reached without the proxy, by the usual rules of `NO_PROXY`, or null. */
  readonly noProxy: string | null
}

/** Something that requests are sent on. */
export interface Connection {
  /**
   * Sends a request once, byte for byte as given, and reads the answer; follows no redirect.
   * Throws a `Trouble` when no answer comes that can be judged, the reason of `signal` when that aborts, and any other
   * error only for a request that cannot be sent at all.
   */
  send(request: Request, signal?: AbortSignal): Promise<Exchange>
  /** Ends the connections, once what is in flight has come to its end. */
  close(): Promise<void>
}

/** A pool of connections to the target. */
export interface Transport extends Connection {
  /** One connection of its own, on which requests go out one after the other; closed with the transport at the latest. */
  connection(): Connection
}

/** The longest answer that is read, in bytes, before and after decoding. Documented answers are far below. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Opens the way to the service; nothing is sent yet. Throws a `Trouble` when the proxy's URL cannot be used. */
export function openTransport(options: TransportOptions): Transport {
  const target = targetOf(options.baseUrl)
  const connector = openConnector({ ...options, origin: target.origin })
  const shared = openPool(target, options, connector.connect, options.connections)
  const others = new Set<Connection>()

  return {
    send: (request, signal) => shared.send(request, signal),
    connection() {
      const own = openPool(target, options, connector.connect, 1)
      others.add(own)
      return {
        send: (request, signal) => own.send(request, signal),
        async close() {
          await own.close()
          others.delete(own)
        },
      }
    },
    async close() {
      await Promise.all([shared, ...others].map((connection) => connection.close()))
      await connector.close()
    },
  }
}

interface Target {
  readonly origin: string
  /** Host and port, for sentences. */
  readonly at: string
  /** Stands before every request's target; taken from the text, since `URL` would normalise it. */
  readonly prefix: string
}

function targetOf(baseUrl: string): Target {
  const { origin, hostname, port, protocol } = new URL(baseUrl)
  const prefix = baseUrl
    .replace(/^[^:]+:\/\/[^/?#]*/, '')
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '')

  return { origin, prefix, at: `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}` }
}

function openPool(
  target: Target,
  { timeoutMs }: TransportOptions,
  connect: buildConnector.connector,
  connections: number,
): Connection {
  const pool = new Pool(target.origin, {
    connections,
    connect,
    pipelining: 1,
    allowH2: false,
    maxResponseSize: MAX_ANSWER_BYTES,
    // undici's own timeouts are exact to a second only and restart with each byte: ours covers the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const inFlight = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null

  return {
    async send(request, signal) {
      const sending = exchange(pool, request, { target, timeoutMs, signal })
      inFlight.add(sending)
      try {
        return await sending
      } finally {
        inFlight.delete(sending)
      }
    },
    close: () => (closing ??= closePool(pool, inFlight)),
  }
}

/** Not by `pool.close()` alone: that waits for connections, too, that nobody waits for any more. */
async function closePool(pool: Pool, inFlight: ReadonlySet<Promise<unknown>>): Promise<void> {
  void pool.close()
  await Promise.allSettled(inFlight)
  await pool.destroy()
}

async function exchange(
  pool: Pool,
  request: Request,
  { target, timeoutMs, signal }: { target: Target; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Exchange> {
  const started = performance.now()
  const { status, fields, bytes } = await receive(
    pool,
    {
      method: request.method,
      path: target.prefix + request.target,
      headers: request.fields.flatMap((field) => [field.name, valueOf(field)]),
    },
    { at: target.at, timeoutMs, signal },
  ).catch((error: unknown) => {
    throw signal?.aborted === true ? signal.reason : (classifyTrouble(error, target.at) ?? error)
  })
  const durationMs = performance.now() - started
  const content = decodeContent(bytes, fields, MAX_ANSWER_BYTES)

  return { request, response: { status, fields, ...readBody(content) }, durationMs }
}
