import { describe, expect, it } from 'vitest'
import { clopperPearson } from './bounds.ts'

describe('the interval of Clopper and Pearson', () => {
  // Values of R's binom.test, and of tables of the binomial distribution.
  it.each([
    [0, 10, 0, 0.3085],
    [5, 10, 0.1871, 0.8129],
    [10, 10, 0.6915, 1],
    [95, 100, 0.8872, 0.9836],
    [1, 20, 0.0013, 0.2487],
    [57, 57, 0.9373, 1],
  ])('for %i of %i is from %f to %f', (hits, all, low, high) => {
    const bounds = clopperPearson(hits, all)

    expect(bounds.low).toBeCloseTo(low, 4)
    expect(bounds.high).toBeCloseTo(high, 4)
  })

  it('is exact for thousands, too', () => {
    const { low, high } = clopperPearson(2_900, 3_000)

    expect(low).toBeGreaterThan(0.9594)
    expect(high).toBeLessThan(0.973)
  })
})
