import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ruleIds, type RuleId } from '../../specification/rules.ts'
import { Budget } from '../send/budget.ts'
import { allot, openingControl, rejectionsBetween, type PlannedRule } from './allot.ts'

const [one, two, three] = ruleIds
if (one === undefined || two === undefined || three === undefined) throw new Error('too few rules')

function planned(
  id: RuleId,
  least: number,
  requests: number = least,
  first = Math.min(least, 1),
): PlannedRule {
  return { id, cases: 1, least, requests, first, allotted: 0, byClient: {}, endpoints: [], untested: null }
}

const plans = fc
  .uniqueArray(fc.constantFrom(...ruleIds), { minLength: 1, maxLength: 12 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc
          .tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 }))
          .map(([least, more]) => planned(id, least, least + more)),
      ),
    ),
  )
const limits = fc.integer({ min: 1, max: 3_000 })

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

describe('allotting the budget', () => {
  it('leaves one request for the opening control, and never gives more than there is', () => {
    fc.assert(
      fc.property(plans, limits, (plan, limit) => {
        const allotment = allot(plan, limit)
        expect(sum(Object.values(allotment))).toBeLessThanOrEqual(limit - openingControl)
        expect(() => new Budget(limit, allotment)).not.toThrow()
      }),
    )
  })

  it('gives no rule more than it can use, and each a number', () => {
    fc.assert(
      fc.property(plans, limits, (plan, limit) => {
        const allotment = allot(plan, limit)
        for (const { id, requests } of plan) {
          expect(allotment[id]).toBeGreaterThanOrEqual(0)
          expect(allotment[id]).toBeLessThanOrEqual(requests)
        }
        expect(Object.keys(allotment)).toHaveLength(plan.length)
      }),
    )
  })

  it('gives every rule what it must have wherever that fits', () => {
    fc.assert(
      fc.property(plans, limits, (plan, limit) => {
        fc.pre(sum(plan.map(({ least }) => least)) + openingControl <= limit)
        const allotment = allot(plan, limit)
        for (const { id, least } of plan) expect(allotment[id]).toBeGreaterThanOrEqual(least)
      }),
    )
  })

  it('gives every rule what it must have where that fits to the last request', () => {
    expect(allot([planned(one, 10, 20), planned(two, 9)], 20)).toEqual({ [one]: 10, [two]: 9 })
  })

  it('gives what one could use besides only when every rule has what it must have', () => {
    fc.assert(
      fc.property(plans, limits, (plan, limit) => {
        const allotment = allot(plan, limit)
        const hasMore = plan.some(({ id, least }) => (allotment[id] ?? 0) > least)
        const isShort = plan.some(({ id, least }) => (allotment[id] ?? 0) < least)
        expect(hasMore && isShort).toBe(false)
      }),
    )
  })

  it('serves the rules in their order', () => {
    const plan = [planned(one, 10), planned(two, 10), planned(three, 10)]

    expect(allot(plan, 20)).toEqual({ [one]: 10, [two]: 6, [three]: 1 })
  })

  it('gives each rule its first case before any rule gets the rest of its own', () => {
    const plan = [planned(one, 10, 20, 2), planned(two, 10, 10, 3), planned(three, 4, 4, 4)]

    expect(allot(plan, 11)).toEqual({ [one]: 2, [two]: 3, [three]: 4 })
    expect(allot(plan, 7)).toEqual({ [one]: 2, [two]: 3, [three]: 1 })
  })

  it('gives everything that could be used where the budget is ample', () => {
    expect(allot([planned(one, 2, 8), planned(two, 3)], 500)).toEqual({ [one]: 8, [two]: 3 })
  })

  it('gives every rule all that it can use where something is left to confirm with all the same', () => {
    expect(allot([planned(one, 10, 40), planned(two, 20, 55)], 100)).toEqual({
      [one]: 40,
      [two]: 55,
    })
  })

  it('keeps a tenth common where the musts fit and not all is of use, so that something is left to confirm with', () => {
    fc.assert(
      fc.property(plans, limits, (plan, limit) => {
        const useful = sum(plan.map(({ requests }) => requests)) + openingControl
        fc.pre(useful + Math.ceil(limit / rejectionsBetween) > limit)
        const musts = sum(plan.map(({ least }) => least)) + openingControl
        fc.pre(musts <= limit)
        const common = limit - openingControl - sum(Object.values(allot(plan, limit)))
        expect(common).toBeGreaterThanOrEqual(Math.min(limit - musts, Math.ceil(limit / 10)))
      }),
    )
  })

  it('keeps a tenth common also where the musts do not fit', () => {
    expect(allot([planned(one, 500)], 100)).toEqual({ [one]: 89 })
  })

  it('gives nothing where the opening control is all that fits', () => {
    expect(allot([planned(one, 1)], 1)).toEqual({ [one]: 0 })
    expect(allot([planned(one, 1)], 2)).toEqual({ [one]: 1 })
  })

  it('is the same every time', () => {
    const plan = [planned(one, 3, 9), planned(two, 5)]

    expect(allot(plan, 12)).toEqual(allot(plan, 12))
  })
})
