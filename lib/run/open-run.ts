import { truncateBody, type Exchange } from '../http/exchange.ts'
import type { RunSnapshot } from '../judge/record.ts'
import { redactJson } from '../redact/redact.ts'
import type { RuleId } from '../specification/rules.ts'
import { openBreaches } from './breaches.ts'
import { openClients } from './clients.ts'
import { openCore, plainContext, type CoreOptions } from './core.ts'
import type { SharedRequests } from './plan/cases.ts'
import { NoAnswer, noAnswer } from './plan/errors.ts'
import { settingsForMore } from './plan/suite-context.ts'
import type { Context, TestRequest } from './plan/test-request.ts'
import { openSilence } from './silence.ts'

/** A run in progress against one target. */
export type OpenRun = Awaited<ReturnType<typeof openRun>>

/** Opens a run; sends nothing. `shared` are the requests that rules share. */
export async function openRun({ shared, ...options }: CoreOptions & { readonly shared: SharedRequests }) {
  const core = await openCore(options, {
    check: () => clients.check(),
    answered: (request, exchange) => clients.answered(request, exchange),
  })
  const breaches = openBreaches(core, (answered) => clients.isLockoutOver(answered))
  const clients = openClients(core, breaches)
  return {
    ...core,
    shared,
    onEvent: options.onEvent,
    silence: openSilence(core, clients),
    clients,
    breaches,
    /** Users' own rules that did not end with the run, and what the verdict says about them. */
    abandoned: new Map<RuleId, string>(),
  }
}

/** Why nothing more is sent; null while the run goes on or if it was cancelled. */
export function endOf({ lifecycle: { signal } }: Pick<OpenRun, 'lifecycle'>): NoAnswer | null {
  return signal.reason instanceof NoAnswer ? signal.reason : null
}

/** The state of the run, for the verdict. */
export function snapshotOf(run: OpenRun): RunSnapshot {
  const { settings, sender, record } = run
  const { observations, power } = record
  const redactor = record.redactor.ofAnswer()
  const end = endOf(run)
  const { byKind, notJson } = sender.availability
  for (const [what, body] of notJson) observations.note('not-json', what, body)
  return {
    ...sender.budget.spent(),
    power: power.power(settingsForMore(settings.run)),
    blamed: power.blamed,
    latencyMs: observations.latencyMs(),
    msByRule: observations.msByRule(),
    observations: observations.all().map(({ id, value }) => ({ id, value: redactJson(value, redactor) })),
    retriedFor: Object.fromEntries(byKind),
    ended: end === null ? null : redactor.redact(end.message),
  }
}

/** Sends a request of a case and returns its exchange, judged by the run-wide rules. Throws `NoAnswer` if there is none. */
export async function send(run: OpenRun, request: TestRequest, context: Context): Promise<Exchange> {
  const { lifecycle, record, shared, silence, clients, breaches } = run
  await clients.first()
  await silence.endOfTrial()
  lifecycle.signal.throwIfAborted()
  await clients.beforeSend(request)

  const exchange = await silence.send(request, context)
  if (await clients.isVoid(request, exchange)) return send(run, request, context)
  const given = { request, exchange, context }
  record.checks.observe(given)
  record.replay?.answered(record.answers.shown(request, exchange))
  // A row is refined before it accuses.
  if (request.traits.conditions === undefined) await breaches.judge(given)
  if (await clients.recoversAfter(exchange)) return send(run, request, context)
  return shared.isReadWhole(request, context) ? exchange : truncateBody(exchange)
}

/** Like {@link send}, but only once per run for all planned cases that share the request. */
export function sendOnce(run: OpenRun, request: TestRequest, context: Context): Promise<Exchange> {
  return run.shared.once(request, () => send(run, request, context), context.atOnce === true)
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
