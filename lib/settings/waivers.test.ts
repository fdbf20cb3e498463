import { describe, expect, test } from 'vitest'

import { covers, utcDay, waiverSubject, type Waiver } from './waivers.ts'

describe('a waiver covers', () => {
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
    ['its rule', waiver, finding, true],
    ['its rule where that is untested', waiver, { ...finding, fingerprint: null }, true],
    ['another rule', waiver, { ...finding, rule: 'quota/per-client' as const }, false],
    ['its fingerprint under any rule', { ...waiver, rule: null, fingerprint: 'abc' }, finding, true],
    ['another fingerprint', { ...waiver, rule: null, fingerprint: 'abd' }, finding, false],
    ['rule and fingerprint', { ...waiver, fingerprint: 'abc' }, finding, true],
    ['the rule with another fingerprint', { ...waiver, fingerprint: 'abd' }, finding, false],
    [
      'an untested rule by fingerprint',
      { ...waiver, fingerprint: 'abc' },
      { ...finding, fingerprint: null },
      false,
    ],
    ['anything without either', { ...waiver, rule: null }, finding, false],
    ['one of its fingerprints under any rule', { ...ofCause, rule: null }, finding, true],
    ['one of its fingerprints under its rule', ofCause, finding, true],
    ['one under another rule', { ...ofCause, rule: 'quota/per-client' as const }, finding, false],
    ['none of its fingerprints', ofCause, { ...finding, fingerprint: 'ab' }, false],
    ['its rule where that is untested, with fingerprints', ofCause, { ...finding, fingerprint: null }, false],
  ])('%s', (_, one, waivable, expected) => {
    expect(covers(one, waivable, '2027-01-30')).toBe(expected)
  })

  test.each([
    ['2027-01-30T23:59:59Z', true],
    ['2027-01-31T00:00:00Z', true],
    ['2027-01-31T23:59:59.999Z', true],
    ['2027-02-01T00:00:00Z', false],
  ])('at %s: %s', (time, expected) => {
    expect(covers(waiver, finding, utcDay(new Date(time)))).toBe(expected)
  })

  test.each([
    [{ rule: 'quota/exhausted', fingerprint: null }, 'quota/exhausted'],
    [{ rule: 'quota/exhausted', fingerprint: 'abc' }, 'quota/exhausted abc'],
    [{ rule: null, fingerprint: null, fingerprints: ['abc'] }, 'abc'],
    [{ rule: null, fingerprint: null, fingerprints: ['abc', 'abd', 'abe'] }, 'abc and 2 more'],
  ])('%j is called %s', (one, expected) => {
    expect(waiverSubject(one)).toBe(expected)
  })
})
