import type { Ran } from '../run.ts'
import type { Outcome } from '../service.ts'

/** A destination for outcomes. */
export interface Sink {
  readonly each?: (ran: Ran) => void
  /** Writes its output, and returns what is wrong as sentences. */
  readonly end: (all: readonly Outcome[]) => Promise<readonly string[]>
}
