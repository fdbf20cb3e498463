import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { xorshift128plus } from 'pure-rand/generator/xorshift128plus'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { flawRows } from '../specification/flaws.ts'
import { factNames, factValues, flawless } from '../judge/facts.ts'
import { flawsIn, rateExcluded, situations, unseenAtMost, type Situation } from './power.ts'

describe('the rate that right answers exclude', () => {
  it('is the rate, nothing without answers, at which all answers are right in one run of twenty', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (answers) => {
        const rate = rateExcluded(answers) ?? Number.NaN
        expect(rateExcluded(0)).toBeNull()
        expect((1 - rate) ** answers).toBeCloseTo(0.05, 9)
      }),
    )
  })
})

describe('the share of draws that meet something new', () => {
  it('is never said to be zero, and nothing is known without draws', () => {
    expect(unseenAtMost(0, 0)).toBe(1)
    expect(unseenAtMost(2_000, 0)).toBeGreaterThan(0.05)
    expect(unseenAtMost(2_000, 200)).toBeGreaterThan(unseenAtMost(2_000, 0))
  })

  // 20 kinds, each half as frequent as the one before, or all alike: the bound has to hold in 95 of 100 samples.
  it.each([0.5, 0.9, 1])('is below the bound in at least 95 of 100 samples: %s', (ratio) => {
    const weights = Array.from({ length: 20 }, (_, at) => ratio ** at)
    const sum = weights.reduce((a, b) => a + b, 0)
    const shares = weights.map((weight) => weight / sum)
    const random = xorshift128plus(7)
    const draw = (): number => {
      let left = uniformInt(random, 0, 999_999) / 1_000_000
      return shares.findIndex((share) => (left -= share) < 0)
    }
    let held = 0
    for (let sample = 0; sample < 400; sample += 1) {
      const met = new Map<number, number>()
      for (let at = 0; at < 60; at += 1) {
        const kind = draw()
        met.set(kind, (met.get(kind) ?? 0) + 1)
      }
      const once = [...met.values()].filter((times) => times === 1).length
      const unseen = shares.reduce((all, share, kind) => (met.has(kind) ? all : all + share), 0)
      if (unseen <= unseenAtMost(60, once)) held += 1
    }
    expect(held / 400).toBeGreaterThanOrEqual(0.95)
  })
})

describe('situations', () => {
  it('name every flaw that a request can have, once', () => {
    const possible = factNames.flatMap((fact) =>
      factValues[fact].filter((value) => value !== flawless[fact]).map((value) => ({ [fact]: value })),
    )
    const named = possible.flatMap((flaw) => flawsIn({ ...flawless, ...flaw }))
    expect(named).toEqual(flawRows)
    expect(new Set(named.map(({ name }) => name)).size).toBe(flawRows.length)
    expect(situations.flaw.map(({ name }) => name)).toEqual(named.map(({ name }) => name))
  })

  const pairs = new Map<string, Situation>(situations.pair.map((pair) => [pair.name, pair]))

  it.each([
    ['no x-api-key + no x-version', [], true],
    ['wrong x-secret-key + inactive', ['inactive'], true],
    ['no x-version + inactive', ['inactive'], true],
    ['blank x-version + inactive', ['inactive'], true],
    ['no x-version + quota used up', ['exhausted'], true],
    ['blank x-version + quota used up', ['exhausted'], false],
  ])('know what the settings must give for %s, and whether a profile sends it', (name, needs, isSent) => {
    expect(pairs.get(name)).toMatchObject({ needs, isSent })
  })

  it.each([
    'no x-api-key + wrong x-api-key',
    'wrong x-api-key + inactive',
    'inactive + not permitted',
    'unknown endpoint + invalid input',
  ])('pair no two flaws that exclude each other: %s', (name) => {
    expect(pairs.has(name)).toBe(false)
    expect(pairs.size).toBe(situations.pair.length)
  })
})
