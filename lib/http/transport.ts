import { Pool } from 'undici'
import type { Signal } from './abort-signal.ts'
import { classifyError } from './classify-error.ts'
import type { ConnectorOptions } from './connector-options.ts'
import { openConnector, type Connector } from './connector.ts'
import { type Exchange, targetOf, valueOf, whyNotPooled, type Request, type Target } from './exchange.ts'
import { receiveMessages, receiveRaw } from './raw-socket.ts'
import {
  boundsOfAnswers,
  receive,
  watching,
  type Limits,
  type Received,
  type WhenWritten,
} from './receive.ts'

/** Options for a transport to the service. */
export interface TransportOptions extends Omit<ConnectorOptions, 'origin'> {
  /** `http(s)://host[:port][/prefix]`, with or without a trailing slash. */
  readonly baseUrl: string
  /** Maximum number of open connections, not counting {@link Transport.connection} and the raw socket. */
  readonly connections: number
}

/** A connection that sends requests. */
export interface Connection {
  /**
   * Sends a request once, byte for byte as given, and reads the answer; follows no redirects. A request for the raw socket gets its own
   * connection, which is closed after the answer. Throws a `TransportError` if there is no usable answer, and the reason of an aborted
   * `signal`. Throws any other error only for a request that cannot be sent.
   */
  send(request: Request, signal?: Signal): Promise<Exchange>
  /** Closes the connections once the requests in flight are complete. */
  close(): Promise<void>
}

/** A pool of connections to the target. */
export interface Transport extends Connection {
  /** Why the raw socket cannot send, or null if it can. */
  readonly rawSocketUnavailable: string | null
  /** Opens a single connection for sequential requests. It is closed with the transport at the latest. */
  connection(): Connection
  /** From now on, opens at most this many connections, all new; requests in flight on other connections are completed. */
  useAtMost(connections: number): void
}

/** Opens a transport without sending anything. Throws a `TransportError` if the proxy's URL cannot be used. */
export function openTransport(options: TransportOptions): Transport {
  const target = targetOf(options.baseUrl)
  const connector = openConnector({ ...options, origin: target.origin })
  const { timeoutMs } = options
  const way: Way = { target, connector, timeoutMs, open: new Set(), underWay: 0, lastStatus: 0 }
  let shared = openConnections(way, options.connections)

  return {
    rawSocketUnavailable: connector.isDirect ? null : noRawSocket,
    send: (request, signal) => shared.send(request, signal),
    connection: () => openConnections(way, 1),
    useAtMost(connections) {
      void shared.close()
      shared = openConnections(way, connections)
    },
    async close() {
      await Promise.all(Array.from(way.open, (connection) => connection.close()))
      await connector.close()
    },
  }
}

/** State shared by all connections of a transport. */
interface Way extends Pick<TransportOptions, 'timeoutMs'> {
  readonly target: Target
  readonly connector: Connector
  /** Connections that are not closed yet. */
  readonly open: Set<Connection>
  /** The number of requests in flight. */
  underWay: number
  /** Status of the last answer; 0 before the first. */
  lastStatus: number
}

function openConnections(way: Way, connections: number): Connection {
  const { connect, whenWritten } = watching(way.connector.connect)
  const pool = new Pool(way.target.origin, { connections, connect, pipelining: 1, ...boundsOfAnswers })
  const [pooled, raw] = [pooledRoute(pool, way, whenWritten), rawRoute(way)]
  const inFlight = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null
  const connection: Connection = {
    send(request, signal) {
      if (closing !== null) return Promise.reject(new Error('the connection is closed'))

      const limits = { at: way.target.at, timeoutMs: way.timeoutMs, signal }
      const sending = exchange(request, request.route === 'raw' ? raw : pooled, limits, way)
      inFlight.add(sending)
      const end = (): void => void inFlight.delete(sending)
      sending.then(end, end)
      return sending
    },
    close: () => (closing ??= close()),
  }
  /** `pool.close()` alone would also wait for connections that are no longer needed. */
  const close = async (): Promise<void> => {
    // Ignores its errors about connections destroyed below.
    pool.close().catch(() => {})
    await Promise.allSettled(inFlight)
    await pool.destroy()
    way.open.delete(connection)
  }
  way.open.add(connection)
  return connection
}

/** Sends a request and reads its answer, and any data after it. */
type Route = (request: Request, limits: Limits) => Promise<Received>

function pooledRoute(pool: Pool, { target: { prefix } }: Way, whenWritten: WhenWritten): Route {
  return async (request, limits) => {
    const path = prefix + request.target
    const why = whyNotPooled(request, path)
    if (why !== null) throw new TypeError(`the pool does not send this request: ${why}`)

    const headers = request.fields.flatMap((field) => [field.name, valueOf(field)])
    const sender = { dispatcher: pool, whenWritten }
    const options = { method: request.method, path, headers, body: request.body ?? null }
    return receive(sender, options, limits)
  }
}

function rawRoute({ target, connector }: Way): Route {
  return async (request, limits) => {
    if (!connector.isDirect) throw new Error(noRawSocket)

    const to = { target, ...connector }
    return request.form === undefined ? receiveRaw(request, to, limits) : receiveMessages(request, to, limits)
  }
}

const noRawSocket = 'requests go through a proxy (HTTPS_PROXY), which the raw socket cannot use'

async function exchange(request: Request, route: Route, limits: Limits, way: Way): Promise<Exchange> {
  const started = performance.now()
  const amidOthers = way.underWay > 0
  const followsSuccess = way.lastStatus >= 200 && way.lastStatus < 300
  way.underWay += 1
  const received = await route(request, limits).catch((error: unknown) => {
    way.underWay -= 1
    const { signal, at } = limits
    const beforeAnswers = way.target.isEncrypted && way.lastStatus === 0
    throw signal?.aborted === true ? signal.reason : (classifyError(error, at, beforeAnswers) ?? error)
  })
  way.underWay -= 1
  way.lastStatus = received.response.status
  const durationMs = performance.now() - started
  return { request, ...received, durationMs, amidOthers, followsSuccess }
}
