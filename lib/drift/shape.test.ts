import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { forAll } from '../text/properties.testing.ts'
import { shapeTexts, compareShapes, enoughToBeAlways, type ShapeDifference } from './compare-baselines.ts'
import { anyName, changed, deep, json, seeds, wordOf } from './json.testing.ts'
import { depthOf, isBelow, isIdentifier, isProperty, parentOf, propertyPath } from './shape.ts'
import { rootPath, countOf, maxPaths, mergeShapes, type Shape, shapeOf } from './shape.ts'
import { toleratedChanges } from './tolerated.ts'

const hostileName = fc.string({ unit: fc.constantFrom(..."[]{}'.\\a$\u202E"), maxLength: 8 })
/** A property, marked with a dot, or the items or entries of a container. */
const member = fc.oneof(anyName, hostileName).map((name) => `.${name}`)
const step = fc.oneof(member, fc.constantFrom('[]', '{}'))
const steps = fc.array(step, { maxLength: 6 })

function pathOf(all: readonly string[]): string {
  const below = (path: string, one: string) =>
    one.startsWith('.') ? propertyPath(path, one.slice(1)) : `${path}${one}`
  return all.reduce(below, rootPath)
}

test.each([
  ['palette', '$.palette'],
  ['$ref', '$.$ref'],
  ['größe', '$.größe'],
  ['属性2', '$.属性2'],
  ['__proto__', '$.__proto__'],
  ['', "$['']"],
  ['a.b', "$['a.b']"],
  ['weird name', "$['weird name']"],
  ['x-new', "$['x-new']"],
  ['2nd', "$['2nd']"],
  ['[]', "$['[]']"],
  ["it's", String.raw`$['it\'s']`],
  ['back\\slash', String.raw`$['back\\slash']`],
  ['line\nbreak\u001B[2J\u202E', String.raw`$['line\u000abreak\u001b[2J\u202e']`],
  ['\uD800', String.raw`$['\ud800']`],
  ['🎨', "$['🎨']"],
  ['\u{E0041}', String.raw`$['\udb40\udc41']`],
])('the path of %j is %s', (name, path) => {
  expect(propertyPath(rootPath, name)).toBe(path)
})

test('different steps give different paths', () => {
  forAll(steps, steps, (one, other) => {
    expect(pathOf(one) === pathOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
  })
})

test('a path with any names reveals its parent and depth, and lies below its prefixes', () => {
  forAll(steps, steps, (above, more) => {
    const all = [...above, ...more]
    const path = pathOf(all)
    expect(parentOf(path)).toBe(all.length === 0 ? null : pathOf(all.slice(0, -1)))
    expect([depthOf(path), isProperty(path)]).toEqual([all.length, all.at(-1)?.startsWith('.') === true])
    expect(isBelow(path, pathOf(above))).toBe(more.length > 0)
  })
  expect([isBelow('$.abc', '$.ab'), isBelow('$.abc.d', '$.ab')]).toEqual([false, false])
})

const [uuid, hex] = ['123e4567-e89b-12d3-a456-426614174000', 'deadbeefdeadbeef']
test.each<[isOne: boolean, names: readonly string[]]>([
  [true, ['17', '0', '2026-11-20', 'cust_8f3k2j19', uuid, hex, 'kim@example.com', 'x'.repeat(65)]],
  [false, ['', 'palette', 'sha256', 'rfc3339', 'iso8601', 'line2', '2nd', `${hex}_url`, `url_${hex}`]],
  [false, ['@id', 'größe', '__proto__', 'x'.repeat(64)]],
])('isIdentifier returns %s for %j', (isOne, all) => {
  for (const name of all) expect(isIdentifier(name), name).toBe(isOne)
})

const shapes = json.map(shapeOf)

/** Lists of objects with many names drawn from few. Their shapes exceed the bound when merged, and some exceed it alone. */
const part = fc.record({ from: fc.nat({ max: 5_000 }), size: fc.integer({ min: 1, max: 3_000 }) })
const wide = fc
  .array(part, { maxLength: 4 })
  .map((parts) => parts.map(({ from, size }) => named(from, size, (index) => [index])))

/** An object with this many names made of letters, in descending order. */
function named(from: number, size: number, value: (index: number) => unknown, prefix = ''): object {
  const name = (index: number) => `${prefix}${wordOf(from + size - index)}`
  return Object.fromEntries(Array.from({ length: size }, (_, index) => [name(index), value(index)]))
}

const ofWhite = { secondary: '#fff', 'a b': [] }
const palettes = [{ id: 'x', palette: { secondary: null } }, { id: 7, palette: ofWhite }, null]

it('the shape of a value counts how often each type was seen at each path', () => {
  expect(shapeOf({ list: palettes, on: true })).toEqual({
    $: { object: 1 },
    '$.list': { array: 1 },
    '$.list[]': { object: 2, null: 1 },
    '$.list[].id': { string: 1, number: 1 },
    '$.list[].palette': { object: 2 },
    '$.list[].palette.secondary': { null: 1, string: 1 },
    "$.list[].palette['a b']": { array: 1 },
    '$.on': { boolean: 1 },
  })
})

it('the shape of a value merges names that are identifiers, and does not store them', () => {
  expect(shapeOf({ cust_8f3k2j19: { on: true }, '17': { on: false }, other: 1 })).toEqual({
    $: { object: 1 },
    '${}': { object: 2 },
    '${}.on': { boolean: 2 },
    '$.other': { number: 1 },
  })
})

it('the shape of a value is plain JSON without values, and never counts a property more often than its parent objects', () => {
  const secret = 'sec-value-kept-nowhere'

  forAll(json, (value) => {
    const marked = JSON.stringify([value, ''], (_, one: unknown) => (typeof one === 'string' ? secret : one))
    const shape = shapeOf(JSON.parse(marked))
    expect(JSON.stringify(shape)).not.toContain(secret)
    expect(JSON.parse(JSON.stringify(shape))).toEqual(shape)
    for (const [path, seen] of Object.entries(shape).filter(([one]) => isProperty(one)))
      expect(countOf(seen)).toBeLessThanOrEqual(shape[parentOf(path) ?? '']?.object ?? 0)
  })
  expect(shapeOf(JSON.parse('{"__proto__":{"polluted":1}}'))).toHaveProperty(['$.__proto__.polluted'])
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
})

it.each([
  ['undefined', undefined],
  ['bigint', 1n],
  ['function', (): number => 1],
  ['symbol', Symbol('a')],
])('the shape of a value of type %s is an error, because it is not JSON', (type, value) => {
  expect(() => shapeOf(value)).toThrow(new TypeError(`${type} is not JSON`))
})

describe('merging', () => {
  it('counts as cut if either part was cut', () => {
    const [whole, cut] = [{ $: { string: 1 } }, { $: { string: 1, cut: true } }] as const

    expect(Object.keys(mergeShapes(whole, whole)['$'] ?? {})).toEqual(['string'])
    for (const merged of [mergeShapes(whole, cut), mergeShapes(cut, whole)])
      expect(merged).toEqual({ $: { string: 2, cut: true } })
  })

  it.each([
    ['small', shapes, 25],
    ['beyond the bound', wide.map(shapeOf), 5],
  ])('is commutative and associative, and an empty shape is its identity: %s', (_, arbitrary, numRuns) => {
    const property = fc.property(arbitrary, arbitrary, arbitrary, (one, two, three) => {
      expect([mergeShapes(one, {}), mergeShapes({}, one)]).toEqual([one, one])
      expect(mergeShapes(one, two)).toEqual(mergeShapes(two, one))
      expect(mergeShapes(mergeShapes(one, two), three)).toEqual(mergeShapes(one, mergeShapes(two, three)))
    })
    fc.assert(property, { numRuns })
  })
})

it('the bound on a shape leaves out levels deeper than 32 steps, and marks where', () => {
  const cutIn = (text: string) => Object.entries(shapeOf(JSON.parse(text))).filter(([, { cut }]) => cut)

  expect(cutIn(deep(200_000))).toEqual([[`$${'[].a'.repeat(16)}`, { array: 1, cut: true }]])
  expect(cutIn(`${'['.repeat(33)}${']'.repeat(33)}`)).toEqual([])
})

it('the bound on a shape keeps the first paths by depth and then by text, and marks where paths are missing', () => {
  const property = fc.property(wide, (value) => {
    const names = [...new Set(value.flatMap((one) => Object.keys(one)))].toSorted()
    const room = maxPaths - (value.length === 0 ? 1 : 2)
    const kept = names.slice(0, room).map((name) => `$[].${name}`)
    const items = kept.slice(0, room - kept.length).map((path) => `${path}[]`)
    const shape = shapeOf(value)

    const containers = value.length === 0 ? ['$'] : ['$', '$[]']
    expect(Object.keys(shape).toSorted()).toEqual([...containers, ...kept, ...items].toSorted())
    expect(shape['$[]']?.cut).toBe(names.length > room ? true : undefined)
    for (const path of kept) {
      expect(shape[path]?.cut).toBe(items.includes(`${path}[]`) ? undefined : true)
      const name = path.slice('$[].'.length)
      expect(shape[path]?.array).toBe(value.filter((one) => Object.hasOwn(one, name)).length)
    }
  })
  fc.assert(property, { numRuns: 5 })
})

it('the bound on a shape also holds after a merge', () => {
  const half = (from: number): Shape => shapeOf({ a: { deep: 1 }, ...named(from, 1_500, () => 1) })
  const merged = mergeShapes(half(0), half(1_500))

  expect(Object.keys(merged)).toHaveLength(maxPaths)
  expect(Object.keys(merged).filter((path) => merged[path]?.cut === true)).toEqual(['$', '$.a'])
  expect([merged['$'], merged['$.a']]).toEqual([1, 2].map(() => ({ object: 2, cut: true })))
})

/** The merged shape of these values. */
function learned(...values: readonly unknown[]): Shape {
  return values.map(shapeOf).reduce(mergeShapes, {})
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
const becameNumber = '$.byId{} is number, and was string'
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
  [byId('cust_12345', 'x'), byId('cust_67890', 1), 'breaking type-changed', becameNumber],
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
const many = named(0, 2_500, () => 1)

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
  ['one of 20 additions', { a: nested }, { ...named(0, 19, only, 'b'), last: nested }, ['$.a renamed']],
  ['one of 21 additions', { a: nested }, { ...named(0, 20, only, 'b'), last: nested }, [removed]],
])('removed and renamed properties are distinguished for %s', (__, before, now, found) => {
  expect(differences(before, now).map(({ path, kind }) => `${path} ${kind}`)).toEqual(found)
})

test('renames are detected only among at most 20 removed properties', () => {
  const kinds = (count: number): ReadonlySet<string> =>
    new Set(differences(named(0, count, only, 'a'), named(0, count, only, 'b')).map(({ kind }) => kind))

  const before = (count: number): object => ({ ...named(0, count, () => 1, 'a'), last: {} })
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
const ofKey = '$.list[] { key: number, palette: object }'
const unshaded = { list: [{ ...entry, palette: { primary: '#fff' } }] }

test.each<[about: string, path: string, now: unknown, before: string, after: string]>([
  ['a removed property', '$.list[].palette.shade', unshaded, shaded, '$.list[].palette { primary: string }'],
  ['a new name', '$.list[].id', { list: [{ key: 1, palette }] }, ofEntry, ofKey],
  ['a different type', '$.list', { list: {} }, list, '$ { list: object }'],
  ['null', '$.list', { list: null }, list, '$ { list: null }'],
  ['a different item type', '$.list[]', { list: [1, 'x'] }, '$.list[]: object', '$.list[]: string | number'],
  ['a different root', '$', [entry], '$: object', '$: array'],
])('the texts of a shape before and after show %s', (__, path, now, before, after) => {
  expect(shapeTexts(shapeOf({ list: [entry] }), shapeOf(now), path)).toEqual({ before, after })
})

test('the texts of a shape mark optional properties, and list the changed one first among many', () => {
  const plain = named(0, 20, () => 1)
  const withZ = { ...plain, z: 'x' }
  const texts = shapeTexts(learned(withZ, withZ), learned(withZ, plain), '$.z')

  expect(texts.before).toMatch(/^\$ \{ z: string, nca: number, .*, … \}$/)
  expect(texts.after).toMatch(/^\$ \{ z\?: string, nca: number, .*, … \}$/)
})

describe('differences in arbitrary JSON', () => {
  const values = fc.array(json, { minLength: 1, maxLength: 6 })

  it('disappear once the baseline has learned the new values', () => {
    forAll(values, values, (all, more) => {
      const widened = learned(...all, ...all, ...all, ...more)
      expect(compareShapes(widened, learned(...more))).toEqual([])
    })
  })

  it.each(toleratedChanges)('never result from a tolerated change: $name', ({ name }) => {
    forAll(json, seeds, (value, seed) => {
      expect(compareShapes(always(value), shapeOf(changed(value, [name], seed)))).toEqual([])
    })
  })

  it.each<[kinds: RegExp, before: unknown, ...now: readonly unknown[]]>([
    [/^type-changed$/, 'a', true, 1_001],
    [/^type-changed$/, 7, 'x'],
    [/^type-changed$/, true, 'x'],
    [/^container-changed$/, { a: 1 }, []],
    [/^container-changed$/, [1], {}],
    [/^became-null$/, 'a', null],
    [/^became-null$/, [{}], null],
    [/^(?:removed|renamed)$/, { gone: 'a' }, {}, { other: 'a' }],
  ])(
    'always result from a breaking change, at any place and among tolerated changes: %s',
    (kinds, one, ...all) => {
      const every = toleratedChanges.map(({ name }) => name)
      const unidentified = steps.map((some) => some.filter((name) => !isIdentifier(name.slice(1))))
      forAll(unidentified, json, seeds, fc.constantFrom(...all), (path, beside, seed, other) => {
        const now = placed(path, other, beside)
        const before = always(placed(path, one, beside))
        for (const value of [now, changed(now, every, seed)]) {
          const seen = compareShapes(before, shapeOf(value))
          const found = seen.filter(({ severity }) => severity === 'breaking')
          expect(found.map(({ kind }) => kind)).toEqual([expect.stringMatching(kinds)])
          expect(found[0]?.path.startsWith(pathOf(path))).toBe(true)
        }
      })
    },
  )
})

/** The value below lists, identifiers and properties, each of which has another value beside it. */
function placed(path: readonly string[], value: unknown, beside: unknown): unknown {
  return path.reduceRight<unknown>((inner, one) => {
    if (one === '[]') return [inner]
    return { beside, ...Object.fromEntries([[one === '{}' ? uuid : one.slice(1), inner]]) }
  }, value)
}
