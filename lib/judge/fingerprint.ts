import { createHash } from 'node:crypto'
import type { Breach } from './judge.ts'

/**
 * The stable name of a breach: 16 hexadecimal digits from the endpoint, the allowed set, the answer and the kind of
 * difference; the seed, the values sent and the address of the target change nothing in it.
 */
export function fingerprintOf(endpoint: string, { allowed, answered, difference }: Breach): string {
  const answer = answered === null ? 'no answer' : `${answered.status}/${answered.errorCode ?? ''}`
  const documented = allowed.map(({ status, errorCode }) => `${status}/${errorCode ?? ''}`).toSorted()
  const text = JSON.stringify([endpoint, documented, answer, difference])

  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
