import type { SpecRuleId } from '../../specification/rules.ts'
import type { Manner } from './manner.ts'

/** A conformant variant of the reference service, in which the suite must not find faults. */
export interface Variant {
  /** Unique, in kebab-case; names the difference. */
  readonly name: string
  /** A sentence that describes the service. */
  readonly about: string
  /** Creates the variant; called at every start of a service, so that state never outlives it. */
  readonly manner: () => Manner
  /** Rules that may warn about it, because HTTP leaves it open and the specification does not. */
  readonly warns?: readonly SpecRuleId[]
  /** Further settings of a run against it, by name, such as `TARGET_VERSION`. */
  readonly settings?: Readonly<Record<string, string>>
}
