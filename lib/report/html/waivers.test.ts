import { describe, expect, it } from 'vitest'
import { ruleWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict, VerdictWaiver } from '../../verdict/verdict.ts'
import { waiverAlarm, waiverTable } from './waivers.ts'

const waiver: VerdictWaiver = {
  rule: 'fuzz/path',
  fingerprint: null,
  reason: 'mended soon',
  owner: 'Kim',
  expires: '2027-01-31',
  expired: false,
  used: false,
}

function alarmOf(waivers: readonly VerdictWaiver[], changes: Partial<Verdict> = {}): string {
  return waiverAlarm(verdictWith({ waivers, rules: [ruleWith('fuzz/path')], ...changes })).toString()
}

function tableOf(waivers: readonly VerdictWaiver[], changes: Partial<Verdict> = {}): string {
  return waiverTable(verdictWith({ waivers, rules: [ruleWith('fuzz/path')], ...changes })).toString()
}

describe('a waiver', () => {
  it('is announced where its rule was judged and it covered nothing', () => {
    for (const idle of [waiver, { ...waiver, rule: null, fingerprint: 'abcdef12' }]) {
      expect(alarmOf([idle])).toContain('1 waiver covered nothing in this run. Remove what is mended')
      expect(tableOf([idle])).toContain('remove it if the fault is mended')
    }
  })

  it('is announced in other words where its fault is gone for certain, which acceptance waits for', () => {
    const gone = { ...waiver, gone: true } as const

    expect(alarmOf([gone])).toContain('1 waiver covered nothing, for the fault is gone. Remove it:')
    expect(alarmOf([gone, gone], { profile: 'acceptance' })).toContain(
      '2 waivers covered nothing, for the fault is gone. Remove them; acceptance waits for it:',
    )
    expect(tableOf([gone])).toContain('for the fault is gone: remove it')
  })

  it('is left alone where its rule was not judged', () => {
    const rules = [ruleWith('fuzz/path', { status: 'untested', because: 'no budget' })]

    for (const changes of [{ rules }, { rules: [ruleWith('fuzz/query')] }]) {
      expect(alarmOf([waiver], changes)).toBe('')
      expect(tableOf([waiver], changes)).toContain('what it covers was not judged')
    }
  })

  it('that expired is announced, even where it would still cover', () => {
    const expired = { ...waiver, expired: true }

    expect(alarmOf([expired])).toContain('1 waiver expired, and no longer covers anything')
    expect(tableOf([expired])).toContain('expired: covers nothing any more')
  })

  it('that covers is no alarm', () => {
    expect(alarmOf([{ ...waiver, used: true }])).toBe('')
    expect(tableOf([{ ...waiver, used: true }])).toContain('covers what was found')
  })
})
