import { describe, expect, test } from 'vitest'

import { issuesOf, read, target, temporaryFolder } from './testing/read.ts'
import { parseWaivers } from './waivers-file.ts'

const entry = { rule: 'quota/exhausted', reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }

function parseText(text: string) {
  return parseWaivers({ setting: 'RUN_WAIVERS', file: 'w.json', text })
}

function parse(...entries: readonly unknown[]) {
  return parseText(JSON.stringify(entries))
}

describe('a file of waivers', () => {
  const { rule: _, ...any } = entry
  const [fingerprint, fingerprints] = ['3f2a9c', ['3f2a9c', '81b7de']]

  test.each<readonly [string, readonly object[], readonly object[]]>([
    ['no waiver', [], []],
    ['a rule', [entry], [{ ...entry, fingerprint: null }]],
    ['a fingerprint', [{ ...any, fingerprint }], [{ ...any, rule: null, fingerprint }]],
    [
      'both',
      [{ ...entry, fingerprint }, entry],
      [
        { ...entry, fingerprint },
        { ...entry, fingerprint: null },
      ],
    ],
    ['a cause', [{ ...any, fingerprints }], [{ ...any, rule: null, fingerprint: null, fingerprints }]],
    ['a cause of a rule', [{ ...entry, fingerprints }], [{ ...entry, fingerprint: null, fingerprints }]],
  ])('may cover %s', (__, given, value) => {
    expect(parse(...given)).toEqual({ value, issues: [] })
  })

  const { reason: __, ...unreasoned } = entry

  test.each<[object | string, expected: string, given: unknown, hint?: string]>([
    [{ ...entry, rule: 'quota/exhaustd' }, '.rule: the id of a rule', '"quota/exhaustd"', 'quota/exhausted'],
    [{ ...entry, rule: 'quota/*' }, '.rule: the id of a rule', '"quota/*"', 'quota/*'],
    [{ ...entry, reason: ' ' }, '.reason: ', '" "'],
    [{ ...entry, owner: '' }, '.owner: ', '""'],
    [{ ...entry, owner: 7 }, '.owner: ', '7'],
    [{ ...entry, expires: '2027-02-29' }, '.expires: ', '"2027-02-29"'],
    [{ ...entry, expires: '31.01.2027' }, '.expires: ', '"31.01.2027"'],
    [{ ...entry, expires: '2027-01-31T00:00:00Z' }, '.expires: ', expect.any(String)],
    [{ ...entry, fingerprint: '' }, '.fingerprint: ', '""'],
    [{ ...entry, fingerprint: null }, '.fingerprint: ', 'null'],
    [{ ...entry, fingerprints: [] }, '.fingerprints: the fingerprints of a cause, at least one', '[]'],
    [{ ...entry, fingerprints: ['a', 'a'] }, '.fingerprints: ', '["a","a"]'],
    [{ ...entry, fingerprints: ['a', ' '] }, '.fingerprints[1]: the fingerprint of a finding', '" "'],
    [{ ...entry, fingerprints: 'a' }, '.fingerprints: ', '"a"'],
    [
      { ...entry, fingerprint, fingerprints },
      ': fingerprint or fingerprints, not both',
      null,
      'into the list',
    ],
    [{ ...entry, expired: 'x' }, '.expired: no such property', null, 'expires'],
    [{ ...entry, reson: 'x' }, '.reson: no such property', null, 'reason'],
    [unreasoned, '.reason: ', null],
    [any, ': a rule, fingerprints or both', expect.any(String)],
    ['text', ': a rule', '"text"'],
  ])('%j is refused', (wrong, expected, given, hint) => {
    expect(parse(wrong).issues).toEqual([
      {
        setting: 'RUN_WAIVERS',
        given,
        expected: expect.stringContaining(`w.json, [0]${expected}`),
        hint: hint === undefined ? null : expect.stringContaining(hint),
      },
    ])
  })

  test('all mistakes of all entries come at once', () => {
    const { issues } = parse({ ...entry, owner: '' }, entry, { ...entry, reason: '', expires: 'soon' })

    expect(issues.map(({ expected }) => expected.split(':')[0])).toEqual([
      'w.json, [0].owner',
      'w.json, [2].reason',
      'w.json, [2].expires',
    ])
  })

  test.each([
    ['{"rule": 1}', 'w.json, the whole file: a JSON list'],
    ['null', 'w.json, the whole file: a JSON list'],
    ['', 'w.json: valid JSON (broken at line 1, column 1)'],
    ['[{"reason": secret-text}]', 'w.json: valid JSON (broken at line 1, column 13)'],
    ['[\n1,\n]', 'w.json: valid JSON (broken at line 3, column 1)'],
    ['[1', 'w.json: valid JSON (broken at line 1, column 3)'],
    ['[\n  {"reason": "x",}\n]', 'w.json: valid JSON (broken at line 2, column 18)'],
  ])('%j is no list of waivers, and is not quoted', (text, expected) => {
    const { issues } = parseText(text)

    const [about, given] = [expect.stringContaining(expected), expect.any(String)]
    expect(issues).toEqual([{ setting: 'RUN_WAIVERS', given, expected: about, hint: null }])
    expect(JSON.stringify(issues)).not.toContain('secret-text')
  })

  test.each(['missing.json', '.'])('%s cannot be read', async (RUN_WAIVERS) => {
    const result = await read({ ...target, RUN_WAIVERS }, { cwd: temporaryFolder() })

    expect(issuesOf(result).map(({ setting }) => setting)).toEqual(['RUN_WAIVERS'])
  })
})
