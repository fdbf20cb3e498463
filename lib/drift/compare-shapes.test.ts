import { describe, expect, it } from 'vitest'
import { compareShapes, type ShapeDifference } from './compare-shapes.ts'
import { wordOf } from './json.testing.ts'
import { always, learned } from './learned.testing.ts'
import { shapeOf } from './shape.ts'

function differences(before: unknown, now: unknown): readonly ShapeDifference[] {
  return compareShapes(always(before), shapeOf(now))
}

const item = { id: 'cust_1', palette: { primary: '#00f', secondary: '#08f' }, weight: 1 }

describe('a breaking difference', () => {
  const said = (before: unknown, now: unknown): readonly string[] =>
    differences(before, now).map(({ kind, severity, says }) => `${severity} ${kind}: ${says}`)
  const renamed = '$.a.b was renamed to $.a.c, or removed while that was added'
  const cut = { ...item, palette: { primary: '#00f' } }

  it.each<[before: unknown, now: unknown, kind: string, says: string]>([
    [{ list: [item] }, { list: [cut] }, 'removed', '$.list[].palette.secondary was removed'],
    [{ a: { b: 'x', d: 'y' } }, { a: { c: 'x', d: 'y' } }, 'renamed', renamed],
    [{ 'an id': '17' }, { 'an id': 17 }, 'type-changed', "$['an id'] is number, and was string"],
    [{ a: {} }, { a: [] }, 'container-changed', '$.a is array, and was object'],
    [{ a: 'x' }, { a: {} }, 'container-changed', '$.a is object, and was string'],
    [{ a: [1] }, { a: 'x' }, 'container-changed', '$.a is string, and was array'],
    [[item], { items: [item] }, 'container-changed', '$ is object, and was array'],
    [{ a: [{ b: 1 }] }, { a: [{ b: null }] }, 'became-null', '$.a[].b is null, and was number'],
    [{ a: 1 }, null, 'became-null', '$ is null, and was object'],
    [{ a: ['x', 'y'] }, { a: ['x', 1] }, 'type-changed', '$.a[] is number, and was string'],
    [{ a: ['x'] }, { a: [{}, 1] }, 'container-changed', '$.a[] is object or number, and was string'],
    [{ a: ['x', []] }, { a: [1] }, 'type-changed', '$.a[] is number, and was array or string'],
    [
      { byId: { cust_12345: 'x' } },
      { byId: { cust_67890: 1 } },
      'type-changed',
      '$.byId{} is number, and was string',
    ],
  ])('from %j to %j is %s', (before, now, kind, says) => {
    expect(said(before, now)).toEqual([`breaking ${kind}: ${says}`])
  })

  it('is one for a property with all that stands below it', () => {
    expect(differences({ a: { b: { c: 1 }, d: [{ e: 1 }] } }, {}).map(({ path }) => path)).toEqual(['$.a'])
  })

  it('names everything that was seen', () => {
    const before = learned('x', 1, null, 'x', 1)

    expect(compareShapes(before, shapeOf([]))).toEqual([
      {
        path: '$',
        kind: 'container-changed',
        severity: 'breaking',
        says: '$ is array, and was string or number or null',
      },
    ])
  })
})

describe('a warning', () => {
  it('is a property that is missing in some items only', () => {
    const { id: _, ...without } = item

    expect(differences([item], [item, without, without])).toEqual([
      { path: '$[].id', kind: 'sometimes-missing', severity: 'warning', says: '$[].id is missing in 2 of 3' },
    ])
  })

  it('is one that is null in some items only', () => {
    expect(differences([item], [item, { ...item, palette: null }])).toEqual([
      {
        path: '$[].palette',
        kind: 'sometimes-null',
        severity: 'warning',
        says: '$[].palette is null in 1 of 2, and never was',
      },
    ])
  })
})

describe('no difference', () => {
  it('is what was there in fewer than five', () => {
    const four = learned(item, item, item, item)

    expect(compareShapes(four, shapeOf({}))).toEqual([])
    expect(compareShapes(four, shapeOf({ ...item, palette: null }))).toEqual([])
    expect(compareShapes(learned(item, item, item, item, item), shapeOf({})).length).toBe(3)
  })

  it('is what was missing or null before in any', () => {
    const often = learned(item, item, item, item, item, item, { id: null, palette: {} })

    expect(compareShapes(often, shapeOf({ id: null, palette: {} }))).toEqual([])
  })

  it('is said of the items of a list that is empty now, or that were never seen', () => {
    expect(differences([item], [])).toEqual([])
    expect(differences([], [item])).toEqual([])
  })

  it('is said of a property of what the baseline does not hold, as after an edit by hand', () => {
    const baseline = { $: { object: 5 }, '$.a.b': { string: 5 } }

    expect(compareShapes(baseline, shapeOf({ a: {} }))).toEqual([])
  })

  it('is said of the type of what was only ever null', () => {
    expect(differences({ a: null }, { a: 1 })).toEqual([])
  })

  it('is an identifier that comes or goes', () => {
    expect(differences({ byId: { cust_12345: { a: 1 } } }, { byId: { cust_67890: { a: 2 } } })).toEqual([])
    expect(differences({ byId: { cust_12345: { a: 1 } } }, { byId: {} })).toEqual([])
  })

  it('is another number: JSON has one type of them', () => {
    expect(differences({ a: 1 }, { a: 1.5 })).toEqual([])
  })

  it('is said of what was left out of a shape', () => {
    const many = Object.fromEntries(
      Array.from({ length: 2_500 }, (_, index) => [`a${'x'.repeat(index % 50)}_${wordOf(index)}`, 1]),
    )

    expect(compareShapes(always({ zz: 1 }), shapeOf({ zz: 1, ...many }))).toEqual([])
    expect(compareShapes(always({ zz: 1, ...many }), shapeOf({ zz: 1, ...many }))).toEqual([])
    expect(compareShapes(always({ zz: 1, few: 1 }), shapeOf({ zz: 1 })).map(({ kind }) => kind)).toEqual([
      'removed',
    ])
  })
})

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
