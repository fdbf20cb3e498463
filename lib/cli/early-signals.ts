/** The signals that end a run with a verdict. */
export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One of {@link signals}. */
export type Signal = (typeof signals)[number]

let early: Signal | null = null

/**
 * Keeps the first signal from ending the process while the program is loaded, so that a run can still write its verdict. A second
 * one ends it as usual. Imports nothing: it must be there before all else.
 */
export function holdSignals(): void {
  for (const signal of signals) process.on(signal, hold)
}

/** The signal that came since {@link holdSignals}, or null; whoever asks listens from then on. */
export function adoptEarlySignal(): Signal | null {
  stopHolding()
  return early
}

/** For commands that have nothing to write: signals end the process as usual, also one that came already. */
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
