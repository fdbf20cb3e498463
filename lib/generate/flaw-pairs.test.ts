import { describe, expect, it } from 'vitest'
import { flawsIn, flawsName, situations } from '../judge/power.ts'
import { flawPairClass } from './flaw-pairs.ts'
import { casesOf, inputOf, knownOf, requestOf } from './testing/requests.ts'

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')

describe('pairs of flaws', () => {
  const one = { ...flawPairClass(input), weight: 1 }
  const { count = 0 } = one
  const known = situations.pair.map(({ name }) => name)
  const met = casesOf([one], count).map(({ mutated }) => flawsIn(knownOf(requestOf(input, mutated), input)))

  it('are two flaws each, every pair once', () => {
    const names = met.map(flawsName)
    expect(met.filter(({ length }) => length !== 2)).toEqual([])
    expect(new Set(names).size).toBe(count)
    expect(names.filter((name) => !known.includes(name))).toEqual([])
  })

  it('are all that need no client of their own', () => {
    const names = new Set(met.map(flawsName))
    const free = situations.pair.filter(({ needs }) => needs.length === 0)
    expect(free.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([])
  })
})
