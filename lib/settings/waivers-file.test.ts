import { describe, expect, test } from 'vitest'
import { parseWaivers } from './waivers-file.ts'

const entry = { rule: 'quota/exhausted', reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }

function parseText(text: string) {
  return parseWaivers({ setting: 'RUN_WAIVERS', file: 'w.json', text })
}

function parse(...entries: readonly unknown[]) {
  return parseText(JSON.stringify(entries))
}

describe('a waivers file', () => {
  const { rule: _, ...any } = entry
  const [fingerprint, fingerprints] = ['3f2a9c', ['3f2a9c', '81b7de']]

  test.each<readonly [string, readonly object[], readonly object[]]>([
    ['nothing', [], []],
    ['a rule', [entry], [{ ...entry, fingerprint: null }]],
    ['a fingerprint', [{ ...any, fingerprint }], [{ ...any, rule: null, fingerprint }]],
    [
      'a fingerprint of a rule and the rule itself',
      [{ ...entry, fingerprint }, entry],
      [
        { ...entry, fingerprint },
        { ...entry, fingerprint: null },
      ],
    ],
    ['a cause', [{ ...any, fingerprints }], [{ ...any, rule: null, fingerprint: null, fingerprints }]],
    ['a cause within a rule', [{ ...entry, fingerprints }], [{ ...entry, fingerprint: null, fingerprints }]],
  ])('may cover %s', (__, given, value) => {
    expect(parse(...given)).toEqual({ value, issues: [] })
  })

  test.each<[change: object | string, expected: string, given: unknown, hint?: string]>([
    [{ rule: 'quota/exhaustd' }, '.rule: the id of a rule', '"quota/exhaustd"', 'quota/exhausted'],
    [{ rule: 'quota/*' }, '.rule: the id of a rule', '"quota/*"', 'quota/*'],
    [{ reason: ' ' }, '.reason: ', '" "'],
    [{ reason: undefined }, '.reason: ', null],
    [{ owner: '' }, '.owner: ', '""'],
    [{ owner: 7 }, '.owner: ', '7'],
    ...['2027-02-29', '31.01.2027', '2027-01-31T00:00:00Z'].map((expires): [object, string, string] => [
      { expires },
      '.expires: ',
      `"${expires}"`,
    ]),
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
  ])('with %o in an entry is refused', (change, expected, given, hint) => {
    expect(parse(typeof change === 'object' ? { ...entry, ...change } : change).issues).toEqual([
      {
        setting: 'RUN_WAIVERS',
        given,
        expected: expect.stringContaining(`w.json, [0]${expected}`),
        hint: hint === undefined ? null : expect.stringContaining(hint),
      },
    ])
  })

  test('is reported with all mistakes from all its entries', () => {
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
  ])('with the text %j is refused, and the message does not quote it', (text, expected) => {
    const { issues } = parseText(text)

    const [about, given] = [expect.stringContaining(expected), expect.any(String)]
    expect(issues).toEqual([{ setting: 'RUN_WAIVERS', given, expected: about, hint: null }])
    expect(JSON.stringify(issues)).not.toContain('secret-text')
  })
})
