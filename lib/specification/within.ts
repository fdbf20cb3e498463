import { createContext, Script, type Context } from 'node:vm'

/** Work that was stopped before its end: it took too long, or ran out of stack or memory; the message is a phrase that says which. */
export class WorkStopped extends Error {
  override readonly name = 'WorkStopped'
}

/** Time limits of work on what others wrote, in milliseconds. */
export const workLimits = {
  /** Reading a document or a file whole. */
  file: 10_000,
  /** Compiling a schema. */
  schema: 5_000,
  /** Checking a value against a schema. */
  value: 1_000,
} as const

/** Synchronous work: a promise would be given back at once. */
export type SyncWork<Result> = (() => Result) & ([Result] extends [PromiseLike<unknown>] ? never : unknown)

const call = new Script('work()')
/** Made for the first call, since it takes a millisecond. */
let room: Context | null = null

/**
 * Runs synchronous work for at most `ms` milliseconds and gives its result; 0.1 ms a call, which may be nested. Throws
 * {@link WorkStopped} for work that takes longer, and for its RangeError (a stack that overflows). Work that is out of time stops
 * between any two steps and runs no `finally`: what it was changing may be broken and must not be used again.
 */
export function within<Result>(ms: number, work: SyncWork<Result>): Result {
  room ??= createContext({})
  const around: unknown = room['work']
  room['work'] = work
  try {
    const result: Result = call.runInContext(room, { timeout: ms })
    return result
  } catch (error) {
    if (isOutOfTime(error)) throw new WorkStopped(`it takes longer than ${ms / 1_000} s`)
    if (error instanceof RangeError)
      throw new WorkStopped('it is too large or too deep, or refers to itself without end')
    throw error
  } finally {
    room['work'] = around
  }
}

/** The error comes from another realm. */
function isOutOfTime(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  )
}
