import type { ServerOptions } from 'node:http'
import type { Answer, Deliverer } from './answer.ts'
import type { Call } from './call.ts'
import type { ReferenceClients } from './clients.ts'
import type { Quotas } from './quota.ts'
import type { Reading } from './reading.ts'
import type { Writing } from './writing.ts'

/** Choices of a service that the specification leaves open. Omitted choices are as in the plain service. */
export interface Manner {
  readonly clients?: ReferenceClients
  readonly reading?: Partial<Omit<Reading, 'clients'>>
  readonly writing?: Writing
  readonly quotas?: Quotas
  readonly gateway?: Gateway
  /** Delivery of answers that no fault changes. */
  readonly deliver?: Deliverer
  readonly server?: Pick<
    ServerOptions,
    'keepAliveTimeout' | 'insecureHTTPParser' | 'maxHeaderSize' | 'requireHostHeader'
  > & { readonly maxRequestsPerSocket?: number }
  /** Delay of the next answer, in milliseconds. */
  readonly delayMs?: () => number
}

/** A gateway in front of a service. */
export interface Gateway {
  /** Prefix of every path, such as `/gateway/eu`; other paths do not belong to the service. */
  readonly prefix?: string
  /** The gateway's answer, or null for a request that it forwards. */
  readonly answers?: (call: Call) => Answer | null
  /** A request as forwarded. */
  readonly passes?: (call: Call) => Call
  /** Bytes sent, before closing, when the parser refuses a request, by the parser's error code; null to close only. */
  readonly refusesBytes?: (errorCode: string) => string | null
}
