import { openTransport, type Connection, type Transport } from '../../http/transport.ts'
import { nextOf } from '../../http/request.ts'
import { traced } from '../../http/trace.ts'
import type { RunSettings } from '../../settings/settings.ts'
import type { Allotment } from '../plan/allot.ts'
import { Availability } from './availability.ts'
import { Budget } from './budget.ts'
import { RateLimiter } from './rate-limiter.ts'
import { withCircuitBreaker, withRetries } from './retry.ts'
import type { Layer, Send } from './send.ts'
import type { RunLifecycle } from './run-state.ts'

/** What requests are sent with. */
export interface SenderOptions {
  readonly baseUrl: string
  readonly settings: RunSettings
  readonly allotment: Allotment
  readonly run: RunLifecycle
  /** Replaces the transport that the settings describe. */
  readonly transport?: Transport
  /** Why the raw socket cannot be used; by default the transport's own reason. */
  readonly rawSocketUnavailable?: string
}

/** Sends within rate and budget, retries, and holds requests back in an outage. Making one sends nothing. */
export class Sender {
  readonly budget: Budget
  readonly limiter: RateLimiter
  readonly availability = new Availability()
  readonly send: Send
  /** Why the raw socket cannot be used, or null. */
  readonly rawSocketUnavailable: string | null
  readonly #transport: Transport
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    const { baseUrl, settings, allotment, run, transport, rawSocketUnavailable } = options
    this.#options = options
    this.budget = new Budget(settings.maxRequests, allotment)
    this.limiter = new RateLimiter(settings, run)
    this.#transport = transport ?? this.openAt(baseUrl)
    this.rawSocketUnavailable = rawSocketUnavailable ?? this.#transport.rawSocketUnavailable
    const state = { run, limiter: this.limiter, availability: this.availability }
    const breaker = withCircuitBreaker(this.#spending(), state, this.#transport)
    this.send = withRetries(this.limiter.limit(breaker), state)
  }

  /** A new connection. */
  connection(): Connection {
    return this.#transport.connection()
  }

  /** A pool of connections to another address, as the settings describe it. */
  openAt(baseUrl: string): Transport {
    const { settings } = this.#options
    const { concurrency: connections, ca } = settings
    return openTransport({ ...settings, connections, ca: ca?.pem ?? null, baseUrl })
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#transport.close()
  }

  /** The lowest layer: books a request and sends it. */
  #spending(): Layer {
    const { run, settings } = this.#options
    const { trace, seed } = settings
    return ({ request, traits }, { rule, purpose, case: name, connection = this.#transport }) => {
      for (const _ of [request, ...nextOf(request)]) this.budget.take(rule, purpose, traits.client)
      const isTraced = trace && name !== undefined
      const sent = isTraced ? traced(request, `${rule}:${seed}:${name}`, purpose) : request
      return connection.send(sent, run.cancelled)
    }
  }
}
