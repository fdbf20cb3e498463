import type { Signal } from '../../http/abort-signal.ts'
import { truncateBody, type Exchange } from '../../http/exchange.ts'
import { openTransport, type Connection, type Transport } from '../../http/transport.ts'
import { isRefusedForQuota, isServed } from '../../judge/answered.ts'
import type { RunSnapshot } from '../../judge/record.ts'
import { redactJson, type Redactor } from '../../redact/redact.ts'
import type { Credentials } from '../../redact/secret.ts'
import type { Settings } from '../../settings/settings.ts'
import { specCatalogue, type Catalogue } from '../../specification/catalogue.ts'
import type { RuleId } from '../../specification/rules.ts'
import { Availability } from '../send/availability.ts'
import { BaselineWatch } from '../record/baseline-watch.ts'
import { Budget, type Allotment } from '../send/budget.ts'
import { Confirm } from './confirm.ts'
import { BudgetSpent, RunEnded } from '../plan/errors.ts'
import { FindingRecorder } from '../record/findings.ts'
import { Health } from './health.ts'
import { targetModel } from '../plan/target-model.ts'
import { Attribution } from './no-response.ts'
import { flawsOf, Observations } from '../record/observations.ts'
import { PassiveChecks } from '../record/passive-checks.ts'
import { plainContext, type PlainJudge } from './plain.ts'
import { PowerRecord, settingForMore } from '../record/power-record.ts'
import { placesBesides, Preflight } from './preflight.ts'
import { QuotaMonitor } from './quota.ts'
import { RateLimiter } from '../send/rate-limiter.ts'
import { redactorOf } from '../plan/redactor-of.ts'
import { ReplayRecorder } from '../record/replay.ts'
import { alone, withCircuitBreaker, withRetries, type Send, type SendOptions } from '../send/retry.ts'
import { RunLifecycle } from '../send/run-state.ts'
import { SharedRequests } from '../plan/shared-requests.ts'
import { successChecks } from '../record/success-checks.ts'
import { plainRequests, type Context, type TestRequest } from '../plan/test-request.ts'
import { traced } from '../send/trace.ts'

interface TestClientOptions {
  /** They must name an address and a client. */
  readonly settings: Settings
  readonly allotment: Allotment
  /** The rules of the run; those of the specification by default. */
  readonly catalogue?: Catalogue
  readonly userAgent: string
  readonly signal: Signal
  /** Called after each request with the number of requests so far. */
  readonly requestDone?: (sent: number) => void
  /** Called with each exchange. */
  readonly answered?: (request: TestRequest, exchange: Exchange) => void
  /** Called when a case of a rule has ended. */
  readonly caseDone?: (rule: RuleId) => void
  /** The requests that rules share, as planned. */
  readonly shared?: SharedRequests
  /** One case is sent again: nothing is confirmed, and its first exchanges are kept. */
  readonly replaying?: boolean
  /** Why the raw socket cannot be used; by default the transport's own reason. */
  readonly rawSocketUnavailable?: string
  /** Pause for a client that was locked out or banned, once, in milliseconds. */
  readonly leaveAloneMs?: number
  /** Replaces the transport that the settings describe. */
  readonly transport?: Transport
}

/** A run against one target: sends within rate and budget, judges run-wide rules, confirms findings. Making one sends nothing. */
export class TestClient {
  readonly budget: Budget
  readonly findings: FindingRecorder
  /** The same, where one case is sent again; null in a run. */
  readonly replay: ReplayRecorder | null
  readonly observations = new Observations()
  readonly power: PowerRecord
  /** Null without a baseline. */
  readonly baseline: BaselineWatch | null
  readonly redactor: Redactor
  readonly checks: PassiveChecks
  readonly confirm: Confirm
  /** What rules share, as planned. */
  readonly shared: SharedRequests
  /** Why the raw socket cannot be used, or null. */
  readonly rawSocketUnavailable: string | null
  readonly caseDone: (rule: RuleId) => void
  /** Aborted when the run is cancelled. */
  readonly cancelled: Signal
  readonly #options: TestClientOptions
  readonly #catalogue: Catalogue
  readonly #target: Credentials
  readonly #run: RunLifecycle
  readonly #limiter: RateLimiter
  readonly #transport: Transport
  readonly #availability = new Availability()
  readonly #preflight: Preflight
  readonly #health: Health
  readonly #quotas: QuotaMonitor
  readonly #attribution: Attribution

  constructor(options: TestClientOptions) {
    const { settings, leaveAloneMs = 15_000, replaying: isOff = false } = options
    const { target, run } = settings
    const { baseUrl, client: ownClient } = target
    const model = targetModel(settings)
    const [list] = model.endpoints
    if (baseUrl === null || ownClient === null || list === undefined)
      throw new TypeError('a client needs the address of the target and the credentials of a client')
    this.#target = ownClient
    this.#options = options
    this.cancelled = options.signal
    this.#catalogue = options.catalogue ?? specCatalogue
    this.caseDone = options.caseDone ?? ((): void => {})
    this.#run = new RunLifecycle(options.signal)
    this.#limiter = new RateLimiter(run, this.#run)
    const connect = { ...run, connections: run.concurrency, ca: run.ca?.pem ?? null }
    const openAt = (address: string): Transport => openTransport({ ...connect, baseUrl: address })
    this.#transport = options.transport ?? openAt(baseUrl)
    this.redactor = redactorOf(settings)
    this.power = new PowerRecord(model)
    this.baseline = run.baseline === null ? null : new BaselineWatch()
    this.shared = options.shared ?? new SharedRequests(this.#catalogue)
    this.budget = new Budget(run.maxRequests, options.allotment)
    this.rawSocketUnavailable = options.rawSocketUnavailable ?? this.#transport.rawSocketUnavailable
    const recorded = {
      ...run,
      baseUrl,
      caFile: run.ca?.file ?? null,
      redactor: this.redactor,
      model,
      catalogue: this.#catalogue,
      power: this.power,
    }
    this.replay = isOff ? new ReplayRecorder(recorded) : null
    this.findings = this.replay ?? new FindingRecorder(recorded)

    const send = this.#noting(this.#layers())
    const plains = plainRequests(model.clients, list, options.userAgent)
    const plain = plains.get('target')
    if (plain === undefined) throw new TypeError('the target client is always configured')
    const counting = this.#availability.counting(send)
    const below = { run: this.#run, send: counting, sendAlone: alone(counting, () => this.connection()) }
    const judge: PlainJudge = (request, exchange) =>
      this.checks.judge({ request, exchange, context: plainContext })
    this.#preflight = new Preflight({
      ...below,
      plain,
      judge,
      hasQuery: target.query !== null,
      otherPlaces: placesBesides({ ...target, baseUrl }, { plain, send: counting, open: openAt }),
    })
    this.#health = new Health({
      ...below,
      limiter: this.#limiter,
      findings: this.findings,
      plain,
      judge,
      leaveAloneMs,
    })
    this.confirm = new Confirm({ send: counting, plain, health: this.#health, isOff })
    this.checks = new PassiveChecks({
      places: { baseUrl, paths: model.endpoints.map(({ path }) => path) },
      seed: run.seed,
      model,
      findings: this.findings,
      observations: this.observations,
      power: this.power,
      baseline: this.baseline,
      successCheck: successChecks(model.endpoints),
      confirm: (request, context, violates) => this.confirm.request(request, context, violates),
    })
    this.#quotas = new QuotaMonitor({
      ...below,
      plain: (client) => plains.get(client) ?? null,
      accuse: (request, exchange, breach) => {
        const confirm = () => this.confirm.request(request, quotaContext, isRefusedForQuota)
        return this.findings.record({ request, exchange, context: quotaContext, breach, confirm })
      },
    })
    this.#attribution = new Attribution(send, {
      health: this.#health,
      availability: this.#availability,
      flawsOf: (request) => flawsOf(request, model),
    })
  }

  /** Why nothing more is sent; null while the run goes on, and if it was cancelled. */
  get over(): RunEnded | null {
    const { state } = this.#run
    return state.kind === 'ended' && state.reason instanceof RunEnded ? state.reason : null
  }

  /** How many requests could always be in flight at once so far. */
  get concurrency(): number {
    return this.#limiter.concurrency
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.#transport.close()
  }

  /** A new connection. */
  connection(): Connection {
    return this.#transport.connection()
  }

  /**
   * Sends a request and gives its exchange, judged by the run-wide rules. Throws {@link Inconclusive} if nothing can be said,
   * {@link RunEnded} if nothing more is sent, {@link NoResponse} if this request alone never gets a response, and
   * {@link TransportRejected} if the transport rejects it and may.
   */
  async send(request: TestRequest, context: Context): Promise<Exchange> {
    const waits = this.#preflight.reached() ?? this.#health.trialUnderWay
    if (waits !== null) await waits
    this.#run.signal.throwIfAborted()
    const refused = this.#quotas.refuseExhausted(request)
    if (refused !== null) await refused

    const { rule, case: name, connection, atOnce, purpose = 'case' } = context
    const options: SendOptions = { rule, purpose, case: name, connection, atOnce }
    const exchange = await this.#attribution.send(request, options)
    const noted = this.#quotas.note(request, exchange)
    if (noted !== null) await noted
    this.checks.observe({ request, exchange, context })
    this.replay?.answered(request, exchange)
    const judged = this.checks.judge({ request, exchange, context })
    if (judged !== null) await judged
    const recovers = this.#health.recoversAfter(exchange)
    if (recovers !== false && (await recovers)) return this.send(request, context)
    return this.shared.isReadWhole(request, context) ? exchange : truncateBody(exchange)
  }

  /** As `send`, but once in a run for all planned cases that share the request. */
  sendOnce(request: TestRequest, context: Context): Promise<Exchange> {
    return this.shared.once(request, () => this.send(request, context))
  }

  /** As `sendOnce`. If the answer in a scenario does not hold, its order may be why: the request is then sent by itself, if the budget allows. */
  async sendShared(
    request: TestRequest,
    context: Context,
    holds: (exchange: Exchange) => boolean,
  ): Promise<Exchange> {
    const exchange = await this.sendOnce(request, context)
    if (holds(exchange) || !this.shared.isOfScenario(exchange)) return exchange
    try {
      return await this.send(request, context)
    } catch (error) {
      if (error instanceof BudgetSpent) return exchange
      throw error
    }
  }

  record(): RunSnapshot {
    return {
      power: this.power.power(settingForMore(this.#options.settings.run)),
      blamed: this.power.blamed,
      ...this.budget.spent(),
      retriedFor: this.#availability.byKind,
      latencyMs: this.observations.latencyMs(),
      msByRule: this.observations.msByRule(),
      ended: this.over === null ? null : this.redactor.ofAnswer().redact(this.over.message),
      observations: this.observations.all().map(({ id, value }) => ({
        id,
        value: redactJson(value, this.redactor.ofAnswer()),
      })),
    }
  }

  /** From the wire up: transport, budget, circuit breaker, rate limiter, retries. */
  #layers(): Send {
    const state = { run: this.#run, limiter: this.#limiter, availability: this.#availability }
    const { trace, seed } = this.#options.settings.run
    const spend: Send = (
      { request, traits },
      { rule, purpose, case: name, connection = this.#transport },
    ) => {
      this.budget.take(rule, purpose, traits.client)
      const isTraced = trace !== null && name !== undefined
      const sent = isTraced ? traced(request, `${rule}:${seed}:${name}`, purpose) : request
      return connection.send(sent, this.#run.cancelled)
    }
    const breaker = withCircuitBreaker(spend, state, (connections) => this.#transport.useAtMost(connections))
    return withRetries(this.#limiter.limit(breaker), state)
  }

  /** Records latencies, served clients and the number of requests. */
  #noting(next: Send): Send {
    return async (request, options) => {
      try {
        const exchange = await next(request, options)
        this.observations.took(options.rule, exchange.durationMs)
        this.#options.answered?.(request, exchange)
        const { plain, client } = request.traits
        if (isServed(exchange) && (plain || request.carries(this.#target)))
          this.#run.changeClient('target', 'checked')
        if (isServed(exchange) && plain) this.#run.changeClient(client, 'served')
        return exchange
      } finally {
        this.#options.requestDone?.(this.budget.sent)
      }
    }
  }
}

const quotaContext: Context = { rule: 'quota/per-client', case: 'served-before', replayable: false }
