/** For clocks that round to milliseconds or run fast, in milliseconds. */
const marginMs = 5

/**
 * At most `maxRps` requests in any second, as the receiver counts them, whatever happens in transit. A request arrives between its
 * start and its end, which is its answer or the moment it is given up. So request n starts a second after the end of n − maxRps
 * others: of all before it, fewer than maxRps are still in flight or ended within that second, and no others arrive within a second
 * of it. Knowing only starts and ends, nothing faster is safe: at a latency of L seconds, maxRps / (1 + L) requests go out in a
 * second. A rate is rounded down to a whole number; below 1, a request goes out every 1 / maxRps seconds.
 */
export class RateWindow {
  /** Maximum requests in flight. */
  readonly places: number
  readonly #spanMs: number
  #started = 0
  #ended = 0
  /** When the last requests ended; end n is at n modulo `places`. */
  readonly #ends: number[] = []

  constructor(maxRps: number) {
    this.places = Math.max(1, Math.floor(maxRps))
    this.#spanMs = 1_000 / Math.min(1, maxRps) + marginMs
  }

  /** When the next request may start, while fewer than `places` are in flight. */
  get opensAt(): number {
    return (this.#ends[this.#started % this.places] ?? Number.NEGATIVE_INFINITY) + this.#spanMs
  }

  start(): void {
    this.#started += 1
  }

  end(now: number): void {
    this.#ends[this.#ended % this.places] = now
    this.#ended += 1
  }
}
