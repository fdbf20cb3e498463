import { createHash } from 'node:crypto'
import type { RunSettings } from '../settings/settings.ts'
import type { RuleId } from '../spec/rules.ts'

/** Whether a case belongs to a shard, by a hash of rule and case: together all shards send what one run would. */
export function inShard(
  shard: { readonly index: number; readonly of: number } | null,
  rule: RuleId,
  name: string,
): boolean {
  if (shard === null) return true
  const number = createHash('sha256').update(`${rule}:${name}`).digest().readUIntBE(0, 6)
  return number % shard.of === shard.index - 1
}

/** What a run may spend: a shard has its share of the budget and of the pace, so that all together keep to both. */
export function shareOf({ maxRequests, maxRps, shard }: RunSettings): {
  readonly maxRequests: number
  readonly maxRps: number | null
} {
  if (shard === null) return { maxRequests, maxRps }
  return {
    maxRequests: Math.floor(maxRequests / shard.of),
    maxRps: maxRps === null ? null : maxRps / shard.of,
  }
}
