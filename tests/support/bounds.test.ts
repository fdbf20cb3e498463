import { expect, it } from 'vitest'
import { clopperPearson } from './bounds.ts'

// Values from R's binom.test and from tables of the binomial distribution.
it.each([
  [0, 10, 0, 0.3085],
  [5, 10, 0.1871, 0.8129],
  [10, 10, 0.6915, 1],
  [95, 100, 0.8872, 0.9836],
  [1, 20, 0.0013, 0.2487],
  [57, 57, 0.9373, 1],
  [2_900, 3_000, 0.9596, 0.9728],
])('the interval of Clopper and Pearson for %i of %i is from %f to %f', (hits, all, low, high) => {
  const bounds = clopperPearson(hits, all)

  expect(bounds.low).toBeCloseTo(low, 4)
  expect(bounds.high).toBeCloseTo(high, 4)
})
