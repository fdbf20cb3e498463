import { truncateBody, type Exchange } from '../http/exchange.ts'
import type { Breaches } from './breaches.ts'
import type { Clients } from './clients.ts'
import type { Core } from './core.ts'
import type { FirstRequest } from './first-request.ts'
import { noAnswer } from './plan/errors.ts'
import type { SharedAnswers } from './plan/shared-requests.ts'
import type { Context, TestRequest } from './plan/test-request.ts'
import type { Silence } from './silence.ts'

interface RequestsParts {
  readonly shared: SharedAnswers
  readonly first: FirstRequest
  readonly silence: Silence
  readonly clients: Clients
  readonly breaches: Breaches
}

/** Sends the requests of cases, records each exchange, and decides what it means for the run. */
export class Requests {
  readonly #core: Core
  readonly #parts: RequestsParts

  constructor(core: Core, parts: RequestsParts) {
    this.#core = core
    this.#parts = parts
  }

  /** Sends a request and returns its exchange, judged by the run-wide rules. Throws `NoAnswer` if there is none. */
  async send(request: TestRequest, context: Context): Promise<Exchange> {
    const { lifecycle, record } = this.#core
    const { shared, first, silence, clients, breaches } = this.#parts
    const waits = first.reached() ?? silence.trialUnderWay
    if (waits !== null) await waits
    lifecycle.signal.throwIfAborted()
    const refused = clients.beforeSend(request)
    if (refused !== null) await refused

    const { rule, purpose = 'case', case: name, connection, atOnce } = context
    const exchange = await silence.send(request, { rule, purpose, case: name, connection, atOnce })
    const isVoid = clients.isVoid(request, exchange)
    if (isVoid !== false && (await isVoid)) return this.send(request, context)
    const given = { request, exchange, context }
    record.checks.observe(given)
    record.replay?.answered(record.answers.shown(request, exchange))
    // A row is refined before it accuses.
    const judged = request.traits.conditions === undefined ? breaches.judge(given) : null
    if (judged !== null) await judged
    const recovers = clients.recoversAfter(exchange)
    if (recovers !== false && (await recovers)) return this.send(request, context)
    return shared.isReadWhole(request, context) ? exchange : truncateBody(exchange)
  }

  /** Like {@link send}, but only once per run for all planned cases that share the request. */
  sendOnce(request: TestRequest, context: Context): Promise<Exchange> {
    const { shared } = this.#parts
    const known = shared.take(request)
    if (known !== null) return known
    const sent = this.send(request, context)
    shared.keep(request, sent, context)
    return sent
  }

  /** Like {@link sendOnce}. If an answer from a scenario breaks the check, the order may be why, so the request is then sent alone if the budget allows. */
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
      if (noAnswer(error).none === 'budget') return exchange
      throw error
    }
  }
}
