import { randomInt } from 'node:crypto'

/** Default seed of all property tests, so that results repeat. `TESTS_SEED` sets another one. */
export const fixedSeed = 20_240_229

/** The seed for `TESTS_SEED`, which is `random` or a 32-bit integer; {@link fixedSeed} if it is empty or absent. */
export function propertySeed(asked = ''): number {
  if (asked === '') return fixedSeed
  if (asked === 'random') return randomInt(2 ** 31)
  const seed = /^-?\d{1,10}$/.test(asked) ? Number(asked) : Number.NaN
  if (seed === (seed | 0)) return seed
  throw new Error(`TESTS_SEED: given ${JSON.stringify(asked)}, expected random or a 32-bit integer`)
}
