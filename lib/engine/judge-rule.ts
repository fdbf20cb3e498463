import type { Exchange } from '../http/exchange.ts'
import type { Connection } from '../http/transport.ts'
import { answeredBy, isServed, isSuccess } from '../judge/answered.ts'
import { describeAnswered } from '../judge/explain.ts'
import { succeeds, withHint, type Breach, type Check, type Judgement } from '../judge/judge.ts'
import {
  leastOf,
  requestsOf,
  type Case,
  type Example,
  type Judged,
  type Scenario,
  type Stage,
} from './cases.ts'
import type { Context, TestRequest } from './test-request.ts'
import type { TestClient } from './client.ts'
import { TransportRejected, NoResponse } from './no-response.ts'
import type { RuleId } from '../spec/rules.ts'
import type { Reproduced } from './run-log.ts'
import { Inconclusive, NotApplicable } from './inconclusive.ts'

/** Why some cases of a rule could not be judged, each reason once. */
export interface CasesLeft {
  readonly unjudged: readonly string[]
  /** What was not given, or not to be found. */
  readonly untested: readonly string[]
}

/** Sends all cases of a rule side by side; what they find is in the session's log. */
export async function judgeCases(
  session: TestClient,
  rule: RuleId,
  cases: readonly Case[],
): Promise<CasesLeft> {
  session.budget.topUp(
    rule,
    cases.reduce((sum, one) => sum + requestsOf(one), 0),
  )
  const affordable = withinBudget(session, rule, cases)
  const outcomes = await settled(session, affordable, (one) =>
    judgeCase(session, { rule, case: one.name }, one),
  )
  session.budget.release(rule)

  const failures: readonly unknown[] = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  )
  const mishap = failures.find((error) => !(error instanceof Inconclusive))
  if (mishap !== undefined) throw mishap
  const left = cases.length - affordable.length
  const unaffordable =
    left === 0 ? [] : [`${left} of ${cases.length} cases did not fit into the budget (RUN_MAX_REQUESTS)`]
  const isUntested = (error: unknown): boolean => error instanceof NotApplicable
  return {
    unjudged: [
      ...messages(
        session,
        failures.filter((error) => !isUntested(error)),
      ),
      ...unaffordable,
    ],
    untested: messages(session, failures.filter(isUntested)),
  }
}

/** Scenarios keep connections of their own open: one after the other where few may be. */
async function settled(
  session: TestClient,
  cases: readonly Case[],
  judge: (one: Case) => Promise<void>,
): Promise<readonly PromiseSettledResult<void>[]> {
  if (session.concurrency > fewConnections) return Promise.allSettled(cases.map(judge))

  const outcomes: PromiseSettledResult<void>[] = []
  for (const one of cases) outcomes.push(...(await Promise.allSettled([judge(one)])))
  return outcomes
}

/** At so many requests in flight, connections count. */
const fewConnections = 2

function messages(session: TestClient, errors: readonly unknown[]): readonly string[] {
  const texts = errors.map((error) => (error instanceof Error ? error.message : String(error)))
  return [...new Set(texts.map((text) => session.redact(text)))]
}

/** The first cases that fit into what is left for the rule: the same ones every time. */
function withinBudget(session: TestClient, rule: RuleId, cases: readonly Case[]): readonly Case[] {
  let left = session.budget.allottedTo(rule)
  const tooMuch = cases.findIndex((one) => {
    if (leastOf(one) > left) return true
    left -= Math.min(left, requestsOf(one))
    return false
  })
  return tooMuch === -1 ? cases : cases.slice(0, tooMuch)
}

async function judgeCase(session: TestClient, context: Context, one: Case): Promise<void> {
  try {
    await (one.kind === 'example'
      ? judgeExample(session, context, one)
      : judgeScenario(session, context, one))
  } catch (error) {
    // A transport that refuses what it may has answered the case.
    if (error instanceof TransportRejected) return
    if (!(error instanceof NoResponse)) throw error
    await bookUnanswered(session, context, error, one.kind === 'example' ? one.check : null)
  } finally {
    if (one.kind === 'example') session.forget(one.stimulus)
    session.caseDone(context.rule)
  }
}

async function judgeExample(
  session: TestClient,
  context: Context,
  { stimulus, check, orElse, lettingInBreaks }: Example,
): Promise<void> {
  const exchange = await session.sendOnce(stimulus, context)
  session.log.judged(context.rule, () => session.shown(stimulus, exchange))
  await session.tolerates(stimulus, exchange, context, check)
  const judgement = check.judge(exchange)
  if (judgement.kind === 'unclear') throw new Inconclusive(judgement.because)
  if (judgement.kind === 'holds') return

  const breach = orElse === undefined ? judgement.breach : withHint(judgement.breach, orElse)
  await bookBreach(session, context, { stimulus, exchange, check, breach, lettingInBreaks })
}

/** A breach of a case of one request. */
export interface FoundBreach {
  readonly stimulus: TestRequest
  readonly exchange: Exchange
  readonly check: Check
  readonly breach: Breach
  readonly lettingInBreaks?: RuleId | undefined
}

/** Books a breach once it is confirmed; throws `Inconclusive` where a plain valid request does not succeed either. */
export async function bookBreach(
  session: TestClient,
  context: Context,
  { stimulus, exchange, check, breach, lettingInBreaks }: FoundBreach,
): Promise<void> {
  const isOthers = stimulus.traits.plain && !aboutPlain.has(context.rule)
  if (isOthers && needsSuccess(check)) throw new Inconclusive(notServedEither)

  const violates = (again: Exchange): boolean => check.judge(again).kind === 'violates'
  let served = true
  const confirm = async (): Promise<Reproduced> => {
    const confirmation = await session.confirm(stimulus, context, violates)
    served = confirmation.served
    return confirmation
  }
  await session.breach({ stimulus, exchange, context, breach, confirm })
  if (lettingInBreaks !== undefined && isServed(exchange)) {
    await session.breach({ stimulus, exchange, context, breach, confirm }, lettingInBreaks)
  }

  if (!served && needsSuccess(check) && !stimulus.traits.plain) {
    session.withdraw(context, stimulus, breach)
    throw new Inconclusive(notServedEither)
  }
}

/** The rules that a plain valid request itself is about; elsewhere its failure is theirs to tell. */
const aboutPlain: ReadonlySet<RuleId> = new Set(['endpoints/list-succeeds', 'versioning/default-version'])
/** A rule that needs a success says nothing while a plain valid request does not succeed either. */
const notServedEither = 'a plain valid request did not succeed either (see endpoints/list-succeeds)'

async function judgeScenario(session: TestClient, context: Context, one: Scenario): Promise<void> {
  const judged = await play(session, context, one)
  for (const { stimulus, exchange } of judged) {
    session.log.judged(context.rule, () => session.shown(stimulus, exchange))
  }

  const violated = judged.filter(({ judgement }) => judgement.kind === 'violates')
  const unclear = judged.map(({ judgement }) => judgement).find(({ kind }) => kind === 'unclear')
  if (violated.length === 0 && unclear?.kind === 'unclear') throw new Inconclusive(unclear.because)
  for (const { stimulus, exchange, judgement } of violated) {
    if (judgement.kind !== 'violates') continue
    const { breach } = judgement
    // What is wrong in the same way outside of a scenario is another rule's to tell; the scenario adds nothing to it.
    if (session.isExplained(context, stimulus, breach)) continue
    const confirm = (): Promise<Reproduced> => replay(session, context, one, breach)
    await session.breach({ stimulus, exchange, context, breach, confirm })
  }
}

/** Plays a scenario twice more, and counts how often it ends in a breach of the same kind. */
async function replay(
  session: TestClient,
  context: Context,
  one: Scenario,
  breach: Breach,
): Promise<Reproduced> {
  let seen = 1
  let of = 1
  for (let again = 0; again < 2; again += 1) {
    try {
      const judged = await play(session, { ...context, purpose: 'confirming' }, one)
      of += 1
      if (judged.some(({ judgement }) => isSameBreach(judgement, breach))) seen += 1
    } catch (error) {
      if (!(error instanceof Inconclusive) && !(error instanceof NoResponse)) throw error
      break
    }
  }
  return { seen, of }
}

function isSameBreach(judgement: Judgement, breach: Breach): boolean {
  return judgement.kind === 'violates' && judgement.breach.difference === breach.difference
}

async function play(session: TestClient, context: Context, one: Scenario): Promise<readonly Judged[]> {
  const connections: Connection[] = []
  const send = (stimulus: TestRequest, connection?: Connection): Promise<Exchange> =>
    session.send(stimulus, connection === undefined ? context : { ...context, connection })
  const judge = async (stimulus: TestRequest, check: Check, connection?: Connection): Promise<Judged> => {
    const exchange = await send(stimulus, connection)
    await session.tolerates(stimulus, exchange, context, check)
    return { stimulus, exchange, judgement: check.judge(exchange) }
  }
  const stage: Stage = {
    send,
    attempt: async (stimulus, connection) => {
      try {
        return await send(stimulus, connection)
      } catch (error) {
        if (error instanceof TransportRejected) return null
        throw error
      }
    },
    judge,
    served: async (stimulus, connection) => {
      const judged = await judge(stimulus, succeeds(), connection)
      const answered = answeredBy(judged.exchange.response)
      if (isSuccess(answered)) return judged
      throw new Inconclusive(
        `a plain valid request was answered ${describeAnswered(answered)} (see endpoints/list-succeeds)`,
      )
    },
    connection: () => {
      const made = session.connection()
      connections.push(made)
      return made
    },
    session,
    context,
  }
  try {
    return await one.play(stage)
  } finally {
    await Promise.all(connections.map((connection) => connection.close()))
  }
}

/** Books that a request was never answered, while plain valid ones were. */
export async function bookUnanswered(
  session: TestClient,
  context: Context,
  error: NoResponse,
  check: Check | null,
): Promise<void> {
  const { stimulus, difference, reproduced } = error
  const breach: Breach = { allowed: check?.allowed ?? [], answered: null, difference, summary: error.message }
  await session.breach({
    stimulus,
    exchange: null,
    context,
    breach,
    confirm: () => Promise.resolve(reproduced),
  })
}

function needsSuccess({ allowed }: Check): boolean {
  return allowed.length > 0 && allowed.every(({ errorCode }) => errorCode === null)
}
