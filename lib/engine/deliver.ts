import type { Exchange } from '../http/exchange.ts'
import type { Connection } from '../http/transport.ts'
import { TransportError } from '../http/transport-error.ts'
import type { ClientName } from '../spec/clients.ts'
import type { RuleId } from '../spec/rules.ts'
import type { Budget, Purpose } from './budget.ts'
import type { Pace } from './pace.ts'
import { pause } from './pause.ts'
import {
  gatewayTrouble,
  isGatewayTrouble,
  isRateRefusal,
  mayBeRefusal,
  mayBeTheRequestsFault,
  mayMeanTooManyConnections,
  retryAfterMs,
  retryDelaysMs,
  waitAfter,
} from './sent-again.ts'
import type { TestRequest } from './test-request.ts'
import { Inconclusive, type RunEnded } from './inconclusive.ts'

/** How one request is sent. */
export interface Sending {
  /** The rule whose request it is. */
  readonly rule: RuleId
  readonly purpose: Purpose
  readonly signal: AbortSignal
  readonly connection: Connection
  /** Whether nothing else may be in flight. */
  readonly exclusive?: boolean
  /** How often it is sent again after trouble; {@link retryDelaysMs} bounds it. */
  readonly retries?: number
  /** Asked, and waited for, before it is sent again after trouble: whether it is. */
  readonly retryWhen?: (met: TransportError) => Promise<boolean>
  /** Whether trouble like this is nothing new, so that it says nothing of an outage. */
  readonly expectsTrouble?: boolean
}

/** Trouble every time that a request was sent. */
export class AttemptsFailed extends Inconclusive {
  override readonly name = 'AttemptsFailed'
  readonly trouble: TransportError
  readonly tries: number

  constructor(trouble: TransportError, tries: number) {
    super(`no answer came, ${tries} of ${tries} times: ${trouble.message}`)
    this.trouble = trouble
    this.tries = tries
  }
}

/** So many troubles in a row, without an answer between, are an outage. */
const outage = 3
/** So many gateway troubles between answers make the run slower. */
const tooOften = 5
/** Connections that were refused or closed, until fewer are used: some gateways let in four at a time. */
const tooManyClosed = 3
/** What an answer takes off that count: an ordinary keep-alive that ends now and then never adds up. */
const forgottenPerAnswer = 1 / 25
/** How many are used then: a scenario may open two of its own besides. */
const fewer = 2
/** A timeout has cost its patience already. */
const retriesAfterTimeout = 1
/** How often a request is sent again that was refused for its rate. */
const rateTries = 5
/** The same where a bare 429 may be the answer that a rule is about. */
const rateTriesForQuota = 2
const quotaClients: ReadonlySet<ClientName> = new Set(['exhausted', 'disposable'])
const longestRateWaitMs = 60_000
const shortestRateWaitMs = 1_000
/** A plain valid request goes out before all that wait to be sent again: it tells whether they need to be. */
const urgencyOfControls = retryDelaysMs.length + 1

/** Sends requests at the run's pace, within its budget, again after trouble, and more slowly when asked to. */
export class Delivery {
  readonly #budget: Budget
  readonly #pace: Pace
  /** The clients, asked for their quota, whose refusals stayed without 1020 however long was waited. */
  readonly #bareFor = new Set<ClientName>()

  /** Since the last answer of any kind. */
  #troublesInARow = 0
  #gatewayNowAndThen = 0
  #heldAt = Number.NEGATIVE_INFINITY
  #holds = 0
  #over: RunEnded | null = null
  /** Those lately closed, less with each answer. */
  #closed = 0
  #usesFewer = false
  readonly #useFewer: (connections: number) => void

  /** `useFewer` bounds how many connections stand open from then on. */
  constructor(budget: Budget, pace: Pace, useFewer: (connections: number) => void = () => {}) {
    this.#budget = budget
    this.#pace = pace
    this.#useFewer = useFewer
  }

  /** Nothing more is sent: whatever waits to be sent, or to be sent again, is rejected with this, without delay. */
  end(over: RunEnded): void {
    this.#over ??= over
    this.#pace.drain()
  }

  /**
   * The exchange of a request. Throws {@link AttemptsFailed} on trouble every time, {@link Inconclusive} when the budget is used up or
   * the rate stays refused, and the signal's reason when the run is cancelled.
   */
  async deliver(stimulus: TestRequest, sending: Sending): Promise<Exchange> {
    let purpose = sending.purpose
    let slowed = 0
    let exclusive = sending.exclusive === true

    for (let tries = 1; ;) {
      const { outcome, sentAt, isHeld } = await this.#once(
        stimulus,
        { ...sending, purpose, exclusive },
        { tries, isControl: sending.purpose === 'health-check' },
      )
      purpose = 'retry'

      if (outcome instanceof TransportError) {
        if (stimulus.traits.transportMayRefuse && mayBeRefusal(outcome.kind))
          throw new AttemptsFailed(outcome, tries)
        if (tries > retriesFor(outcome, stimulus, sending)) throw new AttemptsFailed(outcome, tries)
        if (sending.retryWhen !== undefined && !(await sending.retryWhen(outcome)))
          throw new AttemptsFailed(outcome, tries)
        // Where everybody waits, it waits among them, and is the first to go on.
        if (!isHeld) await pause(waitAfter(outcome, tries), sending.signal)
        tries += 1
        continue
      }
      this.#troublesInARow = 0
      this.#closed = Math.max(0, this.#closed - forgottenPerAnswer)
      this.#pace.narrow(false)
      if (!isRateRefusal(outcome)) {
        this.#pace.wasFine()
        return outcome
      }
      slowed += 1
      const wait = Math.max(shortestRateWaitMs, retryAfterMs(outcome, longestRateWaitMs) ?? 0)
      if (stimulus.traits.asksForQuota && quotaClients.has(stimulus.traits.client)) {
        if (slowed > rateTriesForQuota || this.#bareFor.has(stimulus.traits.client)) {
          this.#bareFor.add(stimulus.traits.client)
          return outcome
        }
        // Sent again after a pause of everybody and with nothing else in flight, it is no longer the rate that is refused.
        this.#pace.hold(wait)
        exclusive = true
        continue
      }
      if (slowed > rateTries)
        throw new Inconclusive(`the service refused the rate of requests, ${slowed} of ${slowed} times (429)`)
      this.#pace.slowDown(wait, sentAt)
    }
  }

  /**
   * In an outage everybody waits, and one after the other asks whether it is over: else every case would spend its tries, and
   * the budget, on what nobody can answer. Whether everybody waits at least as long as this one has to.
   */
  #holdOthers(trouble: TransportError, sentAt: number, wait: number): boolean {
    this.#troublesInARow += 1
    if (trouble.kind === 'gateway' && this.#troublesInARow < outage) {
      // A gateway that answers so now and then, while others are answered, may mean the rate.
      this.#gatewayNowAndThen += 1
      if (this.#gatewayNowAndThen % tooOften === 0) this.#pace.slowDown(0, sentAt)
    }
    if (this.#troublesInARow < outage) return false
    this.#pace.narrow(true)
    if (sentAt < this.#heldAt) return false

    this.#holds = this.#troublesInARow === outage ? 1 : this.#holds + 1
    this.#heldAt = performance.now()
    this.#pace.hold(Math.max(wait, waitAfter(trouble, Math.min(this.#holds, retryDelaysMs.length))))
    return true
  }

  /** Connections that are refused or closed may mean that too many stand open. */
  #noteClosed(trouble: TransportError): void {
    if (!mayMeanTooManyConnections(trouble)) return
    this.#closed += 1
    if (this.#closed < tooManyClosed || this.#usesFewer) return
    this.#usesFewer = true
    this.#pace.limit(fewer)
    this.#useFewer(fewer)
  }

  async #once(
    stimulus: TestRequest,
    sending: Sending,
    { tries, isControl }: { readonly tries: number; readonly isControl: boolean },
  ): Promise<Sent> {
    // Whoever has tried most goes first: in an outage nobody would come to an end if all took turns.
    const urgency = isControl ? urgencyOfControls : tries - 1
    const release = await this.#pace.slot(sending.signal, sending.exclusive === true, urgency)
    const sentAt = performance.now()
    try {
      const outcome = await this.#outcome(stimulus, sending)
      if (outcome instanceof TransportError && isNews(outcome, stimulus, sending)) this.#noteClosed(outcome)
      // Before the slot is free, so that nobody goes on meanwhile.
      const isHeld =
        outcome instanceof TransportError &&
        isNews(outcome, stimulus, sending) &&
        this.#holdOthers(outcome, sentAt, waitAfter(outcome, tries))
      return { outcome, sentAt, isHeld }
    } finally {
      release()
    }
  }

  async #outcome(
    { request }: TestRequest,
    { rule, purpose, signal, connection }: Sending,
  ): Promise<Exchange | TransportError> {
    if (this.#over !== null) throw this.#over
    this.#budget.take(rule, purpose)
    try {
      const exchange = await connection.send(request, signal)
      return isGatewayTrouble(exchange) ? gatewayTrouble(exchange) : exchange
    } catch (error) {
      if (error instanceof TransportError) return error
      throw error
    }
  }
}

/** What came of sending once. */
interface Sent {
  readonly outcome: Exchange | TransportError
  readonly sentAt: number
  /** Whether everybody waits, this one included. */
  readonly isHeld: boolean
}

/** Whether trouble may mean an outage: not where it may be a refusal, and not where it is known to be this request's. */
function isNews({ kind }: TransportError, { traits }: TestRequest, { expectsTrouble }: Sending): boolean {
  if (traits.transportMayRefuse && mayBeRefusal(kind)) return false
  return expectsTrouble !== true || !mayBeTheRequestsFault(kind)
}

function retriesFor(trouble: TransportError, { request }: TestRequest, sending: Sending): number {
  if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return 0
  const asked = sending.retries ?? retryDelaysMs.length
  return trouble.kind === 'timeout' ? Math.min(asked, retriesAfterTimeout) : asked
}
