import type { Exchange } from '../../http/exchange.ts'
import { outcomeOf } from '../../judge/differences.ts'
import type { Breach } from '../../judge/judge.ts'
import { followedBy, reasonOf, type Reason } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import { MachineTooBusy } from '../../specification/within.ts'
import { costOf, type GeneratedCase, type Property } from '../plan/cases.ts'
import { type OpenRun } from './open-run.ts'
import { confirmPair } from './confirm.ts'
import {
  BudgetSpent,
  Inconclusive,
  NoResponse,
  NotApplicable,
  RunEnded,
  TransportRejected,
} from '../plan/errors.ts'
import { Refining, type MeetRow, type MetRow } from './refining.ts'
import { inconclusiveReason } from './run-rule.ts'
import { counterexampleKind, shrink, type Counterexample } from './shrink.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'

/** Maximum reasons given for one rule. */
const keptReasons = 5
const unaffordable: Reason = {
  kind: 'inconclusive',
  text: 'the others did not fit into the budget (RUN_MAX_REQUESTS)',
}

/** Cases of a rule from which on a pair that differs by chance is likely to be among them. */
const manyCases = 100

/** Judges generated cases in parallel, the first ones that fit into the budget; gives the reasons why others were not judged. */
export async function runProperty(
  run: OpenRun,
  rule: RuleId,
  property: Property,
): Promise<readonly Reason[]> {
  const cases = property.cases()[Symbol.iterator]()
  run.sender.budget.topUp(rule, property.requests)
  run.record.power.planned(rule, property)
  const judging = new PropertyRun(run, { rule, isOneOfMany: property.size >= manyCases })
  const judgeSome = async (): Promise<void> => {
    for (let next = judging.next(cases); next !== null; next = judging.next(cases)) await judging.judge(next)
  }
  await Promise.all(Array.from({ length: run.sender.limiter.concurrency }, judgeSome))
  await judging.refine(property.refining)
  run.sender.budget.release(rule)
  return judging.reasons(property.size)
}

class PropertyRun {
  readonly #run: OpenRun
  readonly #rule: RuleId
  readonly #isOneOfMany: boolean
  #affordable: number
  #judged = 0
  #untested = 0
  /** Why nothing more of the rule is sent, or null. */
  #over: Reason | null = null
  readonly #reasons = new Map<string, Reason>()
  /** What came of rows, in the order in which they were sent; null as long as nothing did. */
  readonly #rows = new Map<GeneratedCase, MetRow | null>()
  /** The counterexample of each kind that is made simpler, until it is recorded. */
  readonly #simplest = new Map<string, Promise<void>>()

  constructor(run: OpenRun, { rule, isOneOfMany }: Pick<Context, 'rule' | 'isOneOfMany'>) {
    this.#run = run
    this.#rule = rule
    this.#isOneOfMany = isOneOfMany === true
    this.#affordable = run.sender.budget.allottedTo(rule)
  }

  /** The next case that fits into the budget, or null. */
  next(cases: Iterator<GeneratedCase>): GeneratedCase | null {
    const next = this.#over === null ? this.#drawn(cases) : null
    if (next === null || next.done === true) return null
    const { value } = next
    this.#affordable -= costOf(value)
    if (this.#affordable < 0) this.#over = unaffordable
    else if (value.request.traits.conditions !== undefined) this.#rows.set(value, null)
    return this.#affordable < 0 ? null : value
  }

  /** Null where this machine was too busy to make one. */
  #drawn(cases: Iterator<GeneratedCase>): IteratorResult<GeneratedCase> | null {
    try {
      return cases.next()
    } catch (error) {
      if (!(error instanceof MachineTooBusy)) throw error
      this.#over = { kind: 'inconclusive', text: error.message }
      return null
    }
  }

  async judge(one: GeneratedCase): Promise<void> {
    const context = { rule: this.#rule, case: one.name, isOneOfMany: this.#isOneOfMany }
    try {
      await this.#meet(context, one)
      // Only now: a breach may turn out to be nobody's fault, and then the case was not judged.
      this.#judged += 1
    } catch (error) {
      if (!(error instanceof NoResponse)) return this.#note(error)
      this.#judged += 1
      const check = one.before === null ? one.check(null) : null
      await this.#run.accuser.accuseOfSilence(context, error, check)
    } finally {
      this.#run.confirm.forget(one.request)
      this.#run.onEvent({ kind: 'case-done', rule: this.#rule })
    }
  }

  /** Tells what rows showed, refined to what makes it. */
  async refine(requests: number | undefined): Promise<void> {
    const meetAgain: MeetRow = (one, purpose) =>
      meetRow(
        this.#run,
        { rule: this.#rule, case: one.name, ...(purpose === undefined ? {} : { purpose }) },
        one,
      )
    const rows = [...this.#rows.values()].filter((row) => row !== null)
    const refining = new Refining(this.#run, { rule: this.#rule, requests: requests ?? 0, meet: meetAgain })
    try {
      if (requests !== undefined) await refining.refine(rows)
      else for (const row of rows) await refining.accuseAsItIs(row)
    } catch (error) {
      this.#note(error)
    }
  }

  reasons(size: number): readonly Reason[] {
    const all = [...this.#reasons.values()]
    const untested = all.filter(({ kind }) => kind === 'untested')
    if (this.#judged + this.#untested === size) return untested

    const over = this.#over === null ? [] : [this.#over]
    const noted = all.filter(({ kind }) => kind !== 'untested')
    const unjudged = [...noted, ...over]
    const some = [...new Set(noted.map((one) => one.text))].slice(0, keptReasons)
    const told = [...new Set([...some, ...over.map((one) => one.text)])]
    const text = `${this.#judged} of ${size} cases were judged: ${told.join('; ')}`
    const kind = unjudged.every((one) => one.kind === 'ended') ? 'ended' : 'inconclusive'
    return [...untested, reasonOf(kind, text, followedBy(unjudged))]
  }

  /** Shrinks and records the first counterexample of a kind; later ones wait for it and are only counted. */
  async #found(met: Counterexample): Promise<void> {
    const kind = counterexampleKind(met)
    const known = this.#simplest.get(kind)
    if (known !== undefined) {
      await known.catch(() => {})
      return this.#record(met)
    }
    const meetAgain = (simpler: GeneratedCase): Promise<Counterexample | null> =>
      meet(this.#run, { rule: this.#rule, case: simpler.name, purpose: 'shrinking' }, simpler)
    const first = shrink(met, meetAgain).then((simplest) => this.#record(simplest, met.exchange))
    this.#simplest.set(kind, first)
    return first
  }

  async #meet(context: Context, one: GeneratedCase): Promise<void> {
    if (one.request.traits.conditions !== undefined) {
      this.#rows.set(one, await meetRow(this.#run, context, one))
      return
    }
    const met = await meet(this.#run, context, one)
    if (met !== null) await this.#found(met)
  }

  #record({ one, exchange, check, breach }: Counterexample, caseExchange = exchange): Promise<void> {
    const told: Breach = { ...breach, summary: `${breach.summary}; sent was ${one.says}` }
    const context = { rule: this.#rule, case: one.name }
    const found = { request: one.request, exchange, caseExchange, context, breach: told }
    return this.#run.accuser.accuseOf(found, { check })
  }

  #note(error: unknown): void {
    if (!(error instanceof Inconclusive))
      this.#over ??= { kind: 'inconclusive', text: 'the suite itself failed' }
    const reason = inconclusiveReason(this.#run, error)
    this.#reasons.set(JSON.stringify(reason), reason)
    if (reason.kind === 'untested') this.#untested += 1
    else if (endsRule(error)) this.#over ??= reason
  }
}

/** Whether the rule ends. A refused retry or confirmation costs one case; without health checks a lockout would go unnoticed. */
function endsRule(error: unknown): boolean {
  if (error instanceof RunEnded) return true
  return error instanceof BudgetSpent && (error.purpose === 'case' || error.purpose === 'health-check')
}

/** Sends a case and judges its answer; null if nothing is wrong with it. */
async function meet(run: OpenRun, context: Context, one: GeneratedCase): Promise<Counterexample | null> {
  const { request } = one
  const unavailable = request.request.route === 'raw' ? run.sender.rawSocketUnavailable : null
  if (unavailable !== null) throw new NotApplicable(unavailable)

  const paired = one.before === null ? null : await answerTo(run, context, one, one.before)
  const exchange = await answerTo(run, context, one, request)
  run.record.answers.countAnswer(context.rule, request, exchange)
  if (exchange === null) return null
  one.observe(run.record.observations, outcomeOf(exchange))
  if (context.purpose === undefined) run.record.power.drew(context.rule, one.of)

  const check = one.check(paired)
  const tolerated = run.accuser.tolerate({ request, exchange, context }, check.judge)
  if (tolerated !== null) await tolerated
  const judgement = check.judge(exchange)
  if (judgement.kind === 'unclear') throw new Inconclusive(judgement.because)
  if (judgement.kind === 'holds') return null
  const { breach } = judgement
  const differs = context.purpose === 'shrinking' || (await differsEveryTime(run, context, one, breach))
  return differs ? { one, exchange, check, breach } : null
}

/** Sends a row and gives what it shows; null if the transport closed the connection instead, and may. */
async function meetRow(run: OpenRun, given: Context, one: GeneratedCase): Promise<MetRow | null> {
  const { request } = one
  // Only a level of one factor needs the raw socket: without it, all others are met.
  if (request.request.route === 'raw' && run.sender.rawSocketUnavailable !== null) return null
  const context = { ...given, defers: true }
  const exchange = await answerTo(run, context, one, request)
  if (exchange === null) return null
  const { checks, power, answers } = run.record
  if (context.purpose === undefined) power.drew(context.rule, one.of)
  answers.countAnswer(context.rule, request, exchange)

  const { judge } = one.check(null)
  const tolerated = run.accuser.tolerate({ request, exchange, context }, judge)
  if (tolerated !== null) await tolerated
  const violates = (again: Exchange): boolean => judge(again).kind === 'violates'
  const judgement = judge(exchange)
  const own =
    judgement.kind === 'violates' ? [{ rule: context.rule, breach: judgement.breach, violates }] : []
  const wide = checks
    .judge({ request, exchange, context })
    .flatMap(({ rule, breach, violates: again }) =>
      again === null ? [] : [{ rule, breach, violates: again }],
    )
  return { one, exchange, breaches: [...own, ...wide] }
}

/** Whether a breach against the paired request recurs each time both are sent again; if not, it becomes an observation. */
async function differsEveryTime(
  run: OpenRun,
  context: Context,
  one: GeneratedCase,
  { against, difference }: Breach,
): Promise<boolean> {
  const { before } = one
  if (against === undefined || before === null) return true
  const about = context.isOneOfMany === true ? 'one of many' : against
  const differs = await confirmPair(about, async (isReversed) => {
    const confirming = { ...context, purpose: 'confirming' } as const
    const ask = (request: TestRequest): Promise<Exchange | null> => answerTo(run, confirming, one, request)
    const early = isReversed ? await ask(one.request) : null
    const paired = await ask(before)
    const exchange = isReversed ? early : await ask(one.request)
    const judgement = exchange === null ? null : one.check(paired).judge(exchange)
    // The difference names the paired request's outcome: another difference shows that it varies.
    return (
      judgement?.kind === 'violates' && (against === 'order' || judgement.breach.difference === difference)
    )
  })
  if (!differs)
    run.record.observations.note(
      'varying-outcomes',
      one.name,
      'the same requests are answered in several ways',
    )
  return differs
}

/** The answer to a request of a case; null if the transport closed the connection instead, and may. */
async function answerTo(
  run: OpenRun,
  context: Context,
  one: GeneratedCase,
  sent: TestRequest,
): Promise<Exchange | null> {
  const { alone, lead, shared, check } = one
  const connection = alone ? run.sender.connection() : null
  try {
    if (shared !== undefined && context.purpose === undefined) {
      const { judge } = check(null)
      return await run.driver.sendShared(sent, context, (exchange) => judge(exchange).kind === 'holds')
    }
    const how = connection === null ? context : { ...context, connection }
    if (lead !== undefined) await run.driver.send(lead, { ...how, defers: false })
    return await run.driver.send(sent, how)
  } catch (error) {
    if (!(error instanceof TransportRejected)) throw error
    if (sent === one.request && context.purpose === undefined)
      one.observe(run.record.observations, error.message)
    return null
  } finally {
    if (connection !== null) await connection.close()
  }
}
