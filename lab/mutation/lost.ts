import type { CodeMutant } from './sample.ts'
import type { Fate } from './tests.ts'

/** The fate of a mutant, as in JSON. */
export type Result = CodeMutant & Fate

/** Whether no judge noticed it. */
export function isOpen({ status }: Fate): boolean {
  return status === 'survived' || status === 'no coverage'
}

/** Mutants that were killed before and now survive. Mutants that were not drawn both times are ignored. */
export function lost(before: readonly Result[], now: readonly Result[]): readonly Result[] {
  const killed = new Set(before.filter((one) => !isOpen(one)).map(({ id }) => id))
  return now.filter((one) => killed.has(one.id) && isOpen(one))
}
