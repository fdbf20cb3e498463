import type { Exchange } from '../../http/exchange.ts'
import { fieldsOf, nextOf } from '../../http/request.ts'
import { traced } from '../../http/trace.ts'
import { openTransport, type Transport } from '../../http/transport.ts'
import { factsIfKnown } from '../../judge/facts.ts'
import type { RunSnapshot } from '../../judge/record.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import type { RunSettings } from '../../settings/settings.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import type { RuleId } from '../../specification/rules.ts'
import { NoAnswer } from '../plan/errors.ts'
import { rejectionsBetween, type Allotment } from '../plan/plan.ts'
import type { Purpose, TestRequest } from '../plan/test-request.ts'
import { RateLimiter, isUnanswered, type Layer, type RunLifecycle, type Send } from './pace.ts'
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

/** How wrong credentials are sent. `one by one`: each only after a plain valid request has been served. */
type Pace = 'freely' | 'one by one' | 'not at all'

interface WrongCredentialsOptions {
  readonly model: TargetModel
  /** Sends a plain valid request, and waits until a lockout is over. */
  readonly check: () => Promise<unknown>
  /** Whether the run may take a long time to send all of them. */
  readonly mayTakeLong: boolean
}

/** Says why a request must wait for another turn; null as long as it may be sent. */
type Refusal = () => Error | null

const turnOver = new Error('a lockout ended the turn before the request was sent')

export type WrongCredentials = ReturnType<typeof openWrongCredentials>

/** Requests with wrong credentials, which may lock a client out. The run never sends more at a time than the service has been seen to tolerate. */
export function openWrongCredentials({ model, check, mayTakeLong }: WrongCredentialsOptions) {
  let pace: Pace = 'freely'
  /** How many times the pace has changed. */
  let changes = 0
  let lockouts = 0
  let last: Promise<unknown> = Promise.resolve()
  /** The number of requests so far, when the client was last served, and at its last lockout. */
  let [sent, sentWhenServed, sentWhenLocked] = [0, 0, 0]
  /** The number of requests between the last two lockouts. */
  let threshold = 0
  /** The clients whose keys have been sent. */
  const keysOf = new Set<ClientName>()

  /** Whether a request has wrong credentials; if so, its key is noted. */
  const notes = ({ request }: TestRequest): boolean => {
    if (!hasWrongCredentials(request, model)) return false
    const keys = fieldsOf(request, 'x-api-key')
    for (const { name, credentials } of model.clients)
      if (keys.includes(credentials.apiKey.reveal())) keysOf.add(name)
    return true
  }

  const change = (to: Pace): void => {
    pace = to
    changes += 1
  }

  /** Sends a request; null if a lockout ended the turn first. */
  const turn = async <Sent>(send: (refusal: Refusal) => Promise<Sent>): Promise<Sent | null> => {
    const before = changes
    let wasSent = true
    try {
      return await send(() => (changes === before ? null : turnOver))
    } catch (error) {
      if (error !== turnOver) throw error
      wasSent = false
      return null
    } finally {
      if (wasSent) sent += 1
    }
  }

  const turnOfOne = async <Sent>(send: (refusal: Refusal) => Promise<Sent>): Promise<Sent | null> => {
    if (pace === 'one by one' && sent > sentWhenServed) await check()
    if (pace === 'not at all') throw new NoAnswer('left-out', leftOut(threshold))
    return turn(send)
  }

  return {
    /** Whether a quota that seems used up may only have been suspended because of them, and the run may wait. */
    maySuspend: () => sent > 0 && mayTakeLong,

    /** Whether any request contained the key of this client. */
    wereSentFor: (client: ClientName) => keysOf.has(client),

    /** Sends a request in its turn, or at once if its credentials are right. Throws `left-out` once no more are sent. */
    async inTurn<Sent extends object>(
      request: TestRequest,
      send: (refusal?: Refusal) => Promise<Sent>,
    ): Promise<Sent> {
      if (!notes(request)) return send()
      for (;;) {
        const isFree = pace === 'freely'
        const sending = isFree ? turn(send) : last.then(() => turnOfOne(send))
        if (!isFree) last = sending.catch(() => {})
        const result = await sending
        if (result !== null) return result
      }
    },

    /** Notes that the client was served. */
    served(): void {
      sentWhenServed = sent
    },

    /** Notes a lockout, after which fewer are sent; waiting requests must ask for a turn again. */
    lockedOut(): void {
      threshold = sent - sentWhenLocked
      sentWhenLocked = sent
      lockouts += 1
      const first = mayTakeLong ? 'one by one' : 'freely'
      change(lockouts === 1 ? first : 'not at all')
    },

    /** Notes that a single such request locks the client out, so no more are sent. */
    leaveOut(): void {
      threshold = 1
      change('not at all')
    },
  }
}

function leftOut(threshold: number): string {
  const what = threshold === 1 ? 'one request' : `${threshold} requests`
  return `the client was locked out after ${what} with wrong credentials: no more are sent, so that the other rules can be judged`
}

/** Whether a request has credentials that do not match, including blank ones. These lock a client out or get its sender banned. */
function hasWrongCredentials(request: TestRequest['request'], model: TargetModel): boolean {
  const facts = factsIfKnown(request, model)
  if (facts === null) return true
  const isKnown = (fact: string): boolean => fact === 'valid' || fact === 'absent'
  return !isKnown(facts.apiKey) || !isKnown(facts.secretKey)
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
