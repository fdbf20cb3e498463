import type { Connection } from '../http/transport.ts'
import type { RuleId } from '../spec/rules.ts'

/** Whose request it is. */
export interface Context {
  readonly rule: RuleId
  /** The case's name within the rule. */
  readonly case: string
  /** The connection that it goes out on; any one of the pool without it. */
  readonly connection?: Connection
  /** Whether it repeats what was seen, to confirm it. */
  readonly confirming?: boolean
}
