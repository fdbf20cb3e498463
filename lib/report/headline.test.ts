import { describe, expect, it } from 'vitest'
import { allureEnvironment } from './allure-about.ts'
import { annotations } from './annotations.ts'
import { bundleHeadline, readmeText } from './evidence/readme.ts'
import { compared } from './compare/comparison.ts'
import { comparisonPage } from './compare/html.ts'
import { comparisonMarkdown } from './compare/markdown.ts'
import { sideOf } from './compare/side.ts'
import { comparisonText } from './compare/text.ts'
import { askedAddress, headlineWord } from './headline.ts'
import { htmlPage } from './html/page.ts'
import { junitXml } from './junit.ts'
import { summaryMarkdown } from './summary.ts'
import { terminalSummary } from './terminal.ts'
import type { Verdict } from '../verdict/verdict.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../verdict/verdict.testing.ts'

const reason = 'mended in the next release (Kim, until 2027-01-31)'
const waivedRule = ruleWith('authentication/no-side-door', {
  status: 'waived',
  because: reason,
  findings: [findingWith({ waived: reason })],
})
const inPart = ruleWith('conventions/json-content-type', {
  status: 'warned',
  findings: [findingWith(), findingWith({ fingerprint: 'aaaabbbbccccdddd', waived: reason })],
})
const one = verdictWith({ rules: rulesWith([waivedRule]) })
const two = verdictWith({ rules: rulesWith([waivedRule, inPart]) })
const some = { selection: { only: ['endpoints/*'] } }

/** What each report says of a verdict, in lower case, white space made even. */
function reportsOf(verdict: Verdict): Readonly<Record<string, string>> {
  const comparison = compared(sideOf('a', verdict), [sideOf('b', verdict)])
  const texts = {
    terminal: terminalSummary(verdict, { colour: false, width: 200, reportsDir: '/reports' }),
    summary: summaryMarkdown(verdict, null),
    page: htmlPage(verdict, []),
    junit: junitXml(verdict),
    allure: JSON.stringify(allureEnvironment(verdict)),
    evidence: bundleHeadline(verdict),
    statement: readmeText(verdict, { madeBy: '0.1.0', signed: false, allure: false }),
    comparison: comparisonText(comparison, { colour: false, width: 200 }),
    'comparison in Markdown': comparisonMarkdown(comparison),
    'comparison as a page': comparisonPage(comparison),
  }
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, text.toLowerCase().replaceAll(/\s+/g, ' ')]),
  )
}

describe('a headline', () => {
  it.each([
    ['conformant', verdictWith()],
    ['conformant with 1 agreed exception', one],
    ['conformant with 2 agreed exceptions', two],
    ['partial, conformant', verdictWith(some)],
    ['partial, conformant', verdictWith({ selection: { only: null, shard: '1/2' } })],
    ['partial, conformant with 1 agreed exception', { ...one, ...some }],
    ['nonconformant', nonconformantVerdict()],
    ['partial, nonconformant', { ...nonconformantVerdict(), ...some }],
    ['partial, incomplete', verdictWith({ ...some, verdict: 'incomplete', exitCode: 3 })],
    ['error', errorVerdict()],
  ] as const)('says %s', (word, verdict) => {
    expect(headlineWord(verdict)).toBe(word)
  })

  it.each(Object.keys(reportsOf(one)))('names the exceptions and the part: %s', (name) => {
    expect(reportsOf(one)[name]).toContain('conformant with 1 agreed exception')
    expect(reportsOf(two)[name]).toContain('conformant with 2 agreed exceptions')
    for (const verdict of [verdictWith(some), { ...one, ...some }, { ...nonconformantVerdict(), ...some }]) {
      expect(reportsOf(verdict)[name]).toContain('partial')
    }
    for (const verdict of [verdictWith(), nonconformantVerdict()]) {
      expect(reportsOf(verdict)[name]).not.toMatch(/agreed exception|partial/)
    }
  })

  it.each(Object.keys(reportsOf(one)))('never says of a waived violation that none is there: %s', (name) => {
    const incomplete = { ...one, verdict: 'incomplete', exitCode: 3 } as const
    for (const verdict of [one, two, { ...one, ...some }, incomplete]) {
      expect(reportsOf(verdict)[name]).not.toMatch(/none is violated|nothing is violated|: nothing violated/)
    }
  })

  it('is a notice on GitHub where the verdict alone would say too much', () => {
    expect(annotations(one)).toEqual([
      '::notice title=conformance%3A conformant with 1 agreed exception::1 agreed exception, nothing else is violated, 40 rules passed; waived: authentication/no-side-door',
    ])
    expect(annotations(verdictWith(some))).toEqual([
      '::notice title=conformance%3A partial%2C conformant::nothing is violated, 41 rules passed (only endpoints/*)',
    ])
    expect(annotations({ ...nonconformantVerdict(), ...some }).at(-1)).toMatch(
      /^::notice title=conformance%3A partial%2C nonconformant::/,
    )
  })

  it('about a part of the rules has no tick, and is not green', () => {
    const tick = 'class="icon passed"'
    const hero = (verdict: Verdict): string =>
      /<section class="hero[\s\S]*?<\/h1>/.exec(htmlPage(verdict, []))?.[0] ?? ''
    const green = '\u001B[32m'
    const coloured = (verdict: Verdict): string =>
      terminalSummary(verdict, { colour: true, width: 200, reportsDir: '/reports' })

    expect(hero(verdictWith())).toContain(tick)
    expect(coloured(verdictWith())).toContain(green)
    expect(hero(verdictWith(some))).toContain('Partial, conformant')
    expect(hero(verdictWith(some))).not.toContain(tick)
    expect(coloured(verdictWith(some))).not.toContain(green)
    const tabOf = (verdict: Verdict): string =>
      /<link rel="icon"[^>]*>/.exec(htmlPage(verdict, []))?.[0] ?? ''
    expect(tabOf(verdictWith(some))).not.toContain('12693c')
    expect(tabOf(verdictWith())).toContain('12693c')
  })
})

describe('the address of a headline', () => {
  const target = { baseUrl: 'https://a.example/prefix', embedded: false, version: '1', label: null }
  const paths = ['/api/customizations/list', '/api/b', '/api/c', '/api/d', '/api/e']

  it.each([
    ['of earlier versions', undefined, 'https://a.example/prefix/api/customizations/list'],
    ['with one endpoint', paths.slice(0, 1), 'https://a.example/prefix/api/customizations/list'],
    ['with two', paths.slice(0, 2), 'https://a.example/prefix/api/customizations/list, /api/b'],
    [
      'with five',
      paths,
      'https://a.example/prefix/api/customizations/list, /api/b, /api/c and 2 more endpoints',
    ],
  ])('is the URL asked: %s', (_, endpoints, expected) => {
    const asked = { ...target, ...(endpoints === undefined ? {} : { endpoints }) }

    expect(askedAddress(asked)).toBe(expected)
    expect(askedAddress({ ...asked, baseUrl: `${target.baseUrl}/` })).toBe(expected)
  })

  it('is none without a target', () => {
    expect(askedAddress(errorVerdict().target)).toBe('no target')
  })

  it.each(Object.keys(reportsOf(one)).filter((name) => !name.startsWith('comparison')))(
    'stands in every report: %s',
    (name) => {
      const asked = 'https://staging.example.com/cards/api/customizations/list'

      expect(reportsOf(verdictWith())[name]?.replaceAll('&#47;', '/')).toContain(asked)
    },
  )
})
