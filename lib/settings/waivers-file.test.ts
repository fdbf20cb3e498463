import { describe, expect, test } from 'vitest'

import { issuesOf, read, target, temporaryFolder } from './testing/read.ts'
import { Secret } from '../redact/secret.ts'
import { credentialSearch } from './hide-secrets.ts'
import { parseWaivers } from './waivers-file.ts'

const entry = { rule: 'quota/exhausted', reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }

function parseText(text: string) {
  return parseWaivers({ setting: 'RUN_WAIVERS', file: 'w.json', text })
}

function parse(...entries: readonly unknown[]) {
  return parseText(JSON.stringify(entries))
}

describe('a file of waivers', () => {
  test('gives each with what it covers', () => {
    const { rule: _, ...any } = entry

    expect(parse(entry, { ...any, fingerprint: '3f2a9c' }, { ...entry, fingerprint: '3f2a9c' })).toEqual({
      value: [
        { ...entry, fingerprint: null },
        { ...any, rule: null, fingerprint: '3f2a9c' },
        { ...entry, fingerprint: '3f2a9c' },
      ],
      issues: [],
    })
  })

  test('may name the fingerprints of a cause, with or without a rule', () => {
    const { rule: _, ...any } = entry
    const fingerprints = ['3f2a9c', '81b7de']

    expect(parse({ ...any, fingerprints }, { ...entry, fingerprints })).toEqual({
      value: [
        { ...any, rule: null, fingerprint: null, fingerprints },
        { ...entry, fingerprint: null, fingerprints },
      ],
      issues: [],
    })
  })

  test('shows no credential that stands among fingerprints', () => {
    const secret = 'sk_live_0123456789'
    const text = JSON.stringify([{ ...entry, fingerprints: ['3f2a9c', secret] }])
    const { issues } = parseWaivers(
      { setting: 'RUN_WAIVERS', file: 'w.json', text },
      undefined,
      credentialSearch([new Secret('TARGET_SECRET_KEY', secret)]),
    )

    expect(issues.map(({ expected }) => expected)).toEqual([
      expect.stringContaining(
        'w.json, [0].fingerprints[1]: a text without any of the configured credentials',
      ),
    ])
  })

  test('may be an empty list', () => {
    expect(parse()).toEqual({ value: [], issues: [] })
  })

  test.each([
    [
      { ...entry, rule: 'quota/exhaustd' },
      '[0].rule: the id of a rule',
      '"quota/exhaustd"',
      'quota/exhausted',
    ],
    [{ ...entry, rule: 'quota/*' }, '[0].rule: the id of a rule', '"quota/*"', 'quota/*'],
    [{ ...entry, reason: ' ' }, '[0].reason: ', '" "', null],
    [{ ...entry, owner: '' }, '[0].owner: ', '""', null],
    [{ ...entry, owner: 7 }, '[0].owner: ', '7', null],
    [{ ...entry, expires: '2027-02-29' }, '[0].expires: ', '"2027-02-29"', null],
    [{ ...entry, expires: '31.01.2027' }, '[0].expires: ', '"31.01.2027"', null],
    [{ ...entry, expires: '2027-01-31T00:00:00Z' }, '[0].expires: ', expect.any(String), null],
    [{ ...entry, fingerprint: '' }, '[0].fingerprint: ', '""', null],
    [{ ...entry, fingerprint: null }, '[0].fingerprint: ', 'null', null],
    [
      { ...entry, fingerprints: [] },
      '[0].fingerprints: the fingerprints of a cause, at least one',
      '[]',
      null,
    ],
    [{ ...entry, fingerprints: ['a', 'a'] }, '[0].fingerprints: ', '["a","a"]', null],
    [
      { ...entry, fingerprints: ['a', ' '] },
      '[0].fingerprints[1]: the fingerprint of a finding',
      '" "',
      null,
    ],
    [{ ...entry, fingerprints: 'a' }, '[0].fingerprints: ', '"a"', null],
    [
      { ...entry, fingerprint: 'a', fingerprints: ['b'] },
      '[0]: fingerprint or fingerprints, not both',
      null,
      'into the list',
    ],
    [{ ...entry, expired: 'x' }, '[0].expired: no such property', null, 'expires'],
    [{ ...entry, reson: 'x' }, '[0].reson: no such property', null, 'reason'],
    [{ rule: entry.rule, owner: 'Kim', expires: entry.expires }, '[0].reason: ', null, null],
    [
      { reason: 'r', owner: 'o', expires: entry.expires },
      '[0]: a rule, fingerprints or both',
      expect.any(String),
      null,
    ],
    ['text', '[0]: a rule', '"text"', null],
  ])('%j is refused', (wrong, expected, given, hint) => {
    expect(parse(wrong).issues).toEqual([
      {
        setting: 'RUN_WAIVERS',
        given,
        expected: expect.stringContaining(`w.json, ${expected}`),
        hint: hint === null ? null : expect.stringContaining(hint),
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

    expect(issues).toEqual([
      {
        setting: 'RUN_WAIVERS',
        given: expect.any(String),
        expected: expect.stringContaining(expected),
        hint: null,
      },
    ])
    expect(JSON.stringify(issues)).not.toContain('secret-text')
  })

  test.each(['missing.json', '.'])('%s cannot be read', async (RUN_WAIVERS) => {
    const result = await read({ ...target, RUN_WAIVERS }, { cwd: temporaryFolder() })

    expect(issuesOf(result).map(({ setting }) => setting)).toEqual(['RUN_WAIVERS'])
  })
})
