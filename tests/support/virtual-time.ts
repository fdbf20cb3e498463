import { vi } from 'vitest'

/** Fakes the clock and its timers until it is told to end. */
export function fakeTime(): () => void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  })
  return () => void vi.useRealTimers()
}

/** Milliseconds of fake time: tests have no other, since real time passes as the machine likes. */
export function now(): number {
  demandFakeTime()
  return performance.now()
}

/** Acts after so many milliseconds of fake time; gives what calls it off. */
export function later(act: () => void, afterMs: number): () => void {
  demandFakeTime()
  const timer = setTimeout(act, afterMs)
  return () => clearTimeout(timer)
}

/** Waits for so many milliseconds of fake time. */
export function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => later(resolve, durationMs))
}

/**
 * Lets a millisecond pass with every turn of the event loop, until it is told to end: however busy the machine is, what this process
 * sends to itself comes before what waits for it in vain.
 */
export function timeByTurns(): () => void {
  return timeInSteps(1)
}

/** How many turns of the event loop nothing happened, which whoever lets something happen sets to 0. */
export interface Idle {
  turns: number
}

/** Turns without anything after which only a timer can be what is waited for. */
const idleTurns = 100

/** The same, with so many milliseconds a turn; where nothing happens for long, it goes to the next timer at once. */
export function timeInSteps(ms: number, idle: Idle = { turns: Number.NEGATIVE_INFINITY }): () => void {
  const end = fakeTime()
  let goesOn = true
  const turn = (): void => {
    if (!goesOn) return
    idle.turns += 1
    if (idle.turns > idleTurns) {
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
  if (!vi.isFakeTimers()) throw new Error('only fake time may be told in tests: call vi.useFakeTimers first')
}
