import { describe, expect, it } from 'vitest'
import { ruleWith, verdictWith } from '../verdict.testing.ts'
import type { VerdictWaiver } from '../verdict.ts'
import { stateOf, waiverAlarm } from './waivers.ts'

const waiver: VerdictWaiver = {
  rule: 'fuzz/path',
  fingerprint: null,
  reason: 'mended soon',
  owner: 'Kim',
  expires: '2027-01-31',
  expired: false,
  used: false,
}

describe('a waiver', () => {
  it('is no longer needed where its rule was judged and it covered nothing', () => {
    expect(stateOf(waiver, [ruleWith('fuzz/path')])).toBe('unneeded')
    expect(stateOf({ ...waiver, rule: null, fingerprint: 'abcdef12' }, [ruleWith('fuzz/path')])).toBe(
      'unneeded',
    )
  })

  it('is left alone where its rule was not judged', () => {
    const untested = ruleWith('fuzz/path', { status: 'untested', because: 'no budget' })

    expect(stateOf(waiver, [untested])).toBe('not seen')
    expect(stateOf(waiver, [ruleWith('fuzz/query')])).toBe('not seen')
    expect(waiverAlarm(verdictWith({ waivers: [waiver], rules: [untested] })).toString()).toBe('')
  })

  it('that expired is announced, even where it would still cover', () => {
    const expired = { ...waiver, expired: true }

    expect(stateOf(expired, [ruleWith('fuzz/path')])).toBe('expired')
    expect(waiverAlarm(verdictWith({ waivers: [expired] })).toString()).toContain('1 waiver expired')
  })

  it('that covers is no alarm', () => {
    expect(waiverAlarm(verdictWith({ waivers: [{ ...waiver, used: true }] })).toString()).toBe('')
  })
})
