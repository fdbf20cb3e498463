import { describe, expect, it } from 'vitest'
import type { Finding } from '../../judge/record.ts'
import { ruleIds } from '../../specification/rules.ts'
import { findingWith, ruleWith, rulesWith, sentWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { night, nights, remembered, type Failing } from '../page/nights.testing.ts'
import { causeChanges, streakOf, newsSentence } from './cause-changes.ts'

const leak: Failing = ['security/no-secret-echo']
const path: Failing = ['fuzz/path']
const still = 'fuzz/path: still there'
const fixed = 'fuzz/path: fixed'
const unseen = 'fuzz/path: not seen'

/** The causes in both runs, each with its rule and state. */
function told(before: Verdict, after: Verdict): readonly string[] {
  return causeChanges(remembered(before), after).causes.map(({ rule, state }) => `${rule}: ${state}`)
}

function withFinding(changes: Partial<Finding>): Verdict {
  return night(1, [['fuzz/path', changes]])
}

const conformant = { verdict: 'conformant', exitCode: 0, because: [] } as const
const incomplete = { verdict: 'incomplete', exitCode: 3, because: ['the service stopped answering'] } as const

/** A nightly run without a verdict because it did not judge these rules. */
function unjudged(verdict: Verdict, ...ids: readonly string[]): Verdict {
  const rules = verdict.rules.map((rule) =>
    ids.includes(rule.id) ? { ...rule, status: 'inconclusive' as const, because: 'no answer' } : rule,
  )
  return { ...verdict, ...incomplete, rules }
}

describe('causes since the last run', () => {
  const finding = findingWith({ fingerprint: 'fingerprint of fuzz/path', waived: 'agreed' })
  const ofWaived = rulesWith([ruleWith('fuzz/path', { status: 'waived', findings: [finding] })])
  const waived = night(1, [], { rules: ofWaived })
  const under = withFinding({ sent: sentWith({ conditions: ['accept-language: de'] }) })
  const same = { ...night(2), seed: under.seed }

  it.each<[string, Verdict, Verdict, readonly string[]]>([
    ['new or fixed', night(1, [path]), night(2, [leak]), [`${leak[0]}: new`, fixed]],
    ['still there or fixed', night(1, [path, leak]), night(2, [leak]), [`${leak[0]}: still there`, fixed]],
    ['absent if no rule fails', night(1), night(2), []],
    ['the same if they share a finding', night(1, [path]), withFinding({ summary: 'other' }), [still]],
    ['the same if they share a sentence', night(1, [path]), withFinding({ fingerprint: 'a' }), [still]],
    ['new again once no waiver covers them', waived, night(2, [path]), ['fuzz/path: new']],
    ['not seen if a waiver covers them', night(1, [path]), waived, [unseen]],
    ['not fixed if their requests were not sent again', under, night(2), [unseen]],
    ['fixed if their requests were sent again', under, same, [fixed]],
    ['not judged if their rule was not', night(1, [path]), unjudged(night(2), 'fuzz/path'), [unseen]],
    ['not fixed if they are intermittent', withFinding({ reproduced: '1 of 3' }), night(2), [unseen]],
  ])('are %s', (_, before, after, changes) => {
    expect(told(before, after)).toEqual(changes)
  })

  /** `x`: the cause is present, `.`: it is absent, `-`: its rule was not judged. */
  it.each([
    ['x', 'x'],
    ['.xx', 'xx'],
    ['x.xx', 'xx'],
    ['xx-x', 'xxx'],
    ['.xx.', 'xx'],
    ['x.xx.-', 'xx'],
    ['.-', ''],
  ])('in the runs %s have the streak %s', (runs, streak) => {
    const lines = [...runs].map((sign, index) => {
      const verdict = night(index + 1, sign === 'x' ? [path] : [])
      return remembered(sign === '-' ? unjudged(verdict, 'fuzz/path') : verdict)
    })
    const [cause] = causeChanges(remembered(night(1)), night(2, [path])).causes
    const found = cause === undefined ? [] : streakOf(cause, lines)

    expect(found.map((line) => runs[lines.indexOf(line)]).join('')).toBe(streak)
    expect(found.at(-1)).toBe(lines[runs.lastIndexOf('x')])
  })

  it('are counted in a sentence for the terminal', () => {
    const [today, yesterday] = nights.toReversed()
    if (today === undefined || yesterday === undefined) throw new Error('no nights')

    expect(newsSentence(today, [remembered(yesterday)])).toBe(
      'since the last run (2026-11-12 02:00 UTC, nonconformant): 2 new causes, 1 still there, 1 fixed',
    )
    const last = [remembered(night(1))]
    expect(newsSentence(night(2), last)).toContain(': nothing is new')
    expect(newsSentence(night(2), [])).toBeNull()
    expect(newsSentence({ ...night(2), rules: [] }, last)).toBeNull()
  })

  /** The sentence for the terminal about the first of these runs, which are given latest first. */
  function newsOf(...[today, ...before]: readonly Verdict[]): string | null {
    return today === undefined ? null : newsSentence(today, before.toReversed().map(remembered))
  }

  const failed = night(1, [path])
  const empty = [unjudged(night(3), 'fuzz/path'), unjudged(night(2), ...ruleIds)]
  const cut = unjudged(night(2, [leak]), 'fuzz/path')
  const untested = (day: number): Verdict => ({ ...unjudged(night(day), 'fuzz/path'), ...conformant })
  const withVerdict = 'with a verdict (2026-11-01 02:00 UTC, nonconformant, 2 runs without a verdict since)'

  it.each<[string, readonly Verdict[]]>([
    // Runs without a verdict in between are skipped.
    [`run ${withVerdict}: 1 still there`, [night(4, [path]), ...empty, failed]],
    [`run ${withVerdict}: 1 fixed`, [night(4), ...empty, failed]],
    [`run ${withVerdict}: 1 new cause, 1 still there`, [night(4, [path, leak]), ...empty, failed]],
    // A run without a verdict counts for the rules that it judged.
    [': 2 still there', [night(3, [leak, path]), cut, failed]],
    [': 1 still there, 1 fixed', [night(3, [path]), cut, failed]],
    // A rule that is no longer judged is reported once, not every night.
    [': 1 not seen this time, 1 rule', [untested(2), failed]],
    [': nothing is new', [untested(3), untested(2), failed]],
    // No other run is known.
    [
      'run (2026-11-01 02:00 UTC, incomplete): 1 new cause',
      [night(2, [path]), unjudged(night(1), 'fuzz/path')],
    ],
  ])('are compared with the last run that judged their rule: %s', (says, verdicts) => {
    expect(newsOf(...verdicts)).toContain(says)
  })
})
