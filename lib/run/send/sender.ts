import type { Signal } from '../../http/abort-signal.ts'
import type { Exchange } from '../../http/exchange.ts'
import { fieldsOf, nextOf } from '../../http/request.ts'
import { traced } from '../../http/trace.ts'
import type { TransportError } from '../../http/transport-error.ts'
import { openTransport, type Transport } from '../../http/transport.ts'
import { answeredBy, isQuotaRefusal, isSuccess, type Answered } from '../../judge/answered.ts'
import { factsIfKnown } from '../../judge/facts.ts'
import type { RunSnapshot } from '../../judge/record.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { clientSetting } from '../../settings/client-settings.ts'
import { isSelected } from '../../settings/selection.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import type { RuleId } from '../../specification/rules.ts'
import { Sums } from '../../text/counts.ts'
import { NoAnswer, noAnswer } from '../plan/errors.ts'
import { rejectionsBetween, type Allotment, type OnEvent } from '../plan/plan.ts'
import type { SuiteContext } from '../plan/suite-context.ts'
import { plainRequests, type Purpose, type TestRequest } from '../plan/test-request.ts'
import { openRecord } from '../record/checks.ts'
import {
  isUnanswered,
  RateLimiter,
  RunLifecycle,
  type Send,
  type SendOptions,
  type Unanswered,
} from './pace.ts'
import { Availability, isUnreadable, withRetries, type Spend } from './trouble.ts'

/** How wrong credentials are sent. `one by one`: each only after a plain valid request has been served. */
type Pace = 'freely' | 'one by one' | 'not at all'

/** Sends a request unless `refusal` says why it must wait for another turn. */
type Turn = (refusal?: () => Error | null) => ReturnType<Send>

const turnOver = new Error('a lockout ended the turn before the request was sent')

/**
 * Requests with wrong credentials, which may lock a client out. The run never sends more at a time than the service has been seen to
 * tolerate. `check` sends a plain valid request, and waits until a lockout is over.
 */
function openWrongCredentials(model: TargetModel, mayTakeLong: boolean, check: () => Promise<unknown>) {
  let pace: Pace = 'freely'
  /** How many times the pace has changed. */
  let changes = 0
  let lockouts = 0
  let last: Promise<unknown> = Promise.resolve()
  /** The number of requests so far, when the client was last served, and at its last lockout. */
  let sent = 0
  let sentWhenServed = 0
  let sentWhenLocked = 0
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
  const turn = async (send: Turn): Promise<Awaited<ReturnType<Send>> | null> => {
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

  const turnOfOne = async (send: Turn): ReturnType<typeof turn> => {
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
    async inTurn(request: TestRequest, send: Turn): ReturnType<Send> {
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
  readonly #allotted: Sums
  #common: number
  /** The allotted requests that rules have returned. */
  #surplus = 0
  /** How many common requests each purpose must leave for other purposes. */
  readonly #leaves: Readonly<Record<Purpose, number>>
  /** The number of requests so far. */
  sent = 0
  readonly #byPurpose = new Sums()
  readonly #byRule = new Sums()
  readonly #byClient = new Sums()

  constructor(limit: number, allotment: Allotment) {
    this.#limit = limit
    this.#allotted = new Sums(Object.entries(allotment))
    this.#common = Object.values(allotment).reduce((left, requests) => left - requests, limit)
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
    if (purpose === 'case' && this.allottedTo(rule) > 0) this.#allotted.add(rule, -1)
    else if (this.#common + this.#surplus <= this.#leaves[purpose])
      throw new NoAnswer('budget', `the budget of ${this.#limit} requests ${usedUp}`, { purpose })
    else if (this.#common > 0) this.#common -= 1
    else this.#surplus -= 1

    this.sent += 1
    this.#byPurpose.add(purpose)
    this.#byRule.add(rule)
    this.#byClient.add(client)
  }

  allottedTo(rule: RuleId): number {
    return this.#allotted.of(rule)
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
    const given = Math.max(0, Math.min(wanted - this.allottedTo(rule), available))
    this.#allotted.add(rule, given)
    return given
  }

  spent(): Pick<RunSnapshot, 'sent' | 'retried' | 'confirming' | 'byRule' | 'byClient'> {
    return {
      sent: this.sent,
      retried: this.#byPurpose.of('retry'),
      confirming: this.#byPurpose.of('confirming') + this.#byPurpose.of('shrinking'),
      byRule: Object.fromEntries(this.#byRule),
      byClient: Object.fromEntries(this.#byClient),
    }
  }
}

const usedUp = 'was used up (RUN_MAX_REQUESTS; the command plan says how many a run may need)'

export interface CoreOptions {
  readonly allotment: Allotment
  /** Replaces the transport described in the settings. */
  readonly transport?: Transport
  readonly context: SuiteContext
  readonly signal: Signal
  readonly onEvent: OnEvent
}

/** The parts that all components of a run share. */
export type Core = Awaited<ReturnType<typeof openCore>>

/**
 * Sends within the rate and budget, retries, and holds requests back in an outage. Opening sends nothing. `clients` knows whether they are
 * served: `check` sends a health check.
 */
export async function openCore(
  { context, allotment, signal, onEvent, ...options }: CoreOptions,
  clients: {
    readonly check: () => Promise<unknown>
    readonly answered: (request: TestRequest, exchange: Exchange) => void
  },
) {
  const { settings, model, replayed, byProfile } = context
  /** The plain valid request for each configured client. */
  const plains = plainRequests(model.clients, context.list)
  const plain = plains.get('target')
  if (plain === undefined) throw new TypeError('the target client is always configured')

  const lifecycle = new RunLifecycle(signal)
  const record = await openRecord(context)
  /** Whether one case is replayed; if so, nothing is confirmed, and its first exchanges are kept. */
  const isReplay = replayed !== null
  /** Whether the run may wait for minutes and measure what locks the client out. */
  const mayTakeLong =
    !isReplay &&
    isSelected(settings.run.only, plainContext.rule) &&
    byProfile({ all: true, gate: false, because: 'a gate does not wait' })
  const wrongCredentials = openWrongCredentials(model, mayTakeLong, clients.check)
  const budget = new Budget(settings.run.maxRequests, allotment)
  const limiter = new RateLimiter(settings.run, lifecycle)
  const availability = new Availability()

  /** A pool of connections to another address, otherwise as described in the settings. */
  const openAt = (address: string): Transport => {
    const { concurrency: connections, ca } = settings.run
    return openTransport({ ...settings.run, connections, ca: ca?.pem ?? null, baseUrl: address })
  }
  const transport = options.transport ?? openAt(context.places.baseUrl)

  /** Books a request and sends it. */
  const spend: Spend = ({ request, traits }, { rule, purpose, case: name, connection = transport }) => {
    for (const _ of [request, ...nextOf(request)]) budget.take(rule, purpose, traits.client)
    const isTraced = settings.run.trace && name !== undefined
    const sent = isTraced ? traced(request, `${rule}:${settings.run.seed}:${name}`, purpose) : request
    return connection.send(sent, lifecycle.cancelled)
  }
  const sendUntilAnswered = withRetries(spend, lifecycle, limiter, availability, transport)

  /** Sends a request for a caller that decides whose fault a missing response is. */
  const attempt: Send = (request, how) =>
    wrongCredentials.inTurn(request, async (refusal) => {
      try {
        const sent = await sendUntilAnswered(request, refusal === undefined ? how : { ...how, refusal })
        if (isUnanswered(sent)) return sent
        record.observations.took(how.rule, sent.durationMs)
        onEvent({ kind: 'answered', request, exchange: sent })
        clients.answered(request, sent)
        return sent
      } finally {
        onEvent({ kind: 'request-done', sent: budget.sent })
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

  const sender = { budget, limiter, availability, transport, openAt, attempt, send, alone }
  const plainly = { plains, plain, isReplay, mayTakeLong, onEvent }
  return { ...context, ...plainly, lifecycle, sender, wrongCredentials, record }
}

/** The rule and case for which plain valid requests are sent and judged. */
export const plainContext = { rule: 'endpoints/list-succeeds', case: 'plain' } as const

export interface PlainFailure {
  readonly kind: 'failed' | 'exhausted'
  readonly because: string
  readonly error?: TransportError
}

/** Sends a plain valid request. Throws if the run ends or the budget is spent. */
export async function sendPlain(
  send: Send,
  request: TestRequest,
  how: Partial<SendOptions> = {},
): Promise<{ kind: 'answered'; exchange: Exchange; answered: Answered } | PlainFailure> {
  try {
    const sent = await send(request, { rule: plainContext.rule, purpose: 'health-check', ...how })
    if (isUnanswered(sent)) return { kind: 'failed', because: sent.error.message, error: sent.error }
    const answered = answeredBy(sent.response)
    return isQuotaRefusal(answered)
      ? { kind: 'exhausted', because: quotaSentence('target') }
      : { kind: 'answered', exchange: sent, answered }
  } catch (error) {
    const { none, endsRun, message } = noAnswer(error)
    if (none === 'budget' || endsRun) throw error
    return { kind: 'failed', because: message }
  }
}

/** Whether the target client is served alone, on a new connection. */
export async function isServedAlone({ sender, plain }: Pick<Core, 'sender' | 'plain'>): Promise<boolean> {
  const outcome = await sendPlain(sender.alone, plain)
  return outcome.kind === 'answered' && isSuccess(outcome.answered)
}

/** Returns the exchange; throws `trouble` if there is none. */
export function exchangeOf(sent: Exchange | Unanswered): Exchange {
  if (isUnanswered(sent)) throw unanswered(sent)
  return sent
}

/** The reason for a missing response for which nobody is blamed. */
export function unanswered({ error, attempts: { length } }: Unanswered): NoAnswer {
  const what = isUnreadable(error.kind) ? 'no answer could be read' : 'no answer came'
  return new NoAnswer('trouble', `${what}, ${length} of ${length} times: ${error.message}`)
}

/** The sentence that reports use for a used-up quota. */
export function quotaSentence(client: ClientName): string {
  return `the daily quota of ${clientSetting(client)} is used up (429 / 1020, also for a plain valid request): run again after its reset, or with another client`
}

/** Makes concurrent calls with the same key share one result; `underWay` are the calls that have not ended. */
export function sharing<Key = void, Result = unknown>(work: (key: Key) => Promise<Result>) {
  const underWay = new Map<Key, Promise<Result>>()
  const shared = (key: Key): Promise<Result> => {
    const known = underWay.get(key) ?? work(key).finally(() => underWay.delete(key))
    underWay.set(key, known)
    return known
  }
  return Object.assign(shared, { underWay })
}
