import type { Exchange } from '../../http/exchange.ts'
import { isServed, isSuccess } from '../../judge/answered.ts'
import { rejectionsBetween } from '../plan/allot.ts'
import { RunEnded } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import type { RateLimiter } from '../send/rate-limiter.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { Accuser } from './accuser.ts'
import { looksLockedOut, type Lockouts } from './lockouts.ts'
import { askPlain, plainContext, type Ask, type PlainOutcome } from './ask.ts'

interface HealthParts {
  readonly ask: Pick<Ask, 'send'>
  readonly run: RunLifecycle
  readonly limiter: Pick<RateLimiter, 'active'>
  readonly lockouts: Pick<Lockouts, 'check' | 'isServedLater' | 'isQuotaBack' | 'recoveries'>
  readonly accuser: Pick<Accuser, 'judge'>
  readonly plain: TestRequest
}

/** Waits between failed health checks, in milliseconds; a failure after the last wait ends the run. */
const waitsMs = [1_000, 2_000] as const

/** Plain valid requests of the target client, which tell whether it is still served, and are judged. Concurrent callers share one. */
export class Health {
  readonly #parts: HealthParts
  #current: Promise<unknown> | null = null
  #following: Promise<boolean> | null = null

  constructor(parts: HealthParts) {
    this.#parts = parts
  }

  /** Whether a plain valid request sent after the call is served; a third failure in a row ends the run. */
  check(): Promise<boolean> {
    this.#following ??= this.#afterCurrent()
    return this.#following
  }

  /** Counts rejections, with a check from time to time. True if a lockout is over, which makes the response meaningless. */
  recoversAfter(exchange: Exchange): Promise<boolean> | false {
    const { run, limiter, lockouts } = this.#parts
    if (isServed(exchange)) return false
    run.changeClient('target', 'rejected')
    const state = run.client('target')
    // Requests in flight may be rejected, too.
    const most = lockouts.recoveries === 0 ? rejectionsBetween : Math.floor(rejectionsBetween / 2)
    const due = 'rejections' in state && state.rejections + limiter.active >= most
    return due ? this.#recovers() : false
  }

  async #afterCurrent(): Promise<boolean> {
    await this.#current
    this.#following = null
    const check = this.#check()
    this.#current = check.catch(() => false)
    return check
  }

  async #recovers(): Promise<boolean> {
    const { lockouts } = this.#parts
    const before = lockouts.recoveries
    await this.check()
    return lockouts.recoveries !== before
  }

  async #check(): Promise<boolean> {
    const { ask, plain, run } = this.#parts
    run.changeClient('target', 'checked')
    for (const waitMs of [...waitsMs, null]) {
      const outcome = await askPlain(ask.send, plain)
      if (outcome.kind === 'answered') return this.#answered(outcome)
      if (waitMs !== null) await run.sleep(waitMs)
      else await this.#failed(outcome)
    }
    return true
  }

  /** A firewall may ban a sender of many bad requests for some seconds, and a quota may be suspended as long. */
  async #failed({ kind, because }: Exclude<PlainOutcome, { readonly kind: 'answered' }>): Promise<void> {
    const { run, lockouts } = this.#parts
    const isExhausted = kind === 'exhausted'
    if (await (isExhausted ? lockouts.isQuotaBack() : lockouts.isServedLater())) return
    throw run.end(
      new RunEnded(isExhausted ? because : `the service stopped answering plain valid requests: ${because}`),
    )
  }

  async #answered({ exchange, answered }: PlainOutcome & { readonly kind: 'answered' }): Promise<boolean> {
    const { accuser, lockouts, plain } = this.#parts
    if (isSuccess(answered)) return true
    if (looksLockedOut(answered) && (await lockouts.check())) return true
    await accuser.judge({ request: plain, exchange, context: plainContext })
    return false
  }
}
