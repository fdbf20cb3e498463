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
])('the distance from %j to %j is %i', (from, to, expected) => {
  expect(distance(from, to)).toBe(expected)
})

test('the distance is symmetric, 0 only between equal texts, and at most the longer length', () => {
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
])('%j is taken to mean %s', (text, expected) => {
  expect(meant(text, ['method', 'path', 'acceptance'])).toBe(expected)
})

test.each([
  ['a match at the start beats a closer match', 'quot', ['quit', 'quotation'], 'quotation'],
  ['all matches at the start are suggested', 'rep', ['replay', 'report', 'rules'], 'replay or report'],
  ['too many matches at the start are left out', '--max', ['--max-a', '--max-b', '--max-c', '--max-d'], null],
  ['all equally close matches are suggested', 'rune', ['run', 'runs', 'rules'], 'run or runs'],
])('%s', (_, text, candidates, expected) => {
  expect(meant(text, candidates)).toBe(expected)
})
