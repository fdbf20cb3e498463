import { setMaxListeners } from 'node:events'
import type { Signal } from '../../http/abort-signal.ts'
import type { Exchange } from '../../http/exchange.ts'
import { nextOf } from '../../http/request.ts'
import type { TransportError } from '../../http/transport-error.ts'
import type { Connection } from '../../http/transport.ts'
import { answeredBy } from '../../judge/answered.ts'
import type { RunSettings } from '../../settings/settings.ts'
import type { RuleId } from '../../specification/rules.ts'
import { NoAnswer } from '../plan/errors.ts'
import type { Purpose, TestRequest } from '../plan/test-request.ts'

/** How a request is sent. */
export interface SendOptions {
  /** The rule whose budget pays for it. */
  readonly rule: RuleId
  readonly purpose: Purpose
  /** The name of its case, for the trace; without a name, no trace is sent. */
  readonly case?: string | undefined
  /** The connection to use; by default any connection from the pool. */
  readonly connection?: Connection | undefined
  /** Whether nothing else may be in flight. */
  readonly exclusive?: boolean
  /** Uses the full concurrency of the settings, even if this slows the service down, because a scenario may test exactly that. */
  readonly atOnce?: boolean | undefined
  /** Part of a crowd: only the rate limits it, and if the rate is refused, that is its answer. */
  readonly isCrowd?: boolean
  /** Sends a single attempt; the caller handles a failure. */
  readonly once?: boolean
  /** Failed attempts to continue from. Waits first, unless `once` is set. */
  readonly after?: Unanswered
  /** A failure is expected and does not indicate an outage. */
  readonly expectsFailure?: boolean
  /** Why the request must not be sent after all, asked when it leaves the queue; it then rejects with this error. */
  readonly refusal?: () => Error | null
  /** Higher priorities are sent first. */
  readonly priority?: number
}

/** Makes one attempt to send a request. */
export type Attempt = (request: TestRequest, options: SendOptions) => Promise<Exchange | TransportError>

/** The result if no attempt to send a request got a response. */
export interface Unanswered {
  readonly kind: 'no response'
  /** The error of the last attempt. */
  readonly error: TransportError
  /** The error of each attempt. */
  readonly attempts: readonly TransportError[]
}

/** Sends a request. Throws `NoAnswer` if the service keeps refusing the rate, or if no requests are left. */
export type Send = (request: TestRequest, options: SendOptions) => Promise<Exchange | Unanswered>

/** Whether no response came. */
export function isUnanswered(sent: Exchange | Unanswered): sent is Unanswered {
  return 'kind' in sent
}

/** The waits before each new attempt, in milliseconds: in total longer than a gateway needs to find a restarted service. */
export const retryDelaysMs = [250, 750, 1_500] as const

/** The end of a run. The first end is final. */
export class RunLifecycle {
  /** Aborts when the run is cancelled, which also aborts requests in flight. */
  readonly cancelled: Signal
  readonly #ending = new AbortController()
  /** Aborts when the run ends, with the reason: nothing more is sent, but requests in flight finish. */
  readonly signal: Signal = this.#ending.signal

  constructor(cancelled: Signal) {
    this.cancelled = cancelled
    // Every request in flight listens.
    setMaxListeners(0, cancelled, this.signal)
    const cancel = (): void => this.#ending.abort(cancelled.reason)
    cancelled.addEventListener('abort', cancel, { once: true })
    if (cancelled.aborted) cancel()
  }

  /** Ends the run unless it has already ended; returns the reason for the first end. */
  end(says: string, none: 'ended' | 'locked' = 'ended'): Error {
    this.#ending.abort(new NoAnswer(none, says))
    return this.signal.reason
  }

  /** Waits for this many milliseconds; rejects with the reason if the run ends. */
  async sleep(waitMs: number): Promise<void> {
    const { signal } = this
    signal.throwIfAborted()
    if (waitMs <= 0) return
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, waitMs)
      signal.addEventListener('abort', wake)
    })
    signal.throwIfAborted()
  }
}

/** The first limit for an unlimited run that has to slow down, in requests per second. */
const firstLimit = 10
/** The minimum rate, in requests per second. */
const slowest = 1
/** The additive increase per accepted response, in requests per second. */
const increase = 0.1
/** The rate at which a run without a limit becomes unlimited again, in requests per second. */
const recovered = 100
/** How late a timer may fire without slowing down the rate, in milliseconds. */
const timerDelayMs = 2

interface Waiting {
  /** The number of requests that are sent together. */
  readonly count: number
  readonly options: SendOptions
  readonly go: () => void
  readonly reject: (reason: unknown) => void
}

/** Allowance for clocks that round to milliseconds or run fast, in milliseconds. */
const marginMs = 5

/**
 * Limits concurrency and rate (additive increase, multiplicative decrease). Requests are sent by priority, then in order.
 *
 * At most `maxRps` requests are sent in any second, as counted by the receiver, whatever happens in transit. A request arrives between
 * its start and its end, which is its answer or its timeout. So request n starts a second after n − maxRps requests have ended: fewer
 * than maxRps of the earlier requests are still in flight or ended within that second. With only starts and ends, nothing faster is safe:
 * at a latency of L seconds, maxRps / (1 + L) requests are sent per second. The rate is rounded down to a whole number; below 1, one
 * request is sent every 1 / maxRps seconds.
 */
export class RateLimiter {
  readonly #run: RunLifecycle
  #maxRps: number
  /** Maximum number of requests in any span. */
  readonly #places: number
  readonly #spanMs: number
  /** The number of requests that started, and when each of them ended, in order. */
  #started = 0
  readonly #ends: number[] = []
  readonly #adaptive: AdaptiveConcurrency
  #concurrency: number
  /** The lowest concurrency so far. */
  concurrency: number
  /** Infinity while the rate is unlimited. */
  #rps: number
  /** Requests in flight. */
  active = 0
  #isExclusive = false
  #oneAtATime = false
  #nextStart = 0
  #pausedUntil = 0
  #slowedAt = Number.NEGATIVE_INFINITY
  #isWaking = false
  #queue: Waiting[] = []

  constructor({ concurrency, maxRps }: Pick<RunSettings, 'concurrency' | 'maxRps'>, run: RunLifecycle) {
    this.#run = run
    this.#adaptive = new AdaptiveConcurrency(concurrency)
    this.#concurrency = concurrency
    this.concurrency = concurrency
    this.#maxRps = maxRps ?? Infinity
    this.#rps = this.#maxRps
    this.#places = Math.max(1, Math.floor(this.#maxRps))
    this.#spanMs = 1_000 / Math.min(1, this.#maxRps) + marginMs
    run.signal.addEventListener('abort', () => {
      for (const { reject } of this.#queue.splice(0)) reject(run.signal.reason)
    })
  }

  /** Sends as soon as concurrency and rate allow it. */
  limit(next: Attempt): Attempt {
    return async (request, options) => {
      const count = 1 + nextOf(request.request).length
      const inFlight = await this.#turn(options, count)
      try {
        const sent = await next(request, options)
        if (options.isCrowd !== true && 'response' in sent)
          this.#adaptive.answered(request.traits.endpoint, sent, inFlight)
        return sent
      } finally {
        this.active -= 1
        if (options.exclusive === true) this.#isExclusive = false
        for (let left = count; left > 0; left -= 1) this.#ends.push(performance.now())
        this.#admit()
      }
    }
  }

  /** Sends nothing for this many milliseconds. */
  pause(waitMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + waitMs)
  }

  /** Pauses and halves the rate, once for all requests sent before the last halving. */
  slowDown(waitMs: number, sentAt: number): void {
    this.pause(waitMs)
    if (sentAt < this.#slowedAt) return

    const slower = this.#rps === Infinity ? firstLimit : this.#rps / 2
    this.#rps = Math.min(Math.max(slowest, slower), this.#maxRps)
    this.#slowedAt = performance.now()
  }

  /** Limits the rate from now on; returns a function that lifts the limit, or null if the rate is already lower. */
  limitRate(rps: number): (() => void) | null {
    const maxRps = this.#maxRps
    const before = this.#rps
    if (maxRps <= rps) return null
    const limited = Math.min(rps, before)
    this.#maxRps = rps
    this.#rps = limited
    return () => {
      this.#maxRps = maxRps
      if (this.#rps === limited) this.#rps = before
    }
  }

  /** Counts a response that does not complain about the rate. */
  onSuccess(): void {
    const faster = this.#rps + increase
    const isUnlimited = this.#maxRps === Infinity && faster >= recovered
    this.#rps = isUnlimited ? Infinity : Math.min(faster, this.#maxRps)
  }

  /** Sends one request at a time, or lifts that restriction. */
  oneAtATime(isOn: boolean): void {
    this.#oneAtATime = isOn
    this.#admit()
  }

  limitConcurrency(concurrency: number): void {
    this.#concurrency = concurrency
    this.concurrency = Math.min(this.concurrency, concurrency)
    this.#admit()
  }

  /** Waits in the queue; returns how many requests are then in flight. */
  async #turn(options: SendOptions, count: number): Promise<number> {
    this.#run.signal.throwIfAborted()
    const { priority = 0, exclusive = false, refusal } = options
    return new Promise((resolve, reject) => {
      const go = (): void => {
        const refused = refusal?.() ?? null
        if (refused !== null) return reject(refused)
        this.#begin(exclusive, count)
        resolve(this.active)
      }
      const after = this.#queue.findLastIndex((other) => (other.options.priority ?? 0) >= priority)
      this.#queue.splice(after + 1, 0, { count, options, go, reject })
      this.#admit()
    })
  }

  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      // The next request to finish will try again.
      if (!this.#hasRoom(next.options, next.count)) return
      const waitMs = this.#waitMs(next.count)
      if (waitMs > 0) return this.#wakeIn(waitMs)
      this.#queue.shift()
      next.go()
    }
  }

  #wakeIn(waitMs: number): void {
    if (this.#isWaking) return
    this.#isWaking = true
    const wake = (): void => {
      this.#isWaking = false
      this.#admit()
    }
    this.#run.sleep(Math.ceil(waitMs)).then(wake, wake)
  }

  #hasRoom({ exclusive, atOnce, isCrowd }: SendOptions, count: number): boolean {
    const inFlight = this.#started - this.#ends.length + count
    if (this.#isExclusive || inFlight > Math.max(this.#places, count)) return false
    if (this.#oneAtATime || exclusive === true) return this.active === 0
    if (isCrowd === true) return true
    const adapted = atOnce === true ? Infinity : this.#adaptive.limit
    return this.active < Math.min(this.#concurrency, adapted)
  }

  /** How long to wait for the end of a pause and the next slot allowed by the rate, in milliseconds. */
  #waitMs(count: number): number {
    const last = Math.min(this.#started + count - this.#places, this.#ends.length)
    const opensAt = (this.#ends[last - 1] ?? Number.NEGATIVE_INFINITY) + this.#spanMs
    return Math.max(this.#pausedUntil, this.#nextStart, opensAt) - performance.now()
  }

  #begin(exclusive: boolean, count: number): void {
    this.active += 1
    this.#isExclusive = exclusive
    this.#started += count
    const start = Math.max(this.#nextStart, performance.now() - timerDelayMs)
    this.#nextStart = start + (count * 1_000) / this.#rps
  }
}

/** Answers as fast as this show no load, in milliseconds. */
const fastMs = 50
/** Maximum latency under load, as a multiple of the latency without load. */
const tolerated = 2
/** How fast the latency without load follows lower and higher values. */
const weight = { lower: 1 / 2, higher: 1 / 8 } as const
/** How many comparable answers are needed for a decision, and how many answers of any kind decide without them, per request in flight. */
const decisive = { comparable: 2, all: 16 } as const

/**
 * The concurrency that a service can handle without queuing: the upper bound, unless even the faster recent answers took more than
 * twice as long as the same kind of answer (endpoint, status and code) without load. Slow endpoints, noise and pauses make no difference.
 */
class AdaptiveConcurrency {
  readonly #bound: number
  limit: number
  /** The latency of each kind of answer with nothing else in flight, in milliseconds. */
  readonly #alone = new Map<string, number>()
  #ratios: number[] = []
  #answers = 0

  constructor(bound: number) {
    this.#bound = bound
    this.limit = bound
  }

  /** Learns from an answer; `inFlight` is the number of requests in flight when its request was sent, including it. */
  answered(endpoint: string, { response, durationMs }: Exchange, inFlight: number): void {
    const kind = (): string => `${endpoint} ${response.status} ${answeredBy(response).errorCode}`
    if (inFlight === 1) {
      const known = this.#alone.get(kind()) ?? durationMs
      const share = durationMs < known ? weight.lower : weight.higher
      this.#alone.set(kind(), known + (durationMs - known) * share)
    }
    if (inFlight < this.limit || this.#bound === 1) return

    const alone = durationMs <= fastMs ? durationMs : this.#alone.get(kind())
    if (alone !== undefined) this.#ratios.push(durationMs / Math.max(alone, fastMs / tolerated))
    this.#answers += 1
    const isDecided = this.#ratios.length >= decisive.comparable * this.limit
    if (!isDecided && this.#answers < decisive.all * this.limit) return
    const ratio = isDecided ? lowerQuartile(this.#ratios) : 1
    this.limit = Math.min(this.#bound, Math.max(1, Math.round((this.limit * tolerated) / ratio)))
    this.#ratios = []
    this.#answers = 0
  }
}

function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? 1
}
