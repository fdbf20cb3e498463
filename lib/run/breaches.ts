import type { Baseline } from '../drift/baseline.ts'
import type { Exchange } from '../http/exchange.ts'
import { answeredBy, isServed, isSuccess } from '../judge/answered.ts'
import type { Breach, Check } from '../judge/judge.ts'
import type { Reproduced } from '../judge/record.ts'
import { ruleOf, type RuleId } from '../specification/rules.ts'
import { exchangeOf, type Core } from './core.ts'
import { looksLockedOut, type Lockouts } from './lockouts.ts'
import type { Example } from './plan/cases.ts'
import { NoAnswer, noAnswer, notServed, type PreconditionBreach, type SilentRequest } from './plan/errors.ts'
import type { Context, TestRequest } from './plan/test-request.ts'
import type { CaseExchange } from './record/baseline-watch.ts'
import type { Accusation, Expectation } from './record/checks.ts'
import { isWrongInLockout, type Occurrence } from './record/findings.ts'
import { isUnanswered, type SendOptions } from './send/pace.ts'

/** How a breach is confirmed. Only the first breach of each kind is confirmed. */
type Confirmation =
  /** Sends the request again; if `isMany`, only for the first few breaches. `violates` says whether an answer shows the breach. */
  | { readonly violates: (again: Exchange) => boolean; readonly isMany?: boolean }
  /** Plays several requests again, and says whether they end in the same breach. */
  | { readonly breaksAgain: () => Promise<boolean> }
  /** Sends nothing. */
  | Reproduced

/** The outcome of the health check between two confirmations. */
interface HealthBetween {
  readonly kind: 'served' | 'not served' | 'locked out'
  /** The breach of a plain valid request that was answered but not served; otherwise empty. */
  readonly breach: readonly PreconditionBreach[]
}

interface Repeats {
  readonly exchanges: readonly Exchange[]
  readonly health: HealthBetween
}

const served: HealthBetween = { kind: 'served', breach: [] }
const seenOnce: Reproduced = { seen: 1, of: 1 }

/** Maximum number of confirmed findings for an implied rule per kind of difference, because many services label every answer wrongly. */
const confirmedOfKind = 3

/** Confirms breaches before they count. This is the only place where the service is accused. */
export class Breaches {
  readonly #core: Core
  readonly #lockouts: Lockouts
  readonly #repeats = new WeakMap<TestRequest, Promise<Repeats>>()
  /** The number of confirmed findings for implied rules, by rule and difference. */
  readonly #ofKind = new Map<string, number>()

  constructor(core: Core, lockouts: Lockouts) {
    this.#core = core
    this.#lockouts = lockouts
  }

  /** Judges an exchange by the rules that apply to every answer; null if nothing has to wait. */
  judge(given: CaseExchange): Promise<void> | null {
    return this.#addAll(this.#core.record.checks.judge(given), given)
  }

  /** Applies a case's check to its answer after each tolerated change; null if nothing has to wait. */
  tolerate(given: CaseExchange, expects: Expectation): Promise<void> | null {
    return this.#addAll(this.#core.record.checks.tolerate(given, expects), given)
  }

  /** Records how the answers in the run so far differ from a baseline. */
  compareWith(baseline: Baseline, context: Context): void {
    const { checks, findings, replay } = this.#core.record
    for (const met of checks.compare(baseline, context.rule)) {
      const id = findings.addDrift(met, context)
      replay?.met(id, met.first.shown)
    }
  }

  /** Records a breach (of the case's rule by default) and confirms the first of its kind. Returns the health check made in between, if any. */
  async add(found: Occurrence, how: Confirmation, rule: RuleId = found.context.rule): Promise<HealthBetween> {
    const { findings, answers, replay } = this.#core.record
    const { request, exchange } = found
    const { fingerprint, isFirst } = findings.add(found, rule)
    const id = { rule, fingerprint }
    replay?.met(id, answers.shown(request, exchange))
    if (!isFirst) return served
    try {
      const { health, ...reproduced } = await this.#confirmed(found, how, rule)
      findings.confirmed(id, reproduced)
      return health
    } catch (error) {
      const { none, isAboutLockout } = noAnswer(error)
      // A client that is locked out is never served.
      if (none === 'left-out' && exchange !== null && isServed(exchange)) return served
      if (isAboutLockout && !isWrongInLockout(rule, found.breach)) findings.drop(id)
      throw error
    }
  }

  /** Records a breach found by a case's check. Throws `trouble` if the check requires a success and a plain valid request also fails. */
  async addOfCase(
    found: Occurrence & { readonly exchange: Exchange },
    { check, brokenIfServed }: Pick<Example, 'check' | 'brokenIfServed'>,
  ): Promise<void> {
    const { request, exchange, context, breach } = found
    const { plain } = request.traits
    // Anything else that a success must satisfy concerns the rule alone.
    const lacksSuccess = needsSuccess(check) && !isServed(exchange)
    if (plain && lacksSuccess && !aboutPlain.has(context.rule))
      throw new NoAnswer('trouble', notServedEither, { follows: notServed(found) })

    const violates = (again: Exchange): boolean => check.judge(again).kind === 'violates'
    const health = await this.add(found, { violates })
    if (brokenIfServed !== undefined && isServed(exchange))
      await this.add(found, { violates }, brokenIfServed)

    if (health.kind === 'served' || !lacksSuccess || plain) return
    const { findings } = this.#core.record
    findings.drop(findings.idOf({ rule: context.rule, request, breach }))
    throw new NoAnswer('trouble', notServedEither, { follows: health.breach })
  }

  /** Records that a request was never answered, although plain valid requests were. */
  async addSilence(
    context: Context,
    failure: SilentRequest,
    message: string,
    check: Check | null,
  ): Promise<void> {
    const { request, difference, reproduced } = failure
    const breach: Breach = { allowed: check?.allowed ?? [], answered: null, difference, summary: message }
    await this.add({ request, exchange: null, context, breach, failure }, reproduced)
  }

  /** Drops the answers that confirmed a request, because they may be large. */
  forget(request: TestRequest): void {
    this.#repeats.delete(request)
  }

  async #confirmed(
    { request, context, breach: { difference } }: Occurrence,
    how: Confirmation,
    rule: RuleId,
  ): Promise<Reproduced & { readonly health: HealthBetween }> {
    if ('seen' in how) return { ...how, health: served }
    if ('breaksAgain' in how) return { ...(await playedAgain(how.breaksAgain)), health: served }
    if (how.isMany === true && !this.#isOneOfFew(`${rule} ${difference}`))
      return { ...seenOnce, health: served }
    // A replay sends the whole case again.
    if (this.#core.isReplay) return { ...seenOnce, health: served }
    const { exchanges, health } = await this.#repeated(request, context)
    return { seen: 1 + exchanges.filter(how.violates).length, of: 1 + exchanges.length, health }
  }

  #isOneOfFew(kind: string): boolean {
    const before = this.#ofKind.get(kind) ?? 0
    this.#ofKind.set(kind, before + 1)
    return before < confirmedOfKind
  }

  /** Sends a request twice more, alone, with a health check in between. This is done only once, however many rules need it. */
  #repeated(request: TestRequest, { rule, case: name }: Context): Promise<Repeats> {
    const options = { rule, purpose: 'confirming', case: name } as const
    const repeats = this.#repeats.get(request) ?? this.#repeat(request, options)
    this.#repeats.set(request, repeats)
    return repeats
  }

  async #repeat(request: TestRequest, options: SendOptions): Promise<Repeats> {
    const again = async (): Promise<Exchange> =>
      exchangeOf(await this.#core.sender.send(request, { ...options, exclusive: true }))
    let exchanges: readonly Exchange[] = []
    let health = served
    try {
      do {
        exchanges = [await again()]
        health = await this.#healthBetween(options)
        // Answers seen during a lockout prove nothing.
        if (health.kind === 'locked out') exchanges = []
      } while (health.kind === 'locked out')
      exchanges = [...exchanges, await again()]
    } catch (error) {
      // A breach that could not be repeated was still seen: "1 of 1".
      if (noAnswer(error).isAboutLockout) throw error
    }
    return { exchanges, health }
  }

  /** Runs a health check; a failed one counts as not served. Throws if the budget does not allow one. */
  async #healthBetween({ rule, purpose }: SendOptions): Promise<HealthBetween> {
    const { sender, plain } = this.#core
    const sent = await sender.send(plain, { rule, purpose })
    if (isUnanswered(sent)) return { kind: 'not served', breach: [] }
    const answered = answeredBy(sent.response)
    if (looksLockedOut(answered) && (await this.#lockouts.hasEnded()))
      return { kind: 'locked out', breach: [] }
    if (isSuccess(answered)) return served
    return { kind: 'not served', breach: notServed({ request: plain, exchange: sent }) }
  }

  #addAll(found: readonly Accusation[], given: CaseExchange): Promise<void> | null {
    return found.length === 0 ? null : this.#addEach(found, given)
  }

  async #addEach(found: readonly Accusation[], { request, context }: CaseExchange): Promise<void> {
    for (const { rule, exchange, breach, violates } of found) {
      const how = violates === null ? seenOnce : { violates, isMany: ruleOf(rule).level === 'implied' }
      await this.add({ request, exchange, context, breach }, how, rule)
    }
  }
}

/** Plays a scenario twice more and counts how many times it ends in the same breach, including the first. */
async function playedAgain(breaksAgain: () => Promise<boolean>): Promise<Reproduced> {
  let [seen, of] = [1, 1]
  try {
    while (of < 3) {
      if (await breaksAgain()) seen += 1
      of += 1
    }
  } catch (error) {
    const { none, isAboutLockout } = noAnswer(error)
    if (isAboutLockout || none === 'rejected') throw error
  }
  return { seen, of }
}

/** How many times a pair is repeated. With two releases behind one address, one case in a thousand differs every time by chance, which many cases would meet. */
const timesOfPair = { order: 4, outcome: 5, 'one of many': 8 } as const

/** Whether the answers to two requests differ every time both are sent again, in reverse order every second time because a service may alternate. */
export async function confirmPair(
  about: keyof typeof timesOfPair,
  differsAgain: (isReversed: boolean) => Promise<boolean>,
): Promise<boolean> {
  for (let time = 0; time < timesOfPair[about]; time += 1) {
    if (!(await differsAgain(time % 2 === 1))) return false
  }
  return true
}

function needsSuccess({ allowed }: Check): boolean {
  return allowed.length > 0 && allowed.every(({ errorCode }) => errorCode === null)
}

/** The rules about a plain valid request itself, which report its failure on behalf of all others. */
const aboutPlain: ReadonlySet<RuleId> = new Set(['endpoints/list-succeeds', 'versioning/default-version'])
const notServedEither = 'a plain valid request did not succeed either (see endpoints/list-succeeds)'
