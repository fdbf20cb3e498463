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
  readonly #places: number
  readonly #spanMs: number
  #started = 0
  #ended = 0
  /** When the last requests ended; end n is at n modulo the places. */
  readonly #ends: number[] = []

  constructor(maxRps: number) {
    this.#places = Math.max(1, Math.floor(maxRps))
    this.#spanMs = 1_000 / Math.min(1, maxRps) + marginMs
  }

  /** Whether so many more may be in flight. */
  hasRoom(count: number): boolean {
    return this.#started - this.#ended + count <= Math.max(this.#places, count)
  }

  /** When the next requests may start, so many together, while there is room for them. */
  opensAt(count: number): number {
    const ends = Array.from({ length: count }, (_, at) => this.#ends[(this.#started + at) % this.#places])
    return Math.max(...ends.map((end) => end ?? Number.NEGATIVE_INFINITY)) + this.#spanMs
  }

  start(count: number): void {
    this.#started += count
  }

  end(count: number, now: number): void {
    for (const last = this.#ended + count; this.#ended < last; this.#ended += 1)
      this.#ends[this.#ended % this.#places] = now
  }
}
