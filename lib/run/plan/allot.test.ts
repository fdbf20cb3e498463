import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ruleIds, type RuleId } from '../../specification/rules.ts'
import { Budget } from '../send/budget.ts'
import { allot, byRank, openingControl, rejectionsBetween, type PlannedRule } from './plan.ts'

const [one, two, three] = ruleIds
if (one === undefined || two === undefined || three === undefined) throw new Error('too few rules')

function planned(id: RuleId, least: number, requests = least, first = Math.min(least, 1)): PlannedRule {
  return { id, cases: 1, least, requests, first, allotted: 0, byClient: {}, endpoints: [], untested: null }
}

const few = fc.nat({ max: 60 })
const rules = fc.tuple(fc.constantFrom(...ruleIds), few, few)
const plans = fc
  .uniqueArray(rules, { minLength: 1, maxLength: 12, selector: ([id]) => id })
  .map((all) => all.map(([id, least, more]) => planned(id, least, least + more)))
const limits = fc.integer({ min: 1, max: 3_000 })

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Checks the allotment of every plan and limit; `least` and `useful` are sums that include the opening control. */
function always(claim: (given: ReturnType<typeof allotted>) => void): void {
  fc.assert(fc.property(plans, limits, (plan, limit) => claim(allotted(plan, limit))))
}
function allotted(plan: readonly PlannedRule[], limit: number) {
  const allotment = allot(plan, limit)
  const least = sum(plan.map((rule) => rule.least)) + openingControl
  const useful = sum(plan.map(({ requests }) => requests)) + openingControl
  const rows = plan.map((rule) => ({ ...rule, given: allotment[rule.id] ?? -1 }))
  return { plan, limit, allotment, least, useful, rows, common: limit - sum(Object.values(allotment)) }
}

describe('allotting the budget', () => {
  it('leaves one request for the opening control and never exceeds the limit', () => {
    always(({ common, limit, allotment }) => {
      expect(common).toBeGreaterThanOrEqual(openingControl)
      expect(() => new Budget(limit, allotment)).not.toThrow()
    })
  })

  it('gives each rule a number, never more than it can use', () => {
    always(({ rows, allotment }) => {
      expect(Object.keys(allotment)).toHaveLength(rows.length)
      for (const { given, requests } of rows) expect(given >= 0 && given <= requests).toBe(true)
    })
  })

  it('gives every rule its minimum if that fits, and more only then', () => {
    always(({ rows, least, limit }) => {
      const isShort = rows.some((rule) => rule.given < rule.least)
      expect(isShort && least <= limit).toBe(false)
      expect(isShort && rows.some((rule) => rule.given > rule.least)).toBe(false)
    })
  })

  it('keeps a tenth in common for confirmations if the minimums fit but not everything does', () => {
    always(({ limit, least, useful, common }) => {
      const isScarce = useful + Math.ceil(limit / rejectionsBetween) > limit && least <= limit
      const kept = isScarce ? Math.min(limit - least, Math.ceil(limit / 10)) : 0
      expect(common - openingControl).toBeGreaterThanOrEqual(kept)
    })
  })

  const alike = [planned(one, 10), planned(two, 10), planned(three, 10)]
  const unlike = [planned(one, 10, 20, 2), planned(two, 10, 10, 3), planned(three, 4, 4, 4)]

  it.each<[string, number, readonly PlannedRule[], readonly number[]]>([
    ['gives the minimums if they fit exactly', 20, [planned(one, 10, 20), planned(two, 9)], [10, 9]],
    ['serves the rules in their order', 20, alike, [10, 6, 1]],
    ['gives each rule its first case before any rule gets its rest', 11, unlike, [2, 3, 4]],
    ['gives first cases in order', 7, unlike, [2, 3, 1]],
    [
      'gives all that rules can use if the limit is ample',
      500,
      [planned(one, 2, 8), planned(two, 3)],
      [8, 3],
    ],
    ['leaves enough for confirmations', 100, [planned(one, 10, 40), planned(two, 20, 55)], [40, 55]],
    ['keeps a tenth in common even if the minimums do not fit', 100, [planned(one, 500)], [89]],
    ['gives nothing if only the opening control fits', 1, [planned(one, 1)], [0]],
    ['gives what is left after the opening control', 2, [planned(one, 1)], [1]],
  ])('%s', (_, limit, plan, expected) => {
    expect(plan.map(({ id }) => allot(plan, limit)[id])).toEqual(expected)
  })

  it('orders rules by rank, with unranked ones last in their given order', () => {
    const ranks = new Map([
      [three, 0],
      [two, 1],
    ])
    const plan = [planned('own/rule', 1), planned(one, 1), planned(two, 1), planned(three, 1)]

    expect(byRank(plan, ranks).map(({ id }) => id)).toEqual([three, two, 'own/rule', one])
  })
})
