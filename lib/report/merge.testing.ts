import { expect } from 'vitest'
import type { Merged } from './merge.ts'
import { verdictMistakes } from './validate-verdict.ts'
import type { Verdict } from './verdict.ts'

/** The verdict of joined shards, held against the schema; an error where they do not fit together. */
export function validVerdict(merged: Merged): Verdict {
  if (merged.kind === 'mistakes') throw new Error(merged.mistakes.join('\n'))
  expect(verdictMistakes(JSON.parse(JSON.stringify(merged.verdict)))).toEqual([])
  return merged.verdict
}
