/** When it has come, the run ends, and what was judged so far is written. */
export class Deadline {
  readonly #timer: NodeJS.Timeout
  #reason: string | null = null
  #cancel: (() => void) | null = null

  /** Counts from now on. It does not keep the process alive. */
  constructor(minutes: number) {
    this.#timer = setTimeout(() => {
      const span = minutes === 1 ? '1 minute' : `${minutes} minutes`
      this.#reason = `the run took longer than ${span} (RUN_MAX_MINUTES)`
      this.#cancel?.()
    }, minutes * 60_000)
    this.#timer.unref()
  }

  /** Why the run was ended, or null. */
  get reason(): string | null {
    return this.#reason
  }

  /** What ends the run, once there is something to end; called at once where the deadline came before. */
  ends(cancel: () => void): void {
    this.#cancel = cancel
    if (this.#reason !== null) cancel()
  }

  /** Counts no more. */
  clear(): void {
    clearTimeout(this.#timer)
  }
}
