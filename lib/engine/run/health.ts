import type { Exchange } from '../../http/exchange.ts'
import { isServed, isSuccess, isSuccessStatus, type Answered } from '../../judge/answered.ts'
import { ClientLockedOut, RunEnded } from '../plan/errors.ts'
import type { FindingRecorder } from '../record/findings.ts'
import { askPlain, refusedCredentials, type PlainJudge, type PlainOutcome } from './plain.ts'
import type { RateLimiter } from '../send/rate-limiter.ts'
import type { Send, SendOptions } from '../send/retry.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { TestRequest } from '../plan/test-request.ts'

interface HealthParts {
  readonly send: Send
  /** Sends with nothing else in flight, on a new connection. */
  readonly sendAlone: Send
  readonly run: RunLifecycle
  readonly limiter: Pick<RateLimiter, 'pause' | 'active'>
  readonly findings: Pick<FindingRecorder, 'lockedOut' | 'recovered'>
  readonly plain: TestRequest
  readonly judge: PlainJudge
  /** Pause for a client that was locked out or banned, once in a run, in milliseconds. */
  readonly leaveAloneMs: number
}

/** Waits between failed health checks, in milliseconds; a failure after the last wait ends the run. */
const waitsMs = [1_000, 2_000] as const
/** Maximum rejections between two health checks; half of it after a lockout. */
export const rejectionsBetween = 50
/** Plain valid requests of a trial, by stages: failures from which on the service is in trouble. A service that fails at one request in ten passes 98 of 100 trials, at one in three 15. */
const trials = [
  { of: 10, failures: 5 },
  { of: 20, failures: 6 },
  { of: 30, failures: 8 },
] as const

/** Plain valid requests of the target client, which tell whether it is still served. Concurrent callers share one. */
export class Health {
  readonly #parts: HealthParts
  #trial: Promise<void> | null = null
  #current: Promise<unknown> | null = null
  #following: Promise<boolean> | null = null
  #lockout: Promise<boolean> | null = null
  #rejectionsBetween = rejectionsBetween
  #wasLeftAlone = false
  #hasRecovered = false

  constructor(parts: HealthParts) {
    this.#parts = parts
  }

  /** A trial under way, or null. */
  get trialUnderWay(): Promise<void> | null {
    return this.#trial
  }

  /** Sends plain valid requests, each once: if many go unanswered, too, the service is in trouble, and the run ends. Judges nothing. */
  trial(): Promise<void> {
    this.#trial ??= this.#runTrial().finally(() => {
      this.#trial = null
    })
    return this.#trial
  }

  /** Whether a plain valid request sent after the call is served; a third failure in a row ends the run. */
  check(): Promise<boolean> {
    this.#following ??= this.#afterCurrent()
    return this.#following
  }

  async #afterCurrent(): Promise<boolean> {
    await this.#current
    this.#following = null
    const check = this.#check()
    this.#current = check.catch(() => false)
    return check
  }

  /** Whether the client is served alone, on a new connection. Judges nothing. */
  async checkAlone(): Promise<boolean> {
    const outcome = await this.#ask({}, this.#parts.sendAlone)
    return outcome.kind === 'answered' && isSuccess(outcome.answered)
  }

  /** Counts rejections, with a check at least every {@link rejectionsBetween}. True if a lockout is over, which makes the response meaningless. */
  recoversAfter(exchange: Exchange): Promise<boolean> | false {
    const { run, limiter } = this.#parts
    if (isServed(exchange)) return false
    run.changeClient('target', 'rejected')
    const state = run.client('target')
    // Requests in flight may be rejected, too.
    const due = 'rejections' in state && state.rejections + limiter.active >= this.#rejectionsBetween
    return due ? this.#recovers() : false
  }

  async #recovers(): Promise<boolean> {
    const before = this.#hasRecovered
    await this.check()
    return this.#hasRecovered !== before
  }

  /** Whether a lockout was seen and is over. The client is left alone once; after that, a lockout ends the run. Judges nothing. */
  checkLockout(): Promise<boolean> {
    this.#lockout ??= this.#checkLockout().finally(() => {
      this.#lockout = null
    })
    return this.#lockout
  }

  async #runTrial(): Promise<void> {
    let [sent, failed] = [0, 0]
    for (const { of, failures } of trials) {
      const more = Array.from({ length: of - sent }, () => this.#ask({ once: true, expectsFailure: true }))
      const because = (await Promise.all(more)).flatMap((one) => (one.kind === 'failed' ? [one.because] : []))
      sent = of
      failed += because.length
      // An outage shows in the next health check.
      if (failed === 0 || failed === sent) return
      if (failed >= failures)
        throw this.#ended(
          `the service is in trouble: ${failed} of ${sent} plain valid requests got no answer, each sent once: ${because.at(-1) ?? ''}`,
        )
    }
  }

  async #check(): Promise<boolean> {
    const { run } = this.#parts
    run.changeClient('target', 'checked')
    for (const waitMs of [...waitsMs, null]) {
      const outcome = await this.#ask()
      if (outcome.kind === 'answered') return this.#answered(outcome)
      if (waitMs !== null) await run.sleep(waitMs)
      else if (outcome.kind === 'exhausted') throw this.#ended(outcome.because)
      // A firewall may ban a sender of many bad requests for some seconds.
      else if (!(await this.#isServedLater()))
        throw this.#ended(`the service stopped answering plain valid requests: ${outcome.because}`)
    }
    return true
  }

  async #answered({ exchange, answered }: PlainOutcome & { readonly kind: 'answered' }): Promise<boolean> {
    if (isSuccess(answered)) return true
    if (looksLockedOut(answered) && (await this.checkLockout())) return true
    await this.#judge(exchange)
    return false
  }

  async #checkLockout(): Promise<boolean> {
    const { run, findings } = this.#parts
    if (run.client('target').kind === 'unknown') return false
    const alone = await this.#ask({}, this.#parts.sendAlone)
    if (alone.kind !== 'answered' || !looksLockedOut(alone.answered)) return false
    if (await this.#isServedLater()) return true

    const { status, errorCode } = alone.answered
    const says = `after several refusals a plain valid request is answered ${status} / ${errorCode ?? 'no code'}: the client may have been locked out`
    findings.lockedOut()
    throw run.end(new ClientLockedOut(says))
  }

  /** Leaves a client that was served before alone, once in a run; whether it is served afterwards. */
  async #isServedLater(): Promise<boolean> {
    const { run, findings, limiter, leaveAloneMs } = this.#parts
    if (this.#wasLeftAlone || run.client('target').kind === 'unknown') return false
    this.#wasLeftAlone = true
    run.changeClient('target', 'locked-out')
    limiter.pause(leaveAloneMs)
    await run.sleep(leaveAloneMs)
    const isServedAgain = await this.checkAlone()
    this.#rejectionsBetween = Math.floor(rejectionsBetween / 2)
    this.#hasRecovered = isServedAgain
    if (isServedAgain) findings.recovered()
    return isServedAgain
  }

  #judge(exchange: Exchange): Promise<void> | null {
    return this.#parts.judge(this.#parts.plain, exchange)
  }

  #ask(how: Partial<SendOptions> = {}, send = this.#parts.send): Promise<PlainOutcome> {
    return askPlain(send, this.#parts.plain, how)
  }

  #ended(because: string): Error {
    return this.#parts.run.end(new RunEnded(because))
  }
}

/** Whether a plain valid request was rejected in the way typical of a lockout. */
export function looksLockedOut({ status, errorCode }: Answered): boolean {
  if (isSuccessStatus(status)) return false
  return status === 401 || status === 403 || status === 423 || refusedCredentials.has(errorCode ?? '')
}
