import { existsSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { delimiter } from 'node:path'
import tls from 'node:tls'
import { callbackify } from 'node:util'
import { Pool, buildConnector } from 'undici'
import { urlOf } from '../text/url.ts'
import type { Signal } from './abort-signal.ts'
import { readDecoded } from './body.ts'
import { classifyError } from './classify-error.ts'
import type { ClientCertificate, ConnectorOptions } from './connector-options.ts'
import { decodeContent } from './decode.ts'
import type { Exchange, Response } from './exchange.ts'
import { isExempt } from './no-proxy.ts'
import { receiveMessages, receiveRaw, type Messages } from './raw-socket.ts'
import {
  MAX_ANSWER_BYTES,
  boundsOfAnswers,
  receive,
  watching,
  type Limits,
  type RawAnswer,
  type WhenWritten,
} from './receive.ts'
import { targetOf, valueOf, whyNotPooled, type Request, type Target } from './request.ts'
import { TransportError } from './transport-error.ts'

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
  const way = { target, connector, timeoutMs: options.timeoutMs, traffic: { underWay: 0, lastStatus: 0 } }
  let shared = openConnections(way, options.connections)
  const others = new Set<Connection>()
  const retired: Promise<void>[] = []

  return {
    rawSocketUnavailable: connector.isDirect ? null : noRawSocket,
    send: (request, signal) => shared.send(request, signal),
    connection() {
      const own = openConnections(way, 1)
      others.add(own)
      return {
        send: (request, signal) => own.send(request, signal),
        async close() {
          await own.close()
          others.delete(own)
        },
      }
    },
    useAtMost(connections) {
      retired.push(shared.close())
      shared = openConnections(way, connections)
    },
    async close() {
      await Promise.all([...retired, ...[shared, ...others].map((connection) => connection.close())])
      await connector.close()
    },
  }
}

interface Way {
  readonly target: Target
  readonly connector: Connector
  readonly timeoutMs: number
  readonly traffic: Traffic
}

/** State shared by all connections of a transport. */
interface Traffic {
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

  return {
    send(request, signal) {
      if (closing !== null) return Promise.reject(new Error('the connection is closed'))

      const limits = { at: way.target.at, timeoutMs: way.timeoutMs, signal }
      const sending = exchange(request, request.route === 'raw' ? raw : pooled, limits, way)
      inFlight.add(sending)
      const end = (): void => void inFlight.delete(sending)
      sending.then(end, end)
      return sending
    },
    close: () => (closing ??= closePool(pool, inFlight)),
  }
}

/** `pool.close()` alone would also wait for connections that are no longer needed. */
async function closePool(pool: Pool, inFlight: ReadonlySet<Promise<unknown>>): Promise<void> {
  // Ignores its errors about connections destroyed below.
  pool.close().catch(() => {})
  await Promise.allSettled(inFlight)
  await pool.destroy()
}

/** Sends a request and collects its answer, and any data after it. */
type Route = (request: Request, limits: Limits) => Promise<Pick<Messages, 'answer'> & Partial<Messages>>

function pooledRoute(pool: Pool, { target: { prefix } }: Way, whenWritten: WhenWritten): Route {
  return async (request, limits) => {
    const path = prefix + request.target
    const why = whyNotPooled(request, path)
    if (why !== null) throw new TypeError(`the pool does not send this request: ${why}`)

    const headers = request.fields.flatMap((field) => [field.name, valueOf(field)])
    const sender = { dispatcher: pool, whenWritten }
    const options = { method: request.method, path, headers, body: request.body ?? null }
    return { answer: await receive(sender, options, limits) }
  }
}

function rawRoute({ target, connector }: Way): Route {
  return async (request, limits) => {
    if (!connector.isDirect) throw new Error(noRawSocket)

    const to = { target, ...connector }
    if (request.form !== undefined) return receiveMessages(request, to, limits)
    return { answer: await receiveRaw(request, to, limits) }
  }
}

const noRawSocket = 'requests go through a proxy (HTTPS_PROXY), which the raw socket cannot use'

async function exchange(
  request: Request,
  route: Route,
  limits: Limits,
  { target, traffic }: Way,
): Promise<Exchange> {
  const started = performance.now()
  const amidOthers = traffic.underWay > 0
  const followsSuccess = traffic.lastStatus >= 200 && traffic.lastStatus < 300
  traffic.underWay += 1
  const { answer, behind } = await route(request, limits).catch((error: unknown) => {
    traffic.underWay -= 1
    const { signal, at } = limits
    const beforeAnswers = target.isEncrypted && traffic.lastStatus === 0
    throw signal?.aborted === true ? signal.reason : (classifyError(error, at, beforeAnswers) ?? error)
  })
  traffic.underWay -= 1
  traffic.lastStatus = answer.status
  const durationMs = performance.now() - started
  const decoded = ({ status, reason, fields, bytes, trailers }: RawAnswer): Response => {
    const content = decodeContent(bytes, fields, MAX_ANSWER_BYTES)
    return { status, reason, fields, trailers, ...readDecoded(content, bytes.length) }
  }
  const next = behind === undefined || behind.next === null ? null : decoded(behind.next)

  return {
    request,
    response: decoded(answer),
    durationMs,
    reused: answer.reused,
    amidOthers,
    followsSuccess,
    ...(behind === undefined ? {} : { behind: { ...behind, next } }),
  }
}

/** Opens sockets to the target, directly or through a proxy. */
export interface Connector {
  readonly isDirect: boolean
  readonly connect: buildConnector.connector
  close(): Promise<void>
}

/** Chooses the route to the target. Throws a `TransportError` if the proxy's URL cannot be used. */
export function openConnector(options: ConnectorOptions): Connector {
  const { origin, timeoutMs, ca, clientCertificate = null, httpsProxy, noProxy } = options
  const connectorWith = (own: ClientCertificate | null): buildConnector.connector =>
    buildConnector({ timeout: timeoutMs, allowH2: false, ...secureContext(ca, own) })
  const connect = connectorWith(clientCertificate)
  const proxy = proxyFor(new URL(origin), httpsProxy, noProxy)
  if (proxy === null) return { isDirect: true, connect, close: () => Promise.resolve() }

  const pool = new Pool(proxy.origin, { connect: connectorWith(null), allowH2: false, headersTimeout: 0 })
  const tunnel = callbackify((host: string) => openTunnel(pool, proxy, { host, timeoutMs }))
  return {
    isDirect: false,
    connect(to, callback) {
      const host = to.hostname.includes(':') ? `[${to.hostname}]` : to.hostname
      tunnel(`${host}:${to.port || '443'}`, (error, httpSocket) => {
        if (error === null) connect({ ...to, httpSocket }, callback)
        else callback(error, null)
      })
    },
    // The pool no longer owns sockets that became tunnels.
    close: () => pool.destroy(),
  }
}

/** Created only once, because with a list of authorities, Node would parse 140 certificates for each connection. */
function secureContext(ca: string | null, own: ClientCertificate | null): buildConnector.BuildOptions {
  if (ca === null && own === null) return {}
  return {
    secureContext: tls.createSecureContext({
      ...(ca === null ? {} : { ca: [...systemAuthorities(), ca] }),
      ...(own === null ? {} : { cert: own.cert, key: own.key.reveal() }),
    }),
  }
}

/** Authorities that Node trusts by default. Other authorities would replace them, so they are passed along. */
function systemAuthorities(): readonly string[] {
  // Available since Node 22.15; includes NODE_EXTRA_CA_CERTS.
  const given: unknown = Reflect.get(tls, 'getCACertificates')
  if (typeof given === 'function') {
    const all: unknown = Reflect.apply(given, tls, ['default'])
    if (Array.isArray(all)) return all.filter((certificate) => typeof certificate === 'string')
  }
  return [...tls.rootCertificates, ...extraAuthorities()]
}

function extraAuthorities(): readonly string[] {
  const path = process.env['NODE_EXTRA_CA_CERTS'] ?? ''
  if (path === '') return []

  try {
    return [readFileSync(path, 'utf8')]
  } catch {
    // Node only warns about an unreadable file.
    return []
  }
}

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Files and folders with additional authorities that Node trusts in this environment: `NODE_EXTRA_CA_CERTS`, and `SSL_CERT_FILE` and
 * `SSL_CERT_DIR` if Node uses OpenSSL's or the system's authorities.
 */
export function trustedFiles(env: Variables): readonly string[] {
  const { NODE_EXTRA_CA_CERTS = '', SSL_CERT_FILE = '', SSL_CERT_DIR = '' } = env
  const ofOpenSsl = asksOpenSsl(env) ? [SSL_CERT_FILE, ...SSL_CERT_DIR.split(delimiter)] : []
  return [NODE_EXTRA_CA_CERTS, ...ofOpenSsl].filter((file) => existsSync(file))
}

/** Node uses OpenSSL's authorities if a flag says so (on Linux also `--use-system-ca`), or if it was built that way, as by Debian. */
function asksOpenSsl({ NODE_OPTIONS = '', NODE_USE_SYSTEM_CA }: Variables): boolean {
  return (
    /--use[-_](?:openssl|system)[-_]ca\b/.test([...process.execArgv, NODE_OPTIONS].join(' ')) ||
    (NODE_USE_SYSTEM_CA === '1' && process.allowedNodeEnvironmentFlags.has('--use-system-ca')) ||
    process.config.target_defaults.defines.includes('NODE_OPENSSL_CERT_STORE')
  )
}

/**
 * The proxy for a target, or null. Only `https` targets use a proxy, unless `noProxy` names them. A URL without a scheme means `http://`,
 * as in curl. Throws a `TransportError` if the URL cannot be used.
 */
export function proxyFor(target: URL, httpsProxy: string | null, noProxy: string | null): URL | null {
  if (httpsProxy === null || httpsProxy === '' || target.protocol !== 'https:') return null
  if (isExempt(target, noProxy ?? '')) return null

  const text = httpsProxy.includes('://') ? httpsProxy : `http://${httpsProxy}`
  // Not quoted, because it may contain a password.
  const url = urlOf(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TransportError('proxy', 'HTTPS_PROXY is not of the form http(s)://[user:password@]host[:port]')
  }
  return url
}

/** Opens a CONNECT tunnel. undici's ProxyAgent loses repeated header fields, because it stores them in an object. */
async function openTunnel(
  pool: Pool,
  proxy: URL,
  { host, timeoutMs }: { host: string; timeoutMs: number },
): Promise<Socket> {
  const { statusCode, socket } = await pool
    .connect({
      path: host,
      headers: { host, ...authorization(proxy) },
      signal: AbortSignal.timeout(timeoutMs),
    })
    .catch((error: unknown) => {
      const trouble = classifyError(error, proxy.host)
      throw trouble === null
        ? error
        : new TransportError('proxy', `the proxy (HTTPS_PROXY): ${trouble.message}`)
    })
  if (statusCode === 200 && socket instanceof Socket) return socket

  socket.on('error', () => {}).destroy()
  throw new TransportError(
    'proxy',
    statusCode === 407
      ? `the proxy ${proxy.host} requires a user name and a password (407): set them in HTTPS_PROXY`
      : `the proxy ${proxy.host} refused a tunnel to ${host} (status ${statusCode}): add the host to NO_PROXY if the proxy is not needed for it`,
  )
}

function authorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {}

  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}
