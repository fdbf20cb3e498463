import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { fixedSeed, propertySeed } from './support/property-seed.ts'

it('a property draws the same examples again', () => {
  const drawn = (): readonly string[] => fc.sample(fc.string(), 20)

  expect(drawn()).toEqual(drawn())
  expect(fc.readConfigureGlobal().seed).toBe(inject('propertySeed'))
})

it.each([
  [undefined, fixedSeed],
  ['', fixedSeed],
  ['0', 0],
  ['-2147483648', -2_147_483_648],
])('TESTS_SEED %j asks for %i', (asked, seed) => {
  expect(propertySeed(asked)).toBe(seed)
})

it('TESTS_SEED may ask for another seed each time', () => {
  const seeds = Array.from({ length: 20 }, () => propertySeed('random'))

  expect(new Set(seeds).size).toBeGreaterThan(10)
  for (const seed of seeds) expect(propertySeed(String(seed))).toBe(seed)
})

it.each(['Random', '1.5', '2147483648', '1e3', ' 1'])('TESTS_SEED %j is refused', (asked) => {
  expect(() => propertySeed(asked)).toThrow(`given ${JSON.stringify(asked)}, expected random or`)
})
