import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { truncateBody, type Exchange } from '../http/exchange.ts'
import type { Connection } from '../http/transport.ts'
import { outcomeOf, describeAnswered, answeredBy, isServed } from '../judge/answered.ts'
import { InvalidRule, validJudgement, type Breach, succeeds, type Check } from '../judge/judge.ts'
import { followedBy, reasonOf, type Reason } from '../judge/record.ts'
import { MachineTooBusy } from '../specification/within.ts'
import { printable } from '../text/printable.ts'
import type { OpenRun } from './clients.ts'
import {
  NoAnswer,
  asOwnCode,
  instead,
  isRow,
  noAnswer,
  notServed,
  ownError,
  ownPlace,
  trouble,
} from './plan/cases.ts'
import type { Case, Example, JudgedExchange, Scenario, Stage } from './plan/cases.ts'
import type { PlannedWork } from './plan/plan.ts'
import type { Context, TestRequest } from './plan/suite-context.ts'
import { isUnanswered } from './send/pace.ts'
import { kindOf, refine, report, shrink, type Met } from './simplify.ts'

/** Up to this concurrency, listed cases run one after another, because scenarios keep connections open. */
const fewConnections = 2
/** Maximum number of reasons reported for a rule with generated cases. */
const keptReasons = 5
/** The number of generated cases from which a random difference between a pair becomes likely. */
const manyCases = 100

/** How many times a pair is repeated. With two releases behind one address, one case in a thousand differs every time by chance, which many cases would meet. */
const timesOfPair = { order: 4, outcome: 5, 'one of many': 8 } as const

/** How long a scenario may run after the end of its run, in milliseconds. A scenario that waits for an answer ends at once. */
const graceMs = 1_000

/** Sends and judges the cases of a rule that fit into the budget; returns the reasons why others were not judged. */
export async function judgeRule(run: OpenRun, planned: PlannedWork) {
  const { rule } = planned
  const where = ownPlace(rule)
  run.onEvent({ kind: 'rule-started', rule: rule.id })
  try {
    return await asOwnCode(where, () => openRule(run, planned).judge())
  } catch (error) {
    throw ownError(error, where, run.record.redactor)
  }
}

/** Plays all but the last scenarios of a rule before the cases that share their requests. They are judged later. */
export async function playScenarios(run: OpenRun, planned: PlannedWork) {
  await asOwnCode(ownPlace(planned.rule), () => openRule(run, planned).play())
}

function openRule(run: OpenRun, { rule, work, planned, shares }: PlannedWork) {
  const { id } = rule
  const { sender, record, breaches, shared, lifecycle, abandoned } = run
  const { budget, limiter } = sender
  /** Where a user's own rule comes from, or null. */
  const own = ownPlace(rule)
  const listed = 'length' in work ? work : []
  /** Null for listed cases. */
  const property = 'size' in work ? work : null
  const isOneOfMany = property !== null && property.size >= manyCases
  let judged = 0
  let begun = 0
  /** Why no further cases are judged, or null. */
  let over: Reason | null = null
  /** Why cases were not judged, by the number of the case. */
  const reasons: Reason[] = []
  const bugs: unknown[] = []
  /** The results of rows, by the number of the case; null if the transport rejected it. */
  const rows: (Met | null)[] = []
  /** For each kind of counterexample, the simplification of the first one. */
  const simplest = new Map<string, Promise<void>>()

  const contextOf = (one: Case, purpose?: Context['purpose']) => {
    const requestsAlone = one.kind === 'scenario' ? one.requests : 1
    return { rule: id, case: one.name, requestsAlone, ...(purpose && { purpose }) }
  }

  /** The case that judges a request which a case has sent. Cases that share a scene send all its requests, but only their own in a replay. */
  const ownerOf = (one: Case, { key }: TestRequest) => {
    const isOwner = (other: Case) =>
      'scene' in one &&
      'scene' in other &&
      one.scene === other.scene &&
      other.own?.some((step) => step.request.key === key)
    return listed.find(isOwner) ?? one
  }

  /** How many of these listed cases run concurrently. */
  const atOnce = (cases: readonly Case[]) => (limiter.concurrency > fewConnections ? cases.length : 1)

  /** The first cases that fit into the rule's allotment, which are always the same. */
  const affordable = function* affordable<One extends Case>(cases: Iterable<One>): Generator<One> {
    let left = budget.allottedTo(id)
    let others = listed.length
    try {
      for (const one of cases) {
        const { requests, least } = shared.costOf(one)
        if (least > left) {
          const which = property === null ? `${others} of ${listed.length} cases` : 'the others'
          const text = `${which} did not fit into the budget (RUN_MAX_REQUESTS)`
          return void (over = { kind: 'inconclusive', text })
        }
        left -= Math.min(left, requests)
        others -= 1
        yield one
      }
    } catch (error) {
      if (!(error instanceof MachineTooBusy)) throw error
      over = { kind: 'inconclusive', text: error.message }
    }
  }

  /** Judges this many cases at once until none are left or the rule is over; keeps their errors. */
  const sideBySide = async <One extends Case>(
    cases: Iterable<One>,
    many: number,
    judgeOne: (one: One, number: number) => Promise<unknown>,
  ) => {
    const left = cases[Symbol.iterator]()
    const judgeSome = async () => {
      for (let next = left.next(); !next.done; next = left.next()) {
        const number = begun++
        await judgeOne(next.value, number).catch((error: unknown) => note(error, number))
        if (property !== null && (over !== null || bugs.length > 0)) return
      }
    }
    await Promise.all(Array.from({ length: many }, judgeSome))
  }

  /** Notes why a case could not be judged. */
  const note = (error: unknown, number = begun) => {
    if (!(error instanceof NoAnswer) || !error.leavesOpen) return void bugs.push(error)
    const text = record.redactor.ofAnswer().redact(error.message)
    const follows = error.follows.map((breach) => record.findings.idOf(breach))
    const kind = error.endsRun ? 'ended' : 'inconclusive'
    const reason = reasonOf(error.none === 'unavailable' ? 'untested' : kind, text, follows)
    reasons[number] = reason
    // A refused retry or confirmation costs only its case, but without health checks a lockout would go unnoticed.
    const endsRule = error.endsRun || error.purpose === 'case' || error.purpose === 'health-check'
    if (property !== null && endsRule) over ??= reason
  }

  const observes = ({ observe }: Example, outcome: string) =>
    observe && record.observations.note(observe.id, observe.as, outcome)

  /** The answer to a request in a case; null if the transport rejected it. */
  const answerTo = async (context: Context, one: Example, sent: TestRequest) => {
    const { alone, lead, again, check } = one
    const connection = alone ? sender.transport.connection() : undefined
    try {
      if (shares && !again && context.purpose === undefined) return await run.sendShared(sent, context, check)
      const how = { ...context, connection }
      if (lead) await run.send(lead, how)
      return await run.send(sent, how)
    } catch (error) {
      const { none, message } = noAnswer(error)
      if (none !== 'rejected') throw error
      if (sent === one.request && context.purpose === undefined) observes(one, message)
      return null
    } finally {
      await connection?.close()
    }
  }

  /**
   * Whether a breach against the paired request recurs every time both are sent again, in reverse order every second time because a
   * service may alternate; otherwise it becomes an observation.
   */
  const differsEveryTime = async (context: Context, one: Example, { against, difference }: Breach) => {
    const { pair, request } = one
    if (!against || !pair || context.purpose === 'shrinking') return true
    const confirming = { ...context, purpose: 'confirming' } as const
    const ask = (sent: TestRequest) => answerTo(confirming, one, sent)
    const times = timesOfPair[isOneOfMany && context.purpose === undefined ? 'one of many' : against]
    for (let time = 0; time < times; time += 1) {
      const early = time % 2 === 1 ? await ask(request) : null
      const before = await ask(pair.request)
      const exchange = time % 2 === 1 ? early : await ask(request)
      const again = exchange === null ? null : pair.check(before).judge(exchange)
      // The difference names the outcome of the paired request, so a different one shows that the outcome varies.
      if (again?.kind === 'violates' && (against === 'order' || again.breach.difference === difference))
        continue
      const says = 'the same requests are answered in several ways'
      record.observations.note('varying-outcomes', one.name, says)
      return false
    }
    return true
  }

  /** Sends a case and judges its answer; null if the transport rejected it. For a row, the caller reports the breaches. */
  const meet = async (one: Example, purpose?: Context['purpose']): Promise<Met | null> => {
    const { request, pair } = one
    const context = contextOf(one, purpose)
    const ofRow = isRow(one)
    const why = run.whyUnavailable(request)
    // Only one level of a factor needs the raw socket, so all other rows are sent.
    if (why !== null && ofRow) return null
    if (why !== null) throw new NoAnswer('unavailable', why)
    const before = pair ? await answerTo(context, one, pair.request) : null
    const exchange = await answerTo(context, one, request)
    if (exchange !== null || (one.says !== undefined && !ofRow))
      record.answers.countAnswer(id, request, exchange)
    if (exchange === null) return null
    observes(one, outcomeOf(exchange))

    const check = pair?.check(before) ?? one.check
    const violates = (again: Exchange) => check.judge(again).kind === 'violates'
    const given = { request, exchange, context }
    const judgement = await breaches.judgedBy(check, given)
    if (judgement.kind === 'unclear' && !ofRow) throw trouble(judgement.because)
    const ofCase = judgement.kind === 'violates' ? [{ rule: id, breach: judgement.breach, violates }] : []
    const ofEveryAnswer = (ofRow ? record.judge(given) : []).flatMap((each) =>
      each.violates === null ? [] : [{ ...each, violates: each.violates }],
    )
    const [found] = ofCase
    const isOfCase = !found || (await differsEveryTime(context, one, found.breach))
    return { one, exchange, check, breaches: isOfCase ? [...ofCase, ...ofEveryAnswer] : [] }
  }

  const ofRule = { breaches, rule: id, meet }

  const judgeCase = async (one: Case, number: number) => {
    try {
      await (one.kind === 'example' ? judgeExample(one, number) : judgeScenario(one))
      // Counted only now: if the service did not cause a breach, the case was not judged.
      judged += 1
    } catch (error) {
      const where = own === null ? null : `${own}, case ${one.name}`
      const { none, silence, message } = noAnswer(ownError(error, where, record.redactor))
      // A permitted rejection by the transport answers the case.
      if (none === 'rejected') return
      if (silence === null) throw error
      judged += 1
      const isAlone = one.kind === 'example' && !one.pair
      const { request, difference, times } = silence
      const allowed = isAlone ? one.check.allowed : []
      const breach = { allowed, answered: null, difference, summary: message }
      const context = contextOf(ownerOf(one, request))
      const found = { rule: id, request, exchange: null, context, breach, failure: silence }
      await breaches.add(found, { seen: times, of: times })
    } finally {
      if (one.kind === 'example') breaches.forget(one.request)
      run.onEvent({ kind: 'case-done', rule: id })
    }
  }

  const judgeExample = async (one: Example, number: number) => {
    const met = await meet(one)
    if (property !== null && isRow(one)) rows[number] = met
    else if (!one.plain) await found(met)
    // Breaches under conditions are reported by the rule that refines rows.
    else if (met?.breaches.some((each) => each.rule === id))
      await judgeExample({ ...one.plain, name: one.name }, number)
  }

  /** Simplifies and records the first counterexample of a kind; later ones wait for it and are only counted. */
  const found = async (met: Met | null) => {
    if (met === null || met.breaches.length === 0) return
    if (!met.one.simpler) return report(ofRule, met)
    const kind = kindOf(met)
    const known = simplest.get(kind)
    if (known !== undefined) return known.catch(() => {}).then(() => report(ofRule, met))
    const first = shrink(met, meet).then((simpler) => report(ofRule, simpler, met))
    simplest.set(kind, first)
    return first
  }

  const judgeScenario = async (one: Scenario) => {
    const context = contextOf(one)
    const played = ownOf(one, await firstPlay(one))
    for (const { request, exchange } of played) record.answers.countAnswer(id, request, exchange)

    const violatedIn = (all: readonly JudgedExchange[]) =>
      all.flatMap(({ judgement, ...met }) =>
        judgement.kind === 'violates' ? [{ ...met, rule: id, context, breach: judgement.breach }] : [],
      )
    const violated = violatedIn(played)
    const unclear = played.map(({ judgement }) => judgement).find(({ kind }) => kind === 'unclear')
    if (violated.length === 0 && unclear?.kind === 'unclear') throw trouble(unclear.because)
    for (const wrong of violated) {
      // A breach that also happens outside the scenario belongs to another rule.
      if (record.findings.isExplained(wrong)) continue
      const breaksAgain = async () => {
        const again = ownOf(one, await play(one, 'confirming'))
        return violatedIn(again).some(({ breach }) => breach.difference === wrong.breach.difference)
      }
      await breaches.add(wrong, { breaksAgain })
    }
  }

  /** The result of the first play of a scenario, or of the scene that it judges. */
  const firstPlay = (one: Scenario) => {
    const what = one.scene ?? one
    const played = shared.plays.get(what) ?? play(one)
    shared.plays.set(what, played)
    return played
  }

  const play = async (one: Scenario, purpose?: Context['purpose']) => {
    const { stage, close } = openStage(run, contextOf(one, purpose))
    try {
      lifecycle.cancelled.throwIfAborted()
      const played = await (own === null ? one.play(stage) : orAbandoned(one, stage))
      if (!Array.isArray(played))
        throw new InvalidRule('from a scenario, a list of what stage.judge() gave', played)
      for (const { judgement } of played) validJudgement(judgement)
      if (own === null) return played
      // The run keeps the result of a scenario until the end, and gave the user's rule whole bodies.
      return played.map((met) => ({ ...met, exchange: truncateBody(met.exchange) }))
    } finally {
      await close()
    }
  }

  /** The result of a user's own play, which is abandoned if it still waits for anything other than an answer shortly after the end of the run. */
  const orAbandoned = async (one: Scenario, stage: Stage) => {
    const { cancelled } = lifecycle
    const played = new AbortController()
    const abandoning = async (): Promise<never> => {
      if (!cancelled.aborted) await once(cancelled, 'abort', played)
      await sleep(graceMs, null, played)
      const text = `${own}, case ${one.name}, waited for something that never came, and was abandoned`
      abandoned.set(id, printable(record.redactor.ofAnswer().redact(text)))
      throw cancelled.reason
    }
    try {
      return await Promise.race([one.play(stage), abandoning()])
    } finally {
      played.abort()
    }
  }

  /** Reports failing rows, reduced to the conditions that cause them unless the case is replayed. */
  const reportRows = async (requests: number | undefined) => {
    const inOrder = Object.values(rows).flatMap((row) => row ?? [])
    if (requests !== undefined) await refine(ofRule, inOrder, requests)
    else for (const row of inOrder) await report(ofRule, row)
  }

  /** Why cases were not judged, without duplicates, in their order, whichever ended first. Generated cases share a single reason. */
  const reasonsLeft = () => {
    const inOrder = [...Object.values(reasons), ...(over === null ? [] : [over])]
    const all = [...new Map(inOrder.map((reason) => [JSON.stringify(reason), reason])).values()]
    if (property === null) return all
    const isUntested = ({ kind }: Reason) => kind === 'untested'
    const untested = all.filter(isUntested)
    if (judged + inOrder.filter(isUntested).length === property.size) return untested

    const unjudged = all.filter((one) => !isUntested(one))
    const some = [...new Set(unjudged.map(({ text }) => text))].slice(0, keptReasons)
    const told = new Set([...some, ...(over === null ? [] : [over.text])])
    const text = `${judged} of ${property.size} cases were judged: ${[...told].join('; ')}`
    const kind = unjudged.every((one) => one.kind === 'ended') ? 'ended' : 'inconclusive'
    return [...untested, reasonOf(kind, text, followedBy(unjudged))]
  }

  return {
    async judge(): Promise<readonly Reason[]> {
      if (planned.untested !== null) return [{ kind: 'untested', text: planned.untested }]
      budget.topUp(id, planned.requests)
      if (property !== null) {
        record.power.planned(property)
        await sideBySide(affordable(property.cases()), limiter.concurrency, judgeCase)
        if (bugs.length === 0) await reportRows(property.refining).catch(note)
      } else {
        const cases = [...affordable(listed)]
        const others = cases.filter((one) => !isLast(one))
        await sideBySide(others, atOnce(others), judgeCase)
        await sideBySide(cases.filter(isLast), 1, judgeCase)
      }
      budget.release(id)
      if (bugs.length > 0) throw bugs[0]
      return reasonsLeft()
    },

    /** Plays all but the last scenarios that send requests of their own. */
    async play() {
      const cases = [...affordable(listed)]
      const isPlayed = (one: Case): one is Scenario =>
        one.kind === 'scenario' && shared.costOf(one).requests > 0 && !isLast(one)
      const scenarios = cases.filter(isPlayed)
      await sideBySide(scenarios, atOnce(scenarios), firstPlay)
      // A play may have sent more than planned.
      const others = cases.filter((one) => one.kind === 'example' || isLast(one))
      const needed = others.reduce((sum, one) => sum + shared.costOf(one).requests, 0)
      budget.restore(id, needed)
    },
  }
}

const isLast = (one: Case) => 'last' in one

/** The exchanges that a case judges of all that its play, or its scene, sent. */
function ownOf({ own }: Scenario, played: readonly JudgedExchange[]) {
  return own?.flatMap((one) => played.find(({ step }) => step === one) ?? []) ?? played
}

/** How often a silence checks for requests in flight, in milliseconds. */
const untilAnsweredMs = 10

/** A stage for a scenario, and the function that closes its connections. */
function openStage(run: OpenRun, caseContext: Context) {
  const { lifecycle, sender, record, shared, breaches } = run
  const context: Context = { ...caseContext, atOnce: true }
  const isAgain = context.purpose !== undefined
  const connections: Connection[] = []

  const judged = async (request: TestRequest, exchange: Exchange, check: Check) => {
    return { request, exchange, judgement: await breaches.judgedBy(check, { request, exchange, context }) }
  }
  /** An answer that violates the check is only taken from another case if that case got it alone. */
  const known = (request: TestRequest, check?: Check) =>
    isAgain ? stage.send(request) : run.sendShared(request, context, check)

  const stage: Stage = {
    cancelled: lifecycle.cancelled,
    observations: record.observations,
    get affordable() {
      return sender.budget.allottedTo(context.rule)
    },
    async send(request, connection) {
      const exchange = await run.send(request, { ...context, connection })
      if (!isAgain) shared.provide(request, exchange)
      return exchange
    },
    known,
    attempt: (request, connection) => instead('rejected', stage.send(request, connection), null),
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
      record.compare(baseline, context)
    },
  }
  return { stage, close: () => Promise.all(connections.map((connection) => connection.close())) }
}

function demandSuccess(judged: JudgedExchange) {
  if (isServed(judged.exchange)) return judged
  const answered = answeredBy(judged.exchange.response)
  const says = `a plain valid request was answered ${describeAnswered(answered)} (see endpoints/list-succeeds)`
  throw trouble(says, { follows: notServed(judged) })
}
