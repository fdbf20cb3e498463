import { describe, expect, it } from 'vitest'
import { flawPairs, flawsIn } from '../judge/power.ts'
import { flawPairClass } from './flaw-pairs.ts'
import { casesOf, inputOf, knownOf, requestOf } from './testing/requests.ts'

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')

describe('pairs of flaws', () => {
  const one = { ...flawPairClass(input), weight: 1 }
  const { count = 0 } = one
  const met = casesOf([one], count).map(({ mutated }) => flawsIn(knownOf(requestOf(input, mutated), input)))

  it('are two flaws each, every pair once', () => {
    const names = met.map((flaws) => flaws.join(' + '))
    expect(met.filter(({ length }) => length !== 2)).toEqual([])
    expect(new Set(names).size).toBe(count)
    expect(names.filter((name) => !flawPairs.includes(name))).toEqual([])
  })

  it('are all that need no client of their own', () => {
    const names = new Set(met.map((flaws) => flaws.join(' + ')))
    const ofClients = /inactive|customer|permitted|quota|invalid input|another client/
    expect(flawPairs.filter((name) => !ofClients.test(name) && !names.has(name))).toEqual([])
  })
})
