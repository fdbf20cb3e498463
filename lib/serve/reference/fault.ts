import type { SpecRuleId } from '../../specification/rules.ts'
import type { Bend } from './bend.ts'

/** A fault of the reference service that the suite must detect. */
export interface Fault {
  /** Unique, in kebab-case; names what is wrong. */
  readonly name: string
  /** A sentence that describes the faulty service. */
  readonly about: string
  /** The breached rules; at least one must fail. A rule that is named alone must detect the fault by itself. */
  readonly rules: readonly SpecRuleId[]
  /** Whether the breach follows only from HTTP or JSON, though its rule is documented. It is then a violation only if warnings count. */
  readonly implied?: true
  /** The first profile that sends enough to detect it, if a gate does not. */
  readonly profile?: 'acceptance'
  /** Whether no other profile, not even nightly, sends what shows it. */
  readonly inNoOther?: true
  /**
   * What a run needs to detect it: a baseline of the plain service, an endpoints file that describes the list, or an endpoints file with
   * the input of further endpoints. The service conforms in every other respect.
   */
  readonly needs?: 'baseline' | 'endpoints-file' | 'described-input'
  /** Creates the hooks; called at every start of a service, so that state never outlives it. */
  readonly bend: () => Bend
}
