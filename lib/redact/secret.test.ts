import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { Secret } from './secret.ts'

it('a secret prints only its name, and reveals its value only on request', () => {
  const secret = new Secret('TARGET_API_KEY', 'ak_live_1')
  const printed = [
    String(secret),
    secret.toJSON(),
    inspect(secret),
    JSON.parse(JSON.stringify({ secret })).secret,
  ]

  expect(printed).toEqual(printed.map(() => '<TARGET_API_KEY>'))
  expect(secret.reveal()).toBe('ak_live_1')
  expect(Reflect.set(secret, 'name', 'other')).toBe(false)
})

it.each([
  ['TARGET_API_KEY', 'TARGET_API_KEY'],
  ['FIXTURE_2_KEY', 'FIXTURE_2_KEY'],
  ['TARGET_API_KEY with its last character dropped', null],
  ['the KEY', null],
  ['2_KEY', null],
  ['', null],
])('the variable of %j is %j', (name, variable) => {
  expect(new Secret(name, 'x').variable).toBe(variable)
})
