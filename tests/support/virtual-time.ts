import { vi } from 'vitest'

/** Fakes the clock and its timers. Returns a function that restores them. */
export function fakeTime(): () => void {
  const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const
  vi.useFakeTimers({ toFake: [...timers, 'performance', 'Date'] })
  return () => void vi.useRealTimers()
}

/** Milliseconds of fake time. Tests use no real time, because its speed depends on the machine. */
export function now(): number {
  demandFakeTime()
  return performance.now()
}

/** Calls `act` after this many milliseconds of fake time. Returns a function that cancels it. */
export function later(act: () => void, afterMs: number): () => void {
  demandFakeTime()
  const timer = setTimeout(act, afterMs)
  return () => clearTimeout(timer)
}

/** Waits for this many milliseconds of fake time. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => later(resolve, ms))

/**
 * Advances time by a millisecond with every turn of the event loop. Returns a function that ends this. On any machine, messages from
 * this process to itself arrive before a timeout that waits for them.
 */
export const timeByTurns = (): (() => void) => timeInSteps(1)

/** Number of idle turns of the event loop. Code that causes activity sets it to 0. */
export interface Idle {
  turns: number
}

/** Number of idle turns after which the process can only be waiting for a timer. */
const idleTurns = 100

/**
 * Like {@link timeByTurns}, with this many milliseconds per turn. After many idle turns it jumps to the next timer, unless only one is
 * left: the deadline of a run.
 */
export function timeInSteps(ms: number, idle: Idle = { turns: Number.NEGATIVE_INFINITY }): () => void {
  const end = fakeTime()
  let goesOn = true
  const turn = (): void => {
    if (!goesOn) return
    idle.turns += 1
    if (idle.turns > idleTurns && vi.getTimerCount() > 1) {
      vi.advanceTimersToNextTimer()
      idle.turns = idleTurns / 2
    } else {
      vi.advanceTimersByTime(ms)
    }
    setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    goesOn = false
    end()
  }
}

function demandFakeTime(): void {
  if (!vi.isFakeTimers()) throw new Error('tests may only read fake time: call vi.useFakeTimers first')
}
