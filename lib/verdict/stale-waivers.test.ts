import { describe, expect, it } from 'vitest'
import type { RuleStatus } from '../judge/record.ts'
import type { Waiver } from '../settings/waivers.ts'
import { isStale, isLike, type Circumstances } from './stale-waivers.ts'
import { historyLine, type HistoryLine } from './history-line.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from './verdict.testing.ts'

const rule = 'authentication/api-key-missing'
const fingerprint = findingWith().fingerprint
const waiver: Waiver = { rule, fingerprint: null, reason: 'agreed', owner: 'Kim', expires: '2999-12-31' }

/** A run with this status of the rule, and with the fault if `reproduced` is given. */
function run(status: RuleStatus, reproduced: string | null = null): HistoryLine {
  const findings = reproduced === null ? [] : [findingWith({ reproduced })]
  return historyLine(verdictWith({ rules: rulesWith([ruleWith(rule, { status, findings })]) }))
}

const met = run('waived', '3 of 3')
const passed = run('passed')
const now = (status: RuleStatus) => [{ id: rule, status }] as const
const gone = (earlier: readonly HistoryLine[], status: RuleStatus = 'passed', one = waiver): boolean =>
  isStale(one, { rules: now(status), earlier })

describe('a fault', () => {
  it('is gone where every run met it, and now its rule was judged to the end and passed', () => {
    expect(gone([met])).toBe(true)
    expect(gone([passed, met, met])).toBe(true)
    expect(gone([met, passed, passed]), 'said as long as the waiver is there').toBe(true)
  })

  it.each(['failed', 'warned', 'waived', 'inconclusive', 'untested'] as const)(
    'is not known to be gone where its rule is %s now',
    (status) => {
      expect(gone([met], status)).toBe(false)
    },
  )

  it('is not known to be gone where the rule was not selected', () => {
    expect(isStale(waiver, { rules: [], earlier: [met] })).toBe(false)
  })

  it('is not known to be gone where no run met it', () => {
    expect(gone([])).toBe(false)
    expect(gone([passed, run('untested'), run('waived')])).toBe(false)
  })

  it('is not known to be gone where it was ever intermittent', () => {
    expect(gone([met, run('waived', '2 of 3'), met])).toBe(false)
    expect(gone([run('failed', '1 of 1')]), 'met once, never confirmed').toBe(false)
    expect(gone([met, passed, met]), 'gone once and back').toBe(false)
    expect(gone([met, run('inconclusive'), met]), 'not judged is not gone').toBe(true)
  })

  it('is that of the waiver, by fingerprint too', () => {
    expect(gone([met], 'passed', { ...waiver, rule: null, fingerprint })).toBe(true)
    expect(gone([met], 'passed', { ...waiver, fingerprint: 'another' })).toBe(false)
    expect(gone([met], 'passed', { ...waiver, rule: 'quota/exhausted' })).toBe(false)
    expect(gone([met], 'passed', { ...waiver, fingerprints: [fingerprint] })).toBe(true)
    expect(gone([met], 'passed', { ...waiver, fingerprints: ['another'] })).toBe(false)
  })
})

describe('a run that tells something of this one', () => {
  const line = historyLine(verdictWith())
  const like: Circumstances = {
    ...line,
    ...line.target,
    only: null,
    essential: false,
  }

  it('sent the same cases to the same target', () => {
    expect(isLike(like)(line)).toBe(true)
    expect(
      isLike({ ...like, embedded: true })({
        ...line,
        target: { ...line.target, embedded: true, baseUrl: 'x' },
      }),
    ).toBe(true)
  })

  it.each<Partial<Circumstances>>([
    { label: 'another' },
    { label: null },
    { embedded: true },
    { version: '2' },
    { profile: 'acceptance' },
    { seed: 1 },
    { fuzzCases: 1 },
    { only: ['*'] },
    { essential: true },
  ])('tells nothing of one with %j', (changes) => {
    expect(isLike({ ...like, ...changes })(line)).toBe(false)
  })

  it('tells nothing where only a part was selected', () => {
    expect(isLike(like)({ ...line, selection: { only: ['quota/*'] } })).toBe(false)
    expect(isLike(like)({ ...line, selection: { only: null, essential: true } })).toBe(false)
  })
})
