import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CaseClass, MutatedRequest } from './case-class.ts'
import { draw, drawNamed, schedule, whole, type Drawn } from './case-schedule.ts'

function mutated(says: string): MutatedRequest {
  return { says, apply: (request) => request, treatment: 'oracle', transportMayRefuse: false }
}

/** A class that draws numbers up to a million, or returns the given case. */
function classOf(name: string, weight = 1, more: Partial<CaseClass> = {}): CaseClass {
  return {
    name,
    weight,
    gate: true,
    nth: () => fc.nat(1_000_000).map((number) => mutated(String(number))),
    ...more,
  }
}

const listed = classOf('listed', 1, { count: 2, nth: (nth) => fc.constant(mutated(`the ${nth}th`)) })

/** The simplest case for which `fails` holds, found by shrinking as in a run. */
function shrunk(first: Drawn, fails: (mutated: MutatedRequest) => boolean): Drawn {
  let simplest = first
  for (;;) {
    const next: Drawn | undefined = [...simplest.simpler()].find((one) => fails(one.mutated))
    if (next === undefined) return simplest
    simplest = next
  }
}

describe('a drawn case', () => {
  it('depends only on the root seed, the rule and its name', () => {
    const place = { caseClass: classOf('numbers'), nth: 3 }
    const says = (seed: number, rule: string, nth = 3): string =>
      draw({ ...place, nth }, seed, rule).mutated.says

    expect(says(1, 'fuzz/query')).toBe(says(1, 'fuzz/query'))
    const others = [
      says(1, 'fuzz/query'),
      says(2, 'fuzz/query'),
      says(1, 'fuzz/path'),
      says(1, 'fuzz/query', 4),
    ]
    expect(new Set(others).size).toBe(4)
  })

  it('is found again by its name, even after shrinking', () => {
    const classList = [listed, classOf('numbers')]
    fc.assert(
      fc.property(fc.nat(), fc.nat(50), fc.integer({ min: 1, max: 1_000 }), (seed, nth, bound) => {
        const first = draw({ caseClass: classList[1] ?? listed, nth }, seed, 'fuzz/query')
        fc.pre(Number(first.mutated.says) >= bound)
        const simplest = shrunk(first, ({ says }) => Number(says) >= bound)

        expect(simplest.mutated.says).toBe(String(bound))
        expect(drawNamed(simplest.name, classList, seed, 'fuzz/query')?.mutated.says).toBe(String(bound))
      }),
    )
  })

  it.each(['numbers', 'numbers.', 'numbers.x', 'other.1', 'numbers.1:', 'numbers.1:99999', 'listed.0:0', ''])(
    'is not found under the unknown name %j',
    (name) => {
      expect(drawNamed(name, [listed, classOf('numbers')], 1, 'fuzz/query')).toBeNull()
    },
  )
})

describe('the schedule', () => {
  const classList = [classOf('near', 6), classOf('rare', 1), classOf('sometimes', 2), classOf('often', 3)]
  const names = (count: number): readonly string[] =>
    [...schedule(classList, count)].map(({ caseClass: { name } }) => name)

  it('starts with the same cases for any number, so a larger number only adds cases', () => {
    expect(names(50).slice(0, 20)).toEqual(names(20))
  })

  it('starts with the cases that are always sent; a class of weight 0 sends no more', () => {
    const always = [classOf('first', 0, { always: 2, count: 5 }), classOf('both', 1, { always: 1, count: 5 })]
    const sent = [...schedule(always, 2)].map(({ caseClass: { name }, nth }) => `${name}.${nth}`)

    expect(sent).toEqual(['first.0', 'first.1', 'both.0', 'both.1', 'both.2'])
    expect([...schedule(whole(always), 0)]).toHaveLength(10)
  })
})
