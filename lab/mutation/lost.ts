import type { CodeMutant } from './sample.ts'
import type { Fate } from './tests.ts'

/** What became of a mutant, as JSON has it. */
export type Result = CodeMutant & Fate

/** Whether nobody noticed it. */
export function isOpen({ status }: Fate): boolean {
  return status === 'survived' || status === 'no coverage'
}

/** Mutants that were killed before and are not any more; others than those drawn now say nothing. */
export function lost(before: readonly Result[], now: readonly Result[]): readonly Result[] {
  const killed = new Set(before.filter((one) => !isOpen(one)).map(({ id }) => id))
  return now.filter((one) => killed.has(one.id) && isOpen(one))
}
