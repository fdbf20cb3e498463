import type { Console } from './console.ts'

const signals = ['SIGINT', 'SIGTERM'] as const

/** The first signal ends the run and lets the verdict be written; a second one ends the process as usual. */
export class Interruption {
  readonly #console: Console
  #reason: string | null = null
  #cancel: (() => void) | null = null

  /** Listens from now on. */
  constructor(console: Console) {
    this.#console = console
    for (const signal of signals) process.on(signal, this.#interrupt)
  }

  /** Why the run was ended from outside, or null. */
  get reason(): string | null {
    return this.#reason
  }

  /** What ends the run, once there is something to end; called at once where the signal came before. */
  ends(cancel: () => void): void {
    this.#cancel = cancel
    if (this.#reason !== null) cancel()
  }

  /** Listens no more. */
  forget(): void {
    for (const signal of signals) process.removeListener(signal, this.#interrupt)
  }

  readonly #interrupt = (signal: NodeJS.Signals): void => {
    this.forget()
    this.#reason = `the run was interrupted (${signal})`
    this.#console.err(
      `\n${this.#reason}: what was judged so far is being written; interrupt again to leave at once\n`,
    )
    this.#cancel?.()
  }
}
