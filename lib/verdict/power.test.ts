import fc from 'fast-check'
import { expect, it } from 'vitest'
import { flawRows, flawless } from '../specification/flaws.ts'
import { flawsIn, rateExcluded, situations, type Situation } from './power.ts'

it('correct answers exclude the fault rate at which one run in twenty has only such answers', () => {
  expect(rateExcluded(0)).toBeNull()
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (answers) => {
      expect((1 - (rateExcluded(answers) ?? Number.NaN)) ** answers).toBeCloseTo(0.05, 9)
    }),
  )
})

it('situations name every possible flaw once', () => {
  const named = flawRows.flatMap(({ fact, value }) => flawsIn({ ...flawless, [fact]: value }))
  expect(named).toEqual(flawRows)
  expect(new Set(named.map(({ name }) => name)).size).toBe(flawRows.length)
  expect(situations.flaw.map(({ name }) => name)).toEqual(named.map(({ name }) => name))
})

const pairs = new Map<string, Situation>(situations.pair.map((pair) => [pair.name, pair]))

it.each([
  ['no x-api-key + no x-version', [], true],
  ['wrong x-secret-key + inactive', ['inactive'], true],
  ['no x-version + inactive', ['inactive'], true],
  ['blank x-version + inactive', ['inactive'], true],
  ['no x-version + quota used up', ['exhausted'], true],
  ['blank x-version + quota used up', ['exhausted'], false],
])('the situation %s states what it needs and whether a profile sends it', (name, needs, isSent) => {
  expect(pairs.get(name)).toMatchObject({ needs, isSent })
})

it.each([
  'no x-api-key + wrong x-api-key',
  'wrong x-api-key + inactive',
  'inactive + not permitted',
  'unknown endpoint + invalid input',
])('situations do not pair flaws that exclude each other: %s', (name) => {
  expect(pairs.has(name)).toBe(false)
  expect(pairs.size).toBe(situations.pair.length)
})
