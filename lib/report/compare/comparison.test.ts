import { describe, expect, it } from 'vitest'
import { countedRules } from '../../specification/rules.ts'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  sentWith,
  targetWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { alike, failing, violated } from '../testing/verdicts.ts'
import { comparisonPage } from './comparison-page.ts'
import { comparisonText } from './comparison-text.ts'
import { compared, comparisonJson, type Comparison } from './comparison.ts'
import { sideOf, type Side } from './side.ts'

const rule = 'authentication/api-key-missing'
const good = verdictWith()
const broken = violated(failing(rule, findingWith()))
const otherTarget = targetWith({ baseUrl: 'https://b.example', label: 'vendor B' })
const red = nonconformantVerdict()
const observations = [{ id: 'flaw-order', value: ['1001'] }]

function comparisonOf(first: Verdict, ...others: readonly Verdict[]): Comparison {
  return compared(
    sideOf('first', first),
    others.map((verdict, index) => sideOf(`other ${index + 1}`, verdict)),
  )
}

const dataOf = (comparison: Comparison) => JSON.parse(comparisonJson(comparison))

const textOf = (comparison: Comparison, width = 140): string =>
  comparisonText(comparison, { colour: false, width })

const worseNowhere = 'nothing is worse than in first (exit 0)'
const worseOnce = '1 rule is worse than in first (exit 1)'

describe('runs side by side', () => {
  it.each<[string, Verdict, readonly Verdict[], readonly boolean[], string]>([
    ['fixed in one', broken, [good, broken], [false, false], worseNowhere],
    ['worse in one', good, [good, broken], [false, true], worseOnce],
    ['worse in both', good, [broken, broken], [true, true], worseOnce],
  ])('are worse if any run is worse than the first: %s', (_, first, others, worse, sentence) => {
    const comparison = comparisonOf(first, ...others)

    expect(comparison).toMatchObject({ worse: worse.includes(true), outcome: sentence })
    expect(dataOf(comparison).differences.map((one: { worse: boolean }) => one.worse)).toEqual(worse)
  })

  it('do not treat a finding from another case or seed as new', () => {
    const other = violated(failing(rule, findingWith({ case: `${rule}:7:other` })))
    const text = textOf(comparisonOf(broken, { ...other, seed: 7 }))

    expect(text).toContain('40 rules unchanged')
    expect(text).toContain(worseNowhere)
  })

  it('have a row for every rule in any run, in catalogue order', () => {
    const { matrix } = dataOf(comparisonOf(verdictWith({ rules: [failing(rule, findingWith())] }), good))
    const rows = countedRules(good.rules).map(({ id, says }) => {
      return { rule: id, says, statuses: [id === rule ? 'failed' : null, 'passed'] }
    })

    expect(matrix).toEqual(rows)
  })

  it.each([
    ['A/ B/', ['A', 'B']],
    ['A/41 A/42', ['A, build 41', 'A, build 42']],
    ['A/42 A/42', ['0', '1']],
    ['A/42 /', ['0', '1']],
  ])('are named by label and build (%s) if these are unique, otherwise by path: %j', (both, names) => {
    const [first, ...others] = both.split(' ').map((one, index) => {
      const [label = null, build = null] = one.split('/').map((name) => (name === '' ? null : name))
      return sideOf(`${index}`, verdictWith({ target: { ...otherTarget, label, build } }))
    })

    expect(first === undefined ? [] : compared(first, others).runs.map(({ name }) => name)).toEqual(names)
  })
})

describe('the comparison as text', () => {
  const untested = good.rules.map((one) => ({ ...one, status: 'untested' as const }))
  const sent = sentWith({ conditions: ['accept-language: de'] })
  const conditional = violated(failing(rule, alike('3f2a9c', { sent })))
  const rules = rulesWith([failing('quota/exhausted', findingWith())])
  const many = Array.from({ length: 1_000 }, (_, index) =>
    findingWith({ fingerprint: index.toString(16).padStart(16, '0') }),
  )

  it.each<[RegExp, Partial<Verdict>, Verdict?]>([
    [/\(other 1 against first\)\n {2}40 rules unchanged: 40 passed, 0 failed\.\n/, {}],
    [/service may have changed:\n *- the seed changed from 20260101 to 7\n/, { seed: 7 }],
    [/service may have changed:\n *- the suite changed from 1.0.0 to 2/, { suite: { version: '2.0.0' } }],
    [/against .*\)\n {2}40 rules unchanged/, { target: otherTarget }],
    [/Not only the targets differ:\n/, { target: otherTarget, profile: 'nightly' }],
    [/no rule was judged\n(.*\n)*.*This run judged nothing, so it says nothing/, { rules: [] }],
    [/PARTIAL, CONFORMANT\n/, { selection: { only: ['endpoints/*'] } }],
    // The fixtures of that run are unknown.
    [
      /first\)\n {2}This run judged nothing, so it says nothing about the rules\.\n {2}0 ru/,
      { rules: untested },
    ],
    [/ERROR\n.*TARGET_BASE_URL: given nothing.*The first run judged nothing/s, {}, errorVerdict()],
    [/ {2}newly failing \(1\)\n.*passed → failed\n *\+ 3f2a9c0d1e4b5a67 answered 401/s, { rules }, broken],
    [/ {2}mended \(1\)\n.*- 3f2a9c0d1e4b5a67 answered 401 \/ 1006 where 400/s, { rules }, broken],
    // With two targets, it never says that a rule was fixed or broke.
    [/ fails here but not in the first \(1\)\n/, { rules, target: otherTarget }, broken],
    [/ breached in the first but not here \(1\)\n/, { rules, target: otherTarget }, broken],
    [/neither better nor worse \(1\)\n.*not sent this time: 3f2a9c answered/s, { seed: 7 }, conditional],
    [/mended \(1\)\n.*- 3f2a9c answered 401/s, {}, conditional],
    [/\+ 0000000000000004 .*\n *\+ and 995 more\n/, { rules: rulesWith([failing(rule, ...many)]) }],
    [/different observations \(1\)\n *- flaw-order: nothing → \["1001"\]\n/, { observations }],
    [/- the rules that lack a setting changed from quota\/exhausted, .* to none\n/, {}, red],
    [/ {2}- versioning\/selected-per-request: inconclusive, passed\n/, {}, red],
    // Rules that passed everywhere are left out.
    [/^(?!.*endpoints\/list-succeeds)[^]*\nnothing is worse than in first \(exit 0\)\n$/, {}, red],
  ])('shows %s', (says, changes, before = good) => {
    expect(textOf(comparisonOf(before, { ...good, ...changes }))).toMatch(says)
  })

  it('stays within the width, whatever the number of runs', () => {
    const sides = Array.from({ length: 9 }, () => good)
    for (const width of [60, 80, 140]) {
      const lines = textOf(comparisonOf(red, ...sides), width).split('\n')

      expect(lines.filter((line) => line.length > width)).toEqual([])
    }
  })
})

it('the comparison as JSON contains the runs, and every rule in every difference', () => {
  const before = 'quota/exhausted, quota/stays-exhausted, quota/per-client'
  const circumstances = [
    { what: 'the seed', before: '20260101', after: '7' },
    { what: 'the rules that lack a setting', before, after: 'none' },
  ]
  const difference = { path: 'other 1', sameTarget: true, circumstances, worse: false }
  const changed = [{ id: 'flaw-order', before: null, after: ['1001'] }]

  expect(dataOf(comparisonOf(red, verdictWith({ seed: 7, observations })))).toMatchObject({
    format: 'card-switch-conformance/comparison/1',
    worse: false,
    runs: [{ path: 'first', verdict: 'nonconformant' }, { path: 'other 1' }],
    differences: [{ ...difference, rules: { length: serviceRules }, observations: changed }],
  })
})

describe('the comparison as a page', () => {
  const even = (comparison: Comparison): string => comparisonPage(comparison).replaceAll(/\s*\n\s*/g, '')

  it('shows the outcome, then the rules that did not pass everywhere, then the runs', () => {
    const vendor = (label: string, verdict: Verdict): Verdict => {
      return { ...verdict, target: targetWith({ label, build: null }) }
    }
    const page = even(comparisonOf(vendor('Vendor A', good), vendor('Vendor B', broken)))
    const order = [
      '>1 rule is worse than in Vendor A (exit 1)</h1>',
      '>Vendor A</th>',
      '>Vendor B</th>',
      '<code>authentication/<wbr />api-key-missing</code><p class="faint">A request without x-api-key',
      '<span class="badge passed">',
      '<span class="badge failed">',
      `${serviceRules - 1} rules passed in every run.`,
      '<li>Vendor B (other 1): NONCONFORMANT<p>',
      '2 against 1 (Vendor B against Vendor A)</h2>',
    ].map((part) => page.indexOf(part))

    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(page).not.toContain('endpoints/list-succeeds')
  })

  it('shows the sentence of a rule outside the catalogue if a verdict contains it', () => {
    const id = 'acme/every-logo'
    const own = { ...ruleWith('errors/body-shape'), id, says: 'every customization has a logo' } as const
    const run = sideOf('own', verdictWith({ rules: [...rulesWith([]), { ...own, status: 'warned' }] }))
    const ofHistory = { ...run, verdict: null }
    const found = /<code>acme\/<wbr \/>every-logo<\/code><p class="faint">(.*?)<\/tr>/
    const row = (first: Side, other: Side) => found.exec(even(compared(first, [other])))?.[1]

    expect(row(sideOf('a', good), run)).toMatch(/^Every customization has a logo<.*absent.*warned/)
    expect(row(ofHistory, run)).toContain('Every customization has a logo')
    expect(row(ofHistory, ofHistory)).toContain('A rule that is not in the catalogue of this version')
  })
})
