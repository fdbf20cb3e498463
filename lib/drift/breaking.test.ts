import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breakingChangesOf, broken, mostBreakingChanges } from './breaking.testing.ts'
import { canonical, deep, json } from './json.testing.ts'

const error = { error_code: '1001', error_message: 'api key header is missing' }

describe('a breaking change', () => {
  const { error_message } = error

  it.each([
    ['removed', { error_message }],
    ['renamed', { error_code_renamed: '1001', error_message }],
    ['null', { ...error, error_code: null }],
    ['other-type', { ...error, error_code: true }],
    ['number-for-string', { ...error, error_code: 1_001 }],
  ] as const)('of a property: %s', (kind, expected) => {
    expect(broken(error, { place: ['error_code'], kind })).toEqual(expected)
  })

  it.each([
    ['other-container', [error]],
    ['null', null],
  ] as const)('of a whole value: %s', (kind, expected) => {
    expect(broken(error, { place: [], kind })).toEqual(expected)
  })

  it('is made of all items alike, or of one', () => {
    const list = { items: [{ a: 1 }, { b: 2 }, { a: 3 }] }

    expect(broken(list, { place: ['items', null, 'a'], kind: 'removed' })).toEqual({
      items: [{}, { b: 2 }, {}],
    })
    expect(broken(list, { place: ['items', 2, 'a'], kind: 'other-type' })).toEqual({
      items: [{ a: 1 }, { b: 2 }, { a: '3' }],
    })
    expect(broken(list, { place: ['items'], kind: 'other-container' })).toEqual({
      items: { items: list.items },
    })
  })

  it.each([
    { place: ['b'], kind: 'removed' },
    { place: ['a', 'b'], kind: 'null' },
    { place: [null], kind: 'null' },
    { place: ['a', 0], kind: 'null' },
    { place: ['a'], kind: 'number-for-string' },
    { place: ['a'], kind: 'other-container' },
    { place: [], kind: 'removed' },
    { place: ['toString'], kind: 'null' },
  ] as const)('changes nothing where there is nothing of the kind: %j', (change) => {
    expect(broken({ a: 1 }, change)).toEqual({ a: 1 })
  })

  it('does not take a name that is there already', () => {
    expect(broken({ a: 1, a_renamed: 2 }, { place: ['a'], kind: 'renamed' })).toEqual({
      a_renamed_: 1,
      a_renamed: 2,
    })
  })

  it('changes own properties only, whatever their names', () => {
    const value: object = JSON.parse('{"__proto__":{"polluted":"x"},"constructor":1}')
    const changed = broken(value, { place: ['__proto__', 'polluted'], kind: 'number-for-string' })

    expect(JSON.stringify(changed)).toBe('{"__proto__":{"polluted":1001},"constructor":1}')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

describe('the breaking changes of a value', () => {
  it('are all that there are', () => {
    expect(breakingChangesOf({ a: ['x', 1], b: null })).toEqual([
      { place: [], kind: 'null' },
      { place: [], kind: 'other-container' },
      { place: ['a'], kind: 'removed' },
      { place: ['a'], kind: 'renamed' },
      { place: ['a'], kind: 'null' },
      { place: ['a'], kind: 'other-container' },
      { place: ['b'], kind: 'removed' },
      { place: ['b'], kind: 'renamed' },
      { place: ['a', null], kind: 'null' },
      { place: ['a', null], kind: 'other-type' },
      { place: ['a', null], kind: 'number-for-string' },
    ])
  })

  it('are those of any item, where items differ', () => {
    const kinds = (value: unknown): readonly string[] =>
      breakingChangesOf(value)
        .filter(({ place }) => place.at(-1) === 'a')
        .map(({ kind }) => kind)
    const all = ['removed', 'renamed', 'null', 'other-type', 'other-container', 'number-for-string']

    expect(kinds([{ a: 'x' }, { a: [] }])).toEqual(all)
    expect(kinds([{ a: [] }, { a: 'x' }])).toEqual(all)
  })

  it('each change something, and nothing of what was given', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = canonical(value)
        for (const change of breakingChangesOf(value))
          expect(canonical(broken(value, change))).not.toBe(before)
        expect(canonical(value)).toBe(before)
      }),
    )
  })

  it('are bounded in number and depth', () => {
    const many = Array.from({ length: 3_000 }, (_, index) => [`name${index}`, 'x'] as const)

    expect(breakingChangesOf(Object.fromEntries(many))).toHaveLength(mostBreakingChanges)
    const changes = breakingChangesOf(JSON.parse(deep(200_000)))
    expect(Math.max(...changes.map(({ place }) => place.length))).toBe(32)
  })
})
