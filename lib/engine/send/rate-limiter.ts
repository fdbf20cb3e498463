import type { Exchange } from '../../http/exchange.ts'
import { nextOf } from '../../http/request.ts'
import { AdaptiveConcurrency } from './adaptive-concurrency.ts'
import { RateWindow } from './rate-window.ts'
import type { Layer, SendOptions } from './send.ts'
import type { RunLifecycle } from './run-state.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** Bounds of the request rate. */
export interface RateLimits {
  readonly concurrency: number
  /** Requests a second; null is unlimited. */
  readonly maxRps: number | null
}

/** First limit of an unlimited run that is told to slow down, in requests per second. */
const firstLimit = 10
/** Minimum rate, in requests per second. */
const slowest = 1
/** Additive increase per accepted response, in requests per second. */
const increase = 0.1
/** Rate at which a run without a limit becomes unlimited again, in requests per second. */
const recovered = 100
/** How late a timer may fire without slowing down the rate, in milliseconds. */
const timerDelayMs = 2

interface Waiting {
  /** Requests that go out together. */
  readonly count: number
  readonly options: SendOptions
  readonly go: () => void
  readonly reject: (reason: unknown) => void
}

function isOver({ until }: SendOptions): boolean {
  return until?.aborted === true
}

/** Bounds concurrency and rate (additive increase, multiplicative decrease). Requests go by priority, then in order. */
export class RateLimiter {
  readonly #run: RunLifecycle
  #maxRps: number | null
  readonly #window: RateWindow | null
  readonly #adaptive: AdaptiveConcurrency
  #concurrency: number
  #leastConcurrency: number
  #rps: number | null
  #active = 0
  #isExclusive = false
  #oneAtATime = false
  #nextStart = 0
  #pausedUntil = 0
  #slowedAt = Number.NEGATIVE_INFINITY
  #isWaking = false
  #queue: Waiting[] = []

  constructor({ concurrency, maxRps }: RateLimits, run: RunLifecycle) {
    this.#run = run
    this.#adaptive = new AdaptiveConcurrency(concurrency)
    this.#concurrency = concurrency
    this.#leastConcurrency = concurrency
    this.#maxRps = maxRps
    this.#rps = maxRps
    this.#window = maxRps === null ? null : new RateWindow(maxRps)
    run.signal.addEventListener('abort', () => {
      for (const { reject } of this.#queue.splice(0)) reject(run.signal.reason)
    })
  }

  /** Sends at once where nothing has to wait; otherwise when there is room and the rate allows it. */
  limit(next: Layer): Layer {
    const send: Layer = (request, options) => {
      const exclusive = options.exclusive === true
      const count = countOf(request)
      this.#begin(exclusive, count)
      const inFlight = this.#active
      const sent = next(request, options)
      sent.then(
        (exchange) => {
          if (options.isCrowd !== true) this.#adaptive.answered(request.traits.endpoint, exchange, inFlight)
          this.#end(exclusive, count)
        },
        () => this.#end(exclusive, count),
      )
      return sent
    }
    return (request, options) =>
      this.#queue.length === 0 &&
      this.#mayGo(options, countOf(request)) &&
      !this.#run.signal.aborted &&
      !isOver(options)
        ? send(request, options)
        : this.#enqueue(send, request, options)
  }

  /** Sends nothing for this long, in milliseconds. */
  pause(waitMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + waitMs)
  }

  /** Pauses and halves the rate, once for all requests sent before the last halving. */
  slowDown(waitMs: number, sentAt: number): void {
    this.pause(waitMs)
    if (sentAt < this.#slowedAt) return

    const slower = Math.max(slowest, this.#rps === null ? firstLimit : this.#rps / 2)
    this.#rps = Math.min(slower, this.#maxRps ?? slower)
    this.#slowedAt = performance.now()
  }

  /** Sends at most so many requests per second from now on; what it gives lifts that again. Null where no more are sent anyway. */
  limitRate(rps: number): (() => void) | null {
    const [maxRps, before] = [this.#maxRps, this.#rps]
    if (maxRps !== null && maxRps <= rps) return null
    const limited = Math.min(rps, before ?? rps)
    this.#maxRps = rps
    this.#rps = limited
    return () => {
      this.#maxRps = maxRps
      if (this.#rps === limited) this.#rps = before
    }
  }

  /** Counts a response without complaint about the rate. */
  onSuccess(): void {
    if (this.#rps === null || this.#rps === this.#maxRps) return
    const faster = this.#rps + increase
    if (this.#maxRps === null) this.#rps = faster >= recovered ? null : faster
    else this.#rps = Math.min(faster, this.#maxRps)
  }

  /** Sends one request at a time, or lifts that restriction. */
  oneAtATime(isOn: boolean): void {
    this.#oneAtATime = isOn
    this.#admit()
  }

  limitConcurrency(concurrency: number): void {
    this.#concurrency = concurrency
    this.#leastConcurrency = Math.min(this.#leastConcurrency, concurrency)
    this.#admit()
  }

  /** How many requests could always be in flight so far. */
  get concurrency(): number {
    return this.#leastConcurrency
  }

  /** Requests in flight. */
  get active(): number {
    return this.#active
  }

  async #enqueue(send: Layer, request: TestRequest, options: SendOptions): Promise<Exchange> {
    this.#run.signal.throwIfAborted()
    options.until?.throwIfAborted()
    const { priority = 0 } = options
    return new Promise((resolve, reject) => {
      const go = (): void => resolve(send(request, options))
      const after = this.#queue.findLastIndex((other) => (other.options.priority ?? 0) >= priority)
      const waiting = { count: countOf(request), options, go, reject }
      this.#queue.splice(after + 1, 0, waiting)
      options.until?.addEventListener('abort', () => this.#withdraw(waiting), { once: true })
      this.#admit()
    })
  }

  #withdraw(waiting: Waiting): void {
    const at = this.#queue.indexOf(waiting)
    if (at === -1) return
    this.#queue.splice(at, 1)
    waiting.reject(waiting.options.until?.reason)
    this.#admit()
  }

  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      // The next end of a request tries again.
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

  #mayGo(options: SendOptions, count: number): boolean {
    return this.#hasRoom(options, count) && this.#waitMs(count) <= 0
  }

  #hasRoom({ exclusive, atOnce, isCrowd }: SendOptions, count: number): boolean {
    if (this.#isExclusive || this.#window?.hasRoom(count) === false) return false
    if (this.#oneAtATime || exclusive === true) return this.#active === 0
    if (isCrowd === true) return true
    const adapted = atOnce === true ? Infinity : this.#adaptive.limit
    return this.#active < Math.min(this.#concurrency, adapted)
  }

  /** The wait for the end of a pause and the next place in the rate, in milliseconds. */
  #waitMs(count: number): number {
    const opensAt = this.#window?.opensAt(count) ?? 0
    return Math.max(this.#pausedUntil, this.#nextStart, opensAt) - performance.now()
  }

  #begin(exclusive: boolean, count: number): void {
    this.#active += 1
    this.#isExclusive = exclusive
    this.#window?.start(count)
    if (this.#rps === null) return
    const start = Math.max(this.#nextStart, performance.now() - timerDelayMs)
    this.#nextStart = start + (count * 1_000) / this.#rps
  }

  #end(exclusive: boolean, count: number): void {
    this.#active -= 1
    if (exclusive) this.#isExclusive = false
    this.#window?.end(count, performance.now())
    this.#admit()
  }
}

/** How many requests go out as one. */
function countOf({ request }: TestRequest): number {
  return 1 + nextOf(request).length
}
