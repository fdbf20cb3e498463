import type { Exchange } from '../http/exchange.ts'
import { fingerprintOf } from '../judge/fingerprint.ts'
import type { Breach, Check } from '../judge/judge.ts'
import type { RuleId } from '../spec/rules.ts'
import type { Context, TestRequest } from './test-request.ts'
import { bookBreach, bookUnanswered, type CasesLeft } from './judge-rule.ts'
import type { TestClient } from './client.ts'
import { TransportRejected, NoResponse } from './no-response.ts'
import { BudgetSpent, RunEnded, Inconclusive, NotApplicable } from './inconclusive.ts'

/** A generated case: one request, and what is demanded of its answer. */
export interface GeneratedCase {
  /** The case's name within the rule, with the way of shrinking behind it. */
  readonly name: string
  /** What was done, in words, for findings. */
  readonly says: string
  readonly stimulus: TestRequest
  /** Whether it goes out on a connection of its own. */
  readonly alone: boolean
  /** A request that is sent before, on a connection of its own where the case is; null where the check needs none. */
  readonly before: TestRequest | null
  /** Made from the answer to the one before; null where there is none, or where its connection was closed instead. */
  readonly check: (before: Exchange | null) => Check
  /** Writes down what is only observed. */
  readonly observe: (session: TestClient, exchange: Exchange | null) => void
  /** Simpler cases, simplest first; drawn only as they are asked for. */
  readonly simpler: () => Iterable<GeneratedCase>
}

/** A rule's generated cases. */
export interface Property {
  readonly size: number
  /** How many requests they send in all. */
  readonly requests: number
  /** Drawn one after the other, always the same ones. */
  readonly cases: () => Iterable<GeneratedCase>
}

/** At most so many requests are spent on making one kind of counterexample simpler. */
const shrinkingRequests = 40
/**
 * How often both requests are sent again before their difference is taken for the service's: by chance, two releases behind one address
 * differ so once in a thousand.
 */
const timesAgain = { order: 4, outcome: 5 } as const
/** A rule tells so many reasons; more say nothing new. */
const mostReasons = 5

/**
 * Judges the generated cases of a rule, several side by side. What fits into the budget is always the same beginning of them;
 * fewer than asked are said. The first counterexample of a kind is made as simple as it gets before it is booked.
 */
export async function judgeProperty(
  session: TestClient,
  rule: RuleId,
  property: Property,
): Promise<CasesLeft> {
  const run = new PropertyRun(session, rule)
  const cases = property.cases()[Symbol.iterator]()
  session.budget.topUp(rule, property.requests)
  const judgeSome = async (): Promise<void> => {
    for (let next = run.next(cases); next !== null; next = run.next(cases)) await run.judge(next)
  }
  await Promise.all(Array.from({ length: session.concurrency }, judgeSome))
  session.budget.release(rule)
  return run.left(property.size)
}

class PropertyRun {
  readonly #session: TestClient
  readonly #rule: RuleId
  #judged = 0
  #affordable: number
  /** Why nothing more of the rule is sent, or null. */
  #over: string | null = null
  readonly #unjudged = new Map<string, number>()
  readonly #untested = new Set<string>()
  #untestedCases = 0
  readonly #simplest = new Map<string, Promise<void>>()

  constructor(session: TestClient, rule: RuleId) {
    this.#session = session
    this.#rule = rule
    this.#affordable = session.budget.allottedTo(rule)
  }

  /** The next case that fits into the budget, or null. */
  next(cases: Iterator<GeneratedCase>): GeneratedCase | null {
    if (this.#over !== null) return null
    const next = cases.next()
    if (next.done === true) return null

    const requests = next.value.before === null ? 1 : 2
    if (requests > this.#affordable) {
      this.#over = 'the others did not fit into the budget (RUN_MAX_REQUESTS)'
      return null
    }
    this.#affordable -= requests
    return next.value
  }

  async judge(one: GeneratedCase): Promise<void> {
    const context = { rule: this.#rule, case: one.name }
    try {
      const met = await meets(this.#session, context, one)
      if (met !== null) await this.#found(one, met)
      // Not before: a breach may turn out to be nobody's fault, and then the case was not judged.
      this.#judged += 1
    } catch (error) {
      await this.#note(error, one, context)
    } finally {
      this.#session.forget(one.stimulus)
      this.#session.caseDone(this.#rule)
    }
  }

  left(size: number): CasesLeft {
    const missing = size - this.#judged - this.#untestedCases
    const reasons = [...this.#unjudged.keys()].slice(0, mostReasons)
    const all = this.#over === null || reasons.includes(this.#over) ? reasons : [...reasons, this.#over]
    return {
      unjudged: missing === 0 ? [] : [`${this.#judged} of ${size} cases were judged: ${all.join('; ')}`],
      untested: [...this.#untested],
    }
  }

  /** The first counterexample of a kind is simplified and booked; others only count, once the first one is known. */
  async #found(one: GeneratedCase, met: Met): Promise<void> {
    const kind = fingerprintOf(one.stimulus.traits.endpoint, met.breach)
    const known = this.#simplest.get(kind)
    if (known !== undefined) {
      await known.catch(() => {})
      return this.#book(one, met)
    }
    const first = this.#simplify(one, met, kind).then(({ simplest, as }) => this.#book(simplest, as))
    this.#simplest.set(kind, first)
    return first
  }

  async #simplify(
    one: GeneratedCase,
    met: Met,
    kind: string,
  ): Promise<{ readonly simplest: GeneratedCase; readonly as: Met }> {
    let [simplest, as] = [one, met]
    let left = shrinkingRequests
    let candidates = simplest.simpler()[Symbol.iterator]()
    for (let next = candidates.next(); next.done !== true && left > 0; next = candidates.next()) {
      left -= next.value.before === null ? 1 : 2
      const again = await this.#meetsAgain(next.value)
      if (again === 'stop') break
      if (again === null || fingerprintOf(next.value.stimulus.traits.endpoint, again.breach) !== kind)
        continue
      ;[simplest, as] = [next.value, again]
      candidates = simplest.simpler()[Symbol.iterator]()
    }
    return { simplest, as }
  }

  async #meetsAgain(simpler: GeneratedCase): Promise<Met | null | 'stop'> {
    const context: Context = { rule: this.#rule, case: simpler.name, purpose: 'shrinking' }
    try {
      return await meets(this.#session, context, simpler)
    } catch (error) {
      if (error instanceof NoResponse) return null
      if (error instanceof Inconclusive) return 'stop'
      throw error
    }
  }

  #book(one: GeneratedCase, { exchange, check, breach }: Met): Promise<void> {
    const { stimulus, says, name } = one
    const told: Breach = { ...breach, summary: `${breach.summary}; sent was ${says}` }
    return bookBreach(
      this.#session,
      { rule: this.#rule, case: name },
      { stimulus, exchange, check, breach: told },
    )
  }

  async #note(error: unknown, one: GeneratedCase, context: Context): Promise<void> {
    if (error instanceof NoResponse) {
      this.#judged += 1
      return bookUnanswered(this.#session, context, error, one.before === null ? one.check(null) : null)
    }
    if (error instanceof NotApplicable) {
      this.#untestedCases += 1
      this.#untested.add(this.#session.redact(error.message))
      return
    }
    if (!(error instanceof Inconclusive)) {
      this.#over ??= 'the suite itself failed'
      throw error
    }
    const because = this.#session.redact(error.message)
    this.#unjudged.set(because, (this.#unjudged.get(because) ?? 0) + 1)
    if (endsRule(error)) this.#over ??= because
  }
}

/**
 * Whether nothing more of a rule can be judged. What retries or confirmations could not spend is lost for one case only; but without
 * controls nobody would notice that the client was locked out.
 */
function endsRule(error: Inconclusive): boolean {
  if (error instanceof RunEnded) return true
  return error instanceof BudgetSpent && (error.purpose === 'case' || error.purpose === 'health-check')
}

/** A breach as it was met. */
interface Met {
  readonly exchange: Exchange
  readonly check: Check
  readonly breach: Breach
}

/** Sends a case and judges its answer; null where nothing is wrong with it. */
async function meets(session: TestClient, context: Context, one: GeneratedCase): Promise<Met | null> {
  const { stimulus } = one
  const unavailable = stimulus.request.route === 'raw' ? session.rawSocketUnavailable : null
  if (unavailable !== null) throw new NotApplicable(unavailable)

  const { alone } = one
  const before =
    one.before === null ? null : await answerTo(session, { stimulus: one.before, alone }, context)
  const exchange = await answerTo(session, { stimulus, alone }, context)
  one.observe(session, exchange)
  session.log.judged(context.rule, () => session.shown(stimulus, exchange))
  if (exchange === null) return null

  const check = one.check(before)
  await session.tolerates(stimulus, exchange, context, check)
  const judgement = check.judge(exchange)
  if (judgement.kind === 'unclear') throw new Inconclusive(judgement.because)
  if (judgement.kind === 'holds') return null
  const met: Met = { exchange, check, breach: judgement.breach }
  return (await differsEveryTime(session, context, one, met.breach)) ? met : null
}

/**
 * Whether a breach by what another request is answered comes every time: both are sent again in turn, on the same kind of connection.
 * Where the other request is answered in several ways, or the two are once answered alike, it is nobody's fault, and is written down.
 * What makes a case simpler is not asked again.
 */
async function differsEveryTime(
  session: TestClient,
  context: Context,
  one: GeneratedCase,
  { against, difference }: Breach,
): Promise<boolean> {
  if (against === undefined || context.purpose === 'shrinking' || one.before === null) return true
  const confirming: Context = { ...context, purpose: 'confirming' }
  const { stimulus, before, alone } = one
  for (let time = 0; time < timesAgain[against]; time += 1) {
    const earlier = await answerTo(session, { stimulus: before, alone }, confirming)
    const exchange = await answerTo(session, { stimulus, alone }, confirming)
    const judgement = exchange === null ? null : one.check(earlier).judge(exchange)
    // The difference names the outcome of the request before: another one shows that it varies.
    if (judgement?.kind === 'violates' && (against === 'order' || judgement.breach.difference === difference))
      continue
    session.log.note('varying-outcomes', one.name, 'the same requests are answered in several ways')
    return false
  }
  return true
}

/** The exchange, or null where the transport closed the connection instead, and may. */
async function answerTo(
  session: TestClient,
  { stimulus, alone }: Pick<GeneratedCase, 'stimulus' | 'alone'>,
  context: Context,
): Promise<Exchange | null> {
  const connection = alone ? session.connection() : null
  try {
    return await session.send(stimulus, connection === null ? context : { ...context, connection })
  } catch (error) {
    if (error instanceof TransportRejected) return null
    throw error
  } finally {
    await connection?.close()
  }
}
