import { describe, expect, it } from 'vitest'
import { countedRules } from '../../verdict/counted-rules.ts'
import {
  errorVerdict,
  findingWith,
  rulesWith,
  targetWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { alike, failing, violated } from '../testing/verdicts.ts'
import { compared, type Comparison } from './comparison.ts'
import {
  claim,
  findingLines,
  groupsOf,
  namesOf,
  outcomeSentence,
  tellingRows,
} from './comparison-sections.ts'
import { sideOf } from './side.ts'

const rule = 'authentication/api-key-missing'
const good = verdictWith()
const broken = violated(failing(rule, findingWith()))
const otherTarget = targetWith({ baseUrl: 'https://b.example', label: 'vendor B' })

function comparisonOf(first: Verdict, ...others: readonly Verdict[]): Comparison {
  return compared(
    sideOf('first', first),
    others.map((verdict, index) => sideOf(`other ${index + 1}`, verdict)),
  )
}

/** What is said first of the difference between two runs. */
function claimOf(changes: Partial<Verdict>, before = good): string {
  const { sides, differences } = comparisonOf(before, { ...good, ...changes })
  return [sides[0]].flatMap((first) => (first ? differences.map((one) => claim(first, one)) : [])).join()
}

describe('runs side by side', () => {
  it.each<[string, Verdict, readonly Verdict[], readonly boolean[], string]>([
    ['alike', good, [good], [false], 'nothing is worse than in first (exit 0)'],
    ['alike broken', broken, [broken], [false], 'nothing is worse than in first (exit 0)'],
    ['mended in one', broken, [good, broken], [false, false], 'nothing is worse than in first (exit 0)'],
    ['worse in one', good, [good, broken], [false, true], '1 rule came out worse than in first (exit 1)'],
    ['worse in both', good, [broken, broken], [true, true], '1 rule came out worse than in first (exit 1)'],
  ])('are worse when one of several is worse than the first: %s', (_, first, others, worse, sentence) => {
    const comparison = comparisonOf(first, ...others)

    expect(comparison.worse).toBe(worse.includes(true))
    expect(comparison.differences.map((one) => one.worse)).toEqual(worse)
    expect(outcomeSentence(comparison)).toBe(sentence)
  })

  it('tell what a finding says that is new, and one that is gone', () => {
    const summary = 'answered 401 / 1006 where 400 / 1001 is documented'
    const found = [{ fingerprint: '3f2a9c0d1e4b5a67', summary }]
    const failed = { rule, kind: 'newly failing', before: 'passed', after: 'failed', worse: true }

    expect(comparisonOf(good, broken).differences[0]?.rules.filter(({ worse }) => worse)).toEqual([
      { ...failed, found, gone: [], notAsked: [] },
    ])
  })

  it('tell what was not asked again, since it needs conditions and they differ with the seed', () => {
    const sent = { endpoint: 'GET /', client: 'target', plain: false, flaws: [], requests: 1 } as const
    const conditional = alike('3f2a9c', { sent: { ...sent, conditions: ['accept-language: de'] } })
    const ruleOf = (seed: number) =>
      comparisonOf(violated(failing(rule, conditional)), verdictWith({ seed }))
        .differences.flatMap(groupsOf)
        .map(({ kind, rules: changed }) => [kind, ...changed.flatMap(findingLines)])

    expect(ruleOf(7)).toEqual([
      ['changed', expect.stringMatching(/^not asked this time: 3f2a9c answered 401/)],
    ])
    expect(ruleOf(20260101)).toEqual([['mended', expect.stringMatching(/^- 3f2a9c/)]])
  })

  it('do not take a finding by another case or seed for a new one', () => {
    const other = violated(failing(rule, findingWith({ case: `${rule}:7:other` })))
    const comparison = comparisonOf(broken, { ...other, seed: 7 })

    expect(comparison.worse).toBe(false)
    expect(comparison.differences[0]?.rules.every(({ kind }) => kind === 'unchanged')).toBe(true)
    expect(comparison.differences[0]?.circumstances).toEqual([
      { what: 'the seed', before: '20260101', after: '7' },
    ])
  })

  it('have a row for every rule of any run, in the order of the catalogue, and show those that did not pass', () => {
    const { matrix } = comparisonOf(verdictWith({ rules: [failing(rule, findingWith())] }), good)
    const statusesOf = (id: string) => matrix.find((row) => row.rule === id)?.statuses

    expect(matrix.map((row) => row.rule)).toEqual(countedRules(good.rules).map(({ id }) => id))
    expect(statusesOf(rule)).toEqual(['failed', 'passed'])
    expect(statusesOf('quota/exhausted')).toEqual([null, 'passed'])
    expect(tellingRows(comparisonOf(good, good))).toEqual([])
  })

  it('of a thousand findings is there at once, and shows five', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => index.toString(16).padStart(16, '0'))
    const many = violated(failing(rule, ...names.map((fingerprint) => findingWith({ fingerprint }))))
    const [group] = comparisonOf(good, many).differences.flatMap(groupsOf)
    const [changed] = group?.rules ?? []
    const lines = changed === undefined ? [] : findingLines(changed)

    expect([changed?.found.length, lines.length]).toEqual([1_000, 6])
    expect(lines).toContain('+ and 995 more')
  })
})

describe('what a difference may be put down to', () => {
  const untested = good.rules.map((one) => ({ ...one, status: 'untested' as const }))

  it.each<[string, Partial<Verdict>, RegExp, Verdict?]>([
    ['a run like the first', {}, /^The same target, suite and settings\.$/],
    ['another seed', { seed: 7 }, /need not be a change of the target:$/],
    ['another suite', { suite: { version: '2.0.0' } }, /need not be a change of the target:$/],
    ['another target', { target: otherTarget }, /^Two targets, the same suite and settings/],
    ['another profile', { target: otherTarget, profile: 'nightly' }, /need not lie with the targets:$/],
    ['a run that judged nothing', { rules: [] }, /^This run judged nothing/],
    ['a run that was not reached', { rules: untested }, /^This run judged nothing/],
    ['a first run that judged nothing', {}, /^The first run judged nothing/, errorVerdict()],
  ])('of %s', (_, changes, sentence, before) => {
    expect(claimOf(changes, before)).toMatch(sentence)
  })

  it('is not which fixtures a run had that was not reached', () => {
    expect(comparisonOf(good, { ...good, rules: untested }).differences[0]?.circumstances).toEqual([])
  })

  it.each([
    [good.target, ['newly failing (1)', 'mended (1)']],
    // Never that one of two targets was mended, or broke.
    [otherTarget, ['fails here, and not in the first (1)', 'breached in the first, and not here (1)']],
  ])('is told in titles: %o', (target, titles) => {
    const rules = rulesWith([failing('quota/exhausted', findingWith())])

    expect(comparisonOf(broken, { ...good, target, rules }).differences.flatMap(groupsOf)).toMatchObject(
      titles.map((title) => ({ title })),
    )
  })

  it.each([
    ['A/ B/', ['A', 'B']],
    ['A/41 A/42', ['A, build 41', 'A, build 42']],
    ['A/42 A/42', ['0', '1']],
    ['A/42 /', ['0', '1']],
  ])('calls runs by label and build (%s), if each has its own, else by path: %j', (both, names) => {
    const sides = both.split(' ').map((one, index) => {
      const [label = null, build = null] = one.split('/').map((name) => (name === '' ? null : name))
      return sideOf(`${index}`, verdictWith({ target: { ...otherTarget, label, build } }))
    })

    expect(namesOf(sides)).toEqual(names)
  })
})
