import { existsSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { delimiter } from 'node:path'
import tls from 'node:tls'
import { callbackify } from 'node:util'
import { Pool, buildConnector } from 'undici'
import { urlOf } from '../text/url.ts'
import { classifyError } from './classify-error.ts'
import type { ClientCertificate, ConnectorOptions } from './connector-options.ts'
import { isExempt } from './no-proxy.ts'
import { TransportError } from './transport-error.ts'

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

/** Available since Node 22.15; its result includes NODE_EXTRA_CA_CERTS. */
const { getCACertificates }: typeof tls & { getCACertificates?: (type: 'default') => string[] } = tls

/** Authorities that Node trusts by default. Other authorities would replace them, so they are passed along. */
function systemAuthorities(): readonly string[] {
  return getCACertificates?.('default') ?? [...tls.rootCertificates, ...extraAuthorities()]
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
