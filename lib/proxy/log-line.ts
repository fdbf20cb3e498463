import { beginning, printable } from '../settings/printable.ts'
import { pathOf } from './address.ts'
import type { Outcome } from './pass.ts'

/** A request that has come to its end. */
export interface Passed extends Outcome {
  readonly startedAt: Date
  readonly number: number
  readonly method: string
  /** As the client sent it; its query is not shown. */
  readonly target: string
  readonly durationMs: number
}

/** The longest path that a line shows, in characters. */
const longestPath = 200

/** A line for a request: time, number, method, path, status, duration, what was changed. No field and no query, which may hold credentials. */
export function logLine({ startedAt, number, method, target, status, durationMs, says }: Passed): string {
  const path = printable(beginning(pathOf(target), longestPath))
  const took = `${Math.round(durationMs)} ms`
  return `${startedAt.toISOString()} #${number} ${method} ${path} ${status ?? '-'} ${took}: ${printable(says)}`
}
