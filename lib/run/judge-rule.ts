import { truncateBody, type Exchange } from '../http/exchange.ts'
import { outcomeOf } from '../judge/differences.ts'
import { InvalidRule, validJudgement, withHint, type Breach } from '../judge/judge.ts'
import { followedBy, reasonOf, type Reason } from '../judge/record.ts'
import type { RuleId } from '../specification/rules.ts'
import { MachineTooBusy } from '../specification/within.ts'
import { printable } from '../text/printable.ts'
import { confirmPair } from './breaches.ts'
import { endOf, send, sendShared, type OpenRun } from './open-run.ts'
import type { Case, Example, JudgedExchange, Property, Scenario, SuiteRule, Work } from './plan/cases.ts'
import { NoAnswer, asOwnCode, noAnswer, ownError, ownPlace } from './plan/errors.ts'
import type { PlannedWork } from './plan/plan.ts'
import type { Context, TestRequest } from './plan/test-request.ts'
import { Refining, kindOf, shrink, type Met } from './simplify.ts'
import { openStage } from './stage.ts'

/** Up to this concurrency, listed cases run one after another, because scenarios keep connections open. */
const fewConnections = 2
/** Maximum number of reasons reported for a rule with generated cases. */
const keptReasons = 5
/** The number of generated cases from which a random difference between a pair becomes likely. */
const manyCases = 100

/** How long a scenario may run after the end of its run, in milliseconds. A scenario that waits for an answer ends at once. */
const graceMs = 1_000

/** Sends and judges the cases of a rule that fit into the budget; returns the reasons why others were not judged. */
export async function judgeRule(run: OpenRun, { rule, work }: PlannedWork): Promise<readonly Reason[]> {
  if ('untested' in work) return [{ kind: 'untested', text: work.untested }]
  const where = ownPlace(rule)
  try {
    return await asOwnCode(where, () => new RuleRun(run, rule, work).judge())
  } catch (error) {
    throw ownError(error, where, run.record.redactor)
  }
}

/** Plays all but the last scenarios of a rule before the cases that share their requests. They are judged later. */
export async function playScenarios(run: OpenRun, { rule, work }: PlannedWork): Promise<void> {
  if ('untested' in work) return
  await asOwnCode(ownPlace(rule), () => new RuleRun(run, rule, work).play())
}

/** Why a case could not be judged; rethrows any other error. */
export function inconclusiveReason(run: OpenRun, error: unknown): Reason {
  const reason = noAnswer(error)
  const text = run.record.redactor.ofAnswer().redact(reason.message)
  if (reason.none === 'unavailable') return { kind: 'untested', text }
  const follows = reason.follows.map((breach) => run.record.findings.idOf(breach))
  return reasonOf(reason === endOf(run) ? 'ended' : 'inconclusive', text, follows)
}

class RuleRun {
  readonly #run: OpenRun
  readonly #rule: RuleId
  readonly #work: Work
  /** Where a user's own rule comes from, or null. */
  readonly #own: string | null
  /** Null for listed cases. */
  readonly #property: Property | null
  #judged = 0
  #untested = 0
  /** Why no further cases are judged, or null. */
  #over: Reason | null = null
  #begun = 0
  /** The reasons why cases were not judged, without duplicates, and the number of the first case that each concerns. */
  readonly #reasons = new Map<string, { readonly first: number; readonly reason: Reason }>()
  readonly #bugs: unknown[] = []
  /** The results of rows in the order in which they were sent; null if there is no result. */
  readonly #rows = new Map<Example, Met | null>()
  /** For each kind of counterexample, the simplification of the first one. */
  readonly #simplest = new Map<string, Promise<void>>()

  constructor(run: OpenRun, rule: SuiteRule, work: Work) {
    this.#run = run
    this.#rule = rule.id
    this.#work = work
    this.#own = ownPlace(rule)
    this.#property = work.kind === 'generated' ? work : null
  }

  async judge(): Promise<readonly Reason[]> {
    const { budget, limiter } = this.#run.sender
    const work = this.#work
    const judge = (one: Case): Promise<void> => this.#judgeCase(one)
    if (work.kind === 'generated') {
      budget.topUp(this.#rule, work.requests)
      this.#run.record.power.planned(work)
      await this.#sideBySide(this.#affordable(work.cases()), limiter.concurrency, judge)
      if (this.#bugs.length === 0) await this.#refine(work.refining)
    } else {
      budget.topUp(this.#rule, requestsOf(work.cases))
      const cases = [...this.#affordable(work.cases)]
      const others = cases.filter((one) => !isLast(one))
      await this.#sideBySide(others, this.#atOnce(others), judge)
      await this.#sideBySide(cases.filter(isLast), 1, judge)
    }
    budget.release(this.#rule)
    if (this.#bugs.length > 0) throw this.#bugs[0]
    if (work.kind === 'generated') return this.#reasonsOfMany(work.size)
    return [...this.#reasonsInOrder(), ...(this.#over === null ? [] : [this.#over])]
  }

  async play(): Promise<void> {
    if (this.#work.kind === 'generated') return
    const { budget } = this.#run.sender
    const affordable = [...this.#affordable(this.#work.cases)]
    const scenarios = affordable.filter(
      (one): one is Scenario => one.kind === 'scenario' && one.requests > 0 && !isLast(one),
    )
    await this.#sideBySide(scenarios, this.#atOnce(scenarios), (one) =>
      this.#firstPlay(contextOf(this.#rule, one), one),
    )
    // A play may have sent more than planned.
    budget.restore(this.#rule, requestsOf(affordable.filter((one) => one.kind === 'example' || isLast(one))))
  }

  /** How many of these listed cases run concurrently. */
  #atOnce(cases: readonly Case[]): number {
    return this.#run.sender.limiter.concurrency > fewConnections ? cases.length : 1
  }

  /** The first cases that fit into the rule's allotment, which are always the same. */
  *#affordable(cases: Iterable<Case>): Generator<Case> {
    let [left, taken] = [this.#run.sender.budget.allottedTo(this.#rule), 0]
    try {
      for (const one of cases) {
        const wasPlayed = one.kind === 'scenario' && this.#run.shared.plays.has(one)
        const cost = wasPlayed ? { least: 0, requests: 0 } : one
        if (cost.least > left) return void (this.#over = this.#unaffordable(taken))
        left -= Math.min(left, cost.requests)
        taken += 1
        if (this.#property !== null && one.kind === 'example' && isRow(one)) this.#rows.set(one, null)
        yield one
      }
    } catch (error) {
      if (!(error instanceof MachineTooBusy)) throw error
      this.#over = { kind: 'inconclusive', text: error.message }
    }
  }

  #unaffordable(taken: number): Reason {
    const which =
      this.#work.kind === 'generated'
        ? 'the others'
        : `${this.#work.cases.length - taken} of ${this.#work.cases.length} cases`
    return { kind: 'inconclusive', text: `${which} did not fit into the budget (RUN_MAX_REQUESTS)` }
  }

  /** Judges this many cases at once until none are left or the rule is over; keeps their errors. */
  async #sideBySide<One extends Case>(
    cases: Iterable<One>,
    atOnce: number,
    judge: (one: One) => Promise<unknown>,
  ): Promise<void> {
    const left = cases[Symbol.iterator]()
    const judgeSome = async (): Promise<void> => {
      for (let next = left.next(); next.done !== true; next = left.next()) {
        const number = this.#begun++
        await judge(next.value).catch((error: unknown) => this.#note(error, number))
        if (this.#property !== null && (this.#over !== null || this.#bugs.length > 0)) return
      }
    }
    await Promise.all(Array.from({ length: atOnce }, judgeSome))
  }

  /** Notes why a case could not be judged. */
  #note(error: unknown, number = this.#begun): void {
    if (!(error instanceof NoAnswer) || !error.leavesOpen) return void this.#bugs.push(error)
    const reason = inconclusiveReason(this.#run, error)
    const key = JSON.stringify(reason)
    this.#reasons.set(key, { first: Math.min(number, this.#reasons.get(key)?.first ?? number), reason })
    if (reason.kind === 'untested') this.#untested += 1
    else if (this.#property !== null && endsRule(error)) this.#over ??= reason
  }

  /** In the order of the cases, whichever ended first. */
  #reasonsInOrder(): readonly Reason[] {
    return [...this.#reasons.values()].toSorted((a, b) => a.first - b.first).map(({ reason }) => reason)
  }

  async #judgeCase(one: Case): Promise<void> {
    const isOneOfMany = this.#property !== null && this.#property.size >= manyCases
    const context = { ...contextOf(this.#rule, one), isOneOfMany }
    const { breaches, onEvent } = this.#run
    try {
      await (one.kind === 'example' ? this.#judgeExample(context, one) : this.#judgeScenario(context, one))
      // Counted only now: if the service did not cause a breach, the case was not judged.
      this.#judged += 1
    } catch (error) {
      const where = this.#own === null ? null : `${this.#own}, case ${one.name}`
      const { none, silence, message } = noAnswer(ownError(error, where, this.#run.record.redactor))
      // A permitted rejection by the transport answers the case.
      if (none === 'rejected') return
      if (silence === null) throw error
      this.#judged += 1
      const isAlone = one.kind === 'example' && one.pair === undefined
      const { request, difference, reproduced } = silence
      const allowed = isAlone ? one.check.allowed : []
      const breach = { allowed, answered: null, difference, summary: message }
      await breaches.add({ request, exchange: null, context, breach, failure: silence }, reproduced)
    } finally {
      if (one.kind === 'example') breaches.forget(one.request)
      onEvent({ kind: 'case-done', rule: this.#rule })
    }
  }

  async #judgeExample(context: Context, one: Example): Promise<void> {
    const met = await meet(this.#run, context, one)
    if (this.#rows.has(one)) this.#rows.set(one, met)
    else if (one.plain === undefined) await this.#found(met)
    // Breaches under conditions are reported by the rule that refines rows.
    else if (met?.breaches.some(({ rule }) => rule === this.#rule) === true)
      await this.#judgeExample(context, { ...one.plain, name: one.name })
  }

  /** Simplifies and records the first counterexample of a kind; later ones wait for it and are only counted. */
  async #found(met: Met | null): Promise<void> {
    if (met === null || met.breaches.length === 0) return
    if (met.one.simpler === undefined) return this.#record(met)
    const kind = kindOf(met)
    const known = this.#simplest.get(kind)
    if (known !== undefined) {
      await known.catch(() => {})
      return this.#record(met)
    }
    const first = shrink(met, (simpler) => this.#meetAgain(simpler, 'shrinking')).then((simplest) =>
      this.#record(simplest, met.exchange),
    )
    this.#simplest.set(kind, first)
    return first
  }

  async #record({ one, exchange, check, breaches: [shown] }: Met, caseExchange = exchange): Promise<void> {
    if (shown === undefined) return
    const { hint, says, request } = one
    const hinted = hint === undefined ? shown.breach : withHint(shown.breach, hint)
    const breach = says === undefined ? hinted : { ...hinted, summary: `${hinted.summary}; sent: ${says}` }
    const found = { request, exchange, caseExchange, context: contextOf(this.#rule, one), breach }
    await this.#run.breaches.addOfCase(found, { ...one, check })
  }

  #meetAgain(one: Example, purpose: Context['purpose'] & string): Promise<Met | null> {
    return meet(this.#run, { rule: this.#rule, case: one.name, purpose }, one)
  }

  /** Reports failing rows, reduced to the conditions that cause them. */
  async #refine(requests: number | undefined): Promise<void> {
    const meetAgain = this.#meetAgain.bind(this)
    const rows = [...this.#rows.values()].filter((row) => row !== null)
    const refining = new Refining(this.#run, { rule: this.#rule, requests: requests ?? 0, meet: meetAgain })
    try {
      if (requests !== undefined) await refining.refine(rows)
      else for (const row of rows) await refining.addAsItIs(row)
    } catch (error) {
      this.#note(error)
    }
  }

  async #judgeScenario(context: Context, one: Scenario): Promise<void> {
    const { record, breaches } = this.#run
    const judged = await this.#firstPlay(context, one)
    for (const { request, exchange } of judged) record.answers.countAnswer(this.#rule, request, exchange)

    const violated = judged.flatMap(({ judgement, ...met }) =>
      judgement.kind === 'violates' ? [{ ...met, context, breach: judgement.breach }] : [],
    )
    const unclear = judged.map(({ judgement }) => judgement).find(({ kind }) => kind === 'unclear')
    if (violated.length === 0 && unclear?.kind === 'unclear') throw new NoAnswer('trouble', unclear.because)
    for (const found of violated) {
      // A breach that also happens outside the scenario belongs to another rule.
      if (record.findings.isExplained(found)) continue
      const breaksAgain = async (): Promise<boolean> => {
        const again = await this.#played({ ...context, purpose: 'confirming' }, one)
        return again.some(
          ({ judgement }) =>
            judgement.kind === 'violates' && judgement.breach.difference === found.breach.difference,
        )
      }
      await breaches.add(found, { breaksAgain })
    }
  }

  /** The result of the first play of a scenario. */
  #firstPlay(context: Context, one: Scenario): Promise<readonly JudgedExchange[]> {
    const { plays } = this.#run.shared
    const played = plays.get(one) ?? this.#played(context, one)
    plays.set(one, played)
    return played
  }

  async #played(context: Context, one: Scenario): Promise<readonly JudgedExchange[]> {
    const { stage, close } = openStage(this.#run, context)
    try {
      const played = await this.#orAbandoned(one, () => one.play(stage))
      if (!Array.isArray(played))
        throw new InvalidRule('from a scenario, a list of what stage.judge() gave', played)
      for (const { judgement } of played) validJudgement(judgement)
      if (this.#own === null) return played
      // The run keeps the result of a scenario until the end, and gave the user's rule whole bodies.
      return played.map((judged) => ({ ...judged, exchange: truncateBody(judged.exchange) }))
    } finally {
      await close()
    }
  }

  /** The result of a play. A user's own is abandoned if it still waits for anything other than an answer shortly after the end of the run. */
  async #orAbandoned<Result>({ name }: Scenario, play: () => Promise<Result>): Promise<Result> {
    const { lifecycle, record, abandoned } = this.#run
    const { cancelled } = lifecycle
    cancelled.throwIfAborted()
    if (this.#own === null) return play()
    let timer: NodeJS.Timeout | undefined
    let end = (): void => {}
    const late = new Promise<never>((_, reject) => {
      const abandon = (): void => {
        const text = `${this.#own}, case ${name}, waited for something that never came, and was abandoned`
        abandoned.set(this.#rule, printable(record.redactor.ofAnswer().redact(text)))
        reject(cancelled.reason)
      }
      end = () => void (timer = setTimeout(abandon, graceMs))
    })
    cancelled.addEventListener('abort', end, { once: true })
    try {
      return await Promise.race([play(), late])
    } finally {
      clearTimeout(timer)
      cancelled.removeEventListener('abort', end)
    }
  }

  /** A single reason for all generated cases that were not judged. */
  #reasonsOfMany(size: number): readonly Reason[] {
    const all = this.#reasonsInOrder()
    const untested = all.filter(({ kind }) => kind === 'untested')
    if (this.#judged + this.#untested === size) return untested

    const noted = all.filter(({ kind }) => kind !== 'untested')
    const over = this.#over === null ? [] : [this.#over]
    const unjudged = [...noted, ...over]
    const some = [...new Set(noted.map(({ text }) => text))].slice(0, keptReasons)
    const told = [...new Set([...some, ...over.map(({ text }) => text)])]
    const text = `${this.#judged} of ${size} cases were judged: ${told.join('; ')}`
    const kind = unjudged.every((one) => one.kind === 'ended') ? 'ended' : 'inconclusive'
    return [...untested, reasonOf(kind, text, followedBy(unjudged))]
  }
}

/** Whether a rule with generated cases ends. A refused retry or confirmation costs only its case, but without health checks a lockout would go unnoticed. */
function endsRule({ endsRun, none, purpose }: NoAnswer): boolean {
  return endsRun || (none === 'budget' && (purpose === 'case' || purpose === 'health-check'))
}

function isLast(one: Case): boolean {
  return one.kind === 'scenario' && one.last === true
}

function isRow({ request }: Example): boolean {
  return request.traits.conditions !== undefined
}

function requestsOf(cases: readonly Case[]): number {
  return cases.reduce((sum, { requests }) => sum + requests, 0)
}

function contextOf(rule: RuleId, { name, requestsAlone }: Case): Context {
  return { rule, case: name, requestsAlone }
}

/** Sends a case and judges its answer; null if the transport rejected it. For a row, the caller reports the breaches. */
async function meet(run: OpenRun, context: Context, one: Example): Promise<Met | null> {
  const { request, pair } = one
  const { record, breaches, sender } = run
  const ofRow = isRow(one)
  if (request.request.route === 'raw' && sender.transport.rawSocketUnavailable !== null) {
    // Only one level of a factor needs the raw socket, so all other rows are sent.
    if (ofRow) return null
    throw new NoAnswer('unavailable', sender.transport.rawSocketUnavailable)
  }
  const before = pair === undefined ? null : await answerTo(run, context, one, pair.request)
  const exchange = await answerTo(run, context, one, request)
  if (exchange !== null || (one.says !== undefined && !ofRow))
    record.answers.countAnswer(context.rule, request, exchange)
  if (exchange === null) return null
  one.observe?.(record.observations, outcomeOf(exchange))

  const check = pair === undefined ? one.check : pair.check(before)
  const violates = (again: Exchange): boolean => check.judge(again).kind === 'violates'
  const given = { request, exchange, context }
  await breaches.tolerate(given, check.judge)
  const judgement = validJudgement(check.judge(exchange))
  if (judgement.kind === 'unclear' && !ofRow) throw new NoAnswer('trouble', judgement.because)
  const own =
    judgement.kind === 'violates' ? [{ rule: context.rule, breach: judgement.breach, violates }] : []
  const ofEveryAnswer = (ofRow ? record.checks.judge(given) : []).flatMap(
    ({ rule, breach, violates: again }) => (again === null ? [] : [{ rule, breach, violates: again }]),
  )
  const [found] = own
  const isOwn = found === undefined || (await differsEveryTime(run, context, one, found.breach))
  return { one, exchange, check, breaches: isOwn ? [...own, ...ofEveryAnswer] : [] }
}

/** Whether a breach against the paired request recurs every time both are sent again; otherwise it becomes an observation. */
async function differsEveryTime(
  run: OpenRun,
  context: Context,
  one: Example,
  { against, difference }: Breach,
): Promise<boolean> {
  const { pair, request } = one
  if (against === undefined || pair === undefined || context.purpose === 'shrinking') return true
  const about = context.isOneOfMany === true ? 'one of many' : against
  const differs = await confirmPair(about, async (isReversed) => {
    const confirming = { ...context, purpose: 'confirming' } as const
    const ask = (sent: TestRequest): Promise<Exchange | null> => answerTo(run, confirming, one, sent)
    const early = isReversed ? await ask(request) : null
    const before = await ask(pair.request)
    const exchange = isReversed ? early : await ask(request)
    const judgement = exchange === null ? null : pair.check(before).judge(exchange)
    // The difference names the outcome of the paired request, so a different one shows that the outcome varies.
    return (
      judgement?.kind === 'violates' && (against === 'order' || judgement.breach.difference === difference)
    )
  })
  if (!differs) {
    const says = 'the same requests are answered in several ways'
    run.record.observations.note('varying-outcomes', one.name, says)
  }
  return differs
}

/** The answer to a request in a case; null if the transport rejected it. */
async function answerTo(
  run: OpenRun,
  context: Context,
  one: Example,
  sent: TestRequest,
): Promise<Exchange | null> {
  const { alone, lead, again, check, observe } = one
  const connection = alone === true ? run.sender.transport.connection() : null
  try {
    if (again !== true && context.purpose === undefined)
      return await sendShared(run, sent, context, (met) => check.judge(met).kind === 'holds')
    const how = connection === null ? context : { ...context, connection }
    if (lead !== undefined) await send(run, lead, how)
    return await send(run, sent, how)
  } catch (error) {
    const { none, message } = noAnswer(error)
    if (none !== 'rejected') throw error
    if (sent === one.request && context.purpose === undefined) observe?.(run.record.observations, message)
    return null
  } finally {
    if (connection !== null) await connection.close()
  }
}
