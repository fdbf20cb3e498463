import { createContext, Script, type Context } from 'node:vm'
import { isMainThread } from 'node:worker_threads'
import { codeOf } from '../text/printable.ts'

/** Thrown for work that was stopped early because it took too long or ran out of stack or memory. The message is a phrase that gives the reason. */
export class WorkStopped extends Error {
  override readonly name = 'WorkStopped'
}

/** Thrown for work that got too little processor time in every attempt. It says nothing about the input. */
export class MachineTooBusy extends Error {
  override readonly name = 'MachineTooBusy'
  readonly ms: number

  constructor(ms: number, what = 'do this') {
    super(
      `this machine was too busy to ${what} within ${ms / 1_000} s: run it again when the machine is less busy`,
    )
    this.ms = ms
  }

  /** The same error, with the failed work named in its message. */
  to(what: string) {
    return new MachineTooBusy(this.ms, what)
  }
}

/** Limits for work on foreign input, in milliseconds of processor time. */
export const workLimits = {
  /** Reading a whole document or file. */
  file: 10_000,
  /** Compiling a schema. */
  schema: 5_000,
  /** Checking a value against a schema. */
  value: 1_000,
} as const

/** Synchronous work; with asynchronous work, the promise would be returned at once. */
export type SyncWork<Result> = (() => Result) & ([Result] extends [PromiseLike<unknown>] ? never : unknown)

/** Available since Node 23.9. */
const { threadCpuUsage }: typeof process & { readonly threadCpuUsage?: () => NodeJS.CpuUsage } = process

/** The time of the thread, if Node reports it; otherwise the time of the process, which includes V8's helpers for the main thread. */
const processorClock = {
  /** The processor time used so far, in milliseconds. */
  now() {
    const { user, system } = threadCpuUsage?.() ?? process.cpuUsage()
    return (user + system) / 1_000
  },
  /** Whether only this thread and its helpers count. If not, a different thread may have used the time. */
  isOwn: threadCpuUsage !== undefined || isMainThread,
}

/** The minimum share of its limit that overlong work must have used, because a timer is never exact. */
const fullUse = 0.8
/** How many times longer further attempts may take by the clock. */
const patience = 10

/**
 * Runs synchronous work for at most `ms` milliseconds and returns its result. A call costs 0.1 ms, and calls may be nested. Throws
 * {@link WorkStopped} for work that takes longer or throws a RangeError (stack overflow). Work that runs out of time stops
 * between any two steps and runs no `finally`, so whatever it was changing may be broken and must not be used again.
 *
 * Work that got too little processor time runs again, first for as long as its limit takes at this rate, then for ten times the limit,
 * so it must rebuild everything that it changes. Throws {@link MachineTooBusy} if that is still too little.
 */
export function within<Result>(ms: number, work: SyncWork<Result>, clock = processorClock) {
  for (let timer = ms; ;) {
    const start = clock.now()
    try {
      return timed(timer, work)
    } catch (error) {
      if (error instanceof RangeError)
        throw new WorkStopped('it is too large or too deep, or refers to itself without end')
      // Not recognized by its class, because it comes from another realm. If the surrounding work is also out of time, it decides.
      if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT' || performance.now() > end - 1) throw error
      const used = clock.now() - start
      if (used >= fullUse * ms && (clock.isOwn || timer > ms))
        throw new WorkStopped(`it takes longer than ${ms / 1_000} s`)
      if (timer >= patience * ms) throw new MachineTooBusy(timer)
      const needed = Math.max(2, (1.5 * ms) / Math.max(1, used))
      timer = Math.round(ms * (timer > ms ? patience : Math.min(patience, needed)))
    }
  }
}

/** Like {@link within}, but with a different result for stopped work. */
export function withinOr<Result>(
  ms: number,
  work: SyncWork<Result>,
  otherwise: (stopped: WorkStopped) => Result,
) {
  try {
    return within(ms, work)
  } catch (error) {
    if (error instanceof WorkStopped) return otherwise(error)
    throw error
  }
}

const call = new Script('work()')
/** Created on the first call, because it takes a millisecond. */
let room: Context | null = null
/** The clock time at which the current work runs out of time. */
let end = Infinity

function timed<Result>(ms: number, work: SyncWork<Result>) {
  room ??= createContext({})
  const [around, endAround]: readonly [unknown, number] = [room['work'], end]
  room['work'] = work
  end = Math.min(end, performance.now() + ms)
  try {
    const result: Result = call.runInContext(room, { timeout: ms })
    return result
  } finally {
    room['work'] = around
    end = endAround
  }
}
