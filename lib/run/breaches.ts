import type { Exchange } from '../http/exchange.ts'
import { answeredBy, isServed, isSuccess, type Answered } from '../judge/answered.ts'
import type { Reproduced } from '../judge/record.ts'
import { ruleOf, type RuleId } from '../specification/rules.ts'
import { NoAnswer, noAnswer, notServed as breachOfPlain } from './plan/cases.ts'
import type { Example, PreconditionBreach } from './plan/cases.ts'
import type { Context, TestRequest } from './plan/suite-context.ts'
import type { Accusation, CaseExchange, Expectation } from './record/answers.ts'
import { isWrongInLockout, type Occurrence } from './record/record.ts'
import { isUnanswered } from './send/pace.ts'
import { exchangeOf, type Core } from './send/sender.ts'

/** How a breach is confirmed. Only the first breach of each kind is confirmed. */
type Confirmation =
  /** Sends the request again; if `isMany`, only for the first few breaches. `violates` says whether an answer shows the breach. */
  | { readonly violates: (again: Exchange) => boolean; readonly isMany?: boolean }
  /** Plays several requests again, and says whether they end in the same breach. */
  | { readonly breaksAgain: () => Promise<boolean> }
  /** Sends nothing. */
  | Reproduced

/** The breach of the plain valid request between two confirmations, if it was answered; null if it was served. */
type NotServed = readonly PreconditionBreach[] | null

const seenOnce: Reproduced = { seen: 1, of: 1 }

/** Maximum number of confirmed findings for an implied rule per kind of difference, because many services label every answer wrongly. */
const confirmedOfKind = 3

export type Breaches = ReturnType<typeof openBreaches>

/** Confirms breaches before they count. This is the only place where the service is accused. */
export function openBreaches(
  { record, sender, plain, catalogue }: Core,
  isLockoutOver: (answered: Answered) => Promise<boolean>,
) {
  const { findings, checks } = record
  /** The number of confirmed findings for implied rules, by rule and difference. */
  const ofKind = new Map<string, number>()

  /** Sends a request twice more, alone, with a health check in between. */
  const repeat = async (request: TestRequest, { rule, case: name }: Context) => {
    const options = { rule, purpose: 'confirming', case: name, exclusive: true } as const
    const again = async () => exchangeOf(await sender.send(request, options))
    let exchanges: readonly Exchange[] = []
    let notServed: NotServed = null
    try {
      for (let isLocked = true; isLocked;) {
        exchanges = [await again()]
        const sent = await sender.send(plain, { rule, purpose: 'confirming' })
        const answered = isUnanswered(sent) ? null : answeredBy(sent.response)
        isLocked = answered !== null && (await isLockoutOver(answered))
        const breach = isUnanswered(sent) ? [] : breachOfPlain({ request: plain, exchange: sent })
        notServed = answered !== null && isSuccess(answered) ? null : breach
        // Answers seen during a lockout prove nothing.
        if (isLocked) [exchanges, notServed] = [[], []]
      }
      exchanges = [...exchanges, await again()]
    } catch (error) {
      // A breach that could not be repeated was still seen: "1 of 1".
      if (noAnswer(error).isAboutLockout) throw error
    }
    return { exchanges, notServed }
  }
  const repeats = new WeakMap<TestRequest, ReturnType<typeof repeat>>()

  const confirmed = async (
    { request, context, breach: { difference } }: Occurrence,
    how: Confirmation,
    rule: RuleId,
  ): Promise<Reproduced & { readonly notServed: NotServed }> => {
    if ('seen' in how) return { ...how, notServed: null }
    if ('breaksAgain' in how) return { ...(await playedAgain(how.breaksAgain)), notServed: null }
    const kind = `${rule} ${difference}`
    const before = ofKind.get(kind) ?? 0
    if (how.isMany === true) ofKind.set(kind, before + 1)
    // A replay sends the whole case again.
    if (record.replay !== null || (how.isMany === true && before >= confirmedOfKind))
      return { ...seenOnce, notServed: null }
    // Done only once, however many rules need it.
    const repeated = repeats.get(request) ?? repeat(request, context)
    repeats.set(request, repeated)
    const { exchanges, notServed } = await repeated
    return { seen: 1 + exchanges.filter(how.violates).length, of: 1 + exchanges.length, notServed }
  }

  /** Records a breach (of the case's rule by default) and confirms the first of its kind. */
  const add = async (found: Occurrence, how: Confirmation, rule: RuleId = found.context.rule) => {
    // The suites of a run may lack rules of the specification.
    if (!catalogue.has(rule)) return null
    const { exchange } = found
    const { isFirst, ...id } = findings.add(found, rule)
    if (!isFirst) return null
    try {
      const { notServed, ...reproduced } = await confirmed(found, how, rule)
      findings.confirmed(id, reproduced)
      return notServed
    } catch (error) {
      const { none, isAboutLockout } = noAnswer(error)
      // A client that is locked out is never served.
      if (none === 'left-out' && exchange !== null && isServed(exchange)) return null
      if (isAboutLockout && !isWrongInLockout(rule, found.breach)) findings.drop(id)
      throw error
    }
  }

  const addAll = async (found: readonly Accusation[], { request, context }: CaseExchange) => {
    for (const { rule, exchange, breach, violates } of found) {
      const how = violates === null ? seenOnce : { violates, isMany: ruleOf(rule).level === 'implied' }
      await add({ request, exchange, context, breach }, how, rule)
    }
  }

  return {
    add,

    /** Judges an exchange by the rules that apply to every answer. */
    judge: (given: CaseExchange) => addAll(checks.judge(given), given),

    /** Applies a case's check to its answer after each tolerated change. */
    tolerate: (given: CaseExchange, expects: Expectation) => addAll(checks.tolerate(given, expects), given),

    /** Records a breach found by a case's check. Throws `trouble` if the check requires a success and a plain valid request also fails. */
    async addOfCase(
      found: Occurrence & { readonly exchange: Exchange },
      { check, brokenIfServed }: Pick<Example, 'check' | 'brokenIfServed'>,
    ) {
      const { request, exchange, context, breach } = found
      const { plain: isPlain } = request.traits
      // Anything else that a success must satisfy concerns the rule alone.
      const needsSuccess =
        check.allowed.length > 0 && check.allowed.every(({ errorCode }) => errorCode === null)
      const lacksSuccess = needsSuccess && !isServed(exchange)
      if (isPlain && lacksSuccess && !aboutPlain.has(context.rule))
        throw new NoAnswer('trouble', notServedEither, { follows: breachOfPlain(found) })

      const violates = (again: Exchange) => check.judge(again).kind === 'violates'
      const follows = await add(found, { violates })
      if (brokenIfServed !== undefined && isServed(exchange)) await add(found, { violates }, brokenIfServed)

      if (follows === null || !lacksSuccess || isPlain) return
      findings.drop(findings.idOf({ rule: context.rule, request, breach }))
      throw new NoAnswer('trouble', notServedEither, { follows })
    },

    /** Drops the answers that confirmed a request, because they may be large. */
    forget: (request: TestRequest) => repeats.delete(request),
  }
}

/** Plays a scenario twice more and counts how many times it ends in the same breach, including the first. */
async function playedAgain(breaksAgain: () => Promise<boolean>) {
  let seen = 1
  let of = 1
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

/** The rules about a plain valid request itself, which report its failure on behalf of all others. */
const aboutPlain: ReadonlySet<RuleId> = new Set(['endpoints/list-succeeds', 'versioning/default-version'])
const notServedEither = 'a plain valid request did not succeed either (see endpoints/list-succeeds)'
