import { describe, expect, it } from 'vitest'
import type { CaseClass, MutatedRequest } from './case-class.ts'
import { flawedRows, servedRows } from './request-rows.ts'
import { casesOf, inputOf } from './testing/requests.ts'

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', '3f2a9c0d-1e4b-5a67-89ab-cdef01234567')
const flawed = flawedRows(input)
const served = [servedRows(input)]

/** The rows of these classes under a condition. */
function under(condition: string, classes: readonly CaseClass[]): readonly MutatedRequest[] {
  const count = classes.reduce((sum, { count: own = 0 }) => sum + own, 0)
  return casesOf(classes, count)
    .map(({ mutated }) => mutated)
    .filter(({ conditions = [] }) => conditions.includes(condition))
}

describe('a row with a malformed date', () => {
  const date = 'if-modified-since: yesterday'

  it('may be refused in any way where the request would be served', () => {
    const rows = under(date, served)

    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every(({ fieldMayBeRefused }) => fieldMayBeRefused === true)).toBe(true)
  })

  it('leaves a flaw no code of another flaw', () => {
    const rows = under(date, flawed)

    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(({ fieldMayBeRefused }) => fieldMayBeRefused === true)).toEqual([])
    expect(rows.every(({ transportMayRefuse }) => transportMayRefuse)).toBe(true)
  })
})

describe('a row with a cookie or a token', () => {
  it.each([
    'an invented token in authorization',
    'an invented cookie',
    'an invented key in authorization: Bearer',
    'an invented secret in a cookie',
  ])('may be refused by a gateway that knows such: %s', (condition) => {
    const rows = under(condition, flawed)

    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every(({ transportMayRefuse }) => transportMayRefuse)).toBe(true)
  })
})
