import { withHint } from '../../judge/judge.ts'
import { reasonOf, type Reason } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { Case, Example, JudgedExchange, Scenario } from '../plan/cases.ts'
import { Inconclusive, NoResponse, NotApplicable, TransportRejected, Unended } from '../plan/errors.ts'
import type { Context } from '../plan/test-request.ts'
import { confirmScenario } from './confirm.ts'
import { endOf, type OpenRun } from './open-run.ts'
import { openStage } from './stage.ts'

/** Up to this concurrency, scenarios run one after the other, since they keep connections open. */
const fewConnections = 2

/** Sends the listed cases of a rule side by side, the last ones one by one afterwards, and gives the reasons why some could not be judged. */
export async function runRule(
  run: OpenRun,
  rule: RuleId,
  cases: readonly Case[],
): Promise<readonly Reason[]> {
  run.sender.budget.topUp(rule, requestsOf(cases))
  const affordable = withinBudget(run, rule, cases)
  const turns = [affordable.filter((one) => !isLast(one)), ...affordable.filter(isLast).map((one) => [one])]
  const failures: unknown[] = []
  for (const some of turns)
    failures.push(...(await sideBySide(run, some, (one) => judgeCase(run, rule, one))))
  run.sender.budget.release(rule)

  const reasons = failures.map((error) => inconclusiveReason(run, error))
  const left = cases.length - affordable.length
  if (left === 0) return reasons
  const text = `${left} of ${cases.length} cases did not fit into the budget (RUN_MAX_REQUESTS)`
  return [...reasons, { kind: 'inconclusive', text }]
}

/** Plays the scenarios of a rule, but for the last ones, before all others' cases, which share their requests; they are judged later, by {@link runRule}. */
export async function playScenarios(run: OpenRun, rule: RuleId, cases: readonly Case[]): Promise<void> {
  const affordable = withinBudget(run, rule, cases)
  const scenarios = affordable.filter(
    (one): one is Scenario => one.kind === 'scenario' && one.requests > 0 && !isLast(one),
  )
  await sideBySide(run, scenarios, (one) => firstPlay(run, contextOf(rule, one), one))
  // A play may have taken more than planned.
  const later = affordable.filter((one) => one.kind === 'example' || isLast(one))
  run.sender.budget.restore(rule, requestsOf(later))
}

function isLast(one: Case): boolean {
  return one.kind === 'scenario' && one.last === true
}

function requestsOf(cases: readonly Case[]): number {
  return cases.reduce((sum, { requests }) => sum + requests, 0)
}

/** The errors of what failed. */
async function sideBySide<One>(
  { sender: { limiter } }: OpenRun,
  all: readonly One[],
  judge: (one: One) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const atOnce = limiter.concurrency > fewConnections ? all.length : 1
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
export function inconclusiveReason(run: OpenRun, error: unknown): Reason {
  if (!(error instanceof Inconclusive)) throw error
  const text = run.record.redactor.ofAnswer().redact(error.message)
  if (error instanceof NotApplicable) return { kind: 'untested', text }
  const follows = error.follows.map((breach) => run.record.findings.idOf(breach))
  return reasonOf(error === endOf(run) ? 'ended' : 'inconclusive', text, follows)
}

/** The first cases that fit into the rule's allotment: the same ones every time. */
function withinBudget(run: OpenRun, rule: RuleId, cases: readonly Case[]): readonly Case[] {
  let left = run.sender.budget.allottedTo(rule)
  const tooMuch = cases.findIndex((one) => {
    if (one.kind === 'scenario' && wasPlayed(run, one)) return false
    if (one.least > left) return true
    left -= Math.min(left, one.requests)
    return false
  })
  return tooMuch === -1 ? cases : cases.slice(0, tooMuch)
}

function wasPlayed({ shared }: OpenRun, one: Scenario): boolean {
  return shared.plays.has(one) || (one.scene !== null && shared.scenes.has(one.scene))
}

function contextOf(rule: RuleId, { name, requestsAlone }: Case): Context {
  return { rule, case: name, requestsAlone }
}

async function judgeCase(run: OpenRun, rule: RuleId, one: Case): Promise<void> {
  const context = contextOf(rule, one)
  try {
    await (one.kind === 'example' ? judgeExample(run, context, one) : judgeScenario(run, context, one))
  } catch (error) {
    // A permitted rejection by the transport answers the case.
    if (error instanceof TransportRejected) return
    if (!(error instanceof NoResponse)) throw error
    await run.accuser.accuseOfSilence(context, error, one.kind === 'example' ? one.check : null)
  } finally {
    if (one.kind === 'example') run.confirm.forget(one.request)
    run.onEvent({ kind: 'case-done', rule })
  }
}

async function judgeExample(run: OpenRun, given: Context, one: Example): Promise<void> {
  const { request, check, hint, plain } = one
  // Under conditions, the rule that refines what it shows accuses.
  const context = plain === undefined ? given : { ...given, defers: true }
  const exchange =
    one.again === true
      ? await run.driver.send(request, context)
      : await run.driver.sendShared(request, context, (shared) => check.judge(shared).kind === 'holds')
  run.record.answers.countAnswer(context.rule, request, exchange)
  await run.accuser.tolerate({ request, exchange, context }, check.judge)
  const judgement = check.judge(exchange)
  if (judgement.kind === 'unclear') throw new Inconclusive(judgement.because)
  if (judgement.kind === 'holds') return
  if (plain !== undefined) return judgeExample(run, given, plain)

  const breach = hint === undefined ? judgement.breach : withHint(judgement.breach, hint)
  await run.accuser.accuseOf({ request, exchange, context, breach }, one)
}

async function judgeScenario(run: OpenRun, context: Context, one: Scenario): Promise<void> {
  const judged = await firstPlay(run, context, one)
  for (const { request, exchange } of judged) run.record.answers.countAnswer(context.rule, request, exchange)

  const violated = judged.flatMap(({ judgement, ...met }) =>
    judgement.kind === 'violates' ? [{ ...met, context, breach: judgement.breach }] : [],
  )
  const unclear = judged.map(({ judgement }) => judgement).find(({ kind }) => kind === 'unclear')
  if (violated.length === 0 && unclear?.kind === 'unclear') throw new Inconclusive(unclear.because)
  for (const found of violated) {
    // A breach that also happens outside of a scenario belongs to another rule.
    if (run.record.findings.isExplained(found)) continue
    const breaksAgain = async (): Promise<boolean> => {
      const again = await play(run, { ...context, purpose: 'confirming' }, one)
      return again.some(
        ({ judgement }) =>
          judgement.kind === 'violates' && judgement.breach.difference === found.breach.difference,
      )
    }
    await run.accuser.accuse(found, { kind: 'play', play: () => confirmScenario(breaksAgain) })
  }
}

/** What came of a scenario the first time; once in a run. */
function firstPlay(run: OpenRun, context: Context, one: Scenario): Promise<readonly JudgedExchange[]> {
  const played = run.shared.plays.get(one) ?? play(run, context, one)
  run.shared.plays.set(one, played)
  return played
}

async function play(run: OpenRun, context: Context, one: Scenario): Promise<readonly JudgedExchange[]> {
  const { stage, close } = openStage(run, context)
  try {
    return await one.play(stage)
  } finally {
    await close()
  }
}
