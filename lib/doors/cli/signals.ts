import { constants } from 'node:os'
import type { Console } from './console.ts'

// Imports only Node's own modules, because signals must be held before anything else is loaded.

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type Signal = (typeof signals)[number]

/** The signal that came before a command could react to it. */
let early: Signal | null = null
/** The reaction to the next signal. */
let react: (signal: Signal) => void = endBy

/** Holds the first signal while the program loads, so that a run can still write its verdict. A second signal ends the process. */
export function holdSignals() {
  listen((signal) => {
    early = signal
    listen((second) => endBy(second))
  })
}

/** Lets signals, including a held one, end the process. Used by commands that write nothing. */
export function releaseSignals() {
  stopListening()
  if (early !== null) endBy(early)
}

/**
 * Ends the process as a signal would, but runs the exit handlers first, which release the lock and move the earlier verdict away. Windows has
 * no signals, so Node would exit with 1, which means nonconformant.
 */
export function endBy(signal: Signal, platform: NodeJS.Platform = process.platform) {
  const code = 128 + constants.signals[signal]
  if (platform === 'win32') process.exit(code)
  process.emit('exit', code)
  // Until here, a further signal must not interrupt the exit handlers.
  stopListening()
  process.kill(process.pid, signal)
}

function listen(reaction: typeof react) {
  stopListening()
  react = reaction
  for (const signal of signals) process.on(signal, react)
}

/** Lets signals end the process. */
export function stopListening() {
  for (const signal of signals) process.removeListener(signal, react)
}

/**
 * A controller that the first signal aborts, with an error that names the signal, so that the verdict is written; a held signal counts. A
 * second signal ends the process. `follows` completes the sentence about the results so far.
 */
export function interruptible({ err }: Pick<Console, 'err'>, follows = 'are being written') {
  const ending = new AbortController()
  listen((signal) => {
    listen((second) => endBy(second))
    const reason = `the run was interrupted (${signal})`
    err(`\n${reason}: the results so far ${follows}; interrupt again to quit at once\n`)
    ending.abort(new Error(reason))
  })
  if (early !== null) react(early)
  return ending
}
