import type { Ran } from '../run.ts'
import type { Outcome } from '../service.ts'

/** Where outcomes go. */
export interface Sink {
  readonly each?: (ran: Ran) => void
  /** Writes what it writes, and says what is wrong. */
  readonly end: (all: readonly Outcome[]) => Promise<readonly string[]>
}
