import type { Console } from './console.ts'
import { adoptEarlySignal, signals, type Signal } from './early-signals.ts'

/** The first signal ends the run and lets the verdict be written; a second one ends the process as usual. */
export class Interruption {
  readonly #console: Console
  readonly #ending = new AbortController()
  #leave: (() => void) | null = null

  /** Listens from now on; a signal that came while the program was loaded counts, too. */
  constructor(console: Console) {
    this.#console = console
    for (const signal of signals) process.on(signal, this.#interrupt)
    const early = adoptEarlySignal()
    if (early !== null) this.#interrupt(early)
  }

  /** Aborted by the first signal; its reason is an error that says which. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** What is left to do, without waiting, where a second signal ends the process. */
  leaves(leave: () => void): void {
    this.#leave = leave
  }

  /** Listens no more. */
  forget(): void {
    for (const signal of signals) {
      process.removeListener(signal, this.#interrupt)
      process.removeListener(signal, this.#abandon)
    }
  }

  readonly #interrupt = (signal: Signal): void => {
    this.forget()
    for (const again of signals) process.on(again, this.#abandon)
    const reason = `the run was interrupted (${signal})`
    this.#console.err(
      `\n${reason}: what was judged so far is being written; interrupt again to leave at once\n`,
    )
    this.#ending.abort(new Error(reason))
  }

  readonly #abandon = (signal: Signal): void => {
    this.forget()
    this.#leave?.()
    process.kill(process.pid, signal)
  }
}
