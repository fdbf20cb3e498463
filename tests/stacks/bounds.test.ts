import { describe, expect, it } from 'vitest'
import { boundsOf, mostAfterNone } from './bounds.ts'

// Held against tables of the binomial distribution.
describe('exact bounds at 95 %', () => {
  it.each([
    [0, 10, 0, 0.3085],
    [10, 10, 0.6915, 1],
    [5, 10, 0.1871, 0.8129],
    [1, 20, 0.0013, 0.2487],
    [57, 57, 0.9373, 1],
  ])('%i of %i', (seen, tried, from, to) => {
    expect(boundsOf(seen, tried).from).toBeCloseTo(from, 4)
    expect(boundsOf(seen, tried).to).toBeCloseTo(to, 4)
  })

  it('of none seen', () => {
    expect(mostAfterNone(1)).toBeCloseTo(0.95, 10)
    expect(mostAfterNone(19)).toBeCloseTo(0.1459, 4)
  })
})
