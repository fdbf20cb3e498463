import { onTestFinished } from 'vitest'
import type { Request } from '../exchange.ts'
import { openTransport, type Transport, type TransportOptions } from '../transport.ts'
import { openRawServer, type RawAnswerer, type RawServerOptions } from './raw-server.ts'

export { listen, ok, type RawAnswerer } from './raw-server.ts'

/** The two routes for requests, each with the property that selects it. */
export const routes: readonly (readonly [route: string, added: Pick<Request, 'route'>])[] = [
  ['a pooled connection', {}],
  ['the raw socket', { route: 'raw' }],
]

/** Listens until the test ends, and passes every request's head to `answer`. Uses TLS if there is a certificate. */
export async function serve(answer: RawAnswerer, options: RawServerOptions = {}) {
  const { close, ...server } = await openRawServer(answer, options)
  onTestFinished(close)

  return server
}

/** A transport that is closed when the test ends. */
export function transportTo(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  const usual = { timeoutMs: 5000, connections: 4, ca: null, httpsProxy: null, noProxy: null }
  const transport = openTransport({ baseUrl, ...usual, ...options })
  onTestFinished(() => transport.close())

  return transport
}

/**
 * A service that answers each request with these bytes or with this function, and a transport to it. Uses TLS
 * if there is a certificate.
 */
export async function connectedTo(
  answer: RawAnswerer | string | Buffer,
  { path = '', ...options }: Partial<TransportOptions> & RawServerOptions & { readonly path?: string } = {},
) {
  const answerer: RawAnswerer = typeof answer === 'function' ? answer : (socket) => socket.write(answer)
  const server = await serve(answerer, options)
  const scheme = options.certificate === undefined ? 'http' : 'https'
  return { server, transport: transportTo(`${scheme}://127.0.0.1:${server.port}${path}`, options) }
}
