import type { Exchange } from '../../http/exchange.ts'
import { isServed } from '../../judge/answered.ts'
import { withHint, type Breach, type Check } from '../../judge/judge.ts'
import { reasonOf, type Reason } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import { type Case, type Example, type JudgedExchange, type Scenario } from '../plan/cases.ts'
import type { TestClient } from './client.ts'
import { confirmScenario, served } from './confirm.ts'
import type { Occurrence } from '../record/findings.ts'
import type { Reproduced } from '../record/recorded-finding.ts'
import {
  Inconclusive,
  NoResponse,
  NotApplicable,
  notServed,
  TransportRejected,
  Unended,
} from '../plan/errors.ts'
import { Stage } from './stage.ts'
import type { Context } from '../plan/test-request.ts'

/** Up to this concurrency, scenarios run one after the other, since they keep connections open. */
const fewConnections = 2

/** Sends the listed cases of a rule side by side and gives the reasons why some could not be judged. */
export async function runRule(
  client: TestClient,
  rule: RuleId,
  cases: readonly Case[],
): Promise<readonly Reason[]> {
  client.budget.topUp(
    rule,
    cases.reduce((sum, one) => sum + one.requests, 0),
  )
  const affordable = withinBudget(client, rule, cases)
  const failures = await sideBySide(client, affordable, (one) => judgeCase(client, rule, one))
  client.budget.release(rule)

  const reasons = failures.map((error) => inconclusiveReason(client, error))
  const left = cases.length - affordable.length
  if (left === 0) return reasons
  const text = `${left} of ${cases.length} cases did not fit into the budget (RUN_MAX_REQUESTS)`
  return [...reasons, { kind: 'inconclusive', text }]
}

/** Plays the scenarios of a rule before all others' cases, which share their requests; they are judged later, by {@link runRule}. */
export async function playScenarios(client: TestClient, rule: RuleId, cases: readonly Case[]): Promise<void> {
  const scenarios = withinBudget(client, rule, cases).filter(
    (one): one is Scenario => one.kind === 'scenario' && one.requests > 0,
  )
  await sideBySide(client, scenarios, (one) => firstPlay(client, contextOf(rule, one), one))
}

/** The errors of what failed. */
async function sideBySide<One>(
  { concurrency }: TestClient,
  all: readonly One[],
  judge: (one: One) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const atOnce = concurrency > fewConnections ? all.length : 1
  const failures: unknown[] = []
  for (let at = 0; at < all.length; at += atOnce) {
    const outcomes = await Promise.allSettled(all.slice(at, at + atOnce).map(judge))
    failures.push(...outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])))
  }
  const unended = failures.find((error) => error instanceof Unended)
  if (unended !== undefined) throw unended
  return failures
}

/** Why a case could not be judged; rethrows any error that is not about that. */
export function inconclusiveReason(client: TestClient, error: unknown): Reason {
  if (!(error instanceof Inconclusive)) throw error
  const text = client.redactor.ofAnswer().redact(error.message)
  if (error instanceof NotApplicable) return { kind: 'untested', text }
  const follows = error.follows.map((breach) => client.findings.idOf(breach))
  return reasonOf(error === client.over ? 'ended' : 'inconclusive', text, follows)
}

/** The first cases that fit into the rule's allotment: the same ones every time. */
function withinBudget(client: TestClient, rule: RuleId, cases: readonly Case[]): readonly Case[] {
  let left = client.budget.allottedTo(rule)
  const tooMuch = cases.findIndex((one) => {
    if (one.kind === 'scenario' && client.shared.wasPlayed(one)) return false
    if (one.least > left) return true
    left -= Math.min(left, one.requests)
    return false
  })
  return tooMuch === -1 ? cases : cases.slice(0, tooMuch)
}

function contextOf(rule: RuleId, { name, requestsAlone }: Case): Context {
  return { rule, case: name, requestsAlone }
}

async function judgeCase(client: TestClient, rule: RuleId, one: Case): Promise<void> {
  const context = contextOf(rule, one)
  try {
    await (one.kind === 'example' ? judgeExample(client, context, one) : judgeScenario(client, context, one))
  } catch (error) {
    // A permitted rejection by the transport answers the case.
    if (error instanceof TransportRejected) return
    if (!(error instanceof NoResponse)) throw error
    await recordNoResponse(client, context, error, one.kind === 'example' ? one.check : null)
  } finally {
    if (one.kind === 'example') client.confirm.forget(one.request)
    client.caseDone(rule)
  }
}

async function judgeExample(client: TestClient, context: Context, one: Example): Promise<void> {
  const { request, check, orElse } = one
  const exchange =
    one.again === true
      ? await client.send(request, context)
      : await client.sendShared(request, context, (shared) => check.judge(shared).kind === 'holds')
  client.findings.countAnswer(context.rule, request, exchange)
  await client.checks.tolerate({ request, exchange, context }, check.judge)
  const judgement = check.judge(exchange)
  if (judgement.kind === 'unclear') throw new Inconclusive(judgement.because)
  if (judgement.kind === 'holds') return

  const breach = orElse === undefined ? judgement.breach : withHint(judgement.breach, orElse)
  await recordBreach(client, { request, exchange, context, breach }, one)
}

/** Records a breach once confirmed. Throws `Inconclusive` if a success that the check needs is missing, and a plain valid request fails, too. */
export async function recordBreach(
  client: TestClient,
  found: Occurrence & { readonly exchange: Exchange },
  { check, lettingInBreaks }: Pick<Example, 'check' | 'lettingInBreaks'>,
): Promise<void> {
  const { request, exchange, context } = found
  const { plain } = request.traits
  // What else a success must hold is the rule's own matter.
  const lacksSuccess = needsSuccess(check) && !isServed(exchange)
  if (plain && lacksSuccess && !aboutPlain.has(context.rule))
    throw new Inconclusive(notServedEither, notServed(found))

  const violates = (again: Exchange): boolean => check.judge(again).kind === 'violates'
  let health = served
  const confirm = async (): Promise<Reproduced> => {
    const confirmation = await client.confirm.request(request, context, violates)
    health = confirmation.health
    return confirmation
  }
  await client.findings.record({ ...found, confirm })
  if (lettingInBreaks !== undefined && isServed(exchange))
    await client.findings.record({ ...found, confirm }, lettingInBreaks)

  if (health.kind === 'served' || !lacksSuccess || plain) return
  client.findings.retract(found)
  throw new Inconclusive(notServedEither, health.breach)
}

function needsSuccess({ allowed }: Check): boolean {
  return allowed.length > 0 && allowed.every(({ errorCode }) => errorCode === null)
}

/** The rules about a plain valid request itself, which report its failure for all others. */
const aboutPlain: ReadonlySet<RuleId> = new Set(['endpoints/list-succeeds', 'versioning/default-version'])
const notServedEither = 'a plain valid request did not succeed either (see endpoints/list-succeeds)'

/** Records that a request was never answered, though plain valid ones were. */
export function recordNoResponse(
  client: TestClient,
  context: Context,
  failure: NoResponse,
  check: Check | null,
): Promise<void> {
  const { request, difference, reproduced, message } = failure
  const breach: Breach = { allowed: check?.allowed ?? [], answered: null, difference, summary: message }
  const confirm = (): Promise<Reproduced> => Promise.resolve(reproduced)
  return client.findings.record({ request, exchange: null, context, breach, failure, confirm })
}

async function judgeScenario(client: TestClient, context: Context, one: Scenario): Promise<void> {
  const judged = await firstPlay(client, context, one)
  for (const { request, exchange } of judged) client.findings.countAnswer(context.rule, request, exchange)

  const violated = judged.flatMap(({ judgement, ...met }) =>
    judgement.kind === 'violates' ? [{ ...met, context, breach: judgement.breach }] : [],
  )
  const unclear = judged.map(({ judgement }) => judgement).find(({ kind }) => kind === 'unclear')
  if (violated.length === 0 && unclear?.kind === 'unclear') throw new Inconclusive(unclear.because)
  for (const found of violated) {
    // A breach that also happens outside of a scenario belongs to another rule.
    if (client.findings.isExplained(found)) continue
    const breaksAgain = async (): Promise<boolean> => {
      const again = await play(client, { ...context, purpose: 'confirming' }, one)
      return again.some(
        ({ judgement }) =>
          judgement.kind === 'violates' && judgement.breach.difference === found.breach.difference,
      )
    }
    await client.findings.record({ ...found, confirm: () => confirmScenario(breaksAgain) })
  }
}

function firstPlay(client: TestClient, context: Context, one: Scenario): Promise<readonly JudgedExchange[]> {
  return client.shared.firstPlay(one, () => play(client, context, one))
}

async function play(client: TestClient, context: Context, one: Scenario): Promise<readonly JudgedExchange[]> {
  const stage = new Stage(client, context)
  try {
    return await one.play(stage)
  } finally {
    await stage.close()
  }
}
