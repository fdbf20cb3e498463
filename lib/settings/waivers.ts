import type { RuleId } from '../spec/rules.ts'

/** An agreed exception. With both a rule and a fingerprint it covers that finding of that rule only. */
export interface Waiver {
  readonly rule: RuleId | null
  readonly fingerprint: string | null
  readonly reason: string
  readonly owner: string
  /** The last day on which it covers, as `2027-01-31` (UTC). */
  readonly expires: string
}
