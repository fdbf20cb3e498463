import { truncateBody, type Exchange } from '../../http/exchange.ts'
import { BudgetSpent } from '../plan/errors.ts'
import type { SharedAnswers } from '../plan/shared-requests.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'
import type { RunRecord } from '../record/run-record.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { Accuser } from './accuser.ts'
import type { Health } from './health.ts'
import type { Lockouts } from './lockouts.ts'
import type { OtherLockouts } from './other-lockouts.ts'
import type { Attribution } from './no-response.ts'
import type { Preflight } from './preflight.ts'
import type { QuotaMonitor } from './quota-monitor.ts'

interface DriverParts {
  readonly run: RunLifecycle
  readonly preflight: Pick<Preflight, 'reached'>
  readonly lockouts: Pick<Lockouts, 'trialUnderWay'>
  readonly otherLockouts: Pick<OtherLockouts, 'recovers'>
  readonly quotas: Pick<QuotaMonitor, 'refuseExhausted' | 'note'>
  readonly attribution: Pick<Attribution, 'send'>
  readonly record: RunRecord
  readonly accuser: Pick<Accuser, 'judge'>
  readonly health: Pick<Health, 'recoversAfter'>
  readonly shared: SharedAnswers
}

/** Sends what cases ask, hands each exchange to the record, and decides what it means for the run. */
export class Driver {
  readonly #parts: DriverParts

  constructor(parts: DriverParts) {
    this.#parts = parts
  }

  /**
   * Sends a request and gives its exchange, judged by the run-wide rules. Throws `Inconclusive` if nothing can be said, `RunEnded` if
   * nothing more is sent, `NoResponse` if this request alone never gets a response, and `TransportRejected` if the transport rejects
   * it and may.
   */
  async send(request: TestRequest, context: Context): Promise<Exchange> {
    const { run, preflight, lockouts, otherLockouts, quotas, attribution, record, accuser, health, shared } =
      this.#parts
    const waits = preflight.reached() ?? lockouts.trialUnderWay
    if (waits !== null) await waits
    run.signal.throwIfAborted()
    const refused = quotas.refuseExhausted(request)
    if (refused !== null) await refused

    const { rule, purpose = 'case', case: name, connection, atOnce } = context
    const exchange = await attribution.send(request, { rule, purpose, case: name, connection, atOnce })
    const noted = quotas.note(request, exchange)
    if (noted !== null && (await noted)) return this.send(request, context)
    const unlocks = otherLockouts.recovers(request, exchange)
    if (unlocks !== false && (await unlocks)) return this.send(request, context)
    const given = { request, exchange, context }
    record.checks.observe(given)
    record.replay?.answered(record.answers.shown(request, exchange))
    // What a row shows is refined before it accuses.
    const judged = request.traits.conditions === undefined ? accuser.judge(given) : null
    if (judged !== null) await judged
    const recovers = health.recoversAfter(exchange)
    if (recovers !== false && (await recovers)) return this.send(request, context)
    return shared.isReadWhole(request, context) ? exchange : truncateBody(exchange)
  }

  /** As `send`, but once in a run for all planned cases that share the request. */
  sendOnce(request: TestRequest, context: Context): Promise<Exchange> {
    const { shared } = this.#parts
    const known = shared.take(request)
    if (known !== null) return known
    const sent = this.send(request, context)
    shared.keep(request, sent, context)
    return sent
  }

  /** As `sendOnce`. If the answer in a scenario does not hold, its order may be why: the request is then sent by itself, if the budget allows. */
  async sendShared(
    request: TestRequest,
    context: Context,
    holds: (exchange: Exchange) => boolean,
  ): Promise<Exchange> {
    const exchange = await this.sendOnce(request, context)
    if (holds(exchange) || !this.#parts.shared.isOfScenario(exchange)) return exchange
    try {
      return await this.send(request, context)
    } catch (error) {
      if (error instanceof BudgetSpent) return exchange
      throw error
    }
  }
}
