/** Nothing is foretold before so much time and so much of the work is behind: what comes first says little of the rest. */
const leastMs = 5_000
const leastShare = 0.05
/** The pace is that of the last half minute, so that a service that slows down is noticed. */
const windowMs = 30_000

interface Sample {
  readonly atMs: number
  readonly done: number
}

/** Foretells how long a run still takes, from the pace at which its cases end. */
export class TimeLeft {
  #first: Sample | null = null
  #recent: readonly Sample[] = []

  /** Takes down how many cases are done at a time, in milliseconds of any clock that only goes forward. */
  note(atMs: number, done: number): void {
    const sample = { atMs, done }
    this.#first ??= sample
    // One sample from before the window stays, so that the window is spanned.
    const start = this.#recent.findLastIndex((one) => one.atMs <= atMs - windowMs)
    this.#recent = [...this.#recent.slice(Math.max(0, start)), sample]
  }

  /** `about 3 min left`; null where nothing sensible can be said: at the beginning, when nothing moves, at the end. */
  of(planned: number): string | null {
    const [oldest] = this.#recent
    const latest = this.#recent.at(-1)
    if (this.#first === null || oldest === undefined || latest === undefined) return null
    if (latest.atMs - this.#first.atMs < leastMs || latest.done < planned * leastShare) return null

    const perMs = (latest.done - oldest.done) / (latest.atMs - oldest.atMs)
    return perMs > 0 && latest.done < planned ? about((planned - latest.done) / perMs) : null
  }
}

function about(milliseconds: number): string {
  const seconds = milliseconds / 1_000
  if (seconds < 10) return 'a few seconds left'
  if (seconds < 55) return `about ${Math.ceil(seconds / 10) * 10} s left`
  const minutes = Math.max(1, Math.round(seconds / 60))
  return minutes < 90 ? `about ${minutes} min left` : `about ${Math.round(minutes / 60)} h left`
}
