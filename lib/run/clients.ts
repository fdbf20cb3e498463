import { sameShape } from '../fuzz/seeded.ts'
import type { Exchange } from '../http/exchange.ts'
import { isRefusedForQuota, isServed, isSuccess, isSuccessStatus } from '../judge/answered.ts'
import { answersOneOf, succeeds, type Breach } from '../judge/judge.ts'
import { blamesClient, success } from '../specification/answers.ts'
import type { ClientName } from '../specification/client-rows.ts'
import type { Breaches } from './breaches.ts'
import {
  exchangeOf,
  isServedAlone,
  plainContext,
  quotaSentence,
  sendPlain,
  sharing,
  type Core,
  type PlainOutcome,
} from './core.ts'
import { looksLockedOut, type Lockouts } from './lockouts.ts'
import { NoAnswer, noAnswer } from './plan/errors.ts'
import { rejectionsBetween } from './plan/plan.ts'
import type { Context, TestRequest } from './plan/test-request.ts'

/** Waits between failed health checks, in milliseconds; a failure after the last wait ends the run. */
const waitsMs = [1_000, 2_000] as const
/** How many times a valid request must be refused after a single wrong secret. It must be served again before each attempt. */
const timesToBlame = 3
/** The clients whose plain requests must be served. */
const servedClients = ['target', 'second'] as const satisfies readonly ClientName[]

const ofQuota: Context = { rule: 'quota/per-client', case: 'served-before', replayable: false }
const ofRefusal: Context = { rule: plainContext.rule, case: 'after-one-wrong-secret', replayable: false }

/** Whether a client that was refused because of its quota is still refused. `back`: it was refused for a while. */
type QuotaState = 'left' | 'back' | 'exhausted'

/**
 * Uses plain valid requests, which are judged, to know whether each client is still served and has quota left. Asked before each request
 * and after each answer.
 */
export class Clients {
  readonly #core: Core
  readonly #lockouts: Lockouts
  readonly #breaches: Breaches
  #current: Promise<unknown> | null = null
  #following: Promise<boolean> | null = null
  readonly #quotaOf = sharing((client: ClientName) => this.#checkQuota(client))
  /** Checks, once for each client that has run out of quota, that the others are still served. */
  readonly #others = new Map<ClientName, Promise<void>>()

  constructor(core: Core, lockouts: Lockouts, breaches: Breaches) {
    this.#core = core
    this.#lockouts = lockouts
    this.#breaches = breaches
  }

  /** Learns from each answer which clients are served. */
  answered(request: TestRequest, exchange: Exchange): void {
    const { lifecycle, wrongCredentials, target } = this.#core
    const { plain, client } = request.traits
    if (!isServed(exchange)) return
    if (plain || request.carries(target)) lifecycle.changeClient('target', 'checked')
    if (plain) lifecycle.changeClient(client, 'served')
    if (plain && client === 'target') wrongCredentials.served()
  }

  /** Throws `trouble` if the request's client is known to have no quota left; null if nothing has to wait. */
  beforeSend({ traits: { client, asksForQuota } }: TestRequest): Promise<void> | null {
    if (asksForQuota) return null
    const refuse = (): void => {
      const { kind } = this.#core.lifecycle.client(client)
      if (kind === 'exhausted') throw new NoAnswer('trouble', quotaSentence(client))
    }
    const check = this.#quotaOf.underWay.get(client)
    if (check !== undefined) return check.then(refuse, refuse)
    refuse()
    return null
  }

  /**
   * Whether an answer means nothing, because a quota was suspended or a client locked out for a while; false if nothing has to wait.
   * Ends the run if the target has no quota left; throws `trouble` for another client.
   */
  isVoid(request: TestRequest, exchange: Exchange): Promise<boolean> | false {
    const { client, asksForQuota } = request.traits
    if (!isRefusedForQuota(exchange)) return this.#lockouts.hasEndedFor(request, exchange)
    const isSuspended = asksForQuota
      ? this.#othersAreServed(client).then(() => false)
      : this.#wasSuspended(client)
    return isSuspended.then((is) => is || this.#lockouts.hasEndedFor(request, exchange))
  }

  /** Counts rejections, and makes a health check from time to time. True if a lockout is over, which makes the answer meaningless. */
  recoversAfter(exchange: Exchange): Promise<boolean> | false {
    const { lifecycle, sender } = this.#core
    if (isServed(exchange)) return false
    lifecycle.changeClient('target', 'rejected')
    const state = lifecycle.client('target')
    // Requests in flight may also be rejected.
    const most = this.#lockouts.recoveries === 0 ? rejectionsBetween : Math.floor(rejectionsBetween / 2)
    const isDue = 'rejections' in state && state.rejections + sender.limiter.active >= most
    return isDue ? this.#recovers() : false
  }

  /** Whether a plain valid request sent after this call is served; the third failure in a row ends the run. */
  check(): Promise<boolean> {
    this.#following ??= this.#afterCurrent()
    return this.#following
  }

  /**
   * Measures whether one wrong secret, with nothing else sent, makes the service refuse the valid pair; a later lockout may have other
   * causes. Records the breach; ends the run if the client is not served again.
   */
  async measureSingleRefusal(): Promise<void> {
    const { lifecycle, wrongCredentials, plain: request, target, settings } = this.#core
    const secret = sameShape(target.secretKey.reveal(), settings.run.seed, 'alone')
    const wrong = request.with('x-secret-key', secret)
    try {
      for (let time = 1; ; time += 1) {
        const exchange = await this.#refusedAfter(wrong)
        if (exchange === null) return
        const isServedAgain = (await isServedAlone(this.#core)) || (await this.#lockouts.isServedAfterWaits())
        if (!isServedAgain) throw lifecycle.end(lastingRefusal, 'locked')
        if (time < timesToBlame) continue
        wrongCredentials.leaveOut()
        const breach = breachAfterOne(exchange)
        const reproduced = { seen: timesToBlame, of: timesToBlame }
        const found = { request, exchange, context: ofRefusal }
        if (breach !== null) await this.#breaches.add({ ...found, breach }, reproduced)
        return
      }
    } catch (error) {
      if (noAnswer(error).none !== 'budget') throw error
    }
  }

  async #afterCurrent(): Promise<boolean> {
    await this.#current
    this.#following = null
    const check = this.#check()
    this.#current = check.catch(() => false)
    return check
  }

  async #recovers(): Promise<boolean> {
    const before = this.#lockouts.recoveries
    await this.check()
    return this.#lockouts.recoveries !== before
  }

  async #check(): Promise<boolean> {
    const { sender, plain, lifecycle } = this.#core
    lifecycle.changeClient('target', 'checked')
    for (const waitMs of [...waitsMs, null]) {
      const outcome = await sendPlain(sender.send, plain)
      if (outcome.kind === 'answered') return this.#isHealthy(outcome)
      if (waitMs !== null) await lifecycle.sleep(waitMs)
      else await this.#waitOrEnd(outcome)
    }
    return true
  }

  /** Waits or ends the run: a firewall may ban a sender of many bad requests for some seconds, and a quota may be suspended for as long. */
  async #waitOrEnd({ kind, because }: Exclude<PlainOutcome, { readonly kind: 'answered' }>): Promise<void> {
    const isExhausted = kind === 'exhausted'
    if (await (isExhausted ? this.#lockouts.isQuotaBack() : this.#lockouts.isServedLater())) return
    throw this.#core.lifecycle.end(
      isExhausted ? because : `the service stopped answering plain valid requests: ${because}`,
    )
  }

  async #isHealthy({ exchange, answered }: PlainOutcome & { readonly kind: 'answered' }): Promise<boolean> {
    if (isSuccess(answered)) return true
    if (looksLockedOut(answered) && (await this.#lockouts.hasEnded())) return true
    await this.#breaches.judge({ request: this.#core.plain, exchange, context: plainContext })
    return false
  }

  async #wasSuspended(client: ClientName): Promise<boolean> {
    const state = await this.#stateOf(client)
    if (state !== 'exhausted') return state === 'back'
    const says = quotaSentence(client)
    throw client === 'target' ? this.#core.lifecycle.end(says) : new NoAnswer('trouble', says)
  }

  async #stateOf(client: ClientName): Promise<QuotaState> {
    await Promise.all(this.#others.values())
    if (this.#core.lifecycle.client(client).kind === 'exhausted') return 'exhausted'
    return this.#quotaOf(client)
  }

  /** An unexpected 1020 counts only if a plain valid request from that client also gets it. */
  async #checkQuota(client: ClientName): Promise<QuotaState> {
    const { plains, sender, lifecycle } = this.#core
    const request = plains.get(client)
    if (request === undefined) return 'left'
    // A service that refuses one request in seven this way often refuses two in a row.
    for (const send of [sender.send, sender.alone, sender.alone])
      if (!isRefusedForQuota(exchangeOf(await send(request, forQuota)))) return 'left'
    if (client === 'target' && (await this.#lockouts.isQuotaBack())) return 'back'
    lifecycle.changeClient(client, 'exhausted')
    return 'exhausted'
  }

  /** Checks, after a client's first requested 1020, that clients that were served before are still served. */
  #othersAreServed(exhausted: ClientName): Promise<void> {
    const known = this.#others.get(exhausted) ?? this.#checkOthers(exhausted)
    this.#others.set(exhausted, known)
    return known
  }

  async #checkOthers(exhausted: ClientName): Promise<void> {
    const { lifecycle } = this.#core
    const others = servedClients.filter(
      (client) =>
        client !== exhausted &&
        lifecycle.client(client).kind === 'serving' &&
        !this.#quotaOf.underWay.has(client),
    )
    await Promise.all(others.map((client) => this.#checkStillServed(client)))
  }

  async #checkStillServed(client: ClientName): Promise<void> {
    const { plains, sender, lifecycle } = this.#core
    const request = plains.get(client)
    if (request === undefined) return
    const exchange = exchangeOf(await sender.send(request, forQuota))
    const judgement = answersOneOf([success]).judge(exchange)
    if (!isRefusedForQuota(exchange) || judgement.kind !== 'violates') return

    const lasts = isRefusedForQuota(exchangeOf(await sender.alone(request, forQuota)))
    const breach: Breach = {
      ...judgement.breach,
      difference: 'refused for the quota of another client',
      summary: `${judgement.breach.summary}: this client was served just before, until another client's quota ran out, or its own ran out just then`,
    }
    await this.#breaches.add({ request, exchange, context: ofQuota, breach }, { violates: isRefusedForQuota })
    if (client === 'target' && lasts)
      lifecycle.end(
        "the target client is refused since another client's quota ran out (see quota/per-client)",
      )
  }

  /** The answer to a valid request right after a wrong secret, if it blames the client. */
  async #refusedAfter(wrong: TestRequest): Promise<Exchange | null> {
    const { sender, plain } = this.#core
    const first = await sendPlain(sender.alone, wrong)
    if (first.kind !== 'answered') return null
    const control = await sendPlain(sender.alone, plain)
    if (control.kind !== 'answered') return null
    const { status, errorCode } = control.answered
    return !isSuccessStatus(status) && blamesClient(errorCode) ? control.exchange : null
  }
}

const forQuota = { rule: ofQuota.rule, purpose: 'health-check' } as const

const lastingRefusal =
  'after a single wrong secret a plain valid request is refused for longer than the run waits: the client may have been locked out'

function breachAfterOne(exchange: Exchange): Breach | null {
  const judgement = succeeds().judge(exchange)
  if (judgement.kind !== 'violates') return null
  const { breach } = judgement
  return {
    ...breach,
    difference: 'refused after a single wrong secret',
    summary: `${breach.summary}, right after one wrong secret, ${timesToBlame} times, each after the client was served again: the valid secret is not invalid, and one wrong secret is not a series of guesses`,
  }
}
