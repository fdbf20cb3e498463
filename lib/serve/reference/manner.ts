import type { ServerOptions } from 'node:http'
import type { Answer, Deliverer } from './answer.ts'
import type { Call } from './call.ts'
import type { ReferenceClients } from './clients.ts'
import type { Quotas } from './quota.ts'
import type { Reading } from './reading.ts'
import type { Writing } from './writing.ts'

/** How a service goes about everything that the specification leaves to it. What is left out is as usual. */
export interface Manner {
  readonly clients?: ReferenceClients
  readonly reading?: Partial<Omit<Reading, 'clients'>>
  readonly writing?: Writing
  readonly quotas?: Quotas
  readonly gateway?: Gateway
  /** How answers go out that no fault bends. */
  readonly deliver?: Deliverer
  readonly server?: Pick<
    ServerOptions,
    'keepAliveTimeout' | 'insecureHTTPParser' | 'maxHeaderSize' | 'requireHostHeader'
  > & { readonly maxRequestsPerSocket?: number }
  /** How long the next answer waits, in milliseconds. */
  readonly delayMs?: () => number
}

/** What stands before a service and does things by itself. */
export interface Gateway {
  /** What every path begins with, as in `/gateway/eu`; anything else is none of the service's. */
  readonly prefix?: string
  /** Its own answer, or null for a request that it passes on. */
  readonly answers?: (call: Call) => Answer | null
  /** A request as it passes it on. */
  readonly passes?: (call: Call) => Call
  /** What it sends for bytes that its parser refused, by the parser's error code, before it closes; null: it only closes. */
  readonly refusesBytes?: (errorCode: string) => string | null
}
