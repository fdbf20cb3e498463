import { once } from 'node:events'
import type { Console } from './console.ts'

// Loads nothing but node's own: signals must be held before all else is loaded.

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Signal = (typeof signals)[number]

let early: Signal | null = null

/**
 * Keeps the first signal from ending the process while the program is loaded, so that a run can still write its verdict. A second
 * one ends it as usual.
 */
export function holdSignals(): void {
  for (const signal of signals) process.on(signal, hold)
}

/** Lets signals end the process as usual, also one that was held: for commands that have nothing to write. */
export function releaseSignals(): void {
  stopHolding()
  if (early !== null) process.kill(process.pid, early)
}

function hold(signal: Signal): void {
  early = signal
  stopHolding()
}

function stopHolding(): void {
  for (const signal of signals) process.removeListener(signal, hold)
}

/** Resolves at the first SIGINT or SIGTERM. */
export async function untilInterrupted(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

/** The first signal ends the run and lets the verdict be written; a second one ends the process as usual. */
export class Interruption {
  readonly #console: Console
  readonly #ending = new AbortController()
  #leave: (() => void) | null = null

  /** Listens from now on; a signal that was held counts, too. */
  constructor(console: Console) {
    this.#console = console
    for (const signal of signals) process.on(signal, this.#interrupt)
    stopHolding()
    if (early !== null) this.#interrupt(early)
  }

  /** Aborted by the first signal; its reason is an error that says which. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** What is left to do, without waiting, if a second signal ends the process. */
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
