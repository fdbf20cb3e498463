import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draw, drawNamed, schedule, type Drawn } from './draw.ts'
import type { Fuzzed, Kind } from './fuzzed.ts'

function fuzzed(says: string): Fuzzed {
  return { says, apply: (request) => request, treatment: 'oracle', transportMayRefuse: false }
}

/** A kind that draws numbers up to a million, or says how manieth it is. */
function kind(name: string, weight = 1, more: Partial<Kind> = {}): Kind {
  return {
    name,
    weight,
    gate: true,
    nth: () => fc.nat(1_000_000).map((number) => fuzzed(String(number))),
    ...more,
  }
}

const listed = kind('listed', 1, { count: 2, nth: (nth) => fc.constant(fuzzed(`the ${nth}th`)) })

/** The simplest case for which `fails` holds, by the way that a run takes. */
function shrunk(first: Drawn, fails: (fuzzed: Fuzzed) => boolean): Drawn {
  let simplest = first
  for (;;) {
    const next: Drawn | undefined = [...simplest.simpler()].find((one) => fails(one.fuzzed))
    if (next === undefined) return simplest
    simplest = next
  }
}

describe('a drawn case', () => {
  it('depends on root seed, rule and name alone', () => {
    const place = { kind: kind('numbers'), nth: 3 }
    const says = (seed: number, rule: string, nth = 3): string =>
      draw({ ...place, nth }, seed, rule).fuzzed.says

    expect(says(1, 'fuzz/query')).toBe(says(1, 'fuzz/query'))
    const others = [
      says(1, 'fuzz/query'),
      says(2, 'fuzz/query'),
      says(1, 'fuzz/path'),
      says(1, 'fuzz/query', 4),
    ]
    expect(new Set(others).size).toBe(4)
  })

  it('is found again by its name, also the one that it was shrunk to', () => {
    const kinds = [listed, kind('numbers')]
    fc.assert(
      fc.property(fc.nat(), fc.nat(50), fc.integer({ min: 1, max: 1_000 }), (seed, nth, bound) => {
        const first = draw({ kind: kinds[1] ?? listed, nth }, seed, 'fuzz/query')
        fc.pre(Number(first.fuzzed.says) >= bound)
        const simplest = shrunk(first, ({ says }) => Number(says) >= bound)

        expect(simplest.fuzzed.says).toBe(String(bound))
        expect(drawNamed(simplest.name, kinds, seed, 'fuzz/query')?.fuzzed.says).toBe(String(bound))
      }),
    )
  })

  it.each(['numbers', 'numbers.', 'numbers.x', 'other.1', 'numbers.1:', 'numbers.1:99999', 'listed.0:0', ''])(
    'is not there under the name %j',
    (name) => {
      expect(drawNamed(name, [listed, kind('numbers')], 1, 'fuzz/query')).toBeNull()
    },
  )
})

describe('the schedule', () => {
  const kinds = [kind('near', 6), kind('rare', 1), kind('sometimes', 2), kind('beyond', 3, { gate: false })]
  const names = (count: number, gate = false): readonly string[] =>
    [...schedule(kinds, count, gate)].map(({ kind: { name } }) => name)

  it('gives every kind its share, and counts its cases from 0', () => {
    const places = [...schedule(kinds, 24, false)]
    const times = (name: string): number => places.filter((place) => place.kind.name === name).length

    expect(['near', 'rare', 'sometimes', 'beyond'].map(times)).toEqual([12, 2, 4, 6])
    expect(places.filter(({ kind: { name } }) => name === 'sometimes').map(({ nth }) => nth)).toEqual([
      0, 1, 2, 3,
    ])
  })

  it('sends every kind within as many cases as the weights come to', () => {
    expect(new Set(names(12)).size).toBe(4)
  })

  it('begins alike however many are asked for, so that more cases are only more', () => {
    expect(names(50).slice(0, 20)).toEqual(names(20))
  })

  it('leaves out of a gate what a gate does not send', () => {
    expect(names(100, true)).not.toContain('beyond')
    expect(names(100, true)).toHaveLength(100)
  })

  it('is empty without kinds', () => {
    expect([...schedule([], 5, false)]).toEqual([])
  })
})
