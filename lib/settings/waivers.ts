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

/** What a waiver may cover: a finding, or with `fingerprint` null a rule that could not be tested. */
export interface Waivable {
  readonly rule: RuleId
  readonly fingerprint: string | null
}

/** Whether a waiver covers this on a day (UTC, as {@link utcDay} gives it); on the day it expires it still does. */
export function covers(waiver: Waiver, { rule, fingerprint }: Waivable, today: string): boolean {
  return (
    !isExpired(waiver, today) &&
    (waiver.rule !== null || waiver.fingerprint !== null) &&
    (waiver.rule === null || waiver.rule === rule) &&
    (waiver.fingerprint === null || waiver.fingerprint === fingerprint)
  )
}

/** How reports say by what something is covered: reason, owner and last day. */
export function waiverReason({ reason, owner, expires }: Waiver): string {
  return `${reason} (${owner}, until ${expires})`
}

/** Whether the last day of a waiver is over. */
export function isExpired(waiver: Waiver, today: string): boolean {
  return today > waiver.expires
}

/** The day of a time, UTC, as `2027-01-31`. */
export function utcDay(now: Date): string {
  return now.toISOString().slice(0, 10)
}
