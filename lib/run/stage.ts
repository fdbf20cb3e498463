import type { Exchange } from '../http/exchange.ts'
import type { Connection } from '../http/transport.ts'
import { answeredBy, isServed, isSuccess } from '../judge/answered.ts'
import { describeAnswered } from '../judge/differences.ts'
import { type Check, succeeds, validJudgement } from '../judge/judge.ts'
import { send, sendOnce, sendShared, type OpenRun } from './open-run.ts'
import type { JudgedExchange, Played, Scene, Stage, Step } from './plan/cases.ts'
import { NoAnswer, noAnswer, notServed } from './plan/errors.ts'
import type { Context, TestRequest } from './plan/test-request.ts'
import { isUnanswered } from './send/pace.ts'

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

  const judged = async (request: TestRequest, exchange: Exchange, check: Check): Promise<JudgedExchange> => {
    await breaches.tolerate({ request, exchange, context }, check.judge)
    return { request, exchange, judgement: validJudgement(check.judge(exchange)) }
  }
  const play = async (scene: Scene): Promise<Played> => {
    const named = new Map<string, Connection>()
    const connectionOf = (name: string): Connection => {
      const connection = named.get(name) ?? stage.connection()
      named.set(name, connection)
      return connection
    }
    const enact = async (step: Step): Promise<readonly [Step, JudgedExchange]> => {
      const { request, check, fallback } = step
      const connection = step.connection === undefined ? undefined : connectionOf(step.connection)
      const met = await stage.judge(request, check, connection)
      if (fallback === undefined || isServed(met.exchange)) return [step, met]
      return [step, await stage.served(fallback, connection)]
    }
    const played: (readonly [Step, JudgedExchange])[] = []
    for (const group of scene) played.push(...(await Promise.all(group.map(enact))))
    return new Map(played)
  }

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
    known: (request) => (isAgain ? stage.send(request) : sendOnce(run, request, context)),
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
    async judgeKnown(request, check) {
      if (isAgain) return stage.judge(request, check)
      const holds = (exchange: Exchange): boolean => check.judge(exchange).kind === 'holds'
      return judged(request, await sendShared(run, request, context, holds), check)
    },
    enact(scene) {
      if (isAgain) return play(scene)
      const played = shared.scenes.get(scene) ?? play(scene)
      shared.scenes.set(scene, played)
      return played
    },
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
      for (const met of record.checks.compare(baseline, context.rule)) record.findings.addDrift(met, context)
    },
  }
  try {
    return await act(stage)
  } finally {
    await Promise.all(connections.map((connection) => connection.close()))
  }
}

function demandSuccess(judged: JudgedExchange): JudgedExchange {
  const answered = answeredBy(judged.exchange.response)
  if (isSuccess(answered)) return judged
  throw new NoAnswer(
    'trouble',
    `a plain valid request was answered ${describeAnswered(answered)} (see endpoints/list-succeeds)`,
    { follows: notServed(judged) },
  )
}
