import { describe, expect, it } from 'vitest'
import {
  errorVerdict,
  findingWith,
  ruleWith,
  rulesWith,
  targetWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import { compared, type Comparison } from './comparison.ts'
import { sideOf } from './side.ts'
import {
  claim,
  findingLines,
  groupsOf,
  namesOf,
  outcomeSentence,
  tellingRows,
} from './comparison-sections.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import type { Verdict } from '../../verdict/verdict.ts'

const failing = ruleWith('authentication/api-key-missing', { status: 'failed', findings: [findingWith()] })
const otherTarget = targetWith({ baseUrl: 'https://b.example', label: 'vendor B' })

function comparisonOf(first: Verdict, ...others: readonly Verdict[]): Comparison {
  return compared(
    sideOf('first', first),
    others.map((verdict, index) => sideOf(`other ${index + 1}`, verdict)),
  )
}

/** What is said first of a difference from a conformant run. */
function claimOf(changes: Partial<Verdict>): string | null {
  const { sides, differences } = comparisonOf(verdictWith(), verdictWith(changes))
  const [first] = sides
  const [difference] = differences
  return first === undefined || difference === undefined ? null : claim(first, difference)
}

describe('runs side by side', () => {
  it('are worse when one of several is worse than the first', () => {
    const broken = verdictWith({ rules: rulesWith([failing]) })

    expect(comparisonOf(verdictWith(), verdictWith()).worse).toBe(false)
    expect(comparisonOf(broken, verdictWith(), broken).worse).toBe(false)
    expect(comparisonOf(verdictWith(), verdictWith(), broken)).toMatchObject({
      worse: true,
      differences: [{ worse: false }, { worse: true }],
    })
  })

  it('tell what a finding says that is new, and one that is gone', () => {
    const [difference] = comparisonOf(verdictWith(), verdictWith({ rules: rulesWith([failing]) })).differences

    expect(difference?.rules.filter(({ worse }) => worse)).toEqual([
      {
        rule: failing.id,
        kind: 'newly failing',
        before: 'passed',
        after: 'failed',
        worse: true,
        found: [
          { fingerprint: '3f2a9c0d1e4b5a67', summary: 'answered 401 / 1006 where 400 / 1001 is documented' },
        ],
        gone: [],
        notAsked: [],
      },
    ])
  })

  it('tell what was not asked again, since it needs conditions and they differ with the seed', () => {
    const sent = { endpoint: 'GET /', client: 'target', plain: false, flaws: [], requests: 1 } as const
    const findings = [findingWith({ sent: { ...sent, conditions: ['accept-language: de'] } })]
    const rules = rulesWith([{ ...failing, findings }])
    const ruleOf = (seed: number) =>
      comparisonOf(verdictWith({ rules }), verdictWith({ seed }))
        .differences.flatMap(groupsOf)
        .map(({ kind, rules: changed }) => [kind, changed.flatMap(findingLines)])

    expect(ruleOf(7)).toEqual([
      ['changed', [expect.stringMatching(/^not asked this time: 3f2a9c0d1e4b5a67 answered 401/)]],
    ])
    expect(ruleOf(20260101)).toEqual([['mended', [expect.stringMatching(/^- 3f2a9c0d1e4b5a67/)]]])
  })

  it('do not take a finding by another case or seed for a new one', () => {
    const rules = rulesWith([
      { ...failing, findings: [findingWith({ case: 'authentication/api-key-missing:7:other' })] },
    ])
    const comparison = comparisonOf(
      verdictWith({ rules: rulesWith([failing]) }),
      verdictWith({ seed: 7, rules }),
    )

    expect(comparison.worse).toBe(false)
    expect(comparison.differences[0]?.rules.every(({ kind }) => kind === 'unchanged')).toBe(true)
    expect(comparison.differences[0]?.circumstances).toEqual([
      { what: 'the seed', before: '20260101', after: '7' },
    ])
  })

  it('have a row for every rule of any run, in the order of the catalogue, and show those that did not pass', () => {
    const few = verdictWith({ rules: [failing] })
    const comparison = comparisonOf(few, verdictWith())

    expect(comparison.matrix.map(({ rule }) => rule)).toEqual(
      countedRules(verdictWith().rules).map(({ id }) => id),
    )
    expect(comparison.matrix.find(({ rule }) => rule === failing.id)?.statuses).toEqual(['failed', 'passed'])
    expect(comparison.matrix.find(({ rule }) => rule === 'quota/exhausted')?.statuses).toEqual([
      null,
      'passed',
    ])
    expect(tellingRows(comparisonOf(verdictWith(), verdictWith()))).toEqual([])
  })

  it('of ten thousand findings is there at once, and shows five', () => {
    const findings = Array.from({ length: 10_000 }, (_, index) =>
      findingWith({ fingerprint: index.toString(16).padStart(16, '0') }),
    )
    const many = verdictWith({ rules: rulesWith([{ ...failing, findings }]) })
    const [difference] = comparisonOf(verdictWith(), many).differences
    const [group] = difference === undefined ? [] : groupsOf(difference)
    const [rule] = group?.rules ?? []

    expect(rule?.found).toHaveLength(10_000)
    expect(rule === undefined ? [] : findingLines(rule)).toHaveLength(6)
    expect(rule === undefined ? [] : findingLines(rule)).toContain('+ and 9995 more')
  })
})

describe('what a difference may be put down to', () => {
  it.each<[string, Partial<Verdict>, RegExp]>([
    ['a run like the first', {}, /^The same target, suite and settings\.$/],
    ['another seed', { seed: 7 }, /need not be a change of the target:$/],
    ['another suite', { suite: { version: '2.0.0' } }, /need not be a change of the target:$/],
    ['another target', { target: otherTarget }, /^Two targets, the same suite and settings/],
    [
      'another target and profile',
      { target: otherTarget, profile: 'nightly' },
      /need not lie with the targets:$/,
    ],
    ['a run that judged nothing', { rules: [] }, /^This run judged nothing/],
  ])('of %s', (_, changes, sentence) => {
    expect(claimOf(changes)).toMatch(sentence)
  })

  it('is that a run was not reached, and not which fixtures it had', () => {
    const rules = verdictWith().rules.map((rule) => ({ ...rule, status: 'untested' as const }))
    const { differences } = comparisonOf(verdictWith(), verdictWith({ rules }))

    expect(claimOf({ rules })).toMatch(/^This run judged nothing/)
    expect(differences[0]?.circumstances).toEqual([])
  })

  it('is nothing where the first run judged nothing', () => {
    const { sides, differences } = comparisonOf(errorVerdict(), verdictWith())
    const [first] = sides
    const [difference] = differences

    expect(first === undefined || difference === undefined ? null : claim(first, difference)).toMatch(
      /^The first run judged nothing/,
    )
  })

  it('never says of two targets that one was mended or broke', () => {
    const titles = (target: Verdict['target']): readonly string[] =>
      comparisonOf(
        verdictWith({ rules: rulesWith([failing]) }),
        verdictWith({ target, rules: rulesWith([{ ...failing, id: 'quota/exhausted' }]) }),
      ).differences.flatMap((difference) => groupsOf(difference).map(({ title }) => title))

    expect(titles(verdictWith().target)).toEqual(['newly failing (1)', 'mended (1)'])
    expect(titles(otherTarget)).toEqual([
      'fails here, and not in the first (1)',
      'breached in the first, and not here (1)',
    ])
  })

  it('calls runs by label and build, if each has its own, else by path', () => {
    const names = (...both: readonly [label: string | null, build: string | null][]): readonly string[] =>
      namesOf(
        both.map(([label, build], index) =>
          sideOf(`${index}`, verdictWith({ target: { ...otherTarget, label, build } })),
        ),
      )

    expect(names(['A', null], ['B', null])).toEqual(['A', 'B'])
    expect(names(['A', '41'], ['A', '42'])).toEqual(['A, build 41', 'A, build 42'])
    expect(names(['A', '42'], ['A', '42'])).toEqual(['0', '1'])
    expect(names(['A', '42'], [null, null])).toEqual(['0', '1'])
  })

  it('ends in how many rules are worse, and the exit code', () => {
    const broken = verdictWith({ rules: rulesWith([failing]) })

    expect(outcomeSentence(comparisonOf(verdictWith(), broken))).toBe(
      '1 rule came out worse than in first (exit 1)',
    )
    expect(outcomeSentence(comparisonOf(verdictWith(), broken, broken))).toMatch(/^1 rule came out worse/)
    expect(outcomeSentence(comparisonOf(broken, broken))).toBe('nothing is worse than in first (exit 0)')
  })
})
