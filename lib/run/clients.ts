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
  type PlainAnswer,
  type PlainFailure,
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

const forQuota = { rule: ofQuota.rule, purpose: 'health-check' } as const

export type Clients = ReturnType<typeof openClients>

/**
 * Uses plain valid requests, which are judged, to know whether each client is still served and has quota left. Asked before each request
 * and after each answer.
 */
export function openClients(core: Core, lockouts: Lockouts, breaches: Breaches) {
  const { lifecycle, wrongCredentials, sender, plain, plains, target, settings } = core
  let current: Promise<unknown> | null = null
  let following: Promise<boolean> | null = null
  /** Checks, once for each client that has run out of quota, that the others are still served. */
  const others = new Map<ClientName, Promise<unknown>>()

  /** Whether a plain valid request sent after this call is served; the third failure in a row ends the run. */
  const check = (): Promise<boolean> => (following ??= checkAfterCurrent())

  const checkAfterCurrent = async (): Promise<boolean> => {
    await current
    following = null
    const checked = checkNow()
    current = checked.catch(() => false)
    return checked
  }

  const checkNow = async (): Promise<boolean> => {
    lifecycle.changeClient('target', 'checked')
    for (const waitMs of [...waitsMs, null]) {
      const outcome = await sendPlain(sender.send, plain)
      if (outcome.kind === 'answered') return isHealthy(outcome)
      if (waitMs !== null) await lifecycle.sleep(waitMs)
      else await waitOrEnd(outcome)
    }
    return true
  }

  const isHealthy = async ({ exchange, answered }: PlainAnswer): Promise<boolean> => {
    if (isSuccess(answered)) return true
    if (looksLockedOut(answered) && (await lockouts.hasEnded())) return true
    await breaches.judge({ request: plain, exchange, context: plainContext })
    return false
  }

  /** Waits or ends the run: a firewall may ban a sender of many bad requests for some seconds, and a quota may be suspended for as long. */
  const waitOrEnd = async ({ kind, because }: PlainFailure): Promise<void> => {
    const isExhausted = kind === 'exhausted'
    if (await (isExhausted ? lockouts.isQuotaBack() : lockouts.isServedLater())) return
    throw lifecycle.end(
      isExhausted ? because : `the service stopped answering plain valid requests: ${because}`,
    )
  }

  /** An unexpected 1020 counts only if a plain valid request from that client also gets it. True if it did for a while. */
  const isQuotaBack = sharing(async (client: ClientName): Promise<boolean> => {
    const request = plains.get(client)
    if (request === undefined) return false
    // A service that refuses one request in seven this way often refuses two in a row.
    for (const send of [sender.send, sender.alone, sender.alone])
      if (!isRefusedForQuota(exchangeOf(await send(request, forQuota)))) return false
    if (client === 'target' && (await lockouts.isQuotaBack())) return true
    lifecycle.changeClient(client, 'exhausted')
    return false
  })

  const isExhausted = (client: ClientName): boolean => lifecycle.client(client).kind === 'exhausted'

  const wasSuspended = async (client: ClientName): Promise<boolean> => {
    await Promise.all(others.values())
    const isBack = !isExhausted(client) && (await isQuotaBack(client))
    if (!isExhausted(client)) return isBack
    const says = quotaSentence(client)
    throw client === 'target' ? lifecycle.end(says) : new NoAnswer('trouble', says)
  }

  const checkOthers = (exhausted: ClientName): Promise<unknown> => {
    const served = servedClients.filter(
      (client) =>
        client !== exhausted &&
        lifecycle.client(client).kind === 'serving' &&
        !isQuotaBack.underWay.has(client),
    )
    return Promise.all(served.map(checkStillServed))
  }

  const checkStillServed = async (client: ClientName): Promise<void> => {
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
    await breaches.add({ request, exchange, context: ofQuota, breach }, { violates: isRefusedForQuota })
    if (client === 'target' && lasts)
      lifecycle.end(
        "the target client is refused since another client's quota ran out (see quota/per-client)",
      )
  }

  /** The answer to a valid request right after a wrong secret, if it blames the client. */
  const refusedAfter = async (wrong: TestRequest): Promise<Exchange | null> => {
    const first = await sendPlain(sender.alone, wrong)
    if (first.kind !== 'answered') return null
    const control = await sendPlain(sender.alone, plain)
    if (control.kind !== 'answered') return null
    const { status, errorCode } = control.answered
    return !isSuccessStatus(status) && blamesClient(errorCode) ? control.exchange : null
  }

  return {
    check,

    /** Learns from each answer which clients are served. */
    answered(request: TestRequest, exchange: Exchange): void {
      const { plain: isPlain, client } = request.traits
      if (!isServed(exchange)) return
      if (isPlain || request.carries(target)) lifecycle.changeClient('target', 'checked')
      if (isPlain) lifecycle.changeClient(client, 'served')
      if (isPlain && client === 'target') wrongCredentials.served()
    },

    /** Throws `trouble` if the request's client is known to have no quota left. */
    async beforeSend({ traits: { client, asksForQuota } }: TestRequest): Promise<void> {
      if (asksForQuota) return
      await isQuotaBack.underWay.get(client)?.catch(() => {})
      if (isExhausted(client)) throw new NoAnswer('trouble', quotaSentence(client))
    },

    /**
     * Whether an answer means nothing, because a quota was suspended or a client locked out for a while. Ends the run if the target has
     * no quota left; throws `trouble` for another client.
     */
    async isVoid(request: TestRequest, exchange: Exchange): Promise<boolean> {
      const { client, asksForQuota } = request.traits
      if (isRefusedForQuota(exchange) && asksForQuota) {
        const checked = others.get(client) ?? checkOthers(client)
        others.set(client, checked)
        await checked
      } else if (isRefusedForQuota(exchange) && (await wasSuspended(client))) {
        return true
      }
      return lockouts.hasEndedFor(request, exchange)
    },

    /** Counts rejections, and makes a health check from time to time. True if a lockout is over, which makes the answer meaningless. */
    async recoversAfter(exchange: Exchange): Promise<boolean> {
      if (isServed(exchange)) return false
      lifecycle.changeClient('target', 'rejected')
      const state = lifecycle.client('target')
      const before = lockouts.recoveries()
      // Requests in flight may also be rejected.
      const most = before === 0 ? rejectionsBetween : Math.floor(rejectionsBetween / 2)
      if (!('rejections' in state) || state.rejections + sender.limiter.active < most) return false
      await check()
      return lockouts.recoveries() !== before
    },

    /**
     * Measures whether one wrong secret, with nothing else sent, makes the service refuse the valid pair; a later lockout may have other
     * causes. Records the breach; ends the run if the client is not served again.
     */
    measureSingleRefusal: async (): Promise<void> => {
      const secret = sameShape(target.secretKey.reveal(), settings.run.seed, 'alone')
      const wrong = plain.with('x-secret-key', secret)
      try {
        for (let time = 1; ; time += 1) {
          const exchange = await refusedAfter(wrong)
          if (exchange === null) return
          const isServedAgain = (await isServedAlone(core)) || (await lockouts.isServedAfterWaits())
          if (!isServedAgain) throw lifecycle.end(lastingRefusal, 'locked')
          if (time < timesToBlame) continue
          wrongCredentials.leaveOut()
          const breach = breachAfterOne(exchange)
          const reproduced = { seen: timesToBlame, of: timesToBlame }
          const found = { request: plain, exchange, context: ofRefusal }
          if (breach !== null) await breaches.add({ ...found, breach }, reproduced)
          return
        }
      } catch (error) {
        if (noAnswer(error).none !== 'budget') throw error
      }
    },
  }
}

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
