import { describe, expect, it } from 'vitest'
import { night, nights, remembered, type Failing } from '../page/nights.testing.ts'
import type { Finding } from '../../judge/record.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { findingWith, ruleWith, rulesWith } from '../../verdict/verdict.testing.ts'
import { causeChanges } from './cause-changes.ts'
import { newsSentence } from './news.ts'

const leak: Failing = ['security/no-secret-echo']
const path: Failing = ['fuzz/path']

/** Rules of the causes that are new, still there, and gone, these with how. */
function told(before: Verdict, after: Verdict): unknown {
  const { appeared, remaining, gone } = causeChanges(remembered(before), after)
  return [
    appeared.map(({ rules }) => rules.join()),
    remaining.map(({ rules }) => rules.join()),
    gone.map(({ rule, how }) => `${rule}: ${how}`),
  ]
}

function withFinding(changes: Partial<Finding>): Verdict {
  return night(1, [['fuzz/path', changes]])
}

describe('causes since the last run', () => {
  it('are new, still there, or fixed', () => {
    expect(told(night(1, [path]), night(2, [leak]))).toEqual([[leak[0]], [], ['fuzz/path: fixed']])
    expect(told(night(1, [path, leak]), night(2, [leak]))).toEqual([[], [leak[0]], ['fuzz/path: fixed']])
    expect(told(night(1), night(2))).toEqual([[], [], []])
  })

  it('are the same if they share a finding or a sentence', () => {
    const other = withFinding({ summary: 'in other words' })
    const elsewhere = withFinding({ fingerprint: 'another' })

    expect(told(night(1, [path]), other)).toEqual([[], ['fuzz/path'], []])
    expect(told(night(1, [path]), elsewhere)).toEqual([[], ['fuzz/path'], []])
  })

  it('are new again once no waiver covers them', () => {
    const finding = findingWith({ fingerprint: 'fingerprint of fuzz/path', waived: 'agreed' })
    const waived = night(1, [], {
      rules: rulesWith([ruleWith('fuzz/path', { status: 'waived', findings: [finding] })]),
    })

    expect(told(waived, night(2, [path]))).toEqual([['fuzz/path'], [], []])
    expect(told(night(1, [path]), waived)).toEqual([[], [], ['fuzz/path: waived']])
  })

  it('are not called fixed if nobody asked again, or if they came only sometimes', () => {
    const sent = { endpoint: 'GET /', client: 'target', plain: false, flaws: [], requests: 1 } as const
    const under = withFinding({ sent: { ...sent, conditions: ['accept-language: de'] } })
    const unjudged = night(2, [], { rules: rulesWith([ruleWith('fuzz/path', { status: 'inconclusive' })]) })

    expect(told(under, night(2))).toEqual([[], [], ['fuzz/path: not asked']])
    expect(told(under, { ...night(2), seed: under.seed })).toEqual([[], [], ['fuzz/path: fixed']])
    expect(told(night(1, [path]), unjudged)).toEqual([[], [], ['fuzz/path: not judged']])
    expect(told(withFinding({ reproduced: '1 of 3' }), night(2))).toEqual([[], [], ['fuzz/path: not met']])
  })

  it('are counted in a sentence for the terminal', () => {
    const [today, yesterday] = nights.toReversed()
    if (today === undefined || yesterday === undefined) throw new Error('no nights')

    expect(newsSentence(today, remembered(yesterday))).toBe(
      'since the last run (2026-11-12 02:00 UTC, nonconformant): 2 new causes, 1 still there, 1 fixed; see history.html',
    )
    expect(newsSentence(night(2), remembered(night(1)))).toContain(': nothing is new; see history.html')
    expect(newsSentence(night(2), null)).toBeNull()
    expect(newsSentence({ ...night(2), rules: [] }, remembered(night(1)))).toBeNull()
  })

  it('that the history had no room for are counted', () => {
    const failing: readonly Failing[] = [
      path,
      leak,
      ['fuzz/query'],
      ['fuzz/version'],
      ['fuzz/headers'],
      ['fuzz/api-key'],
    ]
    const many = night(1, failing)

    expect(causeChanges(remembered(many), night(2)).unknown).toBe(1)
  })
})
