import { expect, it } from 'vitest'
import { isIntermittent, isSteady } from './reproduced.ts'

it.each<[reproduced: string, steady: boolean, intermittent: boolean]>([
  ['3 of 3', true, false],
  ['2 of 2', true, false],
  ['1 of 1', false, false],
  ['1 of 3', false, true],
  ['12 of 13', false, true],
])('%s: seen every time %s, only sometimes %s', (reproduced, steady, intermittent) => {
  expect(isSteady({ reproduced })).toBe(steady)
  expect(isIntermittent({ reproduced })).toBe(intermittent)
})
