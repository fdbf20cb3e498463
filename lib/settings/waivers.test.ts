import { expect, test } from 'vitest'
import { specCatalogue } from '../specification/rules.ts'
import { mistake } from './testing/read.ts'
import { parseWaivers } from './waivers-file.ts'
import { covers, utcDay, type Waiver, waiverSubject } from './waivers.ts'

const entry = { rule: 'quota/exhausted', reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }

const waiver: Waiver = { ...entry, rule: 'quota/exhausted', fingerprint: null }
const ofFingerprint = { ...waiver, fingerprint: 'abc' }
const ofCause = { ...waiver, fingerprints: ['abd', 'abc'] }
const finding = { rule: 'quota/exhausted', fingerprint: 'abc' } as const
const untested = { ...finding, fingerprint: null }
const otherRule = { rule: 'quota/per-client' } as const

test.each([
  ['covers its rule', waiver, finding, true],
  ['covers its rule if the rule is untested', waiver, untested, true],
  ['does not cover another rule', waiver, { ...finding, ...otherRule }, false],
  ['covers its fingerprint under any rule', { ...waiver, rule: null, fingerprint: 'abc' }, finding, true],
  ['does not cover another fingerprint', { ...waiver, rule: null, fingerprint: 'abd' }, finding, false],
  ['covers its fingerprint under its rule', ofFingerprint, finding, true],
  ['does not cover its rule with another fingerprint', { ...waiver, fingerprint: 'abd' }, finding, false],
  ['with a fingerprint does not cover an untested rule', ofFingerprint, untested, false],
  ['without a rule or fingerprint covers nothing', { ...waiver, rule: null }, finding, false],
  ['covers one of its fingerprints under any rule', { ...ofCause, rule: null }, finding, true],
  ['covers one of its fingerprints under its rule', ofCause, finding, true],
  ['does not cover its fingerprints under another rule', { ...ofCause, ...otherRule }, finding, false],
  ['does not cover a fingerprint outside its list', ofCause, { ...finding, fingerprint: 'ab' }, false],
  ['with fingerprints does not cover its untested rule', ofCause, untested, false],
])('a waiver %s', (_, one, waivable, expected) => {
  expect(covers(one, waivable, '2027-01-30')).toBe(expected)
})

test.each([
  ['2027-01-31T00:00:00Z', true],
  ['2027-01-31T23:59:59.999Z', true],
  ['2027-02-01T00:00:00Z', false],
])('a waiver that expires on 2027-01-31 covers a finding at %s: %s', (time, expected) => {
  expect(covers(waiver, finding, utcDay(new Date(time)))).toBe(expected)
})

test.each([
  [{ rule: 'quota/exhausted', fingerprint: null }, 'quota/exhausted'],
  [{ rule: 'quota/exhausted', fingerprint: 'abc' }, 'quota/exhausted abc'],
  [{ rule: null, fingerprint: null, fingerprints: ['abc'] }, 'abc'],
  [{ rule: null, fingerprint: null, fingerprints: ['abc', 'abd', 'abe'] }, 'abc and 2 more'],
])('a waiver with %j is called %s', (one, expected) => {
  expect(waiverSubject(one)).toBe(expected)
})
function parseText(text: string) {
  return parseWaivers({ setting: 'RUN_WAIVERS', file: 'w.json', text }, specCatalogue)
}

function parse(...entries: readonly unknown[]) {
  return parseText(JSON.stringify(entries))
}

const { rule: _, ...any } = entry
const [fingerprint, fingerprints] = ['3f2a9c', ['3f2a9c', '81b7de']]

test.each<readonly [string, readonly object[], readonly object[]]>([
  ['nothing', [], []],
  ['rules', [entry, entry], [1, 2].map(() => ({ ...entry, fingerprint: null }))],
  ['a fingerprint', [{ ...any, fingerprint }], [{ ...any, rule: null, fingerprint }]],
  ['a fingerprint of a rule', [{ ...entry, fingerprint }], [{ ...entry, fingerprint }]],
  ['a cause', [{ ...any, fingerprints }], [{ ...any, rule: null, fingerprint: null, fingerprints }]],
  ['a cause within a rule', [{ ...entry, fingerprints }], [{ ...entry, fingerprint: null, fingerprints }]],
])('a waivers file may cover %s', (__, given, value) => {
  expect(parse(...given)).toEqual({ value, issues: [] })
})

test.each<[change: object | string, expected: string, given: unknown, hint?: string]>([
  [{ rule: 'quota/exhaustd' }, '.rule: the id of a rule', '"quota/exhaustd"', 'quota/exhausted'],
  [{ rule: 'quota/*' }, '.rule: the id of a rule', '"quota/*"', 'quota/*'],
  [{ reason: ' ' }, '.reason: ', '" "'],
  [{ reason: undefined }, '.reason: ', null],
  [{ owner: '' }, '.owner: ', '""'],
  [{ owner: 7 }, '.owner: ', '7'],
  [{ expires: '2027-02-29' }, '.expires: ', '"2027-02-29"'],
  [{ expires: '31.01.2027' }, '.expires: ', '"31.01.2027"'],
  [{ expires: '2027-01-31T00:00:00Z' }, '.expires: ', '"2027-01-31T00:00:00Z"'],
  [{ fingerprint: '' }, '.fingerprint: ', '""'],
  [{ fingerprint: null }, '.fingerprint: ', 'null'],
  [{ fingerprints: [] }, '.fingerprints: the fingerprints of a cause, at least one', '[]'],
  [{ fingerprints: ['a', 'a'] }, '.fingerprints: ', '["a","a"]'],
  [{ fingerprints: ['a', ' '] }, '.fingerprints[1]: the fingerprint of a finding', '" "'],
  [{ fingerprints: 'a' }, '.fingerprints: ', '"a"'],
  [{ fingerprint, fingerprints }, ': fingerprint or fingerprints, not both', expect.any(String)],
  [{ expired: 'x' }, '.expired: no such property', null, 'expires'],
  [{ reson: 'x' }, '.reson: no such property', null, 'reason'],
  [{ rule: undefined }, ': a rule, fingerprints or both', expect.any(String)],
  ['text', ': a rule', '"text"'],
])('a waivers file with %o in an entry is refused', (change, expected, given, hint) => {
  const { issues } = parse(typeof change === 'object' ? { ...entry, ...change } : change)
  expect(issues).toEqual([mistake('RUN_WAIVERS', `w.json, [0]${expected}`, given, hint)])
})

test.each([
  ['{"rule": 1}', 'w.json, the whole file: a JSON list'],
  ['null', 'w.json, the whole file: a JSON list'],
  ['', 'w.json: valid JSON (broken at line 1, column 1)'],
  ['[{"reason": secret-text}]', 'w.json: valid JSON (broken at line 1, column 13)'],
  ['[\n1,\n]', 'w.json: valid JSON (broken at line 3, column 1)'],
  ['[1', 'w.json: valid JSON (broken at line 1, column 3)'],
  ['[\n  {"reason": "x",}\n]', 'w.json: valid JSON (broken at line 2, column 18)'],
])('a waivers file with the text %j is refused, and the message does not quote it', (text, expected) => {
  const { issues } = parseText(text)

  expect(issues).toEqual([mistake('RUN_WAIVERS', expected)])
  expect(JSON.stringify(issues)).not.toContain('secret-text')
})
