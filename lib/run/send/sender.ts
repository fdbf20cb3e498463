import type { Exchange } from '../../http/exchange.ts'
import { nextOf } from '../../http/request.ts'
import { traced } from '../../http/trace.ts'
import { openTransport, type Transport } from '../../http/transport.ts'
import type { RunSnapshot } from '../../judge/record.ts'
import type { RunSettings } from '../../settings/settings.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import type { RuleId } from '../../specification/rules.ts'
import { NoAnswer } from '../plan/errors.ts'
import { rejectionsBetween, type Allotment } from '../plan/plan.ts'
import type { Purpose, TestRequest } from '../plan/test-request.ts'
import { RateLimiter, isUnanswered, type Layer, type Send } from './pace.ts'
import type { RunLifecycle, WrongCredentials } from './run-state.ts'
import { Availability, withCircuitBreaker, withRetries } from './trouble.ts'

/** Options for a sender. */
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

export type Sender = ReturnType<typeof openSender>

/** Sends within the rate and budget, retries, and holds requests back in an outage. Creating a sender sends nothing. */
export function openSender(options: SenderOptions) {
  const { baseUrl, settings, allotment, run, wrongCredentials } = options
  const budget = new Budget(settings.maxRequests, allotment)
  const limiter = new RateLimiter(settings, run)
  const availability = new Availability()

  /** A pool of connections to another address, otherwise as described in the settings. */
  const openAt = (address: string): Transport => {
    const { concurrency: connections, ca } = settings
    return openTransport({ ...settings, connections, ca: ca?.pem ?? null, baseUrl: address })
  }
  const transport = options.transport ?? openAt(baseUrl)

  /** The lowest layer: books a request and sends it. */
  const spend: Layer = ({ request, traits }, { rule, purpose, case: name, connection = transport }) => {
    for (const _ of [request, ...nextOf(request)]) budget.take(rule, purpose, traits.client)
    const isTraced = settings.trace && name !== undefined
    const sent = isTraced ? traced(request, `${rule}:${settings.seed}:${name}`, purpose) : request
    return connection.send(sent, run.cancelled)
  }
  const state = { run, limiter, availability }
  const layers = withRetries(limiter.limit(withCircuitBreaker(spend, state, transport)), state)

  /** Sends a request for a caller that decides whose fault a missing response is. */
  const attempt: Send = (request, how) =>
    wrongCredentials.inTurn(request, async (refusal) => {
      try {
        const sent = await layers(request, refusal === undefined ? how : { ...how, refusal })
        if (!isUnanswered(sent)) options.onAnswer(request, sent, how.rule)
        return sent
      } finally {
        options.onDone(budget.sent)
      }
    })

  /** Sends a request for a caller that never blames it, so a missing response counts as trouble. */
  const send: Send = async (request, how) => {
    const sent = await attempt(request, how)
    if (isUnanswered(sent)) availability.failed(sent.attempts)
    return sent
  }

  /** Like `send`, but with nothing else in flight and on a new connection. */
  const alone: Send = async (request, how) => {
    const connection = transport.connection()
    try {
      return await send(request, { ...how, connection, exclusive: true })
    } finally {
      await connection.close()
    }
  }

  return { budget, limiter, availability, transport, openAt, attempt, send, alone }
}

/** The hard limit on requests. Cases use their rule's allotment; retries and confirmations use the common remainder, never another rule's allotment. */
export class Budget {
  readonly #limit: number
  readonly #allotted: Map<string, number>
  #common: number
  /** The allotted requests that rules have returned. */
  #surplus = 0
  /** How many common requests each purpose must leave for other purposes. */
  readonly #leaves: Readonly<Record<Purpose, number>>
  /** The number of requests so far. */
  sent = 0
  readonly #byPurpose = new Map<Purpose, number>()
  readonly #byRule = new Map<RuleId, number>()
  readonly #byClient = new Map<ClientName, number>()

  constructor(limit: number, allotment: Allotment) {
    this.#limit = limit
    this.#allotted = new Map(Object.entries(allotment))
    this.#common = [...this.#allotted.values()].reduce((left, requests) => left - requests, limit)
    if (this.#common < 0) throw new RangeError(`more was allotted than the budget of ${limit} holds`)

    // Without health checks, nothing more could be judged.
    const healthChecks = Math.min(Math.ceil(limit / rejectionsBetween), Math.floor(this.#common / 3))
    // Retries and unplanned requests of cases decide whether a rule is judged, but confirmations only decide how certain a finding is.
    const confirming = healthChecks + Math.floor(this.#common / 4)
    const shrinking = healthChecks + Math.floor(this.#common / 2)
    this.#leaves = { case: 0, 'health-check': 0, retry: healthChecks, confirming, shrinking }
  }

  /** Books one request; throws `budget` if none are left for its purpose. */
  take(rule: RuleId, purpose: Purpose, client: ClientName = 'target'): void {
    const own = this.allottedTo(rule)
    if (purpose === 'case' && own > 0) this.#allotted.set(rule, own - 1)
    else if (this.#common + this.#surplus <= this.#leaves[purpose])
      throw new NoAnswer('budget', `the budget of ${this.#limit} requests ${usedUp}`, { purpose })
    else if (this.#common > 0) this.#common -= 1
    else this.#surplus -= 1

    this.sent += 1
    this.#byPurpose.set(purpose, this.#sentFor(purpose) + 1)
    this.#byRule.set(rule, (this.#byRule.get(rule) ?? 0) + 1)
    this.#byClient.set(client, (this.#byClient.get(client) ?? 0) + 1)
  }

  allottedTo(rule: RuleId): number {
    return this.#allotted.get(rule) ?? 0
  }

  /** Allots common requests to an unplanned rule, as far as they are available. */
  reserve(rule: RuleId, requests: number): void {
    if (!this.#allotted.has(rule)) this.restore(rule, requests)
  }

  /** Tops up a short allotment from the common requests, as far as they are available. */
  restore(rule: RuleId, wanted: number): void {
    this.#common -= this.#allot(rule, wanted, this.#common)
  }

  /** Returns a rule's unused allotment. */
  release(rule: RuleId): void {
    this.#surplus += this.allottedTo(rule)
    this.#allotted.delete(rule)
  }

  /** Tops up a short allotment with the requests that other rules have returned. */
  topUp(rule: RuleId, wanted: number): void {
    this.#surplus -= this.#allot(rule, wanted, this.#surplus)
  }

  /** Tops up a short allotment from the available requests; returns how many it takes. */
  #allot(rule: RuleId, wanted: number, available: number): number {
    const own = this.allottedTo(rule)
    const given = Math.max(0, Math.min(wanted - own, available))
    this.#allotted.set(rule, own + given)
    return given
  }

  spent(): Pick<RunSnapshot, 'sent' | 'retried' | 'confirming' | 'byRule' | 'byClient'> {
    return {
      sent: this.sent,
      retried: this.#sentFor('retry'),
      confirming: this.#sentFor('confirming') + this.#sentFor('shrinking'),
      byRule: Object.fromEntries(this.#byRule),
      byClient: Object.fromEntries(this.#byClient),
    }
  }

  #sentFor(purpose: Purpose): number {
    return this.#byPurpose.get(purpose) ?? 0
  }
}

const usedUp = 'was used up (RUN_MAX_REQUESTS; the command plan says how many a run may need)'
