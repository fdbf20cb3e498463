import { expect, it } from 'vitest'
import { breaks, inTurn, ratios, shown } from './figures.ts'

it('work is measured once per round, in reverse in every other round, and never concurrently', async () => {
  const order: string[] = []
  const work = (name: string) => async () => {
    order.push(`${name} begins`)
    await Promise.resolve()
    order.push(`${name} ends`)
    return order.length
  }

  const results = await inTurn(3, { a: work('a'), b: work('b') })

  expect(order).toEqual(['a', 'b', 'b', 'a', 'a', 'b'].flatMap((run) => [`${run} begins`, `${run} ends`]))
  expect([results('a'), results('b')]).toEqual([
    [2, 8, 10],
    [4, 6, 12],
  ])
})

it('no further round is measured once the results are enough', async () => {
  let measured = 0
  const count = (): Promise<number> => Promise.resolve((measured += 1))

  const results = await inTurn(5, { a: count }, (sofar) => sofar('a').includes(2))

  expect(results('a')).toEqual([1, 2])
})

it('a ratio is computed per round, so a slow round for both sides changes nothing', () => {
  expect(ratios([1, 10, 2], [2, 20, 4])).toEqual([0.5, 0.5, 0.5])
})

it.for([
  [[0.68, 1.01], 0.8, false],
  [[1.01, 0.8], 0.8, false],
  [[0.81, 1.01], 0.8, true],
  [[Number.NaN], 0.8, true],
  [[9], null, false],
] as const)('rounds of %j break a bound of %s: %s', ([rounds, atMost, broken]) => {
  expect(breaks(['a figure', rounds, atMost])).toBe(broken)
})

it.for([
  [[0.7, 0.61, 0.654], '0.65 (0.61–0.70)'],
  [[1.001, 0.999, 1.002], '1.00'],
  [[325, 325], '325'],
  [[326, 325, 325], '325 (325–326)'],
] as const)('rounds of %j are shown as %s', ([rounds, text]) => {
  expect(shown(rounds)).toBe(text)
})
