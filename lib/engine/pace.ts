import { pause } from './pause.ts'

/** What bounds how fast requests go out. */
export interface PaceOptions {
  readonly concurrency: number
  /** Requests a second; null is unlimited. */
  readonly maxRps: number | null
}

/** Unlimited runs start from here when a service asks to slow down, in requests a second. */
const firstLimit = 10
/** Never slower than this, in requests a second. */
const slowest = 1
/** So much faster with every answer that came without complaint, until as fast as at first. */
const recovery = 0.1
/** As fast as this, a run that was unlimited at first has recovered. */
const recovered = 100

const unending = new AbortController().signal

interface Waiting {
  readonly exclusive: boolean
  readonly urgency: number
  readonly go: () => void
}

/**
 * Bounds how many requests are in flight and how many go out in a second. An exclusive slot is granted when nothing else is
 * in flight, and nothing else goes out while it is held. Slots are granted to the most urgent first, and then in the order in
 * which they were asked for; none while everybody waits.
 */
export class Pace {
  #concurrency: number
  readonly #maxRps: number | null
  #rps: number | null
  #active = 0
  #exclusive = false
  #nextStart = 0
  #pausedUntil = 0
  #isWaking = false
  /** Whether one request at a time is enough: to see whether a service is there again. */
  #narrow = false
  #slowedAt = Number.NEGATIVE_INFINITY
  readonly #queue: Waiting[] = []

  constructor({ concurrency, maxRps }: PaceOptions) {
    this.#concurrency = concurrency
    this.#maxRps = maxRps
    this.#rps = maxRps
  }

  /** Waits for a slot and its turn; the function it gives ends the slot. Rejects with the signal's reason when aborted. */
  async slot(signal: AbortSignal, exclusive = false, urgency = 0): Promise<() => void> {
    await this.#granted(signal, exclusive, urgency)
    try {
      await this.#turn(signal)
    } catch (error) {
      this.#release(exclusive)
      throw error
    }
    return () => this.#release(exclusive)
  }

  /** Sends nothing for so long, and more slowly from then on. What was sent before the last slowing does not count again. */
  slowDown(waitMs: number, sentAt: number): void {
    const now = performance.now()
    this.hold(waitMs)
    if (sentAt < this.#slowedAt) return

    const slower = Math.max(slowest, this.#rps === null ? firstLimit : this.#rps / 2)
    this.#rps = Math.min(slower, this.#maxRps ?? slower)
    this.#slowedAt = now
  }

  /** Sends nothing for so long. */
  hold(waitMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + waitMs)
  }

  /** Sends one request at a time, or as many again as the settings say. */
  narrow(isNarrow: boolean): void {
    this.#narrow = isNarrow
    if (!isNarrow) this.#admit()
  }

  /** Lets at most so many be in flight from now on. */
  limit(concurrency: number): void {
    this.#concurrency = Math.min(this.#concurrency, concurrency)
  }

  /** Holds nobody up any longer: who has a slot from now on sends nothing. */
  drain(): void {
    this.#rps = null
    this.#pausedUntil = 0
    this.narrow(false)
  }

  /** An answer came without a complaint about the rate. */
  wasFine(): void {
    if (this.#rps === null || this.#rps === this.#maxRps) return
    const faster = this.#rps + recovery
    if (this.#maxRps === null) this.#rps = faster >= recovered ? null : faster
    else this.#rps = Math.min(faster, this.#maxRps)
  }

  /** How many requests may be in flight at once. */
  get concurrency(): number {
    return this.#concurrency
  }

  /** How many requests are in flight or about to go out. */
  get active(): number {
    return this.#active
  }

  async #granted(signal: AbortSignal, exclusive: boolean, urgency: number): Promise<void> {
    signal.throwIfAborted()
    const isHeld = performance.now() < this.#pausedUntil
    if (this.#queue.length === 0 && !isHeld && this.#hasRoom({ exclusive })) {
      this.#active += 1
      this.#exclusive = exclusive
      return
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        exclusive,
        urgency,
        go: () => {
          signal.removeEventListener('abort', abandon)
          resolve()
        },
      }
      const abandon = (): void => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1)
        reject(abortReason(signal))
        this.#admit()
      }
      signal.addEventListener('abort', abandon, { once: true })
      const after = this.#queue.findLastIndex((other) => other.urgency >= urgency)
      this.#queue.splice(after + 1, 0, waiting)
      this.#admit()
    })
  }

  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      // The clock is read once: a pause that ended between two looks at it would wake nobody.
      const held = this.#pausedUntil - performance.now()
      if (held > 0) return this.#wakeIn(held)
      // A release lets the next one in.
      if (!this.#hasRoom(next)) return
      this.#queue.shift()
      this.#active += 1
      this.#exclusive = next.exclusive
      next.go()
    }
  }

  #wakeIn(ms: number): void {
    if (this.#isWaking) return
    this.#isWaking = true
    void pause(Math.ceil(ms), unending).then(() => {
      this.#isWaking = false
      this.#admit()
    })
  }

  #hasRoom({ exclusive }: Pick<Waiting, 'exclusive'>): boolean {
    if (this.#exclusive) return false
    const most = this.#narrow ? 1 : this.#concurrency
    return exclusive ? this.#active === 0 : this.#active < most
  }

  #release(exclusive: boolean): void {
    this.#active -= 1
    if (exclusive) this.#exclusive = false
    this.#admit()
  }

  /** Waits for its place in the rate; a pause that is asked for meanwhile holds it, too. */
  async #turn(signal: AbortSignal): Promise<void> {
    for (;;) {
      const held = this.#pausedUntil - performance.now()
      if (held > 0) {
        await pause(held, signal)
        continue
      }
      const wait = this.#reserve()
      if (wait > 0) await pause(wait, signal)
      if (performance.now() >= this.#pausedUntil) return
    }
  }

  #reserve(): number {
    if (this.#rps === null) return 0

    const now = performance.now()
    const start = Math.max(now, this.#nextStart)
    this.#nextStart = start + 1_000 / this.#rps
    return start - now
  }
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted')
}
