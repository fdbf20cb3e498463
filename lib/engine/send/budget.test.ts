import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ruleIds, type RuleId } from '../../specification/rules.ts'
import type { Allotment } from '../plan/allot.ts'
import type { Purpose } from '../plan/test-request.ts'
import { Budget } from './budget.ts'
import { BudgetSpent, Inconclusive } from '../plan/errors.ts'

const [one, two, three, four] = [
  'authentication/api-key-missing',
  'authentication/secret-key-missing',
  'versioning/version-missing',
  'endpoints/list-succeeds',
] as const satisfies readonly RuleId[]
const rules = [one, two, three, four] as const

type Step =
  | { readonly kind: 'take'; readonly rule: RuleId; readonly purpose: Purpose }
  | { readonly kind: 'reserve'; readonly rule: RuleId; readonly requests: number }
  | { readonly kind: 'release'; readonly rule: RuleId }

const rule = fc.constantFrom(...rules)
const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('take' as const),
        rule,
        purpose: fc.constantFrom<Purpose>('case', 'health-check', 'retry', 'confirming'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('reserve' as const),
        rule,
        requests: fc.nat({ max: 20 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), rule }) },
  ),
  { maxLength: 80 },
)
/** A limit, and an allotment to some rules within it. */
const budgets = fc
  .tuple(fc.array(fc.tuple(rule, fc.nat({ max: 12 })), { maxLength: 3 }), fc.nat({ max: 12 }))
  .map(([pairs, common]) => {
    const allotment: Allotment = Object.fromEntries(pairs)
    const allotted = Object.values(allotment).reduce((sum, requests) => sum + requests, 0)
    return { allotment, limit: allotted + common }
  })

function wentOut(budget: Budget, ruleId: RuleId, purpose: Purpose): boolean {
  try {
    budget.take(ruleId, purpose)
    return true
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error
    return false
  }
}

function play(budget: Budget, step: Step): boolean {
  if (step.kind === 'take') return wentOut(budget, step.rule, step.purpose)
  if (step.kind === 'reserve') budget.reserve(step.rule, step.requests)
  else budget.release(step.rule)
  return true
}

describe('the budget', () => {
  it('is not passed by one, whatever is taken, reserved and released', () => {
    fc.assert(
      fc.property(budgets, steps, ({ limit, allotment }, all) => {
        const budget = new Budget(limit, allotment)
        let sent = 0
        for (const step of all) {
          if (play(budget, step) && step.kind === 'take') sent += 1
          const reserved = rules.reduce((sum, id) => sum + budget.allottedTo(id), 0)
          expect(budget.spent().sent).toBe(sent)
          expect(sent + reserved).toBeLessThanOrEqual(limit)
        }
      }),
    )
  })

  it('can be spent to the last request, whatever happened before', () => {
    fc.assert(
      fc.property(budgets, steps, ({ limit, allotment }, all) => {
        const budget = new Budget(limit, allotment)
        for (const step of all) play(budget, step)
        for (const id of rules) budget.release(id)
        while (wentOut(budget, one, 'health-check'));

        expect(budget.spent().sent).toBe(limit)
      }),
    )
  })

  it('keeps for every rule what was allotted to it, whatever the others take', () => {
    fc.assert(
      fc.property(budgets, steps, ({ limit, allotment }, all) => {
        const budget = new Budget(limit, allotment)
        const others = all.filter((step) => step.rule !== one)
        for (const step of others) play(budget, step)
        for (let index = 0; index < (allotment[one] ?? 0); index += 1) {
          expect(wentOut(budget, one, 'case')).toBe(true)
        }
      }),
    )
  })

  it('pays retries and confirmations from what nobody was allotted', () => {
    const budget = new Budget(5, { [one]: 3 })

    expect([wentOut(budget, one, 'retry'), wentOut(budget, one, 'confirming')]).toEqual([true, true])
    expect([wentOut(budget, one, 'retry'), wentOut(budget, two, 'case')]).toEqual([false, false])
    expect(budget.allottedTo(one)).toBe(3)
    expect([1, 2, 3, 4].map(() => wentOut(budget, one, 'case'))).toEqual([true, true, true, false])
  })

  it('pays cases beyond what was allotted from what is common', () => {
    const budget = new Budget(3, { [one]: 1 })

    expect([1, 2, 3, 4].map(() => wentOut(budget, one, 'case'))).toEqual([true, true, true, false])
  })

  it('says what was used up, in words for a report', () => {
    expect(new BudgetSpent(500, 'case')).toBeInstanceOf(Inconclusive)
    expect(new BudgetSpent(500, 'case').message).toMatch(
      /^the budget of 500 requests was used up \(RUN_MAX_REQUESTS/,
    )
    expect(() => new Budget(0, {}).take(one, 'case')).toThrow(new BudgetSpent(0, 'case'))
  })

  it('counts by purpose, by rule and by client, and not what it refused', () => {
    const budget = new Budget(6, { [one]: 2 })
    budget.take(one, 'case')
    budget.take(one, 'retry')
    budget.take(two, 'confirming')
    budget.take(two, 'retry')
    budget.take(two, 'health-check', 'second')

    expect(wentOut(budget, two, 'case')).toBe(false)
    expect(budget.spent()).toEqual({
      sent: 5,
      retried: 2,
      confirming: 1,
      byRule: { [one]: 2, [two]: 3 },
      byClient: { target: 4, second: 1 },
    })
  })

  it('gives back what a rule did not need', () => {
    const budget = new Budget(4, { [one]: 3 })
    budget.take(one, 'case')
    budget.release(one)

    expect(budget.allottedTo(one)).toBe(0)
    expect([1, 2, 3, 4].map(() => wentOut(budget, two, 'retry'))).toEqual([true, true, true, false])
  })

  it('gives nothing back twice', () => {
    const budget = new Budget(3, { [one]: 3 })
    budget.release(one)
    budget.release(one)

    expect([1, 2, 3, 4].map(() => wentOut(budget, two, 'case'))).toEqual([true, true, true, false])
  })

  it('gives a rule that took more than planned what it still needs, as far as there is something', () => {
    const budget = new Budget(10, { [one]: 2, [two]: 3 })
    for (let time = 0; time < 3; time += 1) budget.take(one, 'case')
    budget.restore(one, 2)
    budget.restore(two, 1)
    const allotted = [budget.allottedTo(one), budget.allottedTo(two)]
    budget.restore(one, 100)

    expect([...allotted, budget.allottedTo(one)]).toEqual([2, 3, 4])
  })

  it('reserves for a rule that the plan did not know, as far as there is something, and only once', () => {
    const budget = new Budget(10, { [one]: 4 })
    budget.reserve(one, 100)
    budget.reserve(two, 4)
    budget.reserve(two, 4)
    budget.reserve(three, 4)

    expect([one, two, three].map((id) => budget.allottedTo(id))).toEqual([4, 4, 2])
    expect(wentOut(budget, four, 'case')).toBe(false)
  })

  it('leaves a rule alone that was allotted nothing', () => {
    const budget = new Budget(10, { [one]: 0 })
    budget.reserve(one, 5)

    expect(budget.allottedTo(one)).toBe(0)
  })

  it('cannot allot more than it holds', () => {
    expect(() => new Budget(3, { [one]: 2, [two]: 2 })).toThrow(RangeError)
    expect(() => new Budget(4, { [one]: 2, [two]: 2 })).not.toThrow()
  })

  it('knows every rule', () => {
    const budget = new Budget(ruleIds.length, {})
    for (const id of ruleIds) budget.take(id, 'case')

    expect(Object.keys(budget.spent().byRule)).toEqual(ruleIds)
  })
})

describe('what health checks need', () => {
  it('is left to them by retries and confirmations', () => {
    const budget = new Budget(100, {})
    while (wentOut(budget, one, 'retry') || wentOut(budget, one, 'confirming'));

    expect(budget.spent().sent).toBe(98)
    expect([1, 2, 3].map(() => wentOut(budget, one, 'health-check'))).toEqual([true, true, false])
  })
})

describe('what decides whether a rule is judged', () => {
  it('is left by confirmations to retries, and to cases that need more than planned', () => {
    const budget = new Budget(100, {})
    while (wentOut(budget, one, 'confirming'));
    expect(budget.spent().sent).toBe(73)

    while (wentOut(budget, one, 'retry'));
    expect(budget.spent().sent).toBe(98)
    expect(wentOut(budget, one, 'case')).toBe(true)
  })
})

describe('what a rule did not need', () => {
  it('goes to a rule that was allotted too little, and no further than there is', () => {
    const budget = new Budget(10, { [one]: 6, [two]: 1 })
    budget.take(one, 'case')
    budget.release(one)
    budget.topUp(two, 4)
    expect(budget.allottedTo(two)).toBe(4)

    budget.topUp(two, 100)
    expect(budget.allottedTo(two)).toBe(6)
  })

  it('takes nothing from a rule that has enough', () => {
    const budget = new Budget(10, { [one]: 2, [two]: 5 })
    budget.release(one)
    budget.topUp(two, 3)

    expect(budget.allottedTo(two)).toBe(5)
  })

  it('is there for retries once nothing else is', () => {
    const budget = new Budget(3, { [one]: 3 })
    budget.release(one)

    for (let times = 0; times < 3; times += 1) budget.take(two, 'retry')
    expect(() => budget.take(two, 'retry')).toThrow(BudgetSpent)
  })
})
