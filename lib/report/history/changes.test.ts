import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RuleStatus } from '../../judge/record.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import type { HistoryRule } from '../../verdict/history-line.ts'
import { findingWith, ruleWith, sentWith, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { statuses } from '../../verdict/verdict.ts'
import {
  changedObservations,
  changesBetween,
  isWorse,
  circumstancesBetween,
  circumstanceText,
  type ChangeKind,
} from './changes.ts'
import { historyText, parsedLine } from './history.ts'

const rule = 'endpoints/list-succeeds'

/** A run with one rule, or without rules. Fingerprints in parentheses are waived. */
function run(status: RuleStatus | null, ...found: readonly string[]): HistoryLine {
  const line = historyLine(verdictWith({ rules: [] }))
  return { ...line, rules: status === null ? [] : [ruleOf(status, found)] }
}

function ruleOf(status: RuleStatus, found: readonly string[]): HistoryRule {
  const waived = found.filter((one) => one.startsWith('(')).map((one) => one.slice(1, -1))
  const fingerprints = found.map((one) => one.replaceAll(/[()]/g, ''))
  return { id: rule, status, fingerprints, intermittent: [], ...(waived.length === 0 ? {} : { waived }) }
}

const otherCircumstances = (before: HistoryLine, after: HistoryLine): readonly string[] =>
  circumstancesBetween(before, after).map(circumstanceText)

type Told = readonly [RuleStatus | null, ...string[]]

describe('the change in a rule', () => {
  it.each<[Told, Told, ChangeKind, boolean]>([
    [['passed'], ['passed'], 'unchanged', false],
    [['failed', 'a', 'b'], ['failed', 'b', 'a'], 'unchanged', false],
    [['untested'], ['untested'], 'unchanged', false],

    [['passed'], ['failed', 'a'], 'newly failing', true],
    [['untested'], ['failed', 'a'], 'newly failing', true],
    [['warned', 'a'], ['failed', 'a'], 'newly failing', true],
    [['waived', '(a)'], ['failed', 'a'], 'newly failing', true],
    [[null], ['failed', 'a'], 'newly failing', true],

    [['failed', 'a'], ['failed', 'a', 'b'], 'worse', true],
    [['failed', 'a', '(b)'], ['failed', 'a', 'b'], 'worse', true],
    [['passed'], ['warned', 'a'], 'worse', true],
    [['passed'], ['inconclusive'], 'worse', true],
    [['passed'], ['untested'], 'worse', true],
    [['warned', 'a'], ['inconclusive'], 'worse', true],

    [['passed'], [null], 'vanished', true],
    [['warned', 'a'], [null], 'vanished', true],
    [['failed', 'a'], [null], 'vanished', false],
    [['untested'], [null], 'vanished', false],
    [[null], ['passed'], 'appeared', false],
    [[null], ['inconclusive'], 'appeared', false],

    // A failing rule that is no longer judged is not fixed.
    [['failed', 'a'], ['inconclusive'], 'changed', false],
    [['untested'], ['inconclusive'], 'changed', false],
    // A new waiver makes a rule neither worse nor better.
    [['failed', 'a'], ['waived', '(a)'], 'changed', false],
    [['passed'], ['waived', '(a)'], 'changed', false],
    [['passed'], ['waived'], 'changed', false],
    [['failed', 'a', 'b'], ['failed', 'a', '(b)'], 'changed', false],
    [['waived', '(a)'], ['waived', '(b)'], 'changed', false],

    [['failed', 'a', 'b'], ['failed', 'a'], 'better', false],
    [['failed', 'a', 'b'], ['warned', 'a'], 'better', false],
    [['inconclusive'], ['passed'], 'better', false],
    [['waived'], ['passed'], 'better', false],

    [['failed', 'a'], ['passed'], 'mended', false],
    [['warned', 'a'], ['passed'], 'mended', false],
    [['waived', '(a)'], ['passed'], 'mended', false],
  ])('from %j to %j is %s', (before, after, kind, worse) => {
    const [change] = changesBetween(run(...before), run(...after))

    expect(change).toMatchObject({ rule, kind, before: before[0], after: after[0] })
    expect(change !== undefined && isWorse(change)).toBe(worse)
  })

  describe('with a finding under conditions', () => {
    const seen = run('failed', 'a', 'b')
    const before = { ...seen, rules: seen.rules.map((one) => ({ ...one, underConditions: ['b'] })) }
    const changeTo = (line: HistoryLine, from = before) => changesBetween(from, line)[0]
    const sameRows: Partial<HistoryLine> = {
      target: targetWith({ baseUrl: 'https://b.example', label: 'other' }),
      requests: { sent: 1, budget: 7 },
    }

    it.each<Partial<HistoryLine>>([
      { seed: 7 },
      { profile: 'acceptance' },
      { fuzzCases: 5 },
      { suite: { version: '9.9.9' } },
      { selection: { only: ['fuzz/*'] } },
      { selection: { only: null, essential: true } },
    ])('does not count the finding as gone in a run with %j', (changes) => {
      expect(changeTo({ ...run('failed', 'a'), ...changes })).toMatchObject({ gone: [], notAsked: ['b'] })
    })

    it.each<[Told, Partial<HistoryLine>, ChangeKind, readonly string[], readonly string[]]>([
      [['failed', 'a'], { seed: 7 }, 'changed', [], ['b']],
      [['warned', 'a'], { seed: 7 }, 'changed', [], ['b']],
      [['passed'], { seed: 7 }, 'better', ['a'], ['b']],
      [['inconclusive'], { seed: 7 }, 'changed', ['a'], ['b']],
      [['failed', 'a', 'c'], { seed: 7 }, 'worse', [], ['b']],
      [['failed', 'a'], sameRows, 'better', ['b'], []],
      [['passed'], sameRows, 'mended', ['a', 'b'], []],
    ])('to %j with %j is %s', (after, changes, kind, gone, notAsked) => {
      expect(changeTo({ ...run(...after), ...changes })).toMatchObject({ kind, gone, notAsked })
    })

    it('is not a fix if the only finding was not sent again', () => {
      const alone = { ...before, rules: [{ ...ruleOf('failed', ['b']), underConditions: ['b'] }] }

      expect(changeTo({ ...run('passed'), seed: 7 }, alone)).toMatchObject({ kind: 'changed', gone: [] })
    })

    it('takes the conditions from the request of the finding', () => {
      const sent = sentWith({ conditions: ['accept-language: de'] })
      const found = [findingWith({ fingerprint: 'a' }), findingWith({ fingerprint: 'b', sent })]
      const failed = ruleWith(rule, { status: 'failed', findings: found })
      const line = historyLine(verdictWith({ rules: [failed] }))

      expect(parsedLine(historyText(line))?.rules).toMatchObject([{ underConditions: ['b'] }])
    })
  })

  it('names findings that only one run has', () => {
    expect(changesBetween(run('failed', 'a', 'b'), run('failed', 'b', 'c'))).toMatchObject([
      { found: ['c'], gone: ['a'] },
    ])
  })

  it('is unchanged between a run and itself, and worse if a finding is new', () => {
    const told = fc.tuple(
      fc.constantFrom(...statuses),
      fc.uniqueArray(fc.constantFrom('a', 'b', '(c)', '(d)'), { maxLength: 4 }),
    )
    fc.assert(
      fc.property(told, told, ([before, was], [after, is]) => {
        const line = run(before, ...was)
        expect(changesBetween(line, line)).toMatchObject([{ kind: 'unchanged', found: [], gone: [] }])

        const changes = changesBetween(line, run(after, ...is))
        const isNew = is.some((one) => !one.startsWith('(') && !was.includes(one))
        if (isNew) expect(changes.filter(isWorse)).toHaveLength(1)
      }),
    )
  })
})

describe('other differences between two runs', () => {
  const line = historyLine(verdictWith())
  const withoutEndpoints = { target: { ...line.target, endpoints: [] } }

  it('exclude label, address, time and outcome', () => {
    const target = targetWith({ baseUrl: 'https://b.example', label: 'other' })
    const other = verdictWith({ target, startedAt: '2027-01-01T00:00:00.000Z', verdict: 'incomplete' })

    expect(otherCircumstances(line, historyLine(other))).toEqual([])
  })

  it.each<[Partial<HistoryLine>, string]>([
    [{ suite: { version: '9.9.9' } }, 'the suite changed from 1.0.0 to 9.9.9'],
    [{ target: { ...line.target, version: '2' } }, 'the requested version changed from 1 to 2'],
    [withoutEndpoints, 'the judged endpoints changed from /api/customizations/list to none'],
    [{ profile: 'nightly' }, 'the profile changed from gate to nightly'],
    [{ strict: true }, 'strict changed from false to true'],
    [{ seed: 7 }, 'the seed changed from 20260101 to 7'],
    [{ fuzzCases: 5 }, 'the fuzz cases per rule changed from 20 to 5'],
    [{ selection: { only: ['a', 'b'] } }, 'the selected rules changed from all to a,b'],
    [{ selection: { only: null, essential: true } }, 'one case a rule changed from false to true'],
    [{ requests: { sent: 1, budget: 7 } }, 'the budget changed from 500 to 7'],
  ])('include %j', (changes, sentence) => {
    expect(otherCircumstances(line, { ...line, ...changes })).toEqual([sentence])
  })

  it('exclude the seed between nightly runs, which always changes', () => {
    const nightly = { ...line, profile: 'nightly' } as const

    expect(otherCircumstances(nightly, { ...nightly, seed: 7 })).toEqual([])
    expect(otherCircumstances(line, { ...nightly, seed: 7 })).toContain('the seed changed from 20260101 to 7')
  })

  const waivable = 'authentication/stays-refused'

  it.each<[string, Partial<HistoryRule>, boolean]>([
    ['quota/exhausted', { status: 'untested' }, true],
    // The rule needs nothing.
    ['endpoints/list-succeeds', { status: 'untested' }, false],
    [waivable, { status: 'waived' }, true],
    // The rule is waived because of a breach elsewhere.
    [waivable, { status: 'waived', follows: ['a'] }, false],
  ])('list rules that lack what they need: %s with %j: %s', (id, changes, isSaid) => {
    const rules = line.rules.map((one) => (one.id === id ? { ...one, ...changes } : one))

    expect(otherCircumstances(line, { ...line, rules })).toEqual(
      isSaid ? [`the rules without what they need changed from none to ${id}`] : [],
    )
  })
})

it('observations change if they differ or exist in only one run', () => {
  const seen = (value: Readonly<Record<string, unknown>>) =>
    Object.entries(value).map(([id, one]) => ({ id, value: one }))

  expect(changedObservations(seen({ a: [1], b: 'x' }), seen({ a: [1], b: 'y', c: {} }))).toEqual([
    { id: 'b', before: 'x', after: 'y' },
    { id: 'c', before: null, after: {} },
  ])
})
