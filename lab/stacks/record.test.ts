import { expect, it } from 'vitest'
import type { StackOutcome } from './judged-stack.ts'
import { isFound, merged, type StackRecord } from './record.ts'

function run(fault: string | null, ...failed: readonly string[]): StackOutcome {
  return {
    stack: 'a',
    fault,
    profile: 'gate',
    verdict: failed.length > 0 ? 'nonconformant' : 'conformant',
    red: failed.map((rule) => ({ rule, status: 'failed', says: [] })),
    requests: 1,
    seconds: 1,
    seed: '',
  }
}

function recordOf(...outcomes: readonly StackOutcome[]): StackRecord {
  return { date: '2026-11-22', node: 'v20', versions: {}, outcomes }
}

it('a fault is found only by a rule that does not fail without it', () => {
  const known = recordOf(run(null, 'fuzz/query'), run('b', 'fuzz/query'), run('c', 'fuzz/query', 'fuzz/path'))

  expect(isFound(known, 'a', 'b', 'gate')).toBe(false)
  expect(isFound(known, 'a', 'c', 'gate')).toBe(true)
  expect(isFound(known, 'a', 'c', 'acceptance')).toBe(false)
})

it('a run takes the place of an earlier one of the same kind, and no other', () => {
  const known = { ...recordOf(run(null, 'fuzz/query'), run('b')), suite: '55d6154' }
  const both = merged(known, recordOf(run(null)))

  expect(both.outcomes).toEqual([run(null), run('b')])
  expect(both.suite).toBe('55d6154')
})
