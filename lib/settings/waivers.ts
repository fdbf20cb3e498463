import type { RuleId } from '../specification/rules.ts'

/** An agreed exception. With a rule and fingerprints, it covers only those findings from that rule. */
export type Waiver = Readonly<{
  rule: RuleId | null
  fingerprint: string | null
  /** Fingerprints of a cause; absent in a waiver for a single fingerprint or a whole rule. */
  fingerprints?: readonly string[]
  reason: string
  owner: string
  /** Last day of coverage, such as `2027-01-31` (UTC). */
  expires: string
}>

/** A finding as named in waivers, or an untested rule (`fingerprint` is null). */
export type Waivable = Pick<Waiver, 'rule' | 'fingerprint'>

/** Properties of a waiver that determine what it covers. */
type Coverage = Pick<Waiver, 'fingerprint' | 'fingerprints' | 'expires'> & { readonly rule: string | null }

/** Whether a waiver covers a finding or an untested rule on a UTC day, including its last day. */
export function covers(waiver: Coverage, { rule, fingerprint }: Waivable, today: string) {
  const named = namedFingerprints(waiver)
  if (isExpired(waiver, today) || (waiver.rule === null && named === null)) return false
  return (waiver.rule ?? rule) === rule && (named?.includes(fingerprint ?? '') ?? true)
}

/** The fingerprints that a waiver names; null if it covers a whole rule. */
export function namedFingerprints(waiver: Omit<Coverage, 'expires' | 'rule'>): readonly string[] | null {
  return waiver.fingerprints ?? (waiver.fingerprint === null ? null : [waiver.fingerprint])
}

/** What a waiver covers, in a few words: its rule, its fingerprint, or the first fingerprint. */
export function waiverSubject(waiver: Omit<Coverage, 'expires'>) {
  const [first, ...others] = namedFingerprints(waiver) ?? []
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  const found = first === undefined ? [] : [`${first}${more}`]
  return [...(waiver.rule === null ? [] : [waiver.rule]), ...found].join(' ')
}

/** Reason, owner and last day of a waiver, for reports. */
export function waiverReason(waiver: Pick<Waiver, 'reason' | 'owner' | 'expires'>) {
  return `${waiver.reason} (${waiver.owner}, until ${waiver.expires})`
}

/** Whether a waiver's last day is over. */
export function isExpired(waiver: Pick<Waiver, 'expires'>, today: string) {
  return today > waiver.expires
}

/** The UTC date of a time, or of the day that many days later, such as `2027-01-31`. */
export function utcDay(now: Date, daysLater = 0) {
  return new Date(now.getTime() + daysLater * 86_400_000).toISOString().slice(0, 10)
}
