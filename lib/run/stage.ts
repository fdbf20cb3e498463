import { truncateBody, type Exchange } from '../http/exchange.ts'
import type { Connection } from '../http/transport.ts'
import { answeredBy, isSuccess } from '../judge/answered.ts'
import { describeAnswered } from '../judge/differences.ts'
import { holds, succeeds, validJudgement, type Check } from '../judge/judge.ts'
import type { RunSnapshot } from '../judge/record.ts'
import { redactJson } from '../redact/redact.ts'
import type { RuleId } from '../specification/rules.ts'
import { openBreaches } from './breaches.ts'
import { openClients } from './clients.ts'
import { NoAnswer, noAnswer, notServed, type JudgedExchange, type Stage } from './plan/cases.ts'
import type { SharedRequests } from './plan/plan.ts'
import { settingsForMore, type Context, type TestRequest } from './plan/suite-context.ts'
import { isUnanswered } from './send/pace.ts'
import { openCore, type CoreOptions } from './send/sender.ts'
import { openSilence } from './silence.ts'

/** How often a silence checks for requests in flight, in milliseconds. */
const untilAnsweredMs = 10

/** Plays a scenario on a stage, whose connections are closed at the end. */
export async function onStage<Result>(
  run: OpenRun,
  caseContext: Context,
  act: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const { lifecycle, sender, record, shared, breaches } = run
  const context: Context = { ...caseContext, atOnce: true }
  const isAgain = context.purpose !== undefined
  const connections: Connection[] = []

  const judged = async (request: TestRequest, exchange: Exchange, check: Check) => {
    await breaches.tolerate({ request, exchange, context }, check.judge)
    return { request, exchange, judgement: validJudgement(check.judge(exchange)) }
  }
  /** An answer that violates the check is only taken from another case if that case got it alone. */
  const known = (request: TestRequest, check?: Check) =>
    isAgain ? stage.send(request) : sendShared(run, request, context, check)

  const stage: Stage = {
    cancelled: lifecycle.cancelled,
    observations: record.observations,
    get affordable() {
      return sender.budget.allottedTo(context.rule)
    },
    async send(request, connection) {
      const unavailable = request.request.route === 'raw' ? sender.transport.rawSocketUnavailable : null
      if (unavailable !== null) throw new NoAnswer('unavailable', unavailable)
      const exchange = await send(run, request, { ...context, connection })
      if (!isAgain) shared.provide(request, exchange)
      return exchange
    },
    known,
    async attempt(request, connection) {
      try {
        return await stage.send(request, connection)
      } catch (error) {
        if (noAnswer(error).none === 'rejected') return null
        throw error
      }
    },
    async crowd(all) {
      const { rule, purpose = 'case', case: name } = context
      const how = { rule, purpose, case: name, once: true, expectsFailure: true, isCrowd: true } as const
      const sent = await Promise.all(
        all.map((request) => sender.attempt(request, { ...how, connection: stage.connection() })),
      )
      return sent.flatMap((one) => (isUnanswered(one) ? [] : [one]))
    },
    judge: async (request, check, connection) =>
      judged(request, await stage.send(request, connection), check),
    judgeKnown: async (request, check) => judged(request, await known(request, check), check),
    served: async (request, connection) => demandSuccess(await stage.judge(request, succeeds(), connection)),
    servedKnown: async (request) => demandSuccess(await stage.judgeKnown(request, succeeds())),
    async silence(waitMs) {
      const { limiter } = sender
      for (limiter.pause(waitMs); limiter.active > 0; limiter.pause(waitMs))
        await lifecycle.sleep(untilAnsweredMs)
      await lifecycle.sleep(waitMs)
    },
    sentAs: (client) => sender.budget.spent().byClient[client] ?? 0,
    connection() {
      const connection = sender.transport.connection()
      connections.push(connection)
      return connection
    },
    async compareWith(baseline) {
      record.checks.compare(baseline, context)
    },
  }
  try {
    return await act(stage)
  } finally {
    await Promise.all(connections.map((connection) => connection.close()))
  }
}

function demandSuccess(judged: JudgedExchange) {
  const answered = answeredBy(judged.exchange.response)
  if (isSuccess(answered)) return judged
  throw new NoAnswer(
    'trouble',
    `a plain valid request was answered ${describeAnswered(answered)} (see endpoints/list-succeeds)`,
    { follows: notServed(judged) },
  )
}

/** A run in progress against one target. */
export type OpenRun = Awaited<ReturnType<typeof openRun>>

/** Opens a run; sends nothing. `shared` are the requests that rules share. */
export async function openRun(options: CoreOptions & { readonly shared: SharedRequests }) {
  const core = await openCore(options, () => clients)
  const breaches = openBreaches(core, (answered) => clients.isLockoutOver(answered))
  const clients = openClients(core, breaches)
  return {
    ...core,
    shared: options.shared,
    silence: openSilence(core, clients),
    clients,
    breaches,
    /** Users' own rules that did not end with the run, and what the verdict says about them. */
    abandoned: new Map<RuleId, string>(),
  }
}

/** The state of the run, for the verdict. */
export function snapshotOf(run: OpenRun): RunSnapshot {
  const { settings, sender, record } = run
  const { observations, power } = record
  const redactor = record.redactor.ofAnswer()
  const end = run.lifecycle.ended()
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

/**
 * Like {@link send}, but only once per run for all planned cases that share the request. If an answer from a scenario breaks the check,
 * the order may be why, so the request is then sent alone if the budget allows.
 */
export async function sendShared(
  run: OpenRun,
  request: TestRequest,
  context: Context,
  check?: Check,
): Promise<Exchange> {
  const { shared } = run
  const exchange = await shared.once(request, () => send(run, request, context), context.atOnce === true)
  if ((check?.judge(exchange) ?? holds).kind === 'holds' || !shared.isOfScenario(exchange)) return exchange
  try {
    return await send(run, request, context)
  } catch (error) {
    if (noAnswer(error).none === 'budget') return exchange
    throw error
  }
}
