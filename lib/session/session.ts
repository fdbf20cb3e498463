import type { Exchange } from '../http/exchange.ts'
import { scrubJson, type Scrubber } from '../http/scrub.ts'
import type { Connection, Transport } from '../http/transport.ts'
import { answeredBy, isSuccess } from '../judge/answered.ts'
import { curlLine } from '../judge/curl.ts'
import { withHint, type Breach, type Judgement } from '../judge/judge.ts'
import type { RunRecord } from '../judge/record.ts'
import { observedExemption } from '../judge/observed.ts'
import { runWideChecks } from '../judge/run-wide.ts'
import { show } from '../judge/show.ts'
import type { ClientName } from '../oracle/knowledge.ts'
import { runWideRules, type RuleId } from '../spec/rules.ts'
import type { Budget, Purpose } from './budget.ts'
import { Controls, quotaSentence } from './controls.ts'
import { isQuotaRefusal, QuotaWatch } from './quota-watch.ts'
import { mayBeTheRequestsFault, NoAnswer, type Delivery, type Sending } from './deliver.ts'
import type { Pace } from './pace.ts'
import type { Reproduced, RunLog } from './run-log.ts'
import type { Stimulus } from './stimulus.ts'
import type { SuccessCheck } from './success-checks.ts'
import { RunOver, Unjudged } from './unjudged.ts'

/** What a session works with. */
export interface SessionParts {
  readonly baseUrl: string
  readonly caFile: string | null
  readonly seed: number
  readonly transport: Transport
  readonly budget: Budget
  readonly pace: Pace
  readonly delivery: Delivery
  readonly log: RunLog
  readonly scrubber: Scrubber
  /** A plain valid request of a client; null for one that is not configured. */
  readonly plain: (client: ClientName) => Stimulus | null
  readonly successCheck: SuccessCheck
  readonly hasQuery: boolean
  /** Ends when the run is cancelled. */
  readonly signal: AbortSignal
  /** Called after everything that changes the record. */
  readonly changed: () => void
}

/** Whose request it is. */
export interface Context {
  readonly rule: RuleId
  /** The case's name within the rule. */
  readonly case: string
  readonly connection?: Connection
  /** Whether it repeats what was seen, to confirm it. */
  readonly confirming?: boolean
}

/** One particular request that no answer ever came to, while plain valid ones were answered. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
  readonly stimulus: Stimulus
  readonly difference: string
  readonly reproduced: Reproduced

  constructor(stimulus: Stimulus, { trouble }: NoAnswer, tries: number) {
    super(`no answer came while plain valid requests were answered: ${trouble.message}`)
    this.stimulus = stimulus
    this.difference = `no answer: ${trouble.kind}`
    this.reproduced = { seen: tries, of: tries }
  }
}

/**
 * A run against one target: sends stimuli at the run's pace and within its budget, knows trouble, quotas and rates from
 * answers, judges the run-wide rules on every exchange, and confirms before it accuses.
 */
export class Session {
  readonly #parts: SessionParts
  readonly #controls: Controls
  readonly #repeats = new WeakMap<Stimulus, Promise<Repeats>>()
  readonly #quotas: QuotaWatch
  #over: RunOver | null = null

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#controls = new Controls({
      send: () => this.#sendControl(),
      end: (over) => {
        this.#over ??= over
      },
      judge: (exchange) => this.#judgeRunWide(this.#control(), exchange, controlContext),
      hasQuery: parts.hasQuery,
      signal: parts.signal,
    })
    this.#quotas = new QuotaWatch({
      plain: (client) => {
        const plain = parts.plain(client)
        return plain === null ? null : this.#deliver(plain, quotaContext, 'confirming')
      },
      accuse: (client, exchange, breach) => this.#accuseSharedQuota(client, exchange, breach),
    })
  }

  /** Why nothing more is sent, or null while the run goes on. */
  get over(): RunOver | null {
    return this.#over
  }

  get log(): RunLog {
    return this.#parts.log
  }

  get budget(): Budget {
    return this.#parts.budget
  }

  /** One connection of its own. */
  connection(): Connection {
    return this.#parts.transport.connection()
  }

  /**
   * Sends a stimulus and gives its exchange, judged by the run-wide rules. Throws {@link Unjudged} where nothing can be said,
   * {@link RunOver} when nothing more is sent, {@link Unanswered} when this request alone is never answered.
   */
  async send(stimulus: Stimulus, context: Context): Promise<Exchange> {
    await this.#controls.open()
    if (this.#over !== null) throw this.#over
    await this.#refuseUsedUp(stimulus)

    const exchange = await this.#delivered(stimulus, context)
    await this.#checkQuota(stimulus, exchange)
    await this.#judgeRunWide(stimulus, exchange, context)
    await this.#checkLockout(stimulus, exchange)
    return exchange
  }

  /** Sends what a case already sent twice more, alone, with a control between; remembered per stimulus. */
  async confirm(
    stimulus: Stimulus,
    context: Context,
    violates: (exchange: Exchange) => boolean,
  ): Promise<Confirmation> {
    const known = this.#repeats.get(stimulus)
    const made = known ?? this.#repeat(stimulus, context)
    this.#repeats.set(stimulus, made)

    const { exchanges, served } = await made
    return { seen: 1 + exchanges.filter(violates).length, of: 1 + exchanges.length, served }
  }

  /** How a stimulus and its answer, if one came, are shown. */
  shown(stimulus: Stimulus, exchange: Exchange | null): ReturnType<typeof show> {
    const { request } = stimulus
    return show(exchange ?? { request, response: null, durationMs: 0 }, this.#parts)
  }

  /** The curl line of a stimulus. */
  curl({ request }: Stimulus): string | null {
    const line = curlLine(request, this.#parts)
    return line === null ? null : this.scrub(line)
  }

  /** The public name of a case: `rule:seed:case`. */
  caseId({ rule, case: name }: Context): string {
    return `${rule}:${this.#parts.seed}:${name}`
  }

  /** Books a breach, confirmed once per rule and fingerprint. */
  async breach(
    { stimulus, exchange, context, breach, confirm }: BreachToBook,
    rule: RuleId = context.rule,
  ): Promise<void> {
    const sighting = {
      case: this.caseId(context),
      endpoint: stimulus.traits.endpoint,
      breach: this.#scrubbed(breach),
      show: () => ({ exchange: this.shown(stimulus, exchange), curl: this.curl(stimulus) }),
    }
    await this.#parts.log.breach(rule, sighting, confirm)
    this.#parts.changed()
  }

  /** Text that may repeat what a service answered, with every credential masked. */
  scrub(text: string): string {
    return this.#parts.scrubber.scrub(text)
  }

  /** The run as a whole, so far. */
  record(): RunRecord {
    return {
      ...this.#parts.budget.spent(),
      latencyMs: this.#parts.log.latencyMs(),
      ended: this.#over === null ? null : this.scrub(this.#over.message),
      observations: this.#parts.log.observations().map(({ id, value }) => ({
        id,
        value: scrubJson(value, this.#parts.scrubber),
      })),
    }
  }

  /** A code that a service made up may be anything, a credential too. */
  #scrubbed(breach: Breach): Breach {
    const { scrubber } = this.#parts
    const { answered } = breach
    const errorCode = answered?.errorCode ?? null
    return {
      ...breach,
      summary: scrubber.scrub(breach.summary),
      answered:
        answered === null || errorCode === null
          ? answered
          : { ...answered, errorCode: scrubber.scrub(errorCode) },
    }
  }

  async #delivered(stimulus: Stimulus, context: Context): Promise<Exchange> {
    try {
      return await this.#deliver(stimulus, context, context.confirming === true ? 'confirming' : 'case')
    } catch (error) {
      if (error instanceof NoAnswer) return this.#insist(stimulus, context, error)
      throw error
    }
  }

  async #deliver(
    stimulus: Stimulus,
    context: Context,
    purpose: Purpose,
    more: Partial<Sending> = {},
  ): Promise<Exchange> {
    const { transport, delivery, signal, log, changed } = this.#parts
    const connection = context.connection ?? transport
    try {
      const exchange = await delivery.deliver(stimulus, {
        rule: context.rule,
        purpose,
        signal,
        connection,
        ...more,
      })
      log.took(exchange.durationMs)
      if (stimulus.traits.plain) this.#quotas.notePlain(stimulus.traits.client, exchange)
      if (stimulus.traits.plain && isSuccess(answeredBy(exchange.response))) this.#controls.served()
      return exchange
    } finally {
      changed()
    }
  }

  /** Trouble every time: the service's silence only if it serves others and stays silent to this one. */
  async #insist(stimulus: Stimulus, context: Context, met: NoAnswer): Promise<Exchange> {
    if (!mayBeTheRequestsFault(met.trouble.kind)) {
      await this.#controls.serves()
      return this.#deliver(stimulus, context, 'retry', { retries: 0 })
    }

    let tries = met.tries
    for (let again = 0; again < 2; again += 1) {
      const serves = await this.#controls.serves()
      try {
        return await this.#deliver(stimulus, context, 'confirming', { retries: 0 })
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        if (!serves) throw error
        tries += 1
      }
    }
    if (stimulus.traits.plain) throw met
    throw new Unanswered(stimulus, met, tries)
  }

  async #refuseUsedUp({ traits }: Stimulus): Promise<void> {
    if (traits.asksForQuota || !(await this.#quotas.isUsedUp(traits.client))) return
    throw new Unjudged(quotaSentence(clientSetting(traits.client)))
  }

  async #checkQuota({ traits }: Stimulus, exchange: Exchange): Promise<void> {
    if (!isQuotaRefusal(exchange)) return
    if (traits.asksForQuota) return this.#quotas.ranOut(traits.client)
    if (!(await this.#quotas.unasked(traits.client))) return

    const sentence = quotaSentence(clientSetting(traits.client))
    if (traits.client !== 'target') throw new Unjudged(sentence)
    this.#over ??= new RunOver(sentence)
    throw this.#over
  }

  async #accuseSharedQuota(client: ClientName, exchange: Exchange, breach: Breach): Promise<void> {
    const stimulus = this.#parts.plain(client) ?? this.#control()
    const confirm = (): Promise<Reproduced> => this.confirm(stimulus, quotaContext, isQuotaRefusal)
    await this.breach({ stimulus, exchange, context: quotaContext, breach, confirm })
    if (client !== 'target') return
    this.#over ??= new RunOver(
      "the target client is refused since another client's quota ran out (see quota/per-client)",
    )
  }

  async #judgeRunWide(stimulus: Stimulus, exchange: Exchange, context: Context): Promise<void> {
    if (stimulus.traits.plain) {
      const check = await this.#parts.successCheck(stimulus.traits.endpoint)
      await this.#judgeAs('endpoints/list-succeeds', (one) => check.judge(one), {
        stimulus,
        exchange,
        context,
      })
    }
    for (const rule of runWideRules) {
      const check = runWideChecks[rule]
      const judge = (one: Exchange): Judgement | null =>
        observedExemption(one, stimulus.traits) && !countsAlways(rule, one) ? null : check(one)
      await this.#judgeAs(rule, judge, { stimulus, exchange, context })
    }
  }

  async #judgeAs(
    rule: RuleId,
    judge: (exchange: Exchange) => Judgement | null,
    {
      stimulus,
      exchange,
      context,
    }: { readonly stimulus: Stimulus; readonly exchange: Exchange; readonly context: Context },
  ): Promise<void> {
    const judgement = judge(exchange)
    if (judgement === null) return

    this.#parts.log.judged(rule, () => this.shown(stimulus, exchange))
    if (judgement.kind !== 'violates') return
    const confirm = (): Promise<Reproduced> =>
      this.confirm(stimulus, context, (one) => judge(one)?.kind === 'violates')
    const breach =
      rule === 'endpoints/list-succeeds' && stimulus.traits.client === 'second'
        ? withHint(judgement.breach, 'the client of FIXTURE_SECOND_API_KEY may not use the endpoint')
        : judgement.breach
    await this.breach({ stimulus, exchange, context, breach, confirm }, rule)
  }

  /** A client that was refused so often may be locked out: better to know than to blame. */
  async #checkLockout(stimulus: Stimulus, { response }: Exchange): Promise<void> {
    if (isSuccess(answeredBy(response))) return
    if (this.#controls.refused(this.#parts.pace.active)) await this.#controls.serves()
  }

  async #repeat(stimulus: Stimulus, context: Context): Promise<Repeats> {
    const exchanges: Exchange[] = []
    const anywhere: Context = { rule: context.rule, case: context.case }
    let served = true
    try {
      exchanges.push(await this.#deliver(stimulus, anywhere, 'confirming', { exclusive: true }))
      served = isSuccess(answeredBy((await this.#deliver(this.#control(), anywhere, 'confirming')).response))
      exchanges.push(await this.#deliver(stimulus, anywhere, 'confirming', { exclusive: true }))
    } catch (error) {
      // What could not be repeated is said in "1 of 1"; the breach itself was seen.
      if (!(error instanceof Unjudged)) throw error
    }
    return { exchanges, served }
  }

  #control(): Stimulus {
    const plain = this.#parts.plain('target')
    if (plain === null) throw new TypeError('the target client is always configured')
    return plain
  }

  #sendControl(): Promise<Exchange> {
    if (this.#over !== null) throw this.#over
    return this.#deliver(this.#control(), controlContext, 'confirming')
  }
}

/** What repeating a stimulus came to: how often the breach was seen, and whether the control between was served. */
export interface Confirmation extends Reproduced {
  readonly served: boolean
}

/** A breach and what belongs to it. */
export interface BreachToBook {
  readonly stimulus: Stimulus
  readonly exchange: Exchange | null
  readonly context: Context
  readonly breach: Breach
  readonly confirm: () => Promise<Reproduced>
}

interface Repeats {
  readonly exchanges: readonly Exchange[]
  readonly served: boolean
}

const controlContext: Context = { rule: 'endpoints/list-succeeds', case: 'control' }
const quotaContext: Context = { rule: 'quota/per-client', case: 'served-before' }

/** An echoed secret and a 5xx (501 excepted) count even where an exchange is only observed. */
function countsAlways(rule: RuleId, { response }: Exchange): boolean {
  if (rule === 'security/no-secret-echo') return true
  return rule === 'errors/documented-pairs' && response.status >= 500 && response.status !== 501
}

/** How sentences call a client. */
export function clientSetting(client: ClientName): string {
  const settings: Readonly<Record<ClientName, string>> = {
    target: 'TARGET_API_KEY',
    second: 'FIXTURE_SECOND_API_KEY',
    noCustomer: 'FIXTURE_NO_CUSTOMER_API_KEY',
    inactive: 'FIXTURE_INACTIVE_API_KEY',
    unauthorized: 'FIXTURE_UNAUTHORIZED_API_KEY',
    exhausted: 'FIXTURE_EXHAUSTED_API_KEY',
    disposable: 'FIXTURE_DISPOSABLE_API_KEY',
  }
  return `the client of ${settings[client]}`
}
