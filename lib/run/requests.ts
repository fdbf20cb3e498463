import { truncateBody, type Exchange } from '../http/exchange.ts'
import type { OpenRun } from './open-run.ts'
import { noAnswer } from './plan/errors.ts'
import type { Context, TestRequest } from './plan/test-request.ts'

/** Sends a request of a case and returns its exchange, judged by the run-wide rules. Throws `NoAnswer` if there is none. */
export async function send(run: OpenRun, request: TestRequest, context: Context): Promise<Exchange> {
  const { lifecycle, record, shared, first, silence, clients, breaches } = run
  const waits = first.reached() ?? silence.trialUnderWay
  if (waits !== null) await waits
  lifecycle.signal.throwIfAborted()
  const refused = clients.beforeSend(request)
  if (refused !== null) await refused

  const { rule, purpose = 'case', case: name, connection, atOnce } = context
  const exchange = await silence.send(request, { rule, purpose, case: name, connection, atOnce })
  const isVoid = clients.isVoid(request, exchange)
  if (isVoid !== false && (await isVoid)) return send(run, request, context)
  const given = { request, exchange, context }
  record.checks.observe(given)
  record.replay?.answered(record.answers.shown(request, exchange))
  // A row is refined before it accuses.
  const judged = request.traits.conditions === undefined ? breaches.judge(given) : null
  if (judged !== null) await judged
  const recovers = clients.recoversAfter(exchange)
  if (recovers !== false && (await recovers)) return send(run, request, context)
  return shared.isReadWhole(request, context) ? exchange : truncateBody(exchange)
}

/** Like {@link send}, but only once per run for all planned cases that share the request. */
export function sendOnce(run: OpenRun, request: TestRequest, context: Context): Promise<Exchange> {
  const known = run.shared.take(request)
  if (known !== null) return known
  const sent = send(run, request, context)
  run.shared.keep(request, sent, context)
  return sent
}

/** Like {@link sendOnce}. If an answer from a scenario breaks the check, the order may be why, so the request is then sent alone if the budget allows. */
export async function sendShared(
  run: OpenRun,
  request: TestRequest,
  context: Context,
  holds: (exchange: Exchange) => boolean,
): Promise<Exchange> {
  const exchange = await sendOnce(run, request, context)
  if (holds(exchange) || !run.shared.isOfScenario(exchange)) return exchange
  try {
    return await send(run, request, context)
  } catch (error) {
    if (noAnswer(error).none === 'budget') return exchange
    throw error
  }
}
