import { expect, it } from 'vitest'
import { breaks } from './figures.ts'

it.for([
  [[0.68, 1.01], 0.8, false],
  [[1.01, 0.8], 0.8, false],
  [[0.81, 1.01], 0.8, true],
  [[Number.NaN], 0.8, true],
  [[9], null, false],
] as const)('rounds of %j break a bound of %s: %s', ([rounds, atMost, broken]) => {
  expect(breaks(['a figure', rounds, atMost])).toBe(broken)
})
