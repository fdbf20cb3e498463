import type { Finding } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { JudgedRule } from '../causes.ts'
import { findingWith, sentWith } from '../verdict.testing.ts'

/** The parts of a request that tests about causes change. */
export type Sent = Partial<NonNullable<Finding['sent']>>

/** A finding for a request with these flaws that was answered with 422 / 1001. */
export function found(
  name: string,
  sent: Sent | readonly string[] = {},
  more: Partial<Finding> = {},
): Finding {
  const given = 'length' in sent ? { flaws: sent } : sent
  return findingWith({
    case: name,
    fingerprint: `fingerprint of ${name}`,
    difference: 'another answer',
    answered: { status: 422, errorCode: '1001' },
    allowed: [{ status: 400, errorCode: '1001' }],
    sent: sentWith(given),
    ...more,
  })
}

export function failed(id: RuleId, ...findings: readonly Finding[]): JudgedRule {
  return { id, status: 'failed', findings }
}

export function warned(id: RuleId, ...findings: readonly Finding[]): JudgedRule {
  return { id, status: 'warned', findings }
}

/** A finding for a request that was wrongly accepted. */
export const served: Partial<Finding> = answered(200)

/** A finding for an answer with this status and code. */
export function answered(status: number, errorCode: string | null = null): Partial<Finding> {
  return { answered: { status, errorCode } }
}
