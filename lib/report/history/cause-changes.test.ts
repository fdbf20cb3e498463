import { describe, expect, it } from 'vitest'
import { night, nights, remembered, type Failing } from '../page/nights.testing.ts'
import { ruleIds } from '../../specification/rules.ts'
import type { Finding } from '../../judge/record.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { findingWith, ruleWith, rulesWith } from '../../verdict/verdict.testing.ts'
import { historyLine } from '../../verdict/history-line.ts'
import { causeChanges } from './cause-changes.ts'
import { lastJudged } from './last-judged.ts'
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

const conformant = { verdict: 'conformant', exitCode: 0, because: [] } as const
const incomplete = { verdict: 'incomplete', exitCode: 3, because: ['the service stopped answering'] } as const

/** A night that came to no verdict, since it did not judge these rules. */
function unjudged(verdict: Verdict, ...ids: readonly string[]): Verdict {
  const rules = verdict.rules.map((rule) =>
    ids.includes(rule.id) ? { ...rule, status: 'inconclusive' as const, because: 'no answer' } : rule,
  )
  return { ...verdict, ...incomplete, rules }
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
    const later = unjudged(night(2), 'fuzz/path')

    expect(told(under, night(2))).toEqual([[], [], ['fuzz/path: not asked']])
    expect(told(under, { ...night(2), seed: under.seed })).toEqual([[], [], ['fuzz/path: fixed']])
    expect(told(night(1, [path]), later)).toEqual([[], [], ['fuzz/path: not judged']])
    expect(told(withFinding({ reproduced: '1 of 3' }), night(2))).toEqual([[], [], ['fuzz/path: not met']])
  })

  it('are counted in a sentence for the terminal', () => {
    const [today, yesterday] = nights.toReversed()
    if (today === undefined || yesterday === undefined) throw new Error('no nights')

    expect(newsSentence(today, { run: remembered(yesterday), without: [] })).toBe(
      'since the last run (2026-11-12 02:00 UTC, nonconformant): 2 new causes, 1 still there, 1 fixed; see history.html',
    )
    const last = { run: remembered(night(1)), without: [] }
    expect(newsSentence(night(2), last)).toContain(': nothing is new; see history.html')
    expect(newsSentence(night(2), null)).toBeNull()
    expect(newsSentence({ ...night(2), rules: [] }, last)).toBeNull()
  })

  /** What a terminal says of the last of some nights. */
  function newsOf(...[today, ...before]: readonly Verdict[]): string | null {
    return today === undefined
      ? null
      : newsSentence(today, lastJudged(before.map(remembered), historyLine(today)))
  }

  it('are those of the last run that judged their rule, whatever ran without a verdict since', () => {
    const failed = night(1, [path])
    const empty = [unjudged(night(3), 'fuzz/path'), unjudged(night(2), ...ruleIds)]
    const since = 'since the last run with a verdict (2026-11-01 02:00 UTC, nonconformant, 2 runs without'

    expect(newsOf(night(4, [path]), ...empty, failed)).toContain(`${since} a verdict since): 1 still there;`)
    expect(newsOf(night(4), ...empty, failed)).toContain(': 1 fixed;')
    expect(newsOf(night(4, [path, leak]), ...empty, failed)).toContain(': 1 new cause, 1 still there;')
  })

  it('are those of a night without a verdict where that judged their rule', () => {
    const cut = unjudged(night(2, [leak]), 'fuzz/path')

    expect(newsOf(night(3, [leak, path]), cut, night(1, [path]))).toContain(': 2 still there;')
    expect(newsOf(night(3, [path]), cut, night(1, [path]))).toContain(': 1 still there, 1 fixed;')
  })

  it('of a rule that is not judged any more are told once, and not every night', () => {
    const untested = (day: number): Verdict => ({ ...unjudged(night(day), 'fuzz/path'), ...conformant })

    expect(newsOf(untested(2), night(1, [path]))).toContain(
      ': 1 waived, or not met or judged this time, 1 rule',
    )
    expect(newsOf(untested(3), untested(2), night(1, [path]))).toContain(': nothing is new;')
  })

  it('are compared with a run without a verdict where no other is known', () => {
    expect(newsOf(night(2, [path]), unjudged(night(1), 'fuzz/path'))).toMatch(
      /^since the last run \(2026-11-01 02:00 UTC, incomplete\): 1 new cause/,
    )
  })
})
