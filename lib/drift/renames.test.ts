import { describe, expect, it } from 'vitest'
import { compareShapes } from './compare-shapes.ts'
import type { ShapeDifference } from './difference.ts'
import { wordOf } from './json.testing.ts'
import { always } from './learned.testing.ts'
import { shapeOf } from './shape.ts'

function differences(before: unknown, now: unknown): readonly ShapeDifference[] {
  return compareShapes(always(before), shapeOf(now))
}

describe('renaming', () => {
  const kinds = (before: unknown, now: unknown): readonly string[] =>
    differences(before, now).map(({ path, kind }) => `${path} ${kind}`)

  it.each([
    ['of another type', { a: 'x' }, { b: 1 }],
    ['that were there before', { a: 'x', b: 'y' }, { b: 'y' }],
    ['at another place', { a: 'x', c: {} }, { c: { b: 'x' } }],
    ['of which there are two', { a: 'x' }, { b: 'x', c: 'x' }],
    ['that are null', { a: 'x' }, { b: null }],
    ['with other properties', { a: { x: 1 } }, { b: { y: 1 } }],
    ['with other properties, which are null', { a: { x: 1 } }, { b: { y: null } }],
  ])('is not seen in properties %s', (_, before, now) => {
    expect(kinds(before, now)).toEqual(['$.a removed'])
  })

  it('is not seen from one place to another where something else was removed', () => {
    expect(kinds({ a: 'x', c: { d: 1 } }, { c: { b: 'x' } })).toEqual(['$.a removed', '$.c.d removed'])
  })

  it('is not seen where two were removed that fit one', () => {
    expect(kinds({ a: 'x', b: 'x' }, { c: 'x' })).toEqual(['$.a removed', '$.b removed'])
  })

  it('is seen of each of several that differ in their shape', () => {
    expect(kinds({ a: 'x', b: { c: [1] } }, { d: { c: [2, 3] }, e: 'y' })).toEqual([
      '$.a renamed',
      '$.b renamed',
    ])
  })

  it.each([
    [20, 'renamed'],
    [21, 'removed'],
  ])('is looked for among %i properties: %s', (count, kind) => {
    const named = (prefix: string): object =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          `${prefix}${wordOf(index)}`,
          { [`only_${wordOf(index)}`]: 1 },
        ]),
      )
    const added = { ...named('b'), b_last: { inner: 1 } }

    expect(new Set(differences(named('a'), named('b')).map((one) => one.kind))).toEqual(new Set([kind]))
    expect(kinds({ a: { inner: 1 } }, Object.fromEntries(Object.entries(added).slice(1)))).toEqual([
      `$.a ${kind}`,
    ])
  })

  it('is not seen in a property that is of another type in some objects', () => {
    expect(kinds([{ a: 'x' }], [{ b: 'x' }, { b: 1 }])).toEqual(['$[].a removed'])
  })

  it('is seen also where what stands below is null now', () => {
    expect(kinds({ a: { x: 1 } }, { b: { x: null } })).toEqual(['$.a renamed'])
  })

  it('is not seen where more than 20 were removed, though one fits a new one', () => {
    const several = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${wordOf(index)}`, index]))

    expect(kinds({ ...several(19), last: {} }, { another: {} })).toContain('$.last renamed')
    expect(kinds({ ...several(20), last: {} }, { another: {} })).toContain('$.last removed')
  })

  it('is not seen in a property that only some objects have', () => {
    expect(kinds([{ a: 'x' }], [{ b: 'x' }, {}])).toEqual(['$[].a removed'])
    expect(kinds([{ a: 'x' }], [{ b: 'x' }, { b: 'y' }])).toEqual(['$[].a renamed'])
  })

  it('is not seen where the baseline left something out: it may have been there', () => {
    const baseline = { $: { object: 5 }, '$.a': { string: 5 } }
    const seen = shapeOf({ b: 'x' })

    expect(compareShapes(baseline, seen)).toMatchObject([{ kind: 'renamed' }])
    expect(compareShapes({ ...baseline, $: { object: 5, cut: true } }, seen)).toMatchObject([
      { kind: 'removed' },
    ])
  })

  it('is looked for among few only', () => {
    const named = (prefix: string): object =>
      Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`${prefix}${wordOf(index)}`, index]))

    expect(new Set(differences(named('a'), named('b')).map(({ kind }) => kind))).toEqual(new Set(['removed']))
  })
})
