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
  ['ACC', 'acceptance'],
  ['me', 'method'],
  ['p', null],
  ['zzz', null],
  ['', null],
])('%j meant %s', (text, expected) => {
  expect(meant(text, ['method', 'path', 'acceptance'])).toBe(expected)
})

test.each([
  ['a beginning comes before what is nearer', 'quot', ['quit', 'quotation'], 'quotation'],
  ['all of one beginning are named', 'rep', ['replay', 'report', 'rules'], 'replay or report'],
  ['too many of one beginning are not', '--max', ['--max-a', '--max-b', '--max-c', '--max-d'], null],
  ['all that are equally near are named', 'rune', ['run', 'runs', 'rules'], 'run or runs'],
])('%s', (_, text, candidates, expected) => {
  expect(meant(text, candidates)).toBe(expected)
})
