import { describe, expect, it } from 'vitest'
import type { Verdict, VerdictWaiver } from '../verdict/verdict.ts'
import { ruleWith, rulesWith, verdictWith } from '../verdict/verdict.testing.ts'
import { waiverNotes } from './waiver-notes.ts'

const waiver: VerdictWaiver = {
  rule: 'quota/exhausted',
  fingerprint: null,
  reason: 'agreed',
  owner: 'Kim',
  expires: '2027-01-31',
  expired: false,
  used: false,
}

function kinds(changes: Partial<VerdictWaiver>, verdict: Partial<Verdict> = {}): readonly string[] {
  return waiverNotes(verdictWith({ ...verdict, waivers: [{ ...waiver, ...changes }] })).map(
    ({ kind }) => kind,
  )
}

describe('waivers to look at', () => {
  it('are those that expired, whose fault is gone, or that covered nothing', () => {
    expect(kinds({ used: true })).toEqual([])
    expect(kinds({ expired: true })).toEqual(['expired'])
    expect(kinds({ gone: true })).toEqual(['gone'])
    expect(kinds({})).toEqual(['idle'])
  })

  it('are not those of which the run could say nothing', () => {
    const rules = rulesWith([ruleWith('quota/exhausted', { status: 'untested', because: 'why' })])
    expect(kinds({}, { rules })).toEqual([])
    expect(kinds({}, { rules: [] })).toEqual([])
    const selection = { only: ['errors/*'] }
    expect(kinds({ rule: null, fingerprint: 'abcd' }, { selection })).toEqual([])
    expect(kinds({ rule: null, fingerprint: 'abcd' })).toEqual(['idle'])
  })

  it('say in acceptance what waits for them', () => {
    const verdict = verdictWith({ profile: 'acceptance', waivers: [{ ...waiver, gone: true }] })
    expect(waiverNotes(verdict)[0]?.says).toContain('acceptance waits for it')
  })
})
