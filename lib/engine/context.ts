import type { Connection } from '../http/transport.ts'
import type { RuleId } from '../spec/rules.ts'

/** Whose request it is. */
export interface Context {
  readonly rule: RuleId
  /** The case's name within the rule. */
  readonly case: string
  /** Whether the case can be sent again by its name; false where it only belongs to the run. */
  readonly replayable?: boolean
  /** The connection that it goes out on; any one of the pool without it. */
  readonly connection?: Connection
  /** Whether it repeats what was seen, to confirm it, or looks for a simpler case of it. */
  readonly purpose?: 'confirming' | 'shrinking'
}
