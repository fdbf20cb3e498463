import { describe, expect, it } from 'vitest'
import { countOf, mergeSeen, typeOf, typesOf } from './seen.ts'

describe('the type of a value', () => {
  it.each([
    [{}, 'object'],
    [[], 'array'],
    ['', 'string'],
    [0, 'number'],
    [false, 'boolean'],
    [null, 'null'],
  ])('%j: %s', (value, type) => {
    expect(typeOf(value)).toBe(type)
  })

  it.each([
    [undefined, 'undefined'],
    [1n, 'bigint'],
    [(): number => 1, 'function'],
    [Symbol('a'), 'symbol'],
  ])('is none of JSON: %s', (value, type) => {
    expect(() => typeOf(value)).toThrow(new TypeError(`${type} is not JSON`))
  })
})

describe('what was seen', () => {
  it('is counted, null included, and told by type, null left out', () => {
    const seen = { string: 2, null: 3, object: 1 } as const

    expect(countOf(seen)).toBe(6)
    expect(countOf(undefined)).toBe(0)
    expect(typesOf(seen)).toEqual(['object', 'string'])
    expect(typesOf({ string: 0, null: 1 })).toEqual([])
    expect(typesOf(undefined)).toEqual([])
  })

  it('is added up, and was left out in part where it was in either', () => {
    const seen = { string: 1, null: 2 }

    expect(mergeSeen(seen, { string: 3, array: 1 })).toEqual({ string: 4, null: 2, array: 1 })
    expect(mergeSeen(seen, seen)).not.toHaveProperty('cut')
    expect(mergeSeen({ ...seen, cut: true }, seen)).toHaveProperty('cut', true)
    expect(mergeSeen(seen, { ...seen, cut: true })).toHaveProperty('cut', true)
    expect(Object.keys(mergeSeen({ string: 1 }, { string: 1 }))).toEqual(['string'])
  })
})
