import { createHash } from 'node:crypto'
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
