import { describe, expect, it } from 'vitest'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { findingWith, ruleWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { bundleHeadline, readmeText, type ReadmeFacts } from './readme.ts'

const base = verdictWith()
const waived = ruleWith('authentication/no-side-door', { status: 'waived', because: 'agreed (Kim)' })
const used = {
  rule: null,
  fingerprint: 'aaaaaaaa',
  reason: 'agreed',
  owner: 'Kim',
  expires: '2027-01-31',
  expired: false,
  used: true,
}
const partlyWaived = ruleWith('errors/body-shape', {
  status: 'failed',
  findings: [findingWith(), findingWith({ waived: 'agreed (Kim)' })],
})

describe('the first line of README.txt says', () => {
  const about = 'https://staging.example.com/cards/api/customizations/list (vendor, build 42)'
  const embedded = { ...base.target, embedded: true }
  const noTarget = { ...base.target, baseUrl: null, label: null, build: null }
  const some = ['fuzz/*', 'quota/exhausted']
  const rules = [waived, partlyWaived]

  it.each<readonly [string, Partial<Verdict>, string]>([
    ['what this is', {}, 'CONFORMANT'],
    [
      'that it was the embedded service',
      { target: embedded },
      'EMBEDDED REFERENCE SERVICE, NOT YOURS, CONFORMANT',
    ],
    [
      'by what the run was filtered',
      { selection: { only: some } },
      'PARTIAL (only fuzz/*, quota/exhausted), CONFORMANT',
    ],
    [
      'how many exceptions were agreed',
      { rules: [...rules, ruleWith('errors/documented-pairs')], waivers: [used, used] },
      'CONFORMANT WITH 2 AGREED EXCEPTIONS',
    ],
    [
      'how many rules are waived of one that is not conformant, also where only some of their findings are',
      { rules, verdict: 'nonconformant' },
      '2 rules WAIVED, NONCONFORMANT',
    ],
  ])('%s', (_, changes, expected) => {
    expect(bundleHeadline({ ...base, ...changes })).toBe(
      `${expected}: ${about}, profile gate, 2026-11-20 02:00:00 UTC`,
    )
  })

  it('that the run was strict, and that there was no target', () => {
    expect(bundleHeadline({ ...base, profile: 'acceptance', strict: true })).toBe(
      `CONFORMANT: ${about}, profile acceptance, strict, 2026-11-20 02:00:00 UTC`,
    )
    expect(bundleHeadline({ ...base, target: noTarget, verdict: 'error' })).toBe(
      'ERROR: no target, profile gate, 2026-11-20 02:00:00 UTC',
    )
  })

  it('all of it at once, in one line, whatever the label holds', () => {
    const line = bundleHeadline({
      ...base,
      target: { ...base.target, embedded: true, label: `x\n\u001B[2JCONFORMANT\u2028${'y'.repeat(5_000)}` },
      selection: { only: Array.from({ length: 500 }, () => 'fuzz/*') },
      rules: [waived],
      waivers: [used],
    })

    expect(line).toMatch(/^EMBEDDED .*PARTIAL .*and 480 more\), .*CONFORMANT WITH 1 AGREED EXCEPTION: /)
    expect(line).not.toMatch(/\p{Cc}|\u2028/u)
    expect(line.length).toBeLessThan(1_000)
  })
})

describe('README.txt', () => {
  const text = (changes: Partial<Verdict> = {}, facts: Partial<ReadmeFacts> = {}) =>
    readmeText({ ...base, ...changes }, { sealedBy: '1.0.0', madeAgainBy: null, signed: false, ...facts })

  it('quotes the statement, with what the verdict is worth, and what none covers', () => {
    const power = { confidence: 0.95, answers: 309, excludes: 0.0097, situations: [] }
    const said = text({ power })

    expect(said).toContain('\nOn 2026-11-20 card-switch-conformance 1.0.0 judged the service at ')
    expect(said).toContain(`by ${serviceRules} rules and found it conformant`)
    expect(said).toContain('309 answers could have shown a breach: with 95 % confidence')
    expect(said).toContain(base.notCovered[0])
    expect(said).not.toMatch(/valid until|made again/)
  })

  it('says how long the verdict holds, and who made the reports again', () => {
    expect(text({ validUntil: '2027-11-20T02:00:00.000Z' })).toContain(
      '\nThe verdict is valid until 2027-11-20 02:00 UTC.\n',
    )
    expect(text({}, { madeAgainBy: '1.1.0' })).toContain(
      '\nAll reports were made again from verdict.json, by version 1.1.0 of the suite; the run was made by version 1.0.0.\n',
    )
  })

  it('claims what a signature shows, and no more', () => {
    const not = 'This does not show that a run took place, which build answered, or when.\n'

    expect(text({}, { signed: true })).toContain(
      `\nThese files are, byte for byte, what the holder of the key signed. ${not}`,
    )
    expect(text({}, { signed: true })).toContain('openssl pkeyutl -verify')
    expect(text()).toContain(`\nNobody signed these files: whoever has the archive may have made it. ${not}`)
    expect(text()).not.toContain('openssl')
  })
})
