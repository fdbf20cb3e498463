import type { SpecRuleId } from '../../specification/rules.ts'
import type { Manner } from './manner.ts'

/** A manner of the reference service that keeps to the specification, so that the suite must blame it for nothing. */
export interface Variant {
  /** Unique, in kebab-case: what is different. */
  readonly name: string
  /** One sentence about what the service does. */
  readonly about: string
  /** Makes the manner; called at every start of a service, so that no state outlives it. */
  readonly manner: () => Manner
  /** Rules that may warn of what it does, which HTTP leaves open and the specification does not. */
  readonly warns?: readonly SpecRuleId[]
  /** Further settings of a run against it, by name, as `TARGET_VERSION`. */
  readonly settings?: Readonly<Record<string, string>>
}
