import { once } from 'node:events'
import { constants } from 'node:os'
import type { Console } from './console.ts'
import type { Ending } from './ending.ts'

// Imports only Node's own modules, because signals must be held before anything else is loaded.

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Signal = (typeof signals)[number]

let early: Signal | null = null
let setAside: Ending['setAside']

/** Holds the first signal while the program loads, so that a run can still write its verdict. A second signal ends the process. */
export function holdSignals(ending: Ending): void {
  setAside = ending.setAside
  for (const signal of signals) process.on(signal, hold)
}

/** Lets signals, including a held one, end the process. Used by commands that write nothing. */
export function releaseSignals(): void {
  stopHolding()
  if (early !== null) endBy(early)
}

/** Ends the process as a signal would. Windows has no signals, so Node would exit with 1, which means nonconformant. */
export function endBy(signal: Signal, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32') process.exit(128 + constants.signals[signal])
  process.kill(process.pid, signal)
}

function hold(signal: Signal): void {
  if (early === null) {
    early = signal
    return
  }
  setAside?.()
  stopHolding()
  endBy(signal)
}

function stopHolding(): void {
  for (const signal of signals) process.removeListener(signal, hold)
}

/** Resolves on the first SIGINT or SIGTERM. */
export async function untilInterrupted(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

/** Ends the run on the first signal, so that the verdict is written. A second signal ends the process. */
export class Interruption {
  readonly #console: Console
  readonly #follows: string
  readonly #ending = new AbortController()
  #leave: (() => void) | null = null

  /** Starts listening; a held signal counts. `follows` completes the sentence about the results so far. */
  constructor(console: Console, follows = 'are being written') {
    this.#console = console
    this.#follows = follows
    for (const signal of signals) process.on(signal, this.#interrupt)
    stopHolding()
    if (early !== null) this.#interrupt(early)
  }

  /** Ends the run for a reason other than a signal. */
  end(reason: Error): void {
    this.#ending.abort(reason)
  }

  /** Aborted on the first signal, with an error that names the signal. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Sets the synchronous cleanup for a second signal. */
  leaves(leave: () => void): void {
    this.#leave = leave
  }

  /** Stops listening. */
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
    this.#console.err(`\n${reason}: the results so far ${this.#follows}; interrupt again to quit at once\n`)
    this.#ending.abort(new Error(reason))
  }

  readonly #abandon = (signal: Signal): void => {
    this.forget()
    this.#leave?.()
    this.#console.ending.setAside?.()
    endBy(signal)
  }
}
