import { isSuccess, isSuccessStatus, type Answered } from '../../judge/answered.ts'
import { blamesClient } from '../../specification/answers.ts'
import { ClientLockedOut, RunEnded } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import type { FindingRecorder } from '../record/finding-recorder.ts'
import type { Availability } from '../send/availability.ts'
import { mayMeanRate } from '../send/failures.ts'
import type { RateLimiter } from '../send/rate-limiter.ts'
import type { Send, SendOptions } from '../send/send.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import { askPlain, type Ask, type PlainOutcome } from './ask.ts'
import type { Guesses } from './guesses.ts'

interface LockoutParts {
  readonly ask: Pick<Ask, 'send' | 'alone'>
  readonly run: RunLifecycle
  readonly limiter: Pick<RateLimiter, 'pause' | 'limitRate'>
  readonly availability: Pick<Availability, 'rateRefused'>
  readonly findings: Pick<FindingRecorder, 'clientIs'>
  readonly guesses: Pick<Guesses, 'lockedOut' | 'maySuspend'>
  readonly plain: TestRequest
  /** Pauses for a client that was locked out or banned, until it is served, in milliseconds. */
  readonly pausesMs: readonly number[]
}

/** Maximum times that a run waits for a client that was locked out or banned. */
export const mostLockouts = 4

/** Plain valid requests of a trial, by stages: failures from which on the service is in trouble. A service that fails at one request in ten passes 98 of 100 trials, at one in three 15. */
const trials = [
  { of: 10, failures: 5 },
  { of: 20, failures: 6 },
  { of: 30, failures: 8 },
] as const

/** Maximum chance that all plain valid requests of a slower trial are served where failures strike at random. */
const chanceOfRate = 0.0005
/** Maximum plain valid requests of a slower trial: where more are needed, too few failed to tell a rate from chance. */
const mostInTurn = 40

/** Whether the service is there at all, and still serves the target client. Judges nothing; concurrent callers share one answer. */
export class Lockouts {
  readonly #parts: LockoutParts
  #trial: Promise<void> | null = null
  #lockout: Promise<boolean> | null = null
  #later: Promise<boolean> | null = null
  #lockouts = 0
  #recoveries = 0
  /** Rates still to be tried where a rate may be what is refused, in requests per second. */
  readonly #slowerRates = [10, 5, 2, 1]

  constructor(parts: LockoutParts) {
    this.#parts = parts
  }

  /** A trial under way, or null. */
  get trialUnderWay(): Promise<void> | null {
    return this.#trial
  }

  /** How many lockouts were seen and are over. */
  get recoveries(): number {
    return this.#recoveries
  }

  /** Sends plain valid requests, each once: if many go unanswered, too, the service is in trouble, and the run ends. */
  trial(): Promise<void> {
    this.#trial ??= this.#runTrial().finally(() => {
      this.#trial = null
    })
    return this.#trial
  }

  /** Whether the client is served alone, on a new connection. */
  async isServedAlone(): Promise<boolean> {
    const outcome = await this.#ask({}, this.#parts.ask.alone)
    return outcome.kind === 'answered' && isSuccess(outcome.answered)
  }

  /** Whether a lockout was seen and is over. A lockout ends the run if it lasts, or if it is one too many. */
  check(): Promise<boolean> {
    this.#lockout ??= this.#checkLockout().finally(() => {
      this.#lockout = null
    })
    return this.#lockout
  }

  /** Leaves a client that was served before alone; whether it is served afterwards. Concurrent callers wait together. */
  isServedLater(): Promise<boolean> {
    this.#later ??= this.#leaveAlone().finally(() => {
      this.#later = null
    })
    return this.#later
  }

  /** Whether a quota that seemed used up was only suspended after wrong credentials, and is no more. */
  async isQuotaBack(): Promise<boolean> {
    return this.#parts.guesses.maySuspend && this.isServedLater()
  }

  async #leaveAlone(): Promise<boolean> {
    const { run, findings, guesses } = this.#parts
    if (this.#lockouts >= mostLockouts || run.client('target').kind === 'unknown') return false
    this.#lockouts += 1
    run.changeClient('target', 'locked-out')
    guesses.lockedOut()
    const isServedAgain = await this.isServedAfterPauses()
    if (!isServedAgain) return false
    this.#recoveries += 1
    findings.clientIs('recovered')
    return true
  }

  /** Sends nothing for a while, and longer if that is not enough; whether the client, by default the target, is served then. */
  async isServedAfterPauses(isServed = (): Promise<boolean> => this.isServedAlone()): Promise<boolean> {
    const { run, limiter, pausesMs } = this.#parts
    for (const pauseMs of pausesMs) {
      limiter.pause(pauseMs)
      await run.sleep(pauseMs)
      if (await isServed()) return true
    }
    return false
  }

  async #runTrial(): Promise<void> {
    let sent = 0
    const troubles: (PlainOutcome & { readonly kind: 'failed' | 'exhausted' })[] = []
    for (const { of, failures } of trials) {
      const more = Array.from({ length: of - sent }, () => this.#ask({ once: true, expectsFailure: true }))
      for (const one of await Promise.all(more)) if (one.kind === 'failed') troubles.push(one)
      sent = of
      const failed = troubles.length
      // An outage shows in the next health check.
      if (failed === 0 || failed === sent) return
      const inTurn = Math.ceil(Math.log(chanceOfRate) / Math.log(1 - failed / sent))
      const mayBeRate = inTurn <= mostInTurn && troubles.every(({ error }) => mayMeanRate(error))
      if (mayBeRate && (await this.#endsWhenSlower(inTurn))) return
      if (failed < failures) continue
      throw this.#parts.run.end(
        new RunEnded(
          `the service is in trouble: ${failed} of ${sent} plain valid requests got no answer, each sent once: ${troubles.at(-1)?.because ?? ''}`,
        ),
      )
    }
  }

  /** Whether so many requests are all served at a lower rate, which the run then keeps. Each rate is tried once in a run. */
  async #endsWhenSlower(requests: number): Promise<boolean> {
    const { limiter, availability } = this.#parts
    for (let rps = this.#slowerRates.shift(); rps !== undefined; rps = this.#slowerRates.shift()) {
      const lift = limiter.limitRate(rps)
      if (lift === null) continue
      if (await this.#areServedInTurn(requests)) {
        availability.rateRefused()
        return true
      }
      lift()
    }
    return false
  }

  async #areServedInTurn(requests: number): Promise<boolean> {
    this.#parts.limiter.pause(1_000)
    for (let left = requests; left > 0; left -= 1) {
      const { kind } = await this.#ask({ once: true, expectsFailure: true })
      if (kind === 'failed') return false
    }
    return true
  }

  async #checkLockout(): Promise<boolean> {
    const { run, findings, ask } = this.#parts
    if (run.client('target').kind === 'unknown') return false
    const alone = await this.#ask({}, ask.alone)
    if (alone.kind !== 'answered' || !looksLockedOut(alone.answered)) return false
    if (await this.isServedLater()) return true

    const { status, errorCode } = alone.answered
    const says = `after several refusals a plain valid request is answered ${status} / ${errorCode ?? 'no code'}: the client may have been locked out`
    findings.clientIs('locked-out')
    throw run.end(new ClientLockedOut(says))
  }

  #ask(how: Partial<SendOptions>, send: Send = this.#parts.ask.send): Promise<PlainOutcome> {
    return askPlain(send, this.#parts.plain, how)
  }
}

/** Whether a plain valid request was rejected in the way typical of a lockout. */
export function looksLockedOut({ status, errorCode }: Answered): boolean {
  if (isSuccessStatus(status)) return false
  return status === 401 || status === 403 || status === 423 || blamesClient(errorCode)
}
