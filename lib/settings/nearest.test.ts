import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { distance, meant } from './nearest.ts'

test.each([
  ['', '', 0],
  ['abc', 'abc', 0],
  ['', 'abc', 3],
  ['abc', 'acb', 1],
  ['abc', 'ab', 1],
  ['abc', 'abxc', 1],
  ['abc', 'axc', 1],
  ['ca', 'abc', 3],
  ['kitten', 'sitting', 3],
])('from %j to %j it is %i', (from, to, expected) => {
  expect(distance(from, to)).toBe(expected)
})

test('the distance is symmetric, 0 for equals only, and at most the longer length', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
  fc.assert(
    fc.property(text, text, (one, other) => {
      const away = distance(one, other)

      expect(away).toBe(distance(other, one))
      expect(away === 0).toBe(one === other)
      expect(away).toBeLessThanOrEqual(Math.max(one.length, other.length))
      expect(away).toBeGreaterThanOrEqual(Math.abs(one.length - other.length))
    }),
  )
})

test.each([
  ['methd', 'method'],
  ['Path', 'path'],
  ['accept', 'acceptance'],
  ['zzz', null],
  ['', null],
])('%j meant %s', (text, expected) => {
  expect(meant(text, ['method', 'path', 'acceptance'])).toBe(expected)
})
