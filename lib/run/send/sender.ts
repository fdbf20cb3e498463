import type { Exchange } from '../../http/exchange.ts'
import { nextOf } from '../../http/request.ts'
import { traced } from '../../http/trace.ts'
import { openTransport, type Connection, type Transport } from '../../http/transport.ts'
import type { RunSettings } from '../../settings/settings.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { Allotment } from '../plan/plan.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { Budget } from './budget.ts'
import { RateLimiter, isUnanswered, type Layer, type Send } from './pace.ts'
import { withCircuitBreaker, withRetries } from './retry.ts'
import type { RunLifecycle } from './run-state.ts'
import { Availability } from './trouble.ts'
import type { WrongCredentials } from './wrong-credentials.ts'

/** What is needed to send requests. */
export interface SenderOptions {
  readonly baseUrl: string
  readonly settings: RunSettings
  readonly allotment: Allotment
  readonly run: RunLifecycle
  readonly wrongCredentials: Pick<WrongCredentials, 'inTurn'>
  /** Called with each answer and the rule for which its request was sent. */
  readonly onAnswer: (request: TestRequest, exchange: Exchange, rule: RuleId) => void
  /** Called after each request with the number of requests so far. */
  readonly onDone: (sent: number) => void
  /** Replaces the transport described in the settings. */
  readonly transport?: Transport
}

/** Sends within the rate and budget, retries, and holds requests back in an outage. Creating a sender sends nothing. */
export class Sender {
  readonly budget: Budget
  readonly limiter: RateLimiter
  readonly availability = new Availability()
  readonly #transport: Transport
  readonly #options: SenderOptions
  readonly #layers: Send

  constructor(options: SenderOptions) {
    const { baseUrl, settings, allotment, run, transport } = options
    this.#options = options
    this.budget = new Budget(settings.maxRequests, allotment)
    this.limiter = new RateLimiter(settings, run)
    this.#transport = transport ?? this.openAt(baseUrl)
    const state = { run, limiter: this.limiter, availability: this.availability }
    const breaker = withCircuitBreaker(this.#spending(), state, this.#transport)
    this.#layers = withRetries(this.limiter.limit(breaker), state)
  }

  /** Sends a request for a caller that decides whose fault a missing response is. */
  readonly attempt: Send = (request, options) =>
    this.#options.wrongCredentials.inTurn(request, async (refusal) => {
      try {
        const sent = await this.#layers(request, refusal === undefined ? options : { ...options, refusal })
        if (!isUnanswered(sent)) this.#options.onAnswer(request, sent, options.rule)
        return sent
      } finally {
        this.#options.onDone(this.budget.sent)
      }
    })

  /** Sends a request for a caller that never blames it, so a missing response counts as trouble. */
  readonly send: Send = async (request, options) => {
    const sent = await this.attempt(request, options)
    if (isUnanswered(sent)) this.availability.failed(sent.attempts)
    return sent
  }

  /** Like {@link send}, but with nothing else in flight and on a new connection. */
  readonly alone: Send = async (request, options) => {
    const connection = this.connection()
    try {
      return await this.send(request, { ...options, connection, exclusive: true })
    } finally {
      await connection.close()
    }
  }

  /** Why the raw socket cannot be used, or null. */
  get rawSocketUnavailable(): string | null {
    return this.#transport.rawSocketUnavailable
  }

  connection(): Connection {
    return this.#transport.connection()
  }

  /** A pool of connections to another address, otherwise as described in the settings. */
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
