import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startingAt } from './starting-at.ts'

describe('an arbitrary that starts at a value', () => {
  it('gives it whatever is drawn', () => {
    expect(fc.sample(startingAt(40, fc.nat(50)), 5)).toEqual([40, 40, 40, 40, 40])
  })

  it('shrinks from there as the arbitrary does, alone and within others', () => {
    const alone = fc.check(fc.property(startingAt(40, fc.nat(50)), (number) => number < 17))
    expect(alone.counterexample).toEqual([17])

    const pair = fc.tuple(startingAt(30, fc.nat(50)), fc.nat(50))
    const within = fc.check(fc.property(pair, ([one]) => one < 10))
    expect(within.counterexample).toEqual([[10, 0]])
  })
})
