import type { Baseline } from '../drift/baseline.ts'
import { truncateBody, type Exchange } from '../http/exchange.ts'
import { redactJson, type Redactor } from '../redact/redact.ts'
import type { Connection, Transport } from '../http/transport.ts'
import { isRefusedForQuota, isServed } from '../judge/answered.ts'
import type { Replayed, RunSnapshot, ShownExchange } from '../judge/record.ts'
import type { ClientName } from '../spec/clients.ts'
import { ruleIds, type RuleId } from '../spec/rules.ts'
import type { Budget, Purpose } from './budget.ts'
import { clientSetting } from './client-setting.ts'
import { Confirmations, type Confirmation } from './confirmations.ts'
import type { Context, TestRequest } from './test-request.ts'
import { Controls, quotaSentence } from './controls.ts'
import type { Delivery, Sending } from './deliver.ts'
import type { FindingRecorder, Reproduced } from './findings.ts'
import { Insistence } from './insistence.ts'
import { flawsOf, type Observations } from './observations.ts'
import type { Pace } from './pace.ts'
import { PassiveChecks, type PassiveCheckOptions } from './passive-checks.ts'
import { QuotaWatch, type SharedQuota } from './quota-watch.ts'
import type { SharedRequests } from './shared-requests.ts'
import { ClientLockedOut, RunEnded, Inconclusive } from './inconclusive.ts'

/** What a session works with. */
export interface ClientParts extends Omit<PassiveCheckOptions, 'confirm'> {
  readonly transport: Transport
  readonly budget: Budget
  readonly pace: Pace
  readonly delivery: Delivery
  /** A plain valid request of a client; null for one that is not configured. */
  readonly plain: (client: ClientName) => TestRequest | null
  readonly hasQuery: boolean
  /** How long a client that was locked out, or banned, is left alone, once; in milliseconds. */
  readonly leaveAloneMs: number
  /** Why the raw socket cannot be used, or null. */
  readonly rawSocketUnavailable: string | null
  readonly redactor: Redactor
  readonly shared: SharedRequests
  /** Told after each request how many were sent. */
  readonly requestDone: (sent: number) => void
  /** Told when a case of a rule has ended. */
  readonly caseDone: (rule: RuleId) => void
  /** Whether one case is sent again: nothing is confirmed, and every exchange is kept. */
  readonly replaying: boolean
  /** Ends when the run is cancelled. */
  readonly signal: AbortSignal
}

/**
 * A run against one target: sends stimuli at the run's pace and within its budget, knows trouble, quotas and rates from
 * answers, judges the run-wide rules on every exchange, and confirms before it accuses.
 */
export class TestClient {
  readonly #parts: ClientParts
  readonly #controls: Controls
  readonly #quotas: QuotaWatch
  readonly #confirmations: Confirmations
  readonly #checks: PassiveChecks
  readonly #insistence: Insistence
  readonly #replayed: ShownExchange[] = []
  #over: RunEnded | null = null

  constructor(parts: ClientParts) {
    this.#parts = parts
    this.#confirmations = new Confirmations({
      sendAlone: (stimulus, context) => this.#deliver(stimulus, context, 'confirming', { exclusive: true }),
      sendControl: (context) => this.#deliver(this.#control(), context, 'confirming'),
      checkLockout: () => this.#controls.checkLockout(),
      isOff: parts.replaying,
    })
    this.#checks = new PassiveChecks({
      ...parts,
      confirm: (request, context, violates) => this.#confirmations.confirm(request, context, violates),
    })
    this.#controls = new Controls({
      send: ({ alone }) => this.#sendControl(alone),
      sendStranger: () =>
        this.#deliver(this.#control().without('x-api-key', 'x-secret-key'), controlContext, 'health-check'),
      end: (over) => {
        this.#over ??= over
        // What a client met that was locked out is told by those who met it.
        if (over instanceof ClientLockedOut) parts.findings.lockedOut()
        else parts.delivery.end(over)
      },
      hold: (waitMs) => parts.pace.hold(waitMs),
      leaveAloneMs: parts.leaveAloneMs,
      recovered: () => parts.findings.recovered(),
      judge: (exchange) =>
        this.#checks.judge({ request: this.#control(), exchange, context: controlContext }),
      hasQuery: parts.hasQuery,
      signal: parts.signal,
    })
    this.#insistence = new Insistence({
      deliver: (stimulus, context, more) => this.#deliver(stimulus, context, more.purpose ?? 'case', more),
      serves: () => this.#controls.serves(),
      servesFromNow: () => this.#controls.servesFromNow(),
      servesAlone: () => this.#controls.servesAlone(),
      flawsOf: (stimulus) => flawsOf(stimulus, parts.knowledge),
      over: () => this.#over,
    })
    this.#quotas = new QuotaWatch({
      plain: (client, { alone }) => {
        const plain = parts.plain(client)
        if (plain === null) return null
        return alone
          ? this.#sendAlone(plain, quotaContext)
          : this.#deliver(plain, quotaContext, 'health-check')
      },
      accuse: (accusation) => this.#accuseSharedQuota(accusation),
    })
  }

  /** Why nothing more is sent, or null while the run goes on. */
  get over(): RunEnded | null {
    return this.#over
  }

  get findings(): FindingRecorder {
    return this.#parts.findings
  }

  get observations(): Observations {
    return this.#parts.observations
  }

  /** What every exchange of the run counts for. */
  get checks(): PassiveChecks {
    return this.#checks
  }

  get budget(): Budget {
    return this.#parts.budget
  }

  /** How many requests may be in flight at once. */
  get concurrency(): number {
    return this.#parts.pace.concurrency
  }

  /** Why the raw socket cannot be used, or null. */
  get rawSocketUnavailable(): string | null {
    return this.#parts.rawSocketUnavailable
  }

  /** Says that a case of a rule has ended. */
  caseDone(rule: RuleId): void {
    this.#parts.caseDone(rule)
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#parts.transport.close()
  }

  /** One connection of its own. */
  connection(): Connection {
    return this.#parts.transport.connection()
  }

  /**
   * Sends a stimulus and gives its exchange, judged by the run-wide rules. Throws {@link Inconclusive} where nothing can be said,
   * {@link RunEnded} when nothing more is sent, {@link NoResponse} when this request alone is never answered, and
   * {@link TransportRejected} where the transport refused it and may.
   */
  async send(stimulus: TestRequest, context: Context): Promise<Exchange> {
    await this.#controls.open()
    if (this.#over !== null) throw this.#over
    await this.#refuseUsedUp(stimulus)

    const exchange = await this.#insistence.send(stimulus, context)
    await this.#checkQuota(stimulus, exchange)
    this.#checks.observe({ request: stimulus, exchange, context })
    if (this.#parts.replaying) this.#replayed.push(this.findings.shown(stimulus, exchange))
    await this.#checks.judge({ request: stimulus, exchange, context })
    // Whoever was answered while the client was locked out asks again.
    if (await this.#wasLockedOut(exchange)) return this.send(stimulus, context)
    return truncateBody(exchange)
  }

  /** The same for a request that counts for several rules: sent once in a run, where the rule takes another one's answer. */
  sendOnce(stimulus: TestRequest, context: Context): Promise<Exchange> {
    return this.#parts.shared.once(context.rule, stimulus, () => this.send(stimulus, context))
  }

  /** The shapes of all answers so far, or null where nobody asked for a baseline. */
  get shapes(): Baseline | null {
    return this.#parts.baseline?.seen ?? null
  }

  /** What became of a case that is sent again: every exchange, in order, and what any rule found in them; null in a run. */
  get replayed(): Replayed | null {
    if (!this.#parts.replaying) return null
    const found = ruleIds.flatMap((rule) => this.findings.of(rule).map((finding) => ({ rule, finding })))
    return { exchanges: this.#replayed, found }
  }

  /** Sends what a case already sent twice more, alone, with a control between; remembered per stimulus. */
  confirm(
    stimulus: TestRequest,
    context: Context,
    violates: (exchange: Exchange) => boolean,
  ): Promise<Confirmation> {
    return this.#confirmations.confirm(stimulus, context, violates)
  }

  /** Lets go of what was kept to confirm breaches by this stimulus. */
  forget(stimulus: TestRequest): void {
    this.#confirmations.forget(stimulus)
  }

  /** Text that may repeat what a service answered, with every credential masked. */
  redact(text: string): string {
    return this.#parts.redactor.redact(text)
  }

  /** The run as a whole, so far. */
  record(): RunSnapshot {
    return {
      ...this.#parts.budget.spent(),
      latencyMs: this.observations.latencyMs(),
      ended: this.#over === null ? null : this.redact(this.#over.message),
      observations: this.observations.all().map(({ id, value }) => ({
        id,
        value: redactJson(value, this.#parts.redactor),
      })),
    }
  }

  async #deliver(
    stimulus: TestRequest,
    context: Context,
    purpose: Purpose,
    more: Partial<Sending> = {},
  ): Promise<Exchange> {
    const { transport, delivery, signal, observations, budget, requestDone } = this.#parts
    const connection = context.connection ?? transport
    try {
      const exchange = await delivery.deliver(stimulus, {
        rule: context.rule,
        purpose,
        signal,
        connection,
        ...more,
      })
      observations.took(exchange.durationMs)
      if (stimulus.traits.plain) this.#quotas.notePlain(stimulus.traits.client, exchange)
      if (stimulus.traits.plain && isServed(exchange)) this.#controls.served()
      return exchange
    } finally {
      requestDone(budget.sent)
    }
  }

  async #refuseUsedUp({ traits }: TestRequest): Promise<void> {
    if (traits.asksForQuota || !(await this.#quotas.isUsedUp(traits.client))) return
    throw new Inconclusive(quotaSentence(clientSetting(traits.client)))
  }

  async #checkQuota({ traits }: TestRequest, exchange: Exchange): Promise<void> {
    if (!isRefusedForQuota(exchange)) return
    if (traits.asksForQuota) return this.#quotas.ranOut(traits.client)
    if (!(await this.#quotas.unasked(traits.client))) return

    const sentence = quotaSentence(clientSetting(traits.client))
    if (traits.client !== 'target') throw new Inconclusive(sentence)
    this.#over ??= new RunEnded(sentence)
    throw this.#over
  }

  async #accuseSharedQuota({ client, exchange, breach, lasts }: SharedQuota): Promise<void> {
    const stimulus = this.#parts.plain(client) ?? this.#control()
    const confirm = (): Promise<Reproduced> => this.confirm(stimulus, quotaContext, isRefusedForQuota)
    await this.findings.record({ request: stimulus, exchange, context: quotaContext, breach, confirm })
    if (client !== 'target' || !lasts) return
    this.#over ??= new RunEnded(
      "the target client is refused since another client's quota ran out (see quota/per-client)",
    )
  }

  /** A client that was refused so often may be locked out: better to know than to blame. */
  async #wasLockedOut(exchange: Exchange): Promise<boolean> {
    if (isServed(exchange)) return false
    if (!this.#controls.refused(this.#parts.pace.active)) return false

    const before = this.#controls.hasRecovered
    await this.#controls.serves()
    return this.#controls.hasRecovered !== before
  }

  #control(): TestRequest {
    const plain = this.#parts.plain('target')
    if (plain === null) throw new TypeError('the target client is always configured')
    return plain
  }

  #sendControl(alone: boolean): Promise<Exchange> {
    if (this.#over !== null) throw this.#over
    return alone
      ? this.#sendAlone(this.#control(), controlContext)
      : this.#deliver(this.#control(), controlContext, 'health-check')
  }

  /** With nothing else in flight, and on a connection of its own: whatever is wrong with others is not meant. */
  async #sendAlone(stimulus: TestRequest, context: Context): Promise<Exchange> {
    const connection = this.connection()
    try {
      return await this.#deliver(stimulus, { ...context, connection }, 'health-check', { exclusive: true })
    } finally {
      await connection.close()
    }
  }
}

const controlContext: Context = { rule: 'endpoints/list-succeeds', case: 'plain' }
const quotaContext: Context = { rule: 'quota/per-client', case: 'served-before', replayable: false }
