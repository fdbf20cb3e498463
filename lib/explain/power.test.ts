import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { xorshift128plus } from 'pure-rand/generator/xorshift128plus'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { flawRows } from '../specification/flaws.ts'
import { factNames, factValues, flawless } from '../judge/facts.ts'
import { flawsIn, rateExcluded, situations, unseenAtMost, type Situation } from './power.ts'

describe('the rate that right answers exclude', () => {
  it('is one in 160 after 480 answers, and nothing without answers', () => {
    expect(Math.floor(1 / (rateExcluded(480) ?? 1))).toBe(160)
    expect(rateExcluded(1)).toBeCloseTo(0.95, 10)
    expect(rateExcluded(19)).toBeCloseTo(0.1459, 4)
    expect(rateExcluded(0)).toBeNull()
  })

  it('is the rate at which all answers are right in one run of twenty', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (answers) => {
        const rate = rateExcluded(answers) ?? Number.NaN
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

  it('pair no two flaws that exclude each other', () => {
    const pairs = situations.pair.map(({ name }) => name)
    expect(pairs).toContain('no x-api-key + no x-version')
    expect(pairs).toContain('wrong x-secret-key + inactive')
    expect(pairs).not.toContain('no x-api-key + wrong x-api-key')
    expect(pairs).not.toContain('wrong x-api-key + inactive')
    expect(pairs).not.toContain('inactive + not permitted')
    expect(pairs).not.toContain('unknown endpoint + invalid input')
    expect(new Set(pairs).size).toBe(pairs.length)
  })

  it('know what the settings must give for them, and what no profile sends', () => {
    const pair = (name: string): Situation | undefined => situations.pair.find((one) => one.name === name)
    expect(pair('no x-version + inactive')).toMatchObject({ needs: ['inactive'], isSent: true })
    expect(pair('no x-api-key + no x-version')).toMatchObject({ needs: [], isSent: true })
    expect(pair('no x-version + quota used up')).toMatchObject({ needs: ['exhausted'], isSent: true })
    expect(pair('blank x-version + quota used up')).toMatchObject({ needs: ['exhausted'], isSent: false })
    expect(pair('blank x-version + inactive')).toMatchObject({ isSent: true })
  })
})
