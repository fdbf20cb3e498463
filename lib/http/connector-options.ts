// In a separate file, because the library's types refer to these options and must not depend on undici and Node.

import type { Secret } from '../redact/secret.ts'

/** The client certificate for the target as PEM text, followed by its authorities. */
export interface ClientCertificate {
  readonly cert: string
  /** The private key, as PEM text. */
  readonly key: Secret
}

/** Options for a connection to the service. */
export type ConnectorOptions = Readonly<{
  origin: string
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
