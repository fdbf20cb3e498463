import { describe, expect, test } from 'vitest'
import { covers, utcDay, waiverSubject, type Waiver } from './waivers.ts'

describe('a waiver', () => {
  const waiver: Waiver = {
    rule: 'quota/exhausted',
    fingerprint: null,
    reason: 'agreed',
    owner: 'Kim',
    expires: '2027-01-31',
  }
  const ofCause = { ...waiver, fingerprints: ['abd', 'abc'] }
  const finding = { rule: 'quota/exhausted', fingerprint: 'abc' } as const

  test.each([
    ['covers its rule', waiver, finding, true],
    ['covers its rule if the rule is untested', waiver, { ...finding, fingerprint: null }, true],
    ['does not cover another rule', waiver, { ...finding, rule: 'quota/per-client' as const }, false],
    ['covers its fingerprint under any rule', { ...waiver, rule: null, fingerprint: 'abc' }, finding, true],
    ['does not cover another fingerprint', { ...waiver, rule: null, fingerprint: 'abd' }, finding, false],
    ['covers its fingerprint under its rule', { ...waiver, fingerprint: 'abc' }, finding, true],
    ['does not cover its rule with another fingerprint', { ...waiver, fingerprint: 'abd' }, finding, false],
    [
      'with a fingerprint does not cover an untested rule',
      { ...waiver, fingerprint: 'abc' },
      { ...finding, fingerprint: null },
      false,
    ],
    ['without a rule or fingerprint covers nothing', { ...waiver, rule: null }, finding, false],
    ['covers one of its fingerprints under any rule', { ...ofCause, rule: null }, finding, true],
    ['covers one of its fingerprints under its rule', ofCause, finding, true],
    [
      'does not cover one of its fingerprints under another rule',
      { ...ofCause, rule: 'quota/per-client' as const },
      finding,
      false,
    ],
    ['does not cover a fingerprint outside its list', ofCause, { ...finding, fingerprint: 'ab' }, false],
    ['with fingerprints does not cover its untested rule', ofCause, { ...finding, fingerprint: null }, false],
  ])('%s', (_, one, waivable, expected) => {
    expect(covers(one, waivable, '2027-01-30')).toBe(expected)
  })

  test.each([
    ['2027-01-30T23:59:59Z', true],
    ['2027-01-31T00:00:00Z', true],
    ['2027-01-31T23:59:59.999Z', true],
    ['2027-02-01T00:00:00Z', false],
  ])('that expires on 2027-01-31 covers a finding at %s: %s', (time, expected) => {
    expect(covers(waiver, finding, utcDay(new Date(time)))).toBe(expected)
  })

  test.each([
    [{ rule: 'quota/exhausted', fingerprint: null }, 'quota/exhausted'],
    [{ rule: 'quota/exhausted', fingerprint: 'abc' }, 'quota/exhausted abc'],
    [{ rule: null, fingerprint: null, fingerprints: ['abc'] }, 'abc'],
    [{ rule: null, fingerprint: null, fingerprints: ['abc', 'abd', 'abe'] }, 'abc and 2 more'],
  ])('with %j is called %s', (one, expected) => {
    expect(waiverSubject(one)).toBe(expected)
  })
})
