import { isSuccess, isSuccessStatus, type Answered } from '../../judge/answered.ts'
import { factsIfKnown } from '../../judge/facts.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { blamesClient } from '../../specification/answers.ts'
import { rejectionsBetween } from '../plan/allot.ts'
import { ClientLockedOut, Inconclusive, RunEnded } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import type { Findings } from '../record/findings.ts'
import type { RateLimiter } from '../send/rate-limiter.ts'
import type { Send, SendOptions } from '../send/send.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import { askPlain, type Ask, type PlainOutcome } from './ask.ts'

interface LockoutParts {
  readonly ask: Pick<Ask, 'send' | 'alone'>
  readonly run: RunLifecycle
  readonly limiter: Pick<RateLimiter, 'pause'>
  readonly findings: Pick<Findings, 'clientIs'>
  readonly plain: TestRequest
  readonly model: TargetModel
  /** Pause for a client that was locked out or banned, in milliseconds. */
  readonly leaveAloneMs: number
}

/** Maximum pauses of a run for a client that was locked out or banned. */
const mostPauses = 2

/** Plain valid requests of a trial, by stages: failures from which on the service is in trouble. A service that fails at one request in ten passes 98 of 100 trials, at one in three 15. */
const trials = [
  { of: 10, failures: 5 },
  { of: 20, failures: 6 },
  { of: 30, failures: 8 },
] as const

/** Whether the service is there at all, and still serves the target client. Judges nothing; concurrent callers share one answer. */
export class Lockouts {
  readonly #parts: LockoutParts
  #trial: Promise<void> | null = null
  #lockout: Promise<boolean> | null = null
  #pauses = 0
  #hasRecovered = false
  #rejectionsBetween = rejectionsBetween

  constructor(parts: LockoutParts) {
    this.#parts = parts
  }

  /** A trial under way, or null. */
  get trialUnderWay(): Promise<void> | null {
    return this.#trial
  }

  /** Whether a lockout was seen and is over. */
  get hasRecovered(): boolean {
    return this.#hasRecovered
  }

  /** Maximum rejections until the next health check. */
  get rejectionsBetween(): number {
    return this.#rejectionsBetween
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

  /** Throws {@link Inconclusive} for wrong credentials once the client was locked out as often as a run waits for it. */
  refuseGuess({ request }: TestRequest): void {
    if (this.#pauses >= mostPauses && isGuess(request, this.#parts.model)) throw new Inconclusive(leftOut)
  }

  /** Whether a lockout was seen and is over. The client is left alone twice; after that, a lockout ends the run. */
  check(): Promise<boolean> {
    this.#lockout ??= this.#checkLockout().finally(() => {
      this.#lockout = null
    })
    return this.#lockout
  }

  /** Leaves a client that was served before alone, twice in a run; whether it is served afterwards. */
  async isServedLater(): Promise<boolean> {
    const { run, findings, limiter, leaveAloneMs } = this.#parts
    if (this.#pauses >= mostPauses || run.client('target').kind === 'unknown') return false
    this.#pauses += 1
    run.changeClient('target', 'locked-out')
    limiter.pause(leaveAloneMs)
    await run.sleep(leaveAloneMs)
    const isServedAgain = await this.isServedAlone()
    this.#rejectionsBetween = Math.floor(rejectionsBetween / 2)
    this.#hasRecovered = isServedAgain
    if (isServedAgain) findings.clientIs('recovered')
    return isServedAgain
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
        throw this.#parts.run.end(
          new RunEnded(
            `the service is in trouble: ${failed} of ${sent} plain valid requests got no answer, each sent once: ${because.at(-1) ?? ''}`,
          ),
        )
    }
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

const leftOut =
  'the client was locked out twice after refusals: no further wrong credentials are sent, so that the other rules can be judged'

/** Whether a request brings credentials that do not fit, blank ones included: what locks a client, or has its sender banned. */
function isGuess(request: TestRequest['request'], model: TargetModel): boolean {
  const facts = factsIfKnown(request, model)
  if (facts === null) return true
  const isKnown = (fact: string): boolean => fact === 'valid' || fact === 'absent'
  return !isKnown(facts.apiKey) || !isKnown(facts.secretKey)
}

/** Whether a plain valid request was rejected in the way typical of a lockout. */
export function looksLockedOut({ status, errorCode }: Answered): boolean {
  if (isSuccessStatus(status)) return false
  return status === 401 || status === 403 || status === 423 || blamesClient(errorCode)
}
