import type { Exchange } from '../http/exchange.ts'
import {
  answeredBy,
  isQuotaRefusal,
  isServed,
  isSuccess,
  isSuccessStatus,
  type Answered,
  type AnswerFlaw,
} from '../judge/answered.ts'
import { BudgetSpent, ClientLockedOut, Inconclusive, RunEnded } from './errors.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { CaseExchange } from './passive-checks.ts'
import { AttemptsFailed, type Send } from './retry.ts'
import type { FindingRecorder } from './findings.ts'
import type { RunLifecycle } from './run-state.ts'
import { quotaSentence } from './quota.ts'
import type { Context, TestRequest } from './test-request.ts'

interface HealthParts {
  readonly send: Send
  /** Sends with nothing else in flight, on a new connection. */
  readonly sendAlone: Send
  readonly run: RunLifecycle
  readonly limiter: Pick<RateLimiter, 'pause' | 'active'>
  readonly findings: Pick<FindingRecorder, 'lockedOut' | 'recovered'>
  readonly plain: TestRequest
  readonly judge: (given: CaseExchange) => Promise<void> | null
  /** Whether the settings give the query that the endpoint needs. */
  readonly hasQuery: boolean
  /** Pause for a client that was locked out or banned, once in a run, in milliseconds. */
  readonly leaveAloneMs: number
}

/** Waits between failed health checks, in milliseconds; a failure after the last wait ends the run. */
const waitsMs = [1_000, 2_000] as const
/** Maximum rejections between two health checks; half of it after a lockout. */
export const rejectionsBetween = 50
/** Codes that show that the settings' client is wrong, not the service. */
const refusedCredentials = new Set(['1006', '1007', '1011', '1012', '1013'])
const foreign: ReadonlySet<AnswerFlaw> = new Set([
  'empty body',
  'body is not JSON',
  'body is not an object',
  'error_code is missing',
])
const context: Context = { rule: 'endpoints/list-succeeds', case: 'plain' }

type Outcome =
  | { readonly kind: 'answered'; readonly exchange: Exchange; readonly answered: Answered }
  | { readonly kind: 'failed' | 'exhausted'; readonly because: string }

/** Plain valid requests of the target client, which tell whether it is still served. Concurrent callers share one. */
export class Health {
  readonly #parts: HealthParts
  #preflight: Promise<void> | null = null
  #isReached = false
  #current: Promise<unknown> | null = null
  #following: Promise<boolean> | null = null
  #lockout: Promise<boolean> | null = null
  #rejectionsBetween = rejectionsBetween
  #wasLeftAlone = false
  #hasRecovered = false

  constructor(parts: HealthParts) {
    this.#parts = parts
  }

  /** The first request of a run, sent once: a failure, a used-up quota, refused credentials or another service end the run. Null once it was served. */
  preflight(): Promise<void> | null {
    if (this.#isReached) return null
    this.#preflight ??= this.#runPreflight()
    return this.#preflight
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
    const outcome = await this.#ask({ send: this.#parts.sendAlone })
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

  async #runPreflight(): Promise<void> {
    let outcome = await this.#ask()
    if (outcome.kind === 'exhausted') outcome = await this.#ask()
    if (outcome.kind !== 'answered') throw this.#ended(outcome.because)
    const { answered, exchange } = outcome
    const refusal = refusalSentence(answered, this.#parts.hasQuery)
    if (refusal !== null) throw this.#ended(refusal)
    if (isForeign(answered)) await this.#checkAddress(answered)
    await this.#judge(exchange)
    this.#isReached = true
  }

  /** Ends the run if another service answers: this one refuses a request without credentials with a code. */
  async #checkAddress({ status }: Answered): Promise<void> {
    const stranger = this.#parts.plain.without('x-api-key', 'x-secret-key')
    const outcome = await this.#ask({ request: stranger })
    if (outcome.kind !== 'answered' || !isForeign(outcome.answered)) return

    throw this.#ended(
      `what answers is not this service: a plain valid request was answered ${status} and one without credentials ${outcome.answered.status}, both without anything that is documented: is TARGET_BASE_URL right (host, port, path prefix), is a login, a proxy or a portal in between?`,
    )
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

  async #answered({ exchange, answered }: Outcome & { readonly kind: 'answered' }): Promise<boolean> {
    if (isSuccess(answered)) return true
    if (looksLockedOut(answered) && (await this.checkLockout())) return true
    await this.#judge(exchange)
    return false
  }

  async #checkLockout(): Promise<boolean> {
    const { run, findings } = this.#parts
    if (run.client('target').kind === 'unknown') return false
    const alone = await this.#ask({ send: this.#parts.sendAlone })
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
    return this.#parts.judge({ request: this.#parts.plain, exchange, context })
  }

  async #ask({ send = this.#parts.send, request = this.#parts.plain } = {}): Promise<Outcome> {
    try {
      const exchange = await send(request, { rule: context.rule, purpose: 'health-check' })
      const answered = answeredBy(exchange.response)
      return isQuotaRefusal(answered)
        ? { kind: 'exhausted', because: quotaSentence('target') }
        : { kind: 'answered', exchange, answered }
    } catch (error) {
      if (error instanceof AttemptsFailed) return { kind: 'failed', because: error.error.message }
      if (!(error instanceof Inconclusive) || error instanceof BudgetSpent || error instanceof RunEnded)
        throw error
      return { kind: 'failed', because: error.message }
    }
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

/** Whether a response holds nothing documented. A 5xx may be the service's own, except a network's 511. Source: RFC 6585, 6. */
function isForeign({ status, flaw }: Answered): boolean {
  if (status >= 500 && status !== 511) return false
  return flaw !== null && foreign.has(flaw)
}

/** What the first response says about the settings; null if the service itself is to be judged. */
function refusalSentence({ status, errorCode, flaw }: Answered, hasQuery: boolean): string | null {
  if (flaw !== null) return null
  if (status === 401 && errorCode !== null && refusedCredentials.has(errorCode)) {
    return `the very first valid request was refused with 401 / ${errorCode}: check TARGET_API_KEY and TARGET_SECRET_KEY, and that this client may use the endpoint`
  }
  if (status === 400 && errorCode === '1030') {
    const hint = hasQuery
      ? 'TARGET_QUERY is not what the list endpoint needs'
      : 'the list endpoint may need a query, give it as TARGET_QUERY (for example page=1)'
    return `the very first valid request was refused with 400 / 1030 (invalid input parameters): ${hint}`
  }
  return null
}
