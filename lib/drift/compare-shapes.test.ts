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
])('the change from %j to %j is %s', (before, now, kind, says) => {
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
  ['a property that fewer than five answers had', four, {}],
  ['null instead of a value that fewer than five answers had', four, { ...item, palette: null }],
  ['a property that was missing or null in any earlier answer', often, { id: null, palette: {} }],
  ['the items of a list that is empty now', always([item]), []],
  ['the items of a list that was always empty', always([]), [item]],
  ['a property whose parent is not in the baseline, as after a manual edit', byHand, { a: {} }],
  ['the type of a property that was always null', always({ a: null }), { a: 1 }],
  ['a new identifier', always(byId('cust_12345', { a: 1 })), byId('cust_67890', { a: 2 })],
  ['a missing identifier', always(byId('cust_12345', { a: 1 })), { byId: {} }],
  ['a fraction instead of an integer', always({ a: 1 }), { a: 1.5 }],
  ['a property that the new shape leaves out', always({ zz: 1 }), { zz: 1, ...many }],
  ['a property that the earlier shape left out', always({ zz: 1, ...many }), { zz: 1, ...many }],
])('there is no difference for %s', (__, before, now) => {
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
  ['a property of another type', { a: 'x' }, { b: 1 }, [removed]],
  ['a property that existed before', { a: 'x', b: 'y' }, { b: 'y' }, [removed]],
  ['a property in another place', { a: 'x', c: {} }, { c: { b: 'x' } }, [removed]],
  ['two candidates', { a: 'x' }, { b: 'x', c: 'x' }, [removed]],
  ['a new property that is null', { a: 'x' }, { b: null }, [removed]],
  ['an object with other properties', { a: { x: 1 } }, { b: { y: 1 } }, [removed]],
  ['an object with other properties that are null', { a: { x: 1 } }, { b: { y: null } }, [removed]],
  ['two removals', { a: 'x', c: { d: 1 } }, { c: { b: 'x' } }, [removed, '$.c.d removed']],
  ['a property that fits two removed properties', { a: 'x', b: 'x' }, { c: 'x' }, [removed, '$.b removed']],
  [
    'a property that has another type in some objects',
    [{ a: 'x' }],
    [{ b: 'x' }, { b: 1 }],
    ['$[].a removed'],
  ],
  ['a property of only some objects', [{ a: 'x' }], [{ b: 'x' }, {}], ['$[].a removed']],
  ['a property of all objects', [{ a: 'x' }], [{ b: 'x' }, { b: 'y' }], ['$[].a renamed']],
  ['an object with null inside', { a: { x: 1 } }, { b: { x: null } }, ['$.a renamed']],
  ['two renames', { a: 'x', b: { c: [1] } }, { d: { c: [2, 3] }, e: 'y' }, ['$.a renamed', '$.b renamed']],
  ['one of 20 additions', { a: inner }, { ...named('b', 19, only), last: inner }, ['$.a renamed']],
  ['one of 21 additions', { a: inner }, { ...named('b', 20, only), last: inner }, [removed]],
])('removed and renamed properties are distinguished for %s', (__, before, now, found) => {
  expect(differences(before, now).map(({ path, kind }) => `${path} ${kind}`)).toEqual(found)
})

test('renames are detected only among at most 20 removed properties', () => {
  const kindsOf = (before: object, now: object): readonly string[] =>
    differences(before, now).map(({ path, kind }) => `${path} ${kind}`)
  const kinds = (count: number): ReadonlySet<string> =>
    new Set(differences(named('a', count, only), named('b', count, only)).map(({ kind }) => kind))

  expect([kinds(20), kinds(21)]).toEqual([new Set(['renamed']), new Set(['removed'])])
  expect(kindsOf({ ...another, last: {} }, { another: {} })).toContain('$.last renamed')
  expect(kindsOf({ ...twenty, last: {} }, { another: {} })).toContain('$.last removed')
})

test('a property does not count as renamed if the baseline omitted something', () => {
  const baseline = { $: { object: 5 }, '$.a': { string: 5 } }
  const withCut = { ...baseline, $: { object: 5, cut: true } } as const

  expect(compareShapes(baseline, shapeOf({ b: 'x' }))).toMatchObject([{ kind: 'renamed' }])
  expect(compareShapes(withCut, shapeOf({ b: 'x' }))).toMatchObject([{ kind: 'removed' }])
})
