import { expect, it } from 'vitest'
import { profiles } from '../../settings/profiles.ts'
import { documentedPairs } from '../../specification/answers.ts'
import { rules } from '../../specification/rules.ts'
import { statuses } from '../../verdict/verdict.ts'
import { legend } from './legend.ts'

const all = legend.flatMap(({ facts }) => facts)

it('the legend explains every status, level, verdict, profile, code and term once, in one short line', () => {
  const words = all.map(({ label }) => label)
  const used = [
    ...statuses,
    ...new Set(Object.values(rules).map(({ level }) => level)),
    ...Object.keys(profiles),
    ...documentedPairs.map(({ status, errorCode }) => `${status} / ${errorCode}`),
    ...'conformant nonconformant incomplete error partial violated cause fingerprint seed'.split(' '),
    ...'counterexample waiver finding case baseline'.split(' '),
  ]

  expect(used.filter((word) => !words.includes(word))).toEqual([])
  expect(new Set(words).size).toBe(words.length)
  for (const { value } of all) expect(value.length).toBeLessThan(110)
})
