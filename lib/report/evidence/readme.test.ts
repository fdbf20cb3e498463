import { describe, expect, it } from 'vitest'
import { findingWith, ruleWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { bundleHeadline, readmeText } from './readme.ts'

const base = verdictWith()
const waived = ruleWith('authentication/no-side-door', { status: 'waived', because: 'agreed (Kim)' })
const partlyWaived = ruleWith('errors/body-shape', {
  status: 'failed',
  findings: [findingWith(), findingWith({ waived: 'agreed (Kim)' })],
})

describe('the first line of README.txt says', () => {
  const about = 'https://staging.example.com/cards/api/customizations/list (vendor build 42)'
  it.each<readonly [string, Partial<Verdict>, string]>([
    ['what this is', {}, `CONFORMANT: ${about}, profile gate, 2026-11-20 02:00:00 UTC`],
    [
      'that the run was strict',
      { profile: 'acceptance', strict: true },
      `CONFORMANT: ${about}, profile acceptance, strict, 2026-11-20 02:00:00 UTC`,
    ],
    [
      'that it was the embedded service',
      { target: { ...base.target, embedded: true } },
      `EMBEDDED REFERENCE SERVICE, NOT YOURS, CONFORMANT: ${about}, profile gate, 2026-11-20 02:00:00 UTC`,
    ],
    [
      'that the run was filtered, and by what',
      { selection: { only: ['fuzz/*', 'quota/exhausted'] } },
      `PARTIAL (only fuzz/*, quota/exhausted), CONFORMANT: ${about}, profile gate, 2026-11-20 02:00:00 UTC`,
    ],
    [
      'that it was one shard',
      { selection: { only: null, shard: '2/8' } },
      `ONE SHARD ONLY (2/8), CONFORMANT: ${about}, profile gate, 2026-11-20 02:00:00 UTC`,
    ],
    [
      'how many rules are waived, also where only some of their findings are',
      { rules: [waived, partlyWaived, ruleWith('errors/documented-pairs')] },
      `CONFORMANT WITH 2 AGREED EXCEPTIONS: ${about}, profile gate, 2026-11-20 02:00:00 UTC`,
    ],
    [
      'how many rules are waived of one that is not conformant',
      { rules: [waived, partlyWaived], verdict: 'nonconformant' },
      `2 rules WAIVED, NONCONFORMANT: ${about}, profile gate, 2026-11-20 02:00:00 UTC`,
    ],
    [
      'that there was no target',
      { target: { ...base.target, baseUrl: null, label: null }, verdict: 'error' },
      'ERROR: no target, profile gate, 2026-11-20 02:00:00 UTC',
    ],
  ])('%s', (_, changes, expected) => {
    expect(bundleHeadline({ ...base, ...changes })).toBe(expected)
  })

  it('all of it at once, in one line, whatever the label holds', () => {
    const line = bundleHeadline({
      ...base,
      target: { ...base.target, embedded: true, label: `x\n\u001B[2JCONFORMANT\u2028${'y'.repeat(5_000)}` },
      selection: { only: Array.from({ length: 500 }, () => 'fuzz/*'), shard: '1/2' },
      rules: [waived],
    })

    expect(line).toMatch(
      /^EMBEDDED .*PARTIAL .*and 480 more\), ONE SHARD ONLY .*CONFORMANT WITH 1 AGREED EXCEPTION: /,
    )
    expect(line).not.toMatch(/\p{Cc}|\u2028/u)
    expect(line.length).toBeLessThan(1_000)
  })
})

describe('README.txt', () => {
  const text = (signed: boolean) => readmeText(base, { madeBy: '0.1.0', signed, allure: false })

  it('says that the history is left out, and what no verdict covers', () => {
    expect(text(false)).toContain('history.jsonl')
    expect(text(false)).toContain(base.notCovered[0])
    expect(text(false)).not.toContain('allure-results')
  })

  it('says whether the archive is signed', () => {
    expect(text(false)).toContain('It is not signed: whoever has the archive may have made it.')
    expect(text(true)).toContain('openssl pkeyutl -verify')
    expect(text(true)).not.toContain('not signed')
  })
})
