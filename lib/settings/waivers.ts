import type { RuleId } from '../spec/rules.ts'

/** An agreed exception; with both rule and fingerprint it covers only that finding of that rule. */
export interface Waiver {
  readonly rule: RuleId | null
  readonly fingerprint: string | null
  readonly reason: string
  readonly owner: string
  /** Last day of coverage, as `2027-01-31` (UTC). */
  readonly expires: string
}

/** Whether a waiver covers a finding, or an untested rule (`fingerprint` null), on a UTC day, its last one included. */
export function covers(
  waiver: Waiver,
  { rule, fingerprint }: Pick<Waiver, 'rule' | 'fingerprint'>,
  today: string,
): boolean {
  return (
    !isExpired(waiver, today) &&
    (waiver.rule !== null || waiver.fingerprint !== null) &&
    (waiver.rule === null || waiver.rule === rule) &&
    (waiver.fingerprint === null || waiver.fingerprint === fingerprint)
  )
}

/** Reason, owner and last day of a waiver, for reports. */
export function waiverReason({ reason, owner, expires }: Waiver): string {
  return `${reason} (${owner}, until ${expires})`
}

/** Whether a waiver's last day is over. */
export function isExpired(waiver: Waiver, today: string): boolean {
  return today > waiver.expires
}

/** UTC day of a time, or so many days later, as `2027-01-31`. */
export function utcDay(now: Date, daysLater = 0): string {
  return new Date(now.getTime() + daysLater * 86_400_000).toISOString().slice(0, 10)
}
