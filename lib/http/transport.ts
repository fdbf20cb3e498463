import { existsSync, readFileSync } from 'node:fs'
import { BlockList, isIP, Socket } from 'node:net'
import { delimiter } from 'node:path'
import tls from 'node:tls'
import { callbackify } from 'node:util'
import { Pool, buildConnector } from 'undici'
import type { Secret } from '../redact/secret.ts'
import { urlOf } from '../text/url.ts'
import { targetOf, valueOf, whyNotPooled, type Exchange, type Request, type Target } from './exchange.ts'
import { receiveMessages, receiveRaw } from './raw-socket.ts'
import { boundsOfAnswers, receive, watching, type Limits, type Received } from './receive.ts'
import { classifyError, TransportError } from './transport-error.ts'

/** The `AbortSignal` type of the caller's project, from Node or browsers. A project without either can still use the library's types. */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer Known } }
  ? Known
  : Readonly<{ aborted: boolean; reason: unknown }>

/** The client certificate for the target as PEM text, followed by its authorities. */
type ClientCertificate = Readonly<{
  cert: string
  /** The private key, as PEM text. */
  key: Secret
}>

/** Options for a connection to the service. */
export type ConnectorOptions = Readonly<{
  /** `http(s)://host[:port][/prefix]`, with or without a trailing slash. */
  baseUrl: string
  /** Maximum time for an exchange, from connecting to the last byte of the answer, in milliseconds. */
  timeoutMs: number
  /** PEM text of authorities trusted in addition to the system's, or null. */
  ca: string | null
  /** Sent to the target if it asks for a certificate, never to a proxy. */
  clientCertificate?: ClientCertificate | null
  /** `http(s)://[user:password@]host[:port]` of a proxy that tunnels (CONNECT) to `https` targets, or null. */
  httpsProxy: string | null
  /** Hosts reached without the proxy, by the usual `NO_PROXY` rules, or null. */
  noProxy: string | null
}>

/** Options for a transport to the service. */
export type TransportOptions = ConnectorOptions &
  Readonly<{
    /** Maximum number of open connections, not counting {@link Transport.connection} and the raw socket. */
    connections: number
  }>

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
  const connector = openConnector(options)
  const { timeoutMs } = options
  const way: Way = {
    target,
    connector,
    timeoutMs,
    open: new Set(),
    underWay: 0,
    lastStatus: 0,
  }
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

function openConnections(way: Way, connections: number) {
  const { target, connector, timeoutMs } = way
  const { connect, whenWritten } = watching(connector.connect)
  const pool = new Pool(target.origin, {
    connections,
    connect,
    pipelining: 1,
    ...boundsOfAnswers,
  })
  const sender = { dispatcher: pool, whenWritten }
  const receiveFor = async (request: Request, limits: Limits) => {
    if (request.route !== 'raw') return receive(sender, pooled(request, target.prefix), limits)
    if (!connector.isDirect) throw new Error(noRawSocket)
    const to = { target, ...connector }
    return request.form === undefined ? receiveRaw(request, to, limits) : receiveMessages(request, to, limits)
  }
  const inFlight = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null
  const connection: Connection = {
    send(request, signal) {
      if (closing !== null) return Promise.reject(new Error('the connection is closed'))

      const limits = { at: target.at, timeoutMs, signal }
      const sending = exchange(way, request, signal, () => receiveFor(request, limits))
      inFlight.add(sending)
      const end = () => void inFlight.delete(sending)
      sending.then(end, end)
      return sending
    },
    close: () => (closing ??= close()),
  }
  /** `pool.close()` alone would also wait for connections that are no longer needed. */
  const close = async () => {
    // Ignores its errors about connections destroyed below.
    pool.close().catch(() => {})
    await Promise.allSettled(inFlight)
    await pool.destroy()
    way.open.delete(connection)
  }
  way.open.add(connection)
  return connection
}

/** The request for the pool. */
function pooled(request: Request, prefix: string) {
  const path = prefix + request.target
  const why = whyNotPooled(request, path)
  if (why !== null) throw new TypeError(`the pool does not send this request: ${why}`)
  const headers = request.fields.flatMap((field) => [field.name, valueOf(field)])
  return { method: request.method, path, headers, body: request.body ?? null }
}

const noRawSocket = 'requests go through a proxy (HTTPS_PROXY), which the raw socket cannot use'

async function exchange(
  way: Way,
  request: Request,
  signal: Signal | undefined,
  received: () => Promise<Received>,
) {
  const started = performance.now()
  const amidOthers = way.underWay > 0
  const followsSuccess = way.lastStatus >= 200 && way.lastStatus < 300
  way.underWay += 1
  const sending = received().finally(() => (way.underWay -= 1))
  const came = await sending.catch((error: unknown) => {
    const beforeAnswers = way.target.protocol === 'https:' && way.lastStatus === 0
    throw signal?.aborted === true
      ? signal.reason
      : (classifyError(error, way.target.at, beforeAnswers) ?? error)
  })
  way.lastStatus = came.response.status
  const durationMs = performance.now() - started
  return { request, ...came, durationMs, amidOthers, followsSuccess }
}

/** Opens sockets to the target, directly or through a proxy. @internal */
export interface Connector {
  readonly isDirect: boolean
  readonly connect: buildConnector.connector
  close(): Promise<void>
}

/** Chooses the route to the target. Throws a `TransportError` if the proxy's URL cannot be used. @internal */
export function openConnector(options: ConnectorOptions): Connector {
  const { baseUrl, timeoutMs, ca, clientCertificate = null, httpsProxy, noProxy } = options
  const connectorWith = (own: ClientCertificate | null): buildConnector.connector =>
    buildConnector({ timeout: timeoutMs, allowH2: false, ...secureContext(ca, own) })
  const connect = connectorWith(clientCertificate)
  const proxy = proxyFor(new URL(baseUrl), httpsProxy, noProxy)
  if (proxy === null) return { isDirect: true, connect, close: () => Promise.resolve() }

  const pool = new Pool(proxy.origin, {
    connect: connectorWith(null),
    allowH2: false,
    headersTimeout: 0,
  })
  const tunnel = callbackify((host: string) => openTunnel(pool, proxy, host, timeoutMs))
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

/** Available since Node 22.15; its result includes NODE_EXTRA_CA_CERTS. */
const { getCACertificates }: typeof tls & { getCACertificates?: (type: 'default') => string[] } = tls

/** Authorities that Node trusts by default. Other authorities would replace them, so they are passed along. */
function systemAuthorities() {
  return getCACertificates?.('default') ?? [...tls.rootCertificates, ...extraAuthorities()]
}

function extraAuthorities() {
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
 * @internal
 */
export function trustedFiles(env: Variables): readonly string[] {
  const { NODE_EXTRA_CA_CERTS = '', SSL_CERT_FILE = '', SSL_CERT_DIR = '' } = env
  const ofOpenSsl = asksOpenSsl(env) ? [SSL_CERT_FILE, ...SSL_CERT_DIR.split(delimiter)] : []
  return [NODE_EXTRA_CA_CERTS, ...ofOpenSsl].filter((file) => existsSync(file))
}

/** Node uses OpenSSL's authorities if a flag says so (on Linux also `--use-system-ca`), or if it was built that way, as by Debian. */
function asksOpenSsl({ NODE_OPTIONS = '', NODE_USE_SYSTEM_CA }: Variables) {
  return (
    /--use[-_](?:openssl|system)[-_]ca\b/.test([...process.execArgv, NODE_OPTIONS].join(' ')) ||
    (NODE_USE_SYSTEM_CA === '1' && process.allowedNodeEnvironmentFlags.has('--use-system-ca')) ||
    process.config.target_defaults.defines.includes('NODE_OPENSSL_CERT_STORE')
  )
}

/**
 * The proxy for a target, or null. Only `https` targets use a proxy, unless `noProxy` names them. A URL without a scheme means `http://`,
 * as in curl. Throws a `TransportError` if the URL cannot be used.
 * @internal
 */
export function proxyFor(target: URL, httpsProxy: string | null, noProxy: string | null) {
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
async function openTunnel(pool: Pool, proxy: URL, host: string, timeoutMs: number) {
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

function authorization({ username, password }: URL) {
  if (username === '' && password === '') return {}

  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

/**
 * Whether `noProxy` names an https target, following the rules of curl and Go. It may contain hosts with their subdomains, addresses of both
 * IP versions in any spelling, with or without brackets, networks (`10.0.0.0/8`, `fd00::/8`), a port after any of these except a network, and
 * `*` for all. Entries that can never match, such as `10.*`, `https://host` or `10.0.0.0/33`, name nothing.
 */
function isExempt({ hostname, port }: URL, noProxy: string) {
  const host = bare(hostname)
  return noProxy.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true
    const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? []
    if (address !== '') return isWithin(host, bare(address), Number(bits))
    const [, named = entry, onlyPort = null] = isIP(entry) > 0 ? [] : (/^(.+):(\d+)$/.exec(entry) ?? [])
    return (onlyPort === null || Number(onlyPort) === Number(port || 443)) && isNamed(host, bare(named))
  })
}

function isNamed(host: string, entry: string) {
  const version = isIP(entry)
  if (version > 0) return isWithin(host, entry, version === 4 ? 32 : 128)
  const name = canonical(entry.replace(/^\*?\./, ''))
  return name !== null && (host === name || host.endsWith(`.${name}`))
}

/** Whether an address is in a network, which may consist of a single address. */
function isWithin(host: string, address: string, bits: number) {
  const [version, ofNetwork] = [isIP(host), isIP(address)]
  if (version === 0 || ofNetwork === 0 || bits > (ofNetwork === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(address, bits, ofNetwork === 4 ? 'ipv4' : 'ipv6')
  return list.check(host, version === 4 ? 'ipv4' : 'ipv6')
}

/** A name in lower case and ASCII, without a trailing dot; null if it cannot occur in a URL. */
function canonical(name: string) {
  // The end of an address matches, as in Go, so `.0.0.1` names 127.0.0.1.
  if (/^\d+(?:\.\d+)*$/.test(name)) return name
  const url = /^[^\s/?#@:*[\]\\]+$/.test(name) ? urlOf(`https://${name}/`) : null
  return url === null ? null : bare(url.hostname)
}

/** A host without brackets or a trailing dot. */
function bare(host: string) {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
