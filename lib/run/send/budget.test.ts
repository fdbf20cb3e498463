import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RuleId } from '../../specification/rules.ts'
import { forAll } from '../../text/properties.testing.ts'
import { noAnswer } from '../plan/cases.ts'
import type { Allotment } from '../plan/plan.ts'
import type { Purpose } from '../plan/suite-context.ts'
import { openBudget } from './sender.ts'

const [one, two] = ['authentication/api-key-missing', 'authentication/secret-key-missing'] as const
const three = 'versioning/version-missing'
const rules = [one, two, three] as const

type Step =
  | readonly ['take', RuleId, Purpose]
  | readonly ['restore' | 'topUp', RuleId, number]
  | readonly ['release', RuleId]

/** Whether the step succeeds; the budget may have no request left. */
function play(budget: ReturnType<typeof openBudget>, step: Step): boolean {
  try {
    if (step[0] === 'take') budget.take(step[1], step[2])
    else if (step[0] === 'release') budget.release(step[1])
    else budget[step[0]](step[1], step[2])
    return true
  } catch (error) {
    expect(noAnswer(error).none).toBe('budget')
    return false
  }
}

const rule = fc.constantFrom(...rules)
const purpose = fc.constantFrom<Purpose>('case', 'health-check', 'retry', 'confirming')
const aTake = { weight: 8, arbitrary: fc.tuple(fc.constant('take'), rule, purpose) }
const aRestore = fc.tuple(fc.constant('restore'), rule, fc.nat({ max: 20 }))
const aStep: fc.Arbitrary<Step> = fc.oneof(aTake, aRestore, fc.tuple(fc.constant('release'), rule))
const steps = fc.array(aStep, { maxLength: 80 })
/** A limit, and an allotment to some rules within it. */
const budgets = fc
  .tuple(fc.array(fc.tuple(rule, fc.nat({ max: 12 })), { maxLength: 3 }), fc.nat({ max: 12 }))
  .map(([pairs, common]) => {
    const allotment: Allotment = Object.fromEntries(pairs)
    const allotted = Object.values(allotment).reduce((sum, requests) => sum + requests, 0)
    return { allotment, limit: allotted + common }
  })

describe('the budget', () => {
  it('is never exceeded, can be spent in full, and keeps the allotment of a rule, whatever others take', () => {
    forAll(budgets, steps, ({ limit, allotment }, all) => {
      const budget = openBudget(limit, allotment)
      let sent = 0
      for (const step of all) {
        if (play(budget, step) && step[0] === 'take') sent += 1
        const reserved = rules.reduce((sum, id) => sum + budget.allottedTo(id), 0)
        expect(budget.spent().sent).toBe(sent)
        expect(sent + reserved).toBeLessThanOrEqual(limit)
      }
      for (const id of rules) budget.release(id)
      while (play(budget, ['take', one, 'health-check']));
      expect(budget.spent().sent).toBe(limit)

      const ofOthers = openBudget(limit, allotment)
      for (const step of all) if (step[1] !== one) play(ofOthers, step)
      for (let index = 0; index < (allotment[one] ?? 0); index += 1)
        expect(play(ofOthers, ['take', one, 'case'])).toBe(true)
    })
  })

  const take = (rule_: RuleId, purpose_: Purpose = 'case'): Step => ['take', rule_, purpose_]
  const give = (how: 'restore' | 'topUp', rule_: RuleId, to: number): Step => [how, rule_, to]
  const times = (count: number, step: Step): readonly Step[] => Array.from({ length: count }, () => step)
  const release: Step = ['release', one]
  const [own, others, retry] = [take(one), take(two), take(two, 'retry')]
  const inPart = [take(one, 'retry'), take(one, 'confirming')]

  // The requests sent (+) or refused (-), and the final allotments.
  it.each<[string, number, readonly number[], readonly Step[], string, readonly number[]]>([
    ['pays for retries from the unallotted rest', 5, [3], [...inPart, ...inPart, others], '++---', [3]],
    ['pays for cases from the allotment', 5, [3], [...inPart, ...times(4, own)], '+++++-', [0]],
    ['pays for further cases from the unallotted rest', 3, [1], times(4, own), '+++-', [0]],
    ['gives back what a rule does not need', 4, [3], [own, release, ...times(4, retry)], '++++-', [0]],
    ['gives nothing back twice', 3, [3], [release, release, ...times(4, others)], '+++-', [0]],
    ['restores what a rule needs', 10, [2, 3], [own, own, own, give('restore', one, 2)], '+++', [2, 3]],
    ['restores as much as possible', 10, [2, 3], [own, own, own, give('restore', one, 99)], '+++', [4, 3]],
    ['takes nothing from a rule when restoring', 10, [2, 3], [give('restore', two, 1)], '', [2, 3]],
    ['restores for other rules what is left', 10, [4], [give('restore', two, 99), take(three)], '-', [4, 6]],
    ['tops up a rule', 10, [6, 1], [own, release, give('topUp', two, 4)], '+', [0, 4]],
    ['tops up as much as possible', 10, [6, 1], [own, release, give('topUp', two, 100)], '+', [0, 6]],
    ['takes nothing from a rule that has enough', 10, [2, 5], [release, give('topUp', two, 3)], '', [0, 5]],
  ])('%s', (_, limit, allotted, all, sent, left) => {
    const budget = openBudget(limit, Object.fromEntries(allotted.map((count, at) => [rules[at], count])))
    const taken = all.map((step) => (play(budget, step) ? '+' : '-'))

    expect(taken.filter((_one, at) => all[at]?.[0] === 'take').join('')).toBe(sent)
    expect(rules.slice(0, left.length).map((id) => budget.allottedTo(id))).toEqual(left)
  })

  it.each<[number, readonly Purpose[]]>([
    [48, ['shrinking']],
    [73, ['confirming']],
    [98, ['confirming', 'retry']],
    [100, ['confirming', 'retry', 'health-check']],
    [100, ['confirming', 'retry', 'case']],
  ])('spends %i of 100 requests on %o and leaves the rest to more important purposes', (sent, purposes) => {
    const budget = openBudget(100, {})
    while (purposes.some((purpose_) => play(budget, take(one, purpose_))));

    expect(budget.spent().sent).toBe(sent)
  })

  it('counts requests by purpose, rule and client, except refused requests', () => {
    const budget = openBudget(6, { [one]: 2 })
    for (const step of [take(one), take(one, 'retry'), take(two, 'confirming'), take(two, 'retry')])
      play(budget, step)
    budget.take(two, 'health-check', 'second')

    expect(play(budget, take(two))).toBe(false)
    const byRule = { [one]: 2, [two]: 3 }
    const byClient = { target: 4, second: 1 }
    expect(budget.spent()).toEqual({ sent: 5, retried: 2, confirming: 1, byRule, byClient })
  })

  it('cannot allot more than it holds', () => {
    expect(() => openBudget(3, { [one]: 2, [two]: 2 })).toThrow(RangeError)
    expect(() => openBudget(4, { [one]: 2, [two]: 2 })).not.toThrow()
  })
})
