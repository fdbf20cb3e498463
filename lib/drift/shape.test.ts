import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { deep, json, anyName, wordOf } from './json.testing.ts'
import {
  depthOf,
  entriesPath,
  isBelow,
  isIdentifier,
  isProperty,
  itemsPath,
  parentOf,
  propertyPath,
  rootPath,
} from './shape-paths.ts'
import { countOf, emptyShape, maxPaths, mergeShapes, type Shape, shapeOf, typesOf } from './shape.ts'

const hostileName = fc.string({ unit: fc.constantFrom(..."[]{}'.\\a$\u202E"), maxLength: 8 })
/** A property, marked with a dot, or the items or entries of a container. */
const step = fc.oneof(
  fc.oneof(anyName, hostileName).map((name) => `.${name}`),
  fc.constantFrom('[]', '{}'),
)
const steps = fc.array(step, { maxLength: 6 })
const containers = new Map([
  ['[]', itemsPath],
  ['{}', entriesPath],
])

function pathOf(all: readonly string[]): string {
  return all.reduce((path, one) => containers.get(one)?.(path) ?? propertyPath(path, one.slice(1)), rootPath)
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
  fc.assert(
    fc.property(steps, steps, (one, other) => {
      expect(pathOf(one) === pathOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
  )
})

test('a path with any names reveals its parent and depth, and lies below its prefixes', () => {
  fc.assert(
    fc.property(steps, steps, (above, more) => {
      const all = [...above, ...more]
      const path = pathOf(all)
      expect(parentOf(path)).toBe(all.length === 0 ? null : pathOf(all.slice(0, -1)))
      expect([depthOf(path), isProperty(path)]).toEqual([all.length, all.at(-1)?.startsWith('.') === true])
      expect(isBelow(path, pathOf(above))).toBe(more.length > 0)
    }),
  )
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
const wide = fc
  .array(fc.record({ from: fc.nat({ max: 5_000 }), size: fc.integer({ min: 1, max: 3_000 }) }), {
    maxLength: 4,
  })
  .map((parts) => parts.map(({ from, size }) => named(from, size, (index) => [index])))

/** An object with this many names made of letters, in descending order. */
function named(from: number, size: number, value: (index: number) => unknown): object {
  return Object.fromEntries(
    Array.from({ length: size }, (_, index) => [wordOf(from + size - index), value(index)]),
  )
}

const palettes = [
  { id: 'x', palette: { secondary: null } },
  { id: 7, palette: { secondary: '#fff', 'a b': [] } },
  null,
]

describe('the shape of a value', () => {
  it('counts how often each type was seen at each path', () => {
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

  it('merges names that are identifiers, and does not store them', () => {
    expect(shapeOf({ cust_8f3k2j19: { on: true }, '17': { on: false }, other: 1 })).toEqual({
      $: { object: 1 },
      '${}': { object: 2 },
      '${}.on': { boolean: 2 },
      '$.other': { number: 1 },
    })
  })

  it('is plain JSON without values, and never counts a property more often than its parent objects', () => {
    const secret = 'sec-value-kept-nowhere'

    fc.assert(
      fc.property(json, (value) => {
        const marked = JSON.stringify([value, ''], (_, one: unknown) =>
          typeof one === 'string' ? secret : one,
        )
        const shape = shapeOf(JSON.parse(marked))
        expect(JSON.stringify(shape)).not.toContain(secret)
        expect(JSON.parse(JSON.stringify(shape))).toEqual(shape)
        for (const [path, seen] of Object.entries(shape).filter(([one]) => isProperty(one)))
          expect(countOf(seen)).toBeLessThanOrEqual(shape[parentOf(path) ?? '']?.object ?? 0)
      }),
    )
    expect(shapeOf(JSON.parse('{"__proto__":{"polluted":1}}'))).toHaveProperty(['$.__proto__.polluted'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it.each([
    ['undefined', undefined],
    ['bigint', 1n],
    ['function', (): number => 1],
    ['symbol', Symbol('a')],
  ])('of type %s is an error, because it is not JSON', (type, value) => {
    expect(() => shapeOf(value)).toThrow(new TypeError(`${type} is not JSON`))
  })
})

describe('merging', () => {
  it('adds up the counts, and counts as cut if either part was cut', () => {
    const [one, other] = [shapeOf([{ a: 1 }, { a: null, b: 'x' }]), shapeOf([{ a: 'y' }])]
    const [whole, cut] = [{ $: { string: 1 } }, { $: { string: 1, cut: true } }] as const

    expect(mergeShapes(one, other)).toEqual({
      $: { array: 2 },
      '$[]': { object: 3 },
      '$[].a': { number: 1, null: 1, string: 1 },
      '$[].b': { string: 1 },
    })
    expect(Object.keys(mergeShapes(whole, whole)['$'] ?? {})).toEqual(['string'])
    for (const [first, second] of [
      [whole, cut],
      [cut, whole],
    ] as const)
      expect(mergeShapes(first, second)).toEqual({ $: { string: 2, cut: true } })
  })

  it('the shapes of items gives the shape of their list, without the list itself', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 4 }), (items) => {
        const merged = items.map(shapeOf).reduce(mergeShapes, emptyShape)
        const { $: _, ...list } = shapeOf(items)
        expect(
          Object.fromEntries(Object.entries(list).map(([path, seen]) => [path.replace('$[]', '$'), seen])),
        ).toEqual(merged)
      }),
    )
  })

  it.each([
    ['small', shapes, 25],
    ['beyond the bound', wide.map(shapeOf), 5],
  ])('is commutative and associative, and an empty shape is its identity: %s', (_, arbitrary, numRuns) => {
    fc.assert(
      fc.property(arbitrary, arbitrary, arbitrary, (one, two, three) => {
        expect([mergeShapes(one, emptyShape), mergeShapes(emptyShape, one)]).toEqual([one, one])
        expect(mergeShapes(one, two)).toEqual(mergeShapes(two, one))
        expect(mergeShapes(mergeShapes(one, two), three)).toEqual(mergeShapes(one, mergeShapes(two, three)))
      }),
      { numRuns },
    )
  })
})

test('the record of what was seen at a path counts null, and lists its types without null', () => {
  const seen = { string: 2, null: 3, object: 1 } as const

  expect([seen, undefined].map(countOf)).toEqual([6, 0])
  expect([seen, { string: 0, null: 1 }, undefined].map(typesOf)).toEqual([['object', 'string'], [], []])
})

describe('the bound on a shape', () => {
  it('leaves out levels deeper than 32 steps, and marks where', () => {
    const cutIn = (text: string) => Object.entries(shapeOf(JSON.parse(text))).filter(([, { cut }]) => cut)

    expect(cutIn(deep(200_000))).toEqual([[`$${'[].a'.repeat(16)}`, { array: 1, cut: true }]])
    expect(cutIn(`${'['.repeat(33)}${']'.repeat(33)}`)).toEqual([])
  })

  it('leaves out paths beyond 2,000, the deepest first, and marks where', () => {
    const shape = shapeOf({ many: named(0, 1_990, () => ({ inner: 1 })), rest: [1, { a: 1 }] })

    expect(Object.keys(shape)).toHaveLength(maxPaths)
    expect(shape['$.rest[]']).toEqual({ number: 1, object: 1, cut: true })
    expect(Object.values(shape).filter(({ cut }) => cut === true).length).toBeGreaterThan(1_900)
    expect(shape['$']).toEqual({ object: 1 })
  })

  it('keeps the first paths by depth and then by text, and marks where paths are missing', () => {
    fc.assert(
      fc.property(wide, (value) => {
        const names = [...new Set(value.flatMap((one) => Object.keys(one)))].toSorted()
        const room = maxPaths - (value.length === 0 ? 1 : 2)
        const kept = names.slice(0, room).map((name) => `$[].${name}`)
        const items = kept.slice(0, room - kept.length).map((path) => `${path}[]`)
        const shape = shapeOf(value)

        expect(Object.keys(shape).toSorted()).toEqual(
          ['$', ...(value.length === 0 ? [] : ['$[]']), ...kept, ...items].toSorted(),
        )
        expect(shape['$[]']?.cut).toBe(names.length > room ? true : undefined)
        for (const path of kept) {
          expect(shape[path]?.cut).toBe(items.includes(`${path}[]`) ? undefined : true)
          const name = path.slice('$[].'.length)
          expect(shape[path]?.array).toBe(value.filter((one) => Object.hasOwn(one, name)).length)
        }
      }),
      { numRuns: 5 },
    )
  })

  it('also holds after a merge', () => {
    const half = (from: number): Shape => shapeOf({ a: { deep: 1 }, ...named(from, 1_500, () => 1) })
    const merged = mergeShapes(half(0), half(1_500))

    expect(Object.keys(merged)).toHaveLength(maxPaths)
    expect(Object.keys(merged).filter((path) => merged[path]?.cut === true)).toEqual(['$', '$.a'])
    expect([merged['$'], merged['$.a']]).toEqual([1, 2].map(() => ({ object: 2, cut: true })))
  })
})
