import { describe, it } from 'vitest'
import { exactly, grouped, ratioOf, shown, spreadOf } from './spread.ts'

describe('a spread', () => {
  it.for([
    { values: [3], median: 3, least: 3, most: 3 },
    { values: [10, 9, 1], median: 9, least: 1, most: 10 },
    { values: [4, 1, 2, 100], median: 3, least: 1, most: 100 },
    { values: [5, 5, 5, 1, 9], median: 5, least: 1, most: 9 },
  ])('of $values has the median $median', ({ values, ...spread }, { expect }) => {
    expect(spreadOf(values)).toEqual(spread)
  })

  it('of nothing is refused', ({ expect }) => {
    expect(() => spreadOf([])).toThrow('no measurement')
  })
})

describe('a ratio', () => {
  it('is taken round by round, so that a slow round of both changes nothing', ({ expect }) => {
    expect(ratioOf([1, 10, 2], [2, 20, 4])).toEqual(exactly(0.5))
  })

  it('needs as many rounds of both', ({ expect }) => {
    expect(() => ratioOf([1, 2], [1])).toThrow('2 rounds cannot be set beside 1')
  })
})

describe('as text', () => {
  it.for([
    [{ median: 0.654, least: 0.61, most: 0.7 }, '0.65 (0.61–0.70)'],
    [{ median: 1.001, least: 0.999, most: 1.002 }, '1.00'],
    [{ median: 2, least: 1.5, most: 2 }, '2.00 (1.50–2.00)'],
    [{ median: 25.27, least: 9.9, most: 132 }, '25.3 (9.9–132.0)'],
    [{ median: 1_391.2, least: 200, most: 2_000 }, '1,391 (200–2,000)'],
  ] as const)('%o is %s', ([spread, text], { expect }) => {
    expect(shown(spread)).toBe(text)
  })

  it('thousands are grouped', ({ expect }) => {
    expect(grouped(43_831.4)).toBe('43,831')
  })
})
