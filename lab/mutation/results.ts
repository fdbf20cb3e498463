import type { CodeMutant } from './sample.ts'
import type { Fate } from './tests.ts'

/** What became of a mutant, as JSON has it. */
export type Result = CodeMutant & Fate

/** What a room came to, as JSON has it. */
export interface RoomResult {
  readonly room: string
  readonly seed: number
  readonly mutants: number
  readonly seconds: number
  readonly results: readonly Result[]
}

function isKilled({ status }: Fate): boolean {
  return status !== 'survived' && status !== 'no coverage'
}

/** Mutants that were killed before and are not any more; others than those drawn now say nothing. */
export function lost(before: readonly Result[], now: readonly Result[]): readonly Result[] {
  const killed = new Set(before.filter(isKilled).map(({ id }) => id))
  return now.filter((one) => killed.has(one.id) && !isKilled(one))
}

/** A row of the table. */
export function rowOf({ room, mutants, seconds, results }: RoomResult): readonly string[] {
  const count = (status: Fate['status']): string =>
    String(results.filter((one) => one.status === status).length)
  const statuses = ['killed by tests', 'killed by the gate', 'survived', 'no coverage', 'timed out'] as const
  return [room, String(mutants), String(results.length), ...statuses.map(count), String(seconds)]
}

export const columns = [
  'room',
  'mutants',
  'sampled',
  'killed by tests',
  'killed by the gate',
  'survived',
  'no coverage',
  'timed out',
  'seconds',
]
