import type { Send, SendOptions } from './retry.ts'
import type { RunLifecycle } from './run-state.ts'

/** Bounds of the request rate. */
export interface RateLimits {
  readonly concurrency: number
  /** Requests a second; null is unlimited. */
  readonly maxRps: number | null
}

/** Options of a permit. */
export type PermitOptions = Pick<SendOptions, 'exclusive' | 'priority'>

/** First limit of an unlimited run that is told to slow down, in requests per second. */
const firstLimit = 10
/** Minimum rate, in requests per second. */
const slowest = 1
/** Additive increase per accepted response, in requests per second. */
const increase = 0.1
/** Rate at which a run without a limit becomes unlimited again, in requests per second. */
const recovered = 100

interface Waiting {
  readonly exclusive: boolean
  readonly priority: number
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** Bounds concurrency and rate (additive increase, multiplicative decrease). Permits go by priority, then in order. */
export class RateLimiter {
  readonly #run: RunLifecycle
  readonly #maxRps: number | null
  #concurrency: number
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
    this.#concurrency = concurrency
    this.#maxRps = maxRps
    this.#rps = maxRps
    run.signal.addEventListener('abort', () => {
      for (const { reject } of this.#queue.splice(0)) reject(run.signal.reason)
    })
  }

  /** Waits for a permit and a place in the rate; gives the function that returns the permit. */
  async acquire({ exclusive = false, priority = 0 }: PermitOptions = {}): Promise<() => void> {
    this.#run.signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const after = this.#queue.findLastIndex((other) => other.priority >= priority)
      this.#queue.splice(after + 1, 0, { exclusive, priority, resolve, reject })
      this.#admit()
    })
    try {
      await this.#turn()
    } catch (error) {
      this.#release(exclusive)
      throw error
    }
    return () => this.#release(exclusive)
  }

  limit(next: Send): Send {
    return async (request, options) => {
      const release = await this.acquire(options)
      try {
        return await next(request, options)
      } finally {
        release()
      }
    }
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
    this.#concurrency = Math.min(this.#concurrency, concurrency)
  }

  get concurrency(): number {
    return this.#concurrency
  }

  /** Requests in flight or about to go out. */
  get active(): number {
    return this.#active
  }

  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const pausedMs = this.#pausedUntil - performance.now()
      if (pausedMs > 0) return this.#wakeIn(pausedMs)
      // The next release tries again.
      if (!this.#hasRoomFor(next)) return
      this.#queue.shift()
      this.#active += 1
      this.#isExclusive = next.exclusive
      next.resolve()
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

  #hasRoomFor({ exclusive }: Waiting): boolean {
    if (this.#isExclusive) return false
    const most = this.#oneAtATime ? 1 : this.#concurrency
    return exclusive ? this.#active === 0 : this.#active < most
  }

  #release(exclusive: boolean): void {
    this.#active -= 1
    if (exclusive) this.#isExclusive = false
    this.#admit()
  }

  /** Waits for a place in the rate, including any pause that begins meanwhile. */
  async #turn(): Promise<void> {
    do {
      await this.#run.sleep(this.#pausedUntil - performance.now())
      await this.#run.sleep(this.#reserve())
    } while (performance.now() < this.#pausedUntil)
  }

  /** Takes the next place in the rate; gives the wait until then, in milliseconds. */
  #reserve(): number {
    if (this.#rps === null) return 0

    const now = performance.now()
    const start = Math.max(now, this.#nextStart)
    this.#nextStart = start + 1_000 / this.#rps
    return start - now
  }
}
