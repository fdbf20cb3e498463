import { createContext, Script, type Context } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** Work that was stopped early: it took too long, or ran out of stack or memory. The message is a phrase with the reason. */
export class WorkStopped extends Error {
  override readonly name = 'WorkStopped'
}

/** Work that got too little processor time in every attempt. Says nothing about its input. */
export class MachineTooBusy extends Error {
  override readonly name = 'MachineTooBusy'
  readonly ms: number

  constructor(ms: number, what = 'do this') {
    super(
      `this machine was too busy to ${what} within ${ms / 1_000} s: run it again when the machine is less busy`,
    )
    this.ms = ms
  }

  /** The same error with the failed work in its message. */
  to(what: string): MachineTooBusy {
    return new MachineTooBusy(this.ms, what)
  }
}

/** Limits of work on foreign input, in milliseconds of processor time. */
export const workLimits = {
  /** Reading a document or a file whole. */
  file: 10_000,
  /** Compiling a schema. */
  schema: 5_000,
  /** Checking a value against a schema. */
  value: 1_000,
} as const

/** Synchronous work: a promise would return at once. */
export type SyncWork<Result> = (() => Result) & ([Result] extends [PromiseLike<unknown>] ? never : unknown)

/** Processor time so far, in milliseconds. */
export interface ProcessorClock {
  readonly now: () => number
  /** Whether only this thread and its helpers count. If not, a different thread may have used the time. */
  readonly isOwn: boolean
}

/** Since Node 23.9. */
const { threadCpuUsage }: typeof process & { readonly threadCpuUsage?: () => NodeJS.CpuUsage } = process

/** The time of the thread if Node reports it. Otherwise the time of the process, which includes V8's helpers of the main thread. */
const processorClock: ProcessorClock = {
  now() {
    const { user, system } = threadCpuUsage?.() ?? process.cpuUsage()
    return (user + system) / 1_000
  },
  isOwn: threadCpuUsage !== undefined || isMainThread,
}

/** Minimum share of its limit that overlong work has used, because a timer is never exact. */
const fullUse = 0.8
/** How much longer further attempts may take by the clock. */
const patience = 10

/**
 * Runs synchronous work for at most `ms` milliseconds and gives its result; 0.1 ms a call, which may be nested. Throws
 * {@link WorkStopped} for work that takes longer, and for its RangeError (a stack that overflows). Work that is out of time stops
 * between any two steps and runs no `finally`: what it was changing may be broken and must not be used again.
 *
 * If it got too little processor time, it runs again, with as much more time as its limit takes at this rate, then with ten times the
 * time, so it must build all that it changes. Throws {@link MachineTooBusy} if that is also too little.
 */
export function within<Result>(ms: number, work: SyncWork<Result>, clock = processorClock): Result {
  for (let timer = ms; ;) {
    const start = clock.now()
    try {
      return timed(timer, work)
    } catch (error) {
      if (error instanceof RangeError)
        throw new WorkStopped('it is too large or too deep, or refers to itself without end')
      // If the work around this is also out of time, it decides.
      if (!isOutOfTime(error) || performance.now() > end - 1) throw error
      const used = clock.now() - start
      if (used >= fullUse * ms && (clock.isOwn || timer > ms))
        throw new WorkStopped(`it takes longer than ${ms / 1_000} s`)
      if (timer >= patience * ms) throw new MachineTooBusy(timer)
      const needed = Math.max(2, (1.5 * ms) / Math.max(1, used))
      timer = Math.round(ms * (timer > ms ? patience : Math.min(patience, needed)))
    }
  }
}

/** {@link within}, with a different result for stopped work. */
export function withinOr<Result>(
  ms: number,
  work: SyncWork<Result>,
  otherwise: (stopped: WorkStopped) => Result,
): Result {
  try {
    return within(ms, work)
  } catch (error) {
    if (error instanceof WorkStopped) return otherwise(error)
    throw error
  }
}

const call = new Script('work()')
/** Created at the first call, because it takes a millisecond. */
let room: Context | null = null
/** The clock time at which the current work is out of time. */
let end = Infinity

function timed<Result>(ms: number, work: SyncWork<Result>): Result {
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

/** The error comes from a different realm. */
function isOutOfTime(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  )
}
