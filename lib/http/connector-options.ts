// Apart from what connects, whose types are those of undici and Node: the library's own types name these.

import type { Secret } from '../redact/secret.ts'

/** A certificate that the client shows to the target, as PEM text, with those of its authorities behind it. */
export interface ClientCertificate {
  readonly cert: string
  /** The private key, as PEM text. */
  readonly key: Secret
}

/** How the service is connected to. */
export interface ConnectorOptions {
  readonly origin: string
  /** Maximum time of an exchange, from connecting to the last byte of the answer, in milliseconds. */
  readonly timeoutMs: number
  /** PEM text of authorities trusted besides the system's, or null. */
  readonly ca: string | null
  /** Shown to the target if it asks for one, never to a proxy. */
  readonly clientCertificate?: ClientCertificate | null
  /** `http(s)://[user:password@]host[:port]` of a proxy that tunnels (CONNECT) to `https` targets, or null. */
  readonly httpsProxy: string | null
  /** Hosts reached without the proxy, by the usual rules of `NO_PROXY`, or null. */
  readonly noProxy: string | null
}
