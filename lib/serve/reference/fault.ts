import type { SpecRuleId } from '../../specification/rules.ts'
import type { Bend } from './bend.ts'

/** A bend of the reference service that the suite must notice. */
export interface Fault {
  /** Unique, in kebab-case: what is wrong. */
  readonly name: string
  /** One sentence about what the bent service does. */
  readonly about: string
  /** The rules that it breaches; at least one of them must be red. Named alone, a rule must notice it by itself. */
  readonly rules: readonly SpecRuleId[]
  /**
   * Whether the breach follows from HTTP or JSON only, though its rule is documented, so that it is a violation only where warnings
   * count.
   */
  readonly implied?: true
  /** The first profile that sends enough to notice it, where a gate does not. */
  readonly profile?: 'acceptance'
  /** Whether no other profile sends what shows it, not even at night. */
  readonly inNoOther?: true
  /**
   * What it takes to notice it beyond a run: a baseline of the plain service, an endpoints file that describes the list, or one that
   * describes the input of endpoints served besides. The service keeps to the specification otherwise.
   */
  readonly needs?: 'baseline' | 'endpoints-file' | 'described-input'
  /** Makes the bend; called at every start of a service, so that no state outlives it. */
  readonly bend: () => Bend
}
