import { type Exchange, headerSize } from '../http/exchange.ts'
import { closesConnection, type TransportError } from '../http/transport-error.ts'
import { isServed } from '../judge/answered.ts'
import { validJudgement, type Check } from '../judge/judge.ts'
import type { Reproduced } from '../judge/record.ts'
import { isRuleId, ruleOf, type RuleId } from '../specification/rules.ts'
import { noAnswer, notServed as breachOfPlain, trouble, NoAnswer } from './plan/cases.ts'
import type { Example, PreconditionBreach } from './plan/cases.ts'
import type { Context, TestRequest } from './plan/suite-context.ts'
import { flawsOf, type Accusation, type CaseExchange } from './record/answers.ts'
import { isWrongInLockout, type Occurrence } from './record/record.ts'
import { isUnanswered, type SendOptions, type Unanswered } from './send/pace.ts'
import { exchangeOf, sharing, unanswered, type Core } from './send/sender.ts'
import { isRejection, isUnreadable, mayBeTheRequestsFault, mayMeanRate } from './send/trouble.ts'

/** How a breach is confirmed. Only the first breach of each kind is confirmed. */
type Confirmation =
  /** Sends the request again; if `isMany`, only for the first few breaches. `violates` says whether an answer shows the breach. */
  | { readonly violates: (again: Exchange) => boolean; readonly isMany?: boolean }
  /** Plays several requests again, and says whether they end in the same breach. */
  | { readonly breaksAgain: () => Promise<boolean> }
  /** Sends nothing. */
  | Reproduced

const seenOnce: Reproduced = { seen: 1, of: 1 }

/** Maximum number of confirmed findings for an implied rule per kind of difference, because many services label every answer wrongly. */
const confirmedOfKind = 3

export type Breaches = ReturnType<typeof openBreaches>

/** Confirms breaches before they count. This is the only place where the service is accused. */
export function openBreaches(
  { record, sender, plain, catalogue }: Core,
  isLockoutOver: (exchange: Exchange) => Promise<boolean>,
) {
  const { findings } = record
  /** The number of confirmed findings for implied rules, by rule and difference. */
  const ofKind = new Map<string, number>()

  /** Sends a request twice more, alone, with a health check in between. */
  const repeat = async (request: TestRequest, { rule, case: name }: Context) => {
    const options = { rule, purpose: 'confirming', case: name, exclusive: true } as const
    const again = async () => exchangeOf(await sender.send(request, options))
    let exchanges: readonly Exchange[] = []
    /** The breach of the plain valid request, if it was answered; null if it was served. */
    let notServed: readonly PreconditionBreach[] | null = null
    try {
      for (let isLocked = true; isLocked;) {
        exchanges = [await again()]
        const sent = await sender.send(plain, { rule, purpose: 'confirming' })
        const exchange = isUnanswered(sent) ? null : sent
        isLocked = exchange !== null && (await isLockoutOver(exchange))
        // Answers seen during a lockout prove nothing.
        if (isLocked) exchanges = []
        if (isLocked || exchange === null) notServed = []
        else notServed = isServed(exchange) ? null : breachOfPlain({ request: plain, exchange })
      }
      exchanges = [...exchanges, await again()]
    } catch (error) {
      // A breach that could not be repeated was still seen: "1 of 1".
      if (noAnswer(error).isAboutLockout) throw error
    }
    return { exchanges, notServed }
  }
  const repeats = new WeakMap<TestRequest, ReturnType<typeof repeat>>()

  const confirmed = async ({ rule, request, context, breach }: Occurrence, how: Confirmation) => {
    if ('seen' in how) return how
    if ('breaksAgain' in how) return playedAgain(how.breaksAgain)
    const kind = `${rule} ${breach.difference}`
    const before = ofKind.get(kind) ?? 0
    if (how.isMany) ofKind.set(kind, before + 1)
    // A replay sends the whole case again.
    if (record.replay !== null || (how.isMany && before >= confirmedOfKind)) return seenOnce
    // Done only once, however many rules need it.
    const repeated = repeats.get(request) ?? repeat(request, context)
    repeats.set(request, repeated)
    const { exchanges } = await repeated
    return { seen: 1 + exchanges.filter(how.violates).length, of: 1 + exchanges.length }
  }

  /** Records a breach and confirms the first of its kind. Returns whether it was confirmed. */
  const add = async (found: Occurrence, how: Confirmation) => {
    const { rule, exchange } = found
    // The suites of a run may lack rules of the specification.
    if (!catalogue.has(rule)) return false
    const { isFirst, ...id } = findings.add(found)
    try {
      if (isFirst) findings.confirmed(id, await confirmed(found, how))
      return isFirst
    } catch (error) {
      const { none, isAboutLockout } = noAnswer(error)
      // A client that is locked out is never served.
      if (none === 'left-out' && exchange !== null && isServed(exchange)) return false
      if (isAboutLockout && !isWrongInLockout(rule, found.breach)) findings.drop(id)
      throw error
    }
  }

  const addAll = async (found: readonly Accusation[], { request, context }: CaseExchange) => {
    for (const { violates, ...one } of found) {
      const how = violates === null ? seenOnce : { violates, isMany: ruleOf(one.rule).level === 'implied' }
      await add({ request, context, ...one }, how)
    }
  }

  return {
    add,

    /** Judges an exchange by the rules that apply to every answer. */
    judge: (given: CaseExchange) => addAll(record.judge(given), given),

    /** Judges an answer by its case's check, also after each tolerated change, but not for a user's own rule, which may demand more than the specification. */
    async judgedBy(check: Check, given: CaseExchange) {
      const { exchange, context } = given
      const judge = (one: Exchange) => check.judge(one)
      if (isRuleId(context.rule)) await addAll(record.intolerances(exchange, judge), given)
      return validJudgement(judge(exchange))
    },

    /** Records a breach found by a case's check. Throws `trouble` if the check requires a success and a plain valid request also fails. */
    async addOfCase(
      found: Occurrence & { readonly exchange: Exchange },
      { check, brokenIfServed }: Pick<Example, 'check' | 'brokenIfServed'>,
    ) {
      const { exchange, context } = found
      const { plain: isPlain } = found.request.traits
      // Anything else that a success must satisfy concerns the rule alone.
      const needsSuccess =
        check.allowed.length > 0 && check.allowed.every(({ errorCode }) => errorCode === null)
      const lacksSuccess = needsSuccess && !isServed(exchange)
      if (isPlain && lacksSuccess && !aboutPlain.has(context.rule))
        throw trouble(notServedEither, { follows: breachOfPlain(found) })

      const violates = (again: Exchange) => check.judge(again).kind === 'violates'
      const isNew = await add(found, { violates })
      if (brokenIfServed !== undefined && isServed(exchange))
        await add({ ...found, rule: brokenIfServed }, { violates })

      const { notServed: follows = null } = (await repeats.get(found.request)) ?? {}
      if (!isNew || follows === null || !lacksSuccess || isPlain) return
      findings.drop(findings.idOf(found))
      throw trouble(notServedEither, { follows })
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

/**
 * Further attempts, each after a health check, that prove a missing answer, by its similarity to unanswered requests. Each may cost a
 * timeout. `same`: the same bytes, or flawed when several flaws go unanswered. `similar`: the same flaws or more.
 */
const moreAttempts = { none: 2, similar: 1, same: 0 } as const

/** The number of kinds of unanswered flaws after which no flawed request is expected to get an answer. */
const kindsOfFlaws = 3
/** Heads that are larger than a plain one by this many bytes may go unanswered because of their size alone, and each would cost a timeout. */
const oversized = 4_096

/** The plain valid requests in a trial, by stage, and the failures that mean trouble. A service that fails one request in ten passes 98 of 100 trials; one in three, 15. */
const trials = [
  { of: 10, failures: 5 },
  { of: 20, failures: 6 },
  { of: 30, failures: 8 },
] as const
/** The maximum chance that all plain valid requests in a slower trial are served even though failures are random. */
const chanceOfRate = 0.0005
/** The maximum number of plain valid requests in a slower trial. If more are needed, too few have failed to distinguish a rate from chance. */
const mostInTurn = 40

function headSize({ request }: TestRequest) {
  return request.target.length + headerSize(request)
}

/** Decides whose fault a missing answer is. The first proof takes many attempts; similar requests then need fewer. */
export function openSilence(core: Core, check: () => Promise<boolean>) {
  const { sender, plain, record, model, lifecycle, sendPlain, isServedAlone } = core
  const { availability, limiter } = sender
  /** Requests that were never answered while others were. */
  const silent: ReturnType<typeof describe>[] = []
  /** The last retried request of each kind. */
  const turns = new Map<string, Promise<unknown>>()
  /** Kinds of requests and failures that the transport rejected. */
  const rejected = new Set<string>()
  /** The smallest head that went unanswered, in bytes, and how it failed. */
  let largest = { size: Number.POSITIVE_INFINITY, says: '' }
  /** Rates that trials have not tried yet, in requests per second. */
  const slowerRates = [10, 5, 2, 1].values()

  /** What distinguishes a request: its bytes, and its flaws, if they are known. */
  const describe = (request: TestRequest) => {
    const { certain = [], all = [] } = flawsOf(request, model) ?? {}
    return { hash: request.hash, endpoint: request.traits.endpoint, certain: certain.join(', '), all }
  }

  const similarityOf = (request: TestRequest) => {
    if (silent.length === 0) return 'none'
    const { hash, endpoint, certain, all } = describe(request)
    if (silent.some((known) => known.hash === hash)) return 'same'
    const here = silent.filter((known) => known.endpoint === endpoint && known.all.length > 0)
    if (here.some((known) => known.all.every((flaw) => all.includes(flaw)))) return 'similar'
    if (certain === '') return 'none'
    if (here.some((known) => known.certain === certain)) return 'similar'
    const kinds = new Set(silent.flatMap((known) => known.certain || []))
    return kinds.size >= kindsOfFlaws ? 'same' : 'none'
  }

  /** The endpoint and its flaws, or all bytes if the flaws are unknown. */
  const kindOf = (request: TestRequest) => {
    const { endpoint, certain, all, hash } = describe(request)
    return `${endpoint} ${certain || all.join(', ') || hash}`
  }

  /** Finds out why a request gets no answer, by sending it again. Returns an exchange, or the failures if nobody is known to be at fault. */
  const openProof = (request: TestRequest, how: SendOptions) => {
    const again = (after: Unanswered, more: Partial<SendOptions> = {}) =>
      sender.attempt(request, { ...how, purpose: 'retry', after, ...more })

    /** When several requests of a kind fail concurrently, retries one while the others wait for its result. Closed connections count as one kind. */
    const inTurn = async (failed: Unanswered) => {
      const kind = closesConnection(failed.error.kind) ? 'closed' : kindOf(request)
      const turn = (turns.get(kind) ?? Promise.resolve()).then(() =>
        similarityOf(request) === 'none' ? tryAgain(failed) : null,
      )
      const quietly = turn.catch(() => null)
      turns.set(kind, quietly)
      return (await turn) ?? prove(failed, similarityOf(request))
    }

    const tryAgain = async (before: Unanswered) => {
      const failed = await again(before, { once: false })
      if (!isUnanswered(failed)) return failed
      return isRejection(request, failed.error.kind) ? orRejected(failed) : prove(failed, 'none')
    }

    /** Sends the request again until the fault is proven, each time only after a health check has been served. */
    const prove = async (failed: Unanswered, similarity: keyof typeof moreAttempts) => {
      const { kind } = failed.error
      const expectsFailure = similarity !== 'none'
      if (!mayBeTheRequestsFault(kind)) {
        await check()
        return again(failed, { expectsFailure })
      }
      if (similarity === 'same' && !(await check())) return failed
      let all = failed
      for (let time = 0; ; time += 1) {
        const attempts = availability.attemptsOfProof()
        if (attempts === null) return all
        if (time >= moreAttempts[similarity] && all.attempts.length >= attempts) break
        if (!(await check())) return all
        const sent = await again(all, { purpose: 'confirming', expectsFailure })
        if (!isUnanswered(sent)) return sent
        all = sent
        if (!mayBeTheRequestsFault(all.error.kind)) return all
      }
      // A firewall that bans the sender may keep old connections open.
      const mayBeBan = similarity === 'none' && closesConnection(kind)
      if (request.traits.plain || (mayBeBan && !(await isServedAlone()))) return failed
      silent.push(describe(request))
      const { length: times } = all.attempts
      const says = `no answer came while plain valid requests were answered: ${all.error.message}`
      const difference = `no answer: ${all.error.kind}`
      throw new NoAnswer('silent', says, { silence: { request, difference, times } })
    }

    /** A closed connection counts as a rejection at once; a gateway's error or silence must first happen twice while others are served. */
    const orRejected = async (failed: Unanswered) => {
      const { kind, message: says } = failed.error
      if (closesConnection(kind)) throw new NoAnswer('rejected', 'connection closed')
      if (!(await check())) return failed
      const like = `${kind} ${kindOf(request)}`
      if (!rejected.has(like)) {
        const sent = await again(failed)
        if (!isUnanswered(sent) || !isRejection(request, sent.error.kind)) return sent
        rejected.add(like)
      }
      const size = headSize(request)
      const isOversized = record.replay === null && size >= headSize(plain) + oversized
      if (kind === 'timeout' && isOversized && size < largest.size) largest = { size, says }
      throw new NoAnswer('rejected', says)
    }

    return { inTurn, prove, orRejected }
  }

  /** Sends plain valid requests, each once. If many of them also go unanswered, the service is in trouble and the run ends. */
  const trial = sharing(async () => {
    let sent = 0
    const troubles: (TransportError | null)[] = []
    let because = ''
    for (const { of, failures } of trials) {
      const more = Array.from({ length: of - sent }, sendPlainOnce)
      for (const outcome of await Promise.all(more))
        if (outcome.kind === 'failed') {
          troubles.push(outcome.error)
          because = outcome.because
        }
      sent = of
      const failed = troubles.length
      // The next health check will show an outage.
      if (failed === 0 || failed === sent) return
      const inTurns = Math.ceil(Math.log(chanceOfRate) / Math.log(1 - failed / sent))
      const mayBeRate = inTurns <= mostInTurn && troubles.every(mayMeanRate)
      if (mayBeRate && (await endsWhenSlower(inTurns))) return availability.rateRefused()
      if (failed < failures) continue
      throw lifecycle.end(
        `the service is in trouble: ${failed} of ${sent} plain valid requests got no answer, each sent once: ${because}`,
      )
    }
  })

  /** Whether this many requests are all served at a lower rate, which the run then keeps. Each rate is tried only once per run. */
  const endsWhenSlower = async (requests: number) => {
    for (const rps of slowerRates) {
      const lift = limiter.limitRate(rps)
      if (lift === null) continue
      limiter.pause(1_000)
      let left = requests
      while (left > 0 && (await sendPlainOnce()).kind !== 'failed') left -= 1
      if (left === 0) return true
      lift()
    }
    return false
  }

  const sendPlainOnce = () => sendPlain(sender.send, plain, { once: true, expectsFailure: true })

  return {
    /** Waits for the end of a trial, which shows whether the service is in trouble, and ends the run if it is. */
    endOfTrial: async () => trial.underWay.get(),

    /** Throws `silent` if the service is to blame, `rejected` if the transport is, `trouble` if nobody is. */
    async send(request: TestRequest, context: Context) {
      const { rule, purpose = 'case', case: name, connection, atOnce } = context
      const { size, says } = largest
      if (request.traits.transportMayRefuse && headSize(request) >= size)
        throw new NoAnswer('rejected', `not sent: a request of this size or smaller got no answer (${says})`)
      const similarity = similarityOf(request)
      const expectsFailure = similarity !== 'none'
      // Not spread: V8 would keep a copy for every request until it collects the whole heap.
      const how: SendOptions = { rule, purpose, case: name, connection, atOnce, once: true, expectsFailure }
      const failed = await sender.attempt(request, how)
      if (!isUnanswered(failed)) return failed
      const { kind } = failed.error
      if (isUnreadable(kind)) throw unanswered(failed)
      let { attempts } = failed
      try {
        if (availability.isSuspicious()) await trial()
        const { inTurn, prove, orRejected } = openProof(request, how)
        const sent = isRejection(request, kind)
          ? await orRejected(failed)
          : await (expectsFailure ? prove(failed, similarity) : inTurn(failed))
        if (!isUnanswered(sent)) return sent
        attempts = sent.attempts
        throw unanswered(sent)
      } catch (error) {
        if (error instanceof NoAnswer && !error.leavesOpen) availability.explained()
        else availability.failed(attempts)
        throw error
      }
    },
  }
}
