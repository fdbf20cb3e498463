import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { isObject } from '../text/json-value.ts'
import { shapeTexts } from './compare-baselines.ts'
import { compareShapes, enoughToBeAlways, type ShapeDifference } from './compare-shapes.ts'
import { changed, json, seeds, wordOf } from './json.testing.ts'
import {
  entriesPath,
  isIdentifier,
  isProperty,
  itemsPath,
  parentOf,
  propertyPath,
  rootPath,
} from './shape-paths.ts'
import { countOf, emptyShape, mergeShapes, type Shape, shapeOf, typesOf } from './shape.ts'
import { toleratedChanges } from './tolerated.ts'

/** The merged shape of these values. */
function learned(...values: readonly unknown[]): Shape {
  return values.map(shapeOf).reduce(mergeShapes, emptyShape)
}

/** The shape of a value that has been seen often enough to count as constant. */
function always(value: unknown): Shape {
  return learned(...Array.from({ length: enoughToBeAlways }, () => value))
}

function differences(before: unknown, now: unknown): readonly ShapeDifference[] {
  return compareShapes(always(before), shapeOf(now))
}

const item = { id: 'cust_1', palette: { primary: '#00f', secondary: '#08f' }, weight: 1 }
const cut = { ...item, palette: { primary: '#00f' } }
const { id: _, ...without } = item
const numbered = '$.byId{} is number, and was string'
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
  [['x', 1, null], [[]], 'breaking container-changed', '$[] is array, and was string or number or null'],
  [byId('cust_12345', 'x'), byId('cust_67890', 1), 'breaking type-changed', numbered],
  [[item], [item, without, without], 'warning sometimes-missing', '$[].id is missing in 2 of 3'],
  [[item], [item, { ...item, palette: null }], 'warning sometimes-null', sometimesNull],
])('the change from %j to %j is %s', (before, now, kind, says) => {
  const found = differences(before, now).map((one) => `${one.severity} ${one.kind}: ${one.says}`)
  expect(found).toEqual([`${kind}: ${says}`])
})

function byId(id: string, value: unknown): unknown {
  return { byId: { [id]: value } }
}

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

const nested = { inner: 1 }

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
  ['a property of another type in some', [{ a: 'x' }], [{ b: 'x' }, { b: 1 }], ['$[].a removed']],
  ['a property of only some objects', [{ a: 'x' }], [{ b: 'x' }, {}], ['$[].a removed']],
  ['a property of all objects', [{ a: 'x' }], [{ b: 'x' }, { b: 'y' }], ['$[].a renamed']],
  ['an object with null inside', { a: { x: 1 } }, { b: { x: null } }, ['$.a renamed']],
  ['two renames', { a: 'x', b: { c: [1] } }, { d: { c: [2, 3] }, e: 'y' }, ['$.a renamed', '$.b renamed']],
  ['one of 20 additions', { a: nested }, { ...named('b', 19, only), last: nested }, ['$.a renamed']],
  ['one of 21 additions', { a: nested }, { ...named('b', 20, only), last: nested }, [removed]],
])('removed and renamed properties are distinguished for %s', (__, before, now, found) => {
  expect(differences(before, now).map(({ path, kind }) => `${path} ${kind}`)).toEqual(found)
})

test('renames are detected only among at most 20 removed properties', () => {
  const kinds = (count: number): ReadonlySet<string> =>
    new Set(differences(named('a', count, only), named('b', count, only)).map(({ kind }) => kind))

  const before = (count: number): object => ({ ...named('a', count, () => 1), last: {} })
  const isRenamed = [19, 20].map((count) => differences(before(count), { other: {} }).at(-1)?.kind)

  expect([kinds(20), kinds(21)]).toEqual([new Set(['renamed']), new Set(['removed'])])
  expect(isRenamed).toEqual(['renamed', 'removed'])
})

test('a property does not count as renamed if the baseline omitted something', () => {
  const baseline = { $: { object: 5 }, '$.a': { string: 5 } }
  const withCut = { ...baseline, $: { object: 5, cut: true } } as const

  expect(compareShapes(baseline, shapeOf({ b: 'x' }))).toMatchObject([{ kind: 'renamed' }])
  expect(compareShapes(withCut, shapeOf({ b: 'x' }))).toMatchObject([{ kind: 'removed' }])
})

const entry = { id: 'c1', palette: { primary: '#fff', shade: '#000' } }
const { palette } = entry
const list = '$ { list: array }'
const shaded = '$.list[].palette { shade: string, primary: string }'
const ofEntry = '$.list[] { id: string, palette: object }'
const unshaded = { list: [{ ...entry, palette: { primary: '#fff' } }] }

test.each<[about: string, path: string, now: unknown, before: string, after: string]>([
  ['a removed property', '$.list[].palette.shade', unshaded, shaded, '$.list[].palette { primary: string }'],
  [
    'a new name',
    '$.list[].id',
    { list: [{ key: 1, palette }] },
    ofEntry,
    '$.list[] { key: number, palette: object }',
  ],
  ['a different type', '$.list', { list: {} }, list, '$ { list: object }'],
  ['null', '$.list', { list: null }, list, '$ { list: null }'],
  ['a different item type', '$.list[]', { list: [1, 'x'] }, '$.list[]: object', '$.list[]: string | number'],
  ['a different root', '$', [entry], '$: object', '$: array'],
])('the texts of a shape before and after show %s', (__, path, now, before, after) => {
  expect(shapeTexts(shapeOf({ list: [entry] }), shapeOf(now), path)).toEqual({ before, after })
})

test('the texts of a shape mark optional properties, and list the changed one first among many', () => {
  const wide = named('p', 20, () => 1)
  const withZ = { ...wide, z: 'x' }
  const texts = shapeTexts(learned(withZ, withZ), learned(withZ, wide), '$.z')

  expect(texts.before).toMatch(/^\$ \{ z: string, pna: number, .*, … \}$/)
  expect(texts.after).toMatch(/^\$ \{ z\?: string, pna: number, .*, … \}$/)
})

describe('differences in arbitrary JSON', () => {
  const values = fc.array(json, { minLength: 1, maxLength: 6 })

  it('do not exist between equal values', () => {
    fc.assert(
      fc.property(values, (all) => {
        expect(compareShapes(learned(...all), learned(...all))).toEqual([])
      }),
    )
  })

  it('disappear once the baseline has learned the new values', () => {
    fc.assert(
      fc.property(values, values, (all, more) => {
        const widened = learned(...all, ...all, ...all, ...more)
        expect(compareShapes(widened, learned(...more))).toEqual([])
      }),
    )
  })

  it.each(toleratedChanges)('never result from a tolerated change: $name', ({ name }) => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        expect(compareShapes(always(value), shapeOf(changed(value, [name], seed)))).toEqual([])
      }),
    )
  })

  it('always result from a breaking change to a constant part, even among tolerated changes', () => {
    const all = toleratedChanges.map(({ name }) => name)
    let tried = 0

    fc.assert(
      fc.property(json, seeds, fc.boolean(), (value, seed, isAlone) => {
        const before = always(value)
        const now = isAlone ? value : changed(value, all, seed)
        for (const [path, other, kind] of Object.keys(before).flatMap((one) => breaking(one, before))) {
          tried += 1
          const here = compareShapes(before, shapeOf(broken(now, path, other))).filter(
            (one) => one.path === path && one.severity === 'breaking',
          )
          expect(here.map((one) => one.kind)).toEqual([expect.stringMatching(kind)])
        }
      }),
    )
    expect(tried).toBeGreaterThan(250)
  })
})

/** What happens to a property: it is removed, renamed, or gets another value. */
type Other = 'removed' | 'renamed' | { readonly value: unknown }

const otherValues = {
  string: [true, 1_001],
  number: ['x'],
  boolean: ['x'],
  object: [[]],
  array: [{}],
  null: [],
}

/**
 * The changes at a path that the baseline can reveal, with their kind. A removed property must have been in every object. A
 * changed one must have had a single type and never been null.
 */
function breaking(path: string, before: Shape): readonly (readonly [string, Other, RegExp])[] {
  const seen = before[path]
  const [type = 'null', ...further] = typesOf(seen)
  const wasAlways = isProperty(path) && countOf(seen) === before[parentOf(path) ?? path]?.object
  const changesType = type === 'object' || type === 'array' ? /^container-changed$/ : /^type-changed$/
  const isConstant = type !== 'null' && further.length === 0 && seen?.null === undefined
  return [
    ...(wasAlways ? ['removed' as const, 'renamed' as const] : []).map(
      (other) => [path, other, /^(?:removed|renamed)$/] as const,
    ),
    ...(isConstant ? otherValues[type] : []).map((value) => [path, { value }, changesType] as const),
    ...(isConstant ? [[path, { value: null }, /^became-null$/] as const] : []),
  ]
}

/** The value after a change to everything at this path. */
function broken(value: unknown, target: string, other: Other, path = rootPath): unknown {
  if (path === target && typeof other === 'object') return other.value
  if (Array.isArray(value)) return value.map((one) => broken(one, target, other, itemsPath(path)))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const at = isIdentifier(name) ? entriesPath(path) : propertyPath(path, name)
    return { name, at, inner: broken(inner, target, other, at) }
  })
  return Object.fromEntries(
    entries.flatMap(({ name, at, inner }) => {
      if (at !== target || typeof other === 'object') return [[name, inner]]
      return other === 'removed' ? [] : [[`${name}_renamed`, inner]]
    }),
  )
}
