import { sameShape } from '../fuzz/seeded.ts'
import { type Exchange, fieldsOf, truncateBody } from '../http/exchange.ts'
import { answeredBy, isRefusedForQuota, isServed, isSuccessStatus, type Answered } from '../judge/answered.ts'
import { factsIfKnown } from '../judge/facts.ts'
import { holds, type Check } from '../judge/judge.ts'
import type { RunSnapshot } from '../judge/record.ts'
import { redactJson } from '../redact/redact.ts'
import { clientSetting } from '../settings/connection-settings.ts'
import { blamesClient } from '../specification/answers.ts'
import type { ClientName } from '../specification/client-rows.ts'
import type { RuleId } from '../specification/rules.ts'
import { openBreaches, openSilence, type Breaches } from './confirm.ts'
import { NoAnswer, instead, notServed, trouble } from './plan/cases.ts'
import { rejectionsBetween, type SharedRequests } from './plan/plan.ts'
import { settingsForMore, type Context, type TestRequest } from './plan/suite-context.ts'
import type { CaseExchange } from './record/answers.ts'
import type { Send, SendOptions } from './send/pace.ts'
import { checkSettings, exchangeOf, openCore, plainContext, quotaSentence, sharing } from './send/sender.ts'
import type { Core, CoreOptions } from './send/sender.ts'

/** Waits between failed health checks, in milliseconds; a failure after the last wait ends the run. */
const checkWaitsMs = [1_000, 2_000] as const
/** Maximum number of times that a run waits for a client. */
const mostLockouts = 4
/** How long to wait for a client that was locked out or banned, in milliseconds. Many lockouts end within a minute. */
const waitsMs = { short: [15_000], long: [15_000, 46_000] } as const
/** How many times a valid request must be refused after a single wrong secret. It must be served again before each attempt. */
const timesToBlame = 3
/** The clients whose plain requests must be served. */
const servedClients = ['target', 'second'] as const satisfies readonly ClientName[]

const ofQuota: Context = { rule: 'quota/per-client', case: 'served-before', replayable: false }
const ofRefusal: Context = { ...plainContext, case: 'after-one-wrong-secret', replayable: false }

const forQuota = { rule: ofQuota.rule, purpose: 'health-check' } as const

/**
 * Uses plain valid requests, which are judged, to know whether each client is still served and has quota left, and waits until a client
 * that wrong credentials locked out, or a firewall banned, is served again. Asked before each request and after each answer.
 */
function openClients(core: Core, breaches: Breaches) {
  const { lifecycle, sender, record, plain, list, model, target, settings } = core
  const { mayTakeLong, sendPlain, isServedAlone } = core
  let current: Promise<unknown> = Promise.resolve()
  let following: Promise<boolean> | null = null
  let reached: Promise<void> | null = null
  /** Checks, once for each client that has run out of quota, that the others are still served. */
  const others = new Map<ClientName, Promise<unknown>>()

  /** What is known about clients that were served, locked out or found to have no quota left. */
  const states = new Map<ClientName, 'serving' | 'locked-out' | 'exhausted'>()
  /** Answers without success since a request with the target's credentials was last served. */
  let rejections = 0
  let lockouts = 0
  let recoveries = 0
  /** Whether one request with wrong credentials locks the target out, so no more are sent. */
  let isOneTooMany = false
  /** The number of requests with wrong credentials so far, when the target was last served, and at its last lockout. */
  let wrongs = 0
  let wrongsWhenServed = 0
  let wrongsWhenLocked = 0
  /** The number of them between the last two lockouts. */
  let threshold = 0
  /** The last of them that is sent one by one. */
  let last: Promise<unknown> = Promise.resolve()
  /** The clients whose keys were sent with wrong credentials. */
  const keysOf = new Set<ClientName>()
  /** Other clients whose valid pair the service distinguished from a wrong one. Only a wait, made once, shows that any other client is locked out. */
  const known = new Set<ClientName>()
  /** How many times the run has waited for each other client. */
  const waited = new Map<ClientName, number>()

  const plainOf = (client: ClientName) => (client === 'target' ? [plain] : list.of(client))

  /** Sends nothing for a while, or longer if that is not enough, then returns whether the client is served. */
  const isServedAfterWaits = async (isBack = isServedAlone) => {
    for (const waitMs of mayTakeLong ? waitsMs.long : waitsMs.short) {
      sender.limiter.pause(waitMs)
      await lifecycle.sleep(waitMs)
      if (await isBack()) return true
    }
    return false
  }

  /** Sends nothing for a while, then returns whether the target client, which was served before, is served again. */
  const isServedLater = sharing(async () => {
    if (lockouts >= mostLockouts || states.get('target') !== 'serving') return false
    lockouts += 1
    states.set('target', 'locked-out')
    threshold = wrongs - wrongsWhenLocked
    wrongsWhenLocked = wrongs
    if (!(await isServedAfterWaits())) return false
    recoveries += 1
    record.findings.clientIs('recovered')
    return true
  })

  /** Whether the target client was locked out and is served again. Ends the run if a lockout lasts, or if there has been one too many. */
  const hasEnded = sharing(async () => {
    if (!states.has('target')) return false
    const alone = await sendPlain(sender.alone)
    if (alone.kind !== 'answered' || !looksLockedOut(alone.answered)) return false
    if (await isServedLater()) return true

    const { status, errorCode } = alone.answered
    record.findings.clientIs('locked-out')
    throw lifecycle.end(
      `after several refusals a plain valid request is answered ${status} / ${errorCode ?? 'no code'}: the client may have been locked out`,
      'locked',
    )
  })

  /** Whether another client's plain request, sent alone and on a new connection, is refused as if its credentials were wrong. */
  const isLocked = async (request: TestRequest) => {
    const outcome = await sendPlain(sender.alone, request)
    return outcome.kind === 'answered' && callsPairWrong(outcome.answered)
  }

  const hasEndedForOther = sharing(async (client: ClientName) => {
    const [request] = plainOf(client)
    if (!request || !(await isLocked(request))) return false
    const times = waited.get(client) ?? 0
    const isKnown = known.has(client)
    if (!isKnown && times > 0) return false
    waited.set(client, times + 1)
    if (times < mostLockouts && (await isServedAfterWaits(async () => !(await isLocked(request)))))
      return true
    if (!isKnown) return false
    throw trouble(
      `after wrong secrets for its key, ${clientSetting(client)} is refused as if its own secret were wrong, although it was accepted before: it may have been locked out`,
    )
  })

  /**
   * Whether the client of a request, other than the target, was locked out and no longer is, so that the answer means nothing.
   * Throws `trouble` if a client that was served before stays locked out.
   */
  const hasEndedFor = async ({ traits: { client }, request }: TestRequest, exchange: Exchange) => {
    if (client === 'target') return false
    const facts = factsIfKnown(request, model)
    if (facts?.apiKey !== 'valid' || facts.secretKey !== 'valid') return false
    const isWrong = callsPairWrong(answeredBy(exchange.response))
    if (!isWrong) known.add(client)
    return isWrong && keysOf.has(client) && hasEndedForOther(client)
  }

  /** Whether a quota that seemed used up was only suspended because of wrong credentials, and no longer is. */
  const wasOnlySuspended = async () => wrongs > 0 && mayTakeLong && isServedLater()

  /** Whether a plain valid request was refused in a way that is typical of a lockout, which is over. */
  const isLockoutOver = async ({ response }: Exchange) => looksLockedOut(answeredBy(response)) && hasEnded()

  /** Whether a plain valid request sent after this call is served; the third failure in a row ends the run. */
  const check = () => (following ??= current.then(checkNext))

  const checkNext = () => {
    following = null
    const checked = checkNow()
    current = checked.catch(() => false)
    return checked
  }

  const checkNow = async () => {
    rejections = 0
    let outcome = await sendPlain()
    for (const waitMs of checkWaitsMs) {
      if (outcome.kind === 'answered') break
      await lifecycle.sleep(waitMs)
      outcome = await sendPlain()
    }
    if (outcome.kind !== 'answered') {
      const isQuota = outcome.kind === 'exhausted'
      // A firewall may ban a sender of many bad requests for some seconds, and a quota may be suspended for as long.
      if (await (isQuota ? wasOnlySuspended() : isServedLater())) return true
      const stopped = isQuota ? '' : 'the service stopped answering plain valid requests: '
      throw lifecycle.end(stopped + outcome.because)
    }
    const { exchange } = outcome
    if (isServed(exchange) || (await isLockoutOver(exchange))) return true
    await breaches.judge({ request: plain, exchange, context: plainContext })
    return false
  }

  /** An unexpected 1020 counts only if a plain valid request from that client also gets it. True if it did for a while. */
  const isQuotaBack = sharing(async (client: ClientName) => {
    const [request] = plainOf(client)
    if (!request) return false
    // A service that refuses one request in seven this way often refuses two in a row.
    for (const send of [sender.send, sender.alone, sender.alone])
      if (!isRefusedForQuota(exchangeOf(await send(request, forQuota)))) return false
    if (client === 'target' && (await wasOnlySuspended())) return true
    states.set(client, 'exhausted')
    return false
  })

  const isExhausted = (client: ClientName) => states.get(client) === 'exhausted'

  const wasSuspended = async (client: ClientName) => {
    await Promise.all(others.values())
    const isBack = !isExhausted(client) && (await isQuotaBack(client))
    if (!isExhausted(client)) return isBack
    const says = quotaSentence(client)
    throw client === 'target' ? lifecycle.end(says) : trouble(says)
  }

  const checkOthers = (exhausted: ClientName) => {
    const served = servedClients.filter(
      (client) =>
        client !== exhausted && states.get(client) === 'serving' && !isQuotaBack.underWay.has(client),
    )
    return Promise.all(served.map(checkStillServed))
  }

  const checkStillServed = async (client: ClientName) => {
    const [request] = plainOf(client)
    if (!request) return
    const exchange = exchangeOf(await sender.send(request, forQuota))
    const [found] = breachIn(
      { request, exchange, context: ofQuota },
      'refused for the quota of another client',
      ": this client was served just before, until another client's quota ran out, or its own ran out just then",
    )
    if (!isRefusedForQuota(exchange) || !found) return

    const lasts = isRefusedForQuota(exchangeOf(await sender.alone(request, forQuota)))
    await breaches.add(found, { violates: isRefusedForQuota })
    if (client === 'target' && lasts)
      lifecycle.end(
        "the target client is refused since another client's quota ran out (see quota/per-client)",
      )
  }

  /** The answer to a valid request right after a wrong secret, if it blames the client. */
  const refusedAfter = async (wrong: TestRequest) => {
    const first = await sendPlain(sender.alone, wrong)
    if (first.kind !== 'answered') return null
    const control = await sendPlain(sender.alone)
    if (control.kind !== 'answered') return null
    const { status, errorCode } = control.answered
    return !isSuccessStatus(status) && blamesClient(errorCode) ? control.exchange : null
  }

  /**
   * Measures whether one wrong secret, with nothing else sent, makes the service refuse the valid pair; a later lockout may have other
   * causes. Records the breach; ends the run if the client is not served again.
   */
  const measureSingleRefusal = async () => {
    const secret = sameShape(target.secretKey.reveal(), settings.run.seed, 'alone')
    const wrong = plain.with('x-secret-key', secret)
    for (let time = 1; ; time += 1) {
      const exchange = await refusedAfter(wrong)
      if (exchange === null) return
      const isServedAgain = (await isServedAlone()) || (await isServedAfterWaits())
      if (!isServedAgain) throw lifecycle.end(lastingRefusal, 'locked')
      if (time < timesToBlame) continue
      isOneTooMany = true
      const met = { request: plain, exchange, context: ofRefusal }
      for (const found of breachIn(met, 'refused after a single wrong secret', afterOne))
        await breaches.add(found, { seen: timesToBlame, of: timesToBlame })
      return
    }
  }

  /** Whether a request has credentials that do not match, including blank ones. These lock a client out or get its sender banned. */
  const hasWrongCredentials = ({ request }: TestRequest) => {
    const facts = factsIfKnown(request, model)
    const isRight = (fact: string) => fact === 'valid' || fact === 'absent'
    if (facts !== null && isRight(facts.apiKey) && isRight(facts.secretKey)) return false
    const keys = fieldsOf(request, 'x-api-key')
    for (const { name, credentials } of model.clients)
      if (keys.includes(credentials.apiKey.reveal())) keysOf.add(name)
    return true
  }

  /** Sends a request with wrong credentials; null if a lockout ended its turn first. */
  const unlessLocked = async (send: (refusal: () => Error | null) => ReturnType<Send>) => {
    const before = lockouts
    try {
      const sent = await send(() => (lockouts === before ? null : turnOver))
      wrongs += 1
      return sent
    } catch (error) {
      if (error === turnOver) return null
      wrongs += 1
      throw error
    }
  }

  const isLeftOut = () => isOneTooMany || lockouts > 1

  /** Waits until the target is served before the next wrong credentials. Throws `left-out` if no more are sent. */
  const mayBeSent = async () => {
    if (!isLeftOut() && wrongs > wrongsWhenServed) await check()
    if (!isLeftOut()) return
    const what = isOneTooMany || threshold === 1 ? 'one request' : `${threshold} requests`
    throw new NoAnswer(
      'left-out',
      `the client was locked out after ${what} with wrong credentials: no more are sent, so that the other rules can be judged`,
    )
  }

  const sendFirst = async () => {
    let outcome = await sendPlain()
    if (outcome.kind === 'exhausted') outcome = await sendPlain()
    if (outcome.kind !== 'answered') throw lifecycle.end(outcome.because)
    const { answered, exchange } = outcome
    await checkSettings(core, answered)
    await breaches.judge({ request: plain, exchange, context: plainContext })
    const isMeasured = mayTakeLong && core.catalogue.has(plainContext.rule)
    if (isServed(exchange) && isMeasured) await instead('budget', measureSingleRefusal(), null)
    // Frees its connection for the next request, because some faults only show on a used connection.
    await new Promise(setImmediate)
  }

  return {
    check,
    isLockoutOver,

    /**
     * Sends the first request of the run, once. A failure, a used-up quota, refused credentials, a wrong address or version, or another
     * service ends the run.
     */
    first: () => (reached ??= sendFirst()),

    /** Learns from each answer which clients are served. */
    answered(request: TestRequest, exchange: Exchange) {
      const { plain: isPlain, client } = request.traits
      if (!isServed(exchange)) return
      if (isPlain || request.carries(target)) rejections = 0
      if (isPlain && !isExhausted(client)) states.set(client, 'serving')
      if (isPlain && client === 'target') wrongsWhenServed = wrongs
    },

    /**
     * Sends a request in its turn, or at once if its credentials are right. No more wrong credentials are sent at a time than the service
     * has been seen to tolerate: after a lockout, each only after the target was served. Throws `left-out` once no more are sent.
     */
    async inTurn(request: TestRequest, how: SendOptions, send: Send) {
      if (!hasWrongCredentials(request)) return send(request, how)
      const sendUnlessLocked = () => unlessLocked((refusal) => send(request, { ...how, refusal }))
      for (;;) {
        const isFree = !isOneTooMany && lockouts < (mayTakeLong ? 1 : 2)
        const sending = isFree ? sendUnlessLocked() : last.then(mayBeSent).then(sendUnlessLocked)
        if (!isFree) last = sending.catch(() => {})
        const sent = await sending
        if (sent !== null) return sent
      }
    },

    /** Throws `trouble` if the request's client is known to have no quota left. */
    async beforeSend({ traits: { client, asksForQuota } }: TestRequest) {
      if (asksForQuota) return
      await isQuotaBack.underWay.get(client)?.catch(() => {})
      if (isExhausted(client)) throw trouble(quotaSentence(client))
    },

    /**
     * Whether an answer means nothing, because a quota was suspended or a client locked out for a while. Ends the run if the target has
     * no quota left; throws `trouble` for another client.
     */
    async isVoid(request: TestRequest, exchange: Exchange) {
      const { client, asksForQuota } = request.traits
      if (isRefusedForQuota(exchange) && asksForQuota) {
        const checked = others.get(client) ?? checkOthers(client)
        others.set(client, checked)
        await checked
      } else if (isRefusedForQuota(exchange) && (await wasSuspended(client))) {
        return true
      }
      return hasEndedFor(request, exchange)
    },

    /** Counts rejections, and makes a health check from time to time. True if a lockout is over, which makes the answer meaningless. */
    async recoversAfter(exchange: Exchange) {
      if (isServed(exchange) || states.get('target') === 'locked-out') return false
      rejections += 1
      const before = recoveries
      // Requests in flight may also be rejected.
      const most = before === 0 ? rejectionsBetween : Math.floor(rejectionsBetween / 2)
      if (rejections + sender.limiter.active < most) return false
      await check()
      return recoveries !== before
    },
  }
}

const turnOver = new Error('a lockout ended the turn before the request was sent')

const lastingRefusal =
  'after a single wrong secret a plain valid request is refused for longer than the run waits: the client may have been locked out'
const afterOne = `, right after one wrong secret, ${timesToBlame} times, each after the client was served again: the valid secret is not invalid, and one wrong secret is not a series of guesses`

/** The breach in the answer to a valid request that was not served, with this difference and addition to its summary; empty if it was served. */
function breachIn(met: CaseExchange, difference: string, more: string) {
  const { rule } = met.context
  return notServed(met).map(({ breach }) => {
    return { ...met, rule, breach: { ...breach, difference, summary: breach.summary + more } }
  })
}

/** Whether a plain valid request was refused in a way that is typical of a lockout. */
function looksLockedOut({ status, errorCode }: Answered) {
  if (isSuccessStatus(status)) return false
  return statusesOfLocks.includes(status) || blamesClient(errorCode)
}

/** Codes for a wrong key or secret, which no valid pair gets. */
const wrongPairCodes: readonly (string | null)[] = ['1006', '1007']
const statusesOfLocks: readonly number[] = [401, 403, 423]

function callsPairWrong({ status, errorCode }: Answered) {
  if (isSuccessStatus(status)) return false
  return errorCode === null ? statusesOfLocks.includes(status) : wrongPairCodes.includes(errorCode)
}

/** A run in progress against one target. */
export type OpenRun = Awaited<ReturnType<typeof openRun>>

/** Opens a run; sends nothing. `shared` are the requests that rules share. */
export async function openRun(options: CoreOptions & { readonly shared: SharedRequests }) {
  const core = await openCore(options, () => clients)
  const { lifecycle, sender, record } = core
  const { shared } = options
  const breaches = openBreaches(core, (exchange) => clients.isLockoutOver(exchange))
  const clients = openClients(core, breaches)
  const silence = openSilence(core, clients.check)

  /** Why this run cannot send a request; null if it can. */
  const whyUnavailable = ({ request }: TestRequest) =>
    request.route === 'raw' ? sender.transport.rawSocketUnavailable : null

  /** Sends a request of a case and returns its exchange, judged by the run-wide rules. Throws `NoAnswer` if there is none. */
  const send = async (request: TestRequest, context: Context): Promise<Exchange> => {
    const why = whyUnavailable(request)
    if (why !== null) throw new NoAnswer('unavailable', why)
    await clients.first()
    await silence.endOfTrial()
    lifecycle.signal.throwIfAborted()
    await clients.beforeSend(request)

    const exchange = await silence.send(request, context)
    if (await clients.isVoid(request, exchange)) return send(request, context)
    const given = { request, exchange, context }
    record.observe(given)
    // A row is refined before it accuses.
    if (request.traits.conditions === undefined) await breaches.judge(given)
    if (await clients.recoversAfter(exchange)) return send(request, context)
    return shared.isReadWhole(request, context) ? exchange : truncateBody(exchange)
  }

  /**
   * Like `send`, but only once per run for all planned cases that share the request. If an answer from a scenario breaks the check, the
   * order may be why, so the request is then sent alone if the budget allows.
   */
  const sendShared = async (request: TestRequest, context: Context, check?: Check) => {
    const exchange = await shared.once(request, () => send(request, context), context.atOnce)
    if ((check?.judge(exchange) ?? holds).kind === 'holds' || !shared.isOfScenario(exchange)) return exchange
    return instead('budget', send(request, context), exchange)
  }

  /** Users' own rules that did not end with the run, and what the verdict says about them. */
  const abandoned = new Map<RuleId, string>()
  return { ...core, shared, breaches, whyUnavailable, send, sendShared, abandoned }
}

/** The state of the run, for the verdict. */
export function snapshotOf(run: OpenRun): RunSnapshot {
  const { settings, sender, record } = run
  const { observations, power } = record
  const redactor = record.redactor.ofAnswer()
  const end = run.lifecycle.ended()
  return {
    ...sender.budget.spent(),
    power: power.power(settingsForMore(settings.run)),
    blamed: power.blamed,
    latencyMs: observations.latencyMs(),
    msByRule: observations.msByRule(),
    observations: observations.all().map(({ id, value }) => ({ id, value: redactJson(value, redactor) })),
    retriedFor: Object.fromEntries(sender.availability.byKind),
    ended: end === null ? null : redactor.redact(end.message),
  }
}
