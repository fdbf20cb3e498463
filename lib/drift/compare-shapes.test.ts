import { expect, test } from 'vitest'
import { compareShapes, type ShapeDifference } from './compare-shapes.ts'
import { wordOf } from './json.testing.ts'
import { always, learned } from './learned.testing.ts'
import { shapeOf, type Shape } from './shape.ts'

function differences(before: unknown, now: unknown): readonly ShapeDifference[] {
  return compareShapes(always(before), shapeOf(now))
}

const item = { id: 'cust_1', palette: { primary: '#00f', secondary: '#08f' }, weight: 1 }
const cut = { ...item, palette: { primary: '#00f' } }
const { id: _, ...without } = item
const renamed = '$.a.b was renamed to $.a.c, or removed while that was added'
const sometimesNull = '$[].palette is null in 1 of 2, and never was'

test.each<[before: unknown, now: unknown, kind: string, says: string]>([
  [{ list: [item] }, { list: [cut] }, 'breaking removed', '$.list[].palette.secondary was removed'],
  [{ a: { b: { c: 1 }, d: [{ e: 1 }] } }, {}, 'breaking removed', '$.a was removed'],
  [{ a: { b: 'x', d: 'y' } }, { a: { c: 'x', d: 'y' } }, 'breaking renamed', renamed],
  [{ 'an id': '17' }, { 'an id': 17 }, 'breaking type-changed', "$['an id'] is number, and was string"],
  [{ a: {} }, { a: [] }, 'breaking container-changed', '$.a is array, and was object'],
  [{ a: 'x' }, { a: {} }, 'breaking container-changed', '$.a is object, and was string'],
  [{ a: [1] }, { a: 'x' }, 'breaking container-changed', '$.a is string, and was array'],
  [[item], { items: [item] }, 'breaking container-changed', '$ is object, and was array'],
  [{ a: [{ b: 1 }] }, { a: [{ b: null }] }, 'breaking became-null', '$.a[].b is null, and was number'],
  [{ a: 1 }, null, 'breaking became-null', '$ is null, and was object'],
  [{ a: ['x', 'y'] }, { a: ['x', 1] }, 'breaking type-changed', '$.a[] is number, and was string'],
  [{ a: ['x'] }, { a: [{}, 1] }, 'breaking container-changed', '$.a[] is object or number, and was string'],
  [{ a: ['x', []] }, { a: [1] }, 'breaking type-changed', '$.a[] is number, and was array or string'],
  [
    byId('cust_12345', 'x'),
    byId('cust_67890', 1),
    'breaking type-changed',
    '$.byId{} is number, and was string',
  ],
  [[item], [item, without, without], 'warning sometimes-missing', '$[].id is missing in 2 of 3'],
  [[item], [item, { ...item, palette: null }], 'warning sometimes-null', sometimesNull],
])('from %j to %j is %s', (before, now, kind, says) => {
  const found = differences(before, now).map((one) => `${one.severity} ${one.kind}: ${one.says}`)
  expect(found).toEqual([`${kind}: ${says}`])
})

function byId(id: string, value: unknown): unknown {
  return { byId: { [id]: value } }
}

test('a difference names everything that was seen', () => {
  const says = '$ is array, and was string or number or null'
  expect(compareShapes(learned('x', 1, null, 'x', 1), shapeOf([]))).toEqual([
    { path: '$', kind: 'container-changed', severity: 'breaking', says },
  ])
})

const four = learned(item, item, item, item)
const often = learned(item, item, item, item, item, item, { id: null, palette: {} })
const byHand: Shape = { $: { object: 5 }, '$.a.b': { string: 5 } }
const many = Object.fromEntries(
  Array.from({ length: 2_500 }, (__, index) => [`a${'x'.repeat(index % 50)}_${wordOf(index)}`, 1]),
)

test.each<[about: string, before: Shape, now: unknown]>([
  ['what was there in fewer than five', four, {}],
  ['what was null in fewer than five', four, { ...item, palette: null }],
  ['what was missing or null before in any', often, { id: null, palette: {} }],
  ['the items of a list that is empty now', always([item]), []],
  ['the items of a list that were never seen', always([]), [item]],
  ['a property of what the baseline does not hold, as after an edit by hand', byHand, { a: {} }],
  ['the type of what was only ever null', always({ a: null }), { a: 1 }],
  ['an identifier that comes', always(byId('cust_12345', { a: 1 })), byId('cust_67890', { a: 2 })],
  ['an identifier that goes', always(byId('cust_12345', { a: 1 })), { byId: {} }],
  ['another number: JSON has one type of them', always({ a: 1 }), { a: 1.5 }],
  ['what was left out of a shape now', always({ zz: 1 }), { zz: 1, ...many }],
  ['what was left out of a shape before', always({ zz: 1, ...many }), { zz: 1, ...many }],
])('nothing is said of %s', (__, before, now) => {
  expect(compareShapes(before, shapeOf(now))).toEqual([])
})

const another = named('a', 19, (index) => index)
const twenty = named('a', 20, (index) => index)
const inner = { inner: 1 }

function named(prefix: string, count: number, value: (index: number) => unknown): object {
  return Object.fromEntries(
    Array.from({ length: count }, (__, index) => [`${prefix}${wordOf(index)}`, value(index)]),
  )
}

function only(index: number): unknown {
  return { [`only_${wordOf(index)}`]: 1 }
}

const removed = '$.a removed'
test.each<[about: string, before: unknown, now: unknown, differences: readonly string[]]>([
  ['properties of another type', { a: 'x' }, { b: 1 }, [removed]],
  ['a property that was there before', { a: 'x', b: 'y' }, { b: 'y' }, [removed]],
  ['a property at another place', { a: 'x', c: {} }, { c: { b: 'x' } }, [removed]],
  ['one of two', { a: 'x' }, { b: 'x', c: 'x' }, [removed]],
  ['null', { a: 'x' }, { b: null }, [removed]],
  ['an object with other properties', { a: { x: 1 } }, { b: { y: 1 } }, [removed]],
  ['an object with other properties, null', { a: { x: 1 } }, { b: { y: null } }, [removed]],
  ['one elsewhere', { a: 'x', c: { d: 1 } }, { c: { b: 'x' } }, [removed, '$.c.d removed']],
  ['one that fits two', { a: 'x', b: 'x' }, { c: 'x' }, [removed, '$.b removed']],
  ['one of another type in some objects', [{ a: 'x' }], [{ b: 'x' }, { b: 1 }], ['$[].a removed']],
  ['one that some objects have', [{ a: 'x' }], [{ b: 'x' }, {}], ['$[].a removed']],
  ['one that all objects have', [{ a: 'x' }], [{ b: 'x' }, { b: 'y' }], ['$[].a renamed']],
  ['one with null below', { a: { x: 1 } }, { b: { x: null } }, ['$.a renamed']],
  ['two', { a: 'x', b: { c: [1] } }, { d: { c: [2, 3] }, e: 'y' }, ['$.a renamed', '$.b renamed']],
  ['one of 20', { a: inner }, { ...named('b', 19, only), last: inner }, ['$.a renamed']],
  ['one of 21', { a: inner }, { ...named('b', 20, only), last: inner }, [removed]],
])('a property is renamed, or not, to %s', (__, before, now, found) => {
  expect(differences(before, now).map(({ path, kind }) => `${path} ${kind}`)).toEqual(found)
})

test('renaming is looked for where at most 20 were removed', () => {
  const kindsOf = (before: object, now: object): readonly string[] =>
    differences(before, now).map(({ path, kind }) => `${path} ${kind}`)
  const kinds = (count: number): ReadonlySet<string> =>
    new Set(differences(named('a', count, only), named('b', count, only)).map(({ kind }) => kind))

  expect([kinds(20), kinds(21)]).toEqual([new Set(['renamed']), new Set(['removed'])])
  expect(kindsOf({ ...another, last: {} }, { another: {} })).toContain('$.last renamed')
  expect(kindsOf({ ...twenty, last: {} }, { another: {} })).toContain('$.last removed')
})

test('a property is not renamed where the baseline left something out: it may have been there', () => {
  const baseline = { $: { object: 5 }, '$.a': { string: 5 } }
  const withCut = { ...baseline, $: { object: 5, cut: true } } as const

  expect(compareShapes(baseline, shapeOf({ b: 'x' }))).toMatchObject([{ kind: 'renamed' }])
  expect(compareShapes(withCut, shapeOf({ b: 'x' }))).toMatchObject([{ kind: 'removed' }])
})
