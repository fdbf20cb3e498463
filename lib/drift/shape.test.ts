import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { deep, json, anyName, partsOf, wordOf } from './json.testing.ts'
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
import {
  countOf,
  emptyShape,
  maxDepth,
  maxPaths,
  mergeShapes,
  type Seen,
  type Shape,
  shapeOf,
  typesOf,
} from './shape.ts'

type Step = { readonly kind: 'property'; readonly name: string } | { readonly kind: 'items' | 'entries' }

const step: fc.Arbitrary<Step> = fc.oneof(
  anyName.map((name) => ({ kind: 'property' as const, name })),
  fc
    .string({ unit: fc.constantFrom('[', ']', '{', '}', "'", '.', '\\', 'a', '$', '\u202E'), maxLength: 8 })
    .map((name) => ({ kind: 'property' as const, name })),
  fc.constantFrom({ kind: 'items' as const }, { kind: 'entries' as const }),
)

const steps = fc.array(step, { maxLength: 6 })

function pathOf(all: readonly Step[]): string {
  return all.reduce((path, one) => {
    if (one.kind === 'property') return propertyPath(path, one.name)
    return one.kind === 'items' ? itemsPath(path) : entriesPath(path)
  }, rootPath)
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
      expect([depthOf(path), isProperty(path)]).toEqual([all.length, all.at(-1)?.kind === 'property'])
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

/** Shapes that exceed the bound when merged; some exceed it alone. Many names drawn from few, at two depths. */
const largeShapes: fc.Arbitrary<Shape> = fc
  .array(
    fc.record({
      from: fc.nat({ max: 2_600 }),
      size: fc.integer({ min: 1, max: 1_400 }),
      wraps: fc.constantFrom('a', 'm', 'z'),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => {
    const objects = parts.map(({ from, size, wraps }) => {
      const names = Array.from({ length: size }, (_, index) => wordOf(from + index))
      const flat = Object.fromEntries(names.map((name) => [name, 1]))
      return { ...flat, [wraps]: { inner: [flat, { [wraps]: 'x' }] } }
    })
    return shapeOf(Object.assign({}, ...objects))
  })

describe('the shape of a value', () => {
  it('counts how often each type was seen at each path', () => {
    const value = {
      list: [
        { id: 'x', palette: { secondary: null } },
        { id: 7, palette: { secondary: '#fff', 'a b': [] } },
        null,
      ],
      total: 3,
      on: true,
    }

    expect(shapeOf(value)).toEqual({
      $: { object: 1 },
      '$.list': { array: 1 },
      '$.list[]': { object: 2, null: 1 },
      '$.list[].id': { string: 1, number: 1 },
      '$.list[].palette': { object: 2 },
      '$.list[].palette.secondary': { null: 1, string: 1 },
      "$.list[].palette['a b']": { array: 1 },
      '$.total': { number: 1 },
      '$.on': { boolean: 1 },
    })
  })

  it('merges names that are identifiers, and does not store them', () => {
    const shape = shapeOf({ byId: { cust_8f3k2j19: { on: true }, '17': { on: false }, other: 1 } })

    expect(shape).toEqual({
      $: { object: 1 },
      '$.byId': { object: 1 },
      '$.byId{}': { object: 2 },
      '$.byId{}.on': { boolean: 2 },
      '$.byId.other': { number: 1 },
    })
  })

  it('contains no values', () => {
    const secret = 'sec-value-kept-nowhere'

    fc.assert(
      fc.property(json, (value) => {
        const { strings } = partsOf(value)
        const marked = JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? secret : one))
        if (strings.length > 0) expect(marked).toContain(secret)
        expect(JSON.stringify(shapeOf(JSON.parse(marked)))).not.toContain(secret)
      }),
    )
  })

  it('is plain JSON for any names, and never counts a property more often than its parent objects', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        expect(JSON.parse(JSON.stringify(shape))).toEqual(shape)
        expect(structuredClone(shape)).toEqual(shape)
        for (const [path, seen] of Object.entries(shape)) {
          if (path === '$' || /[\]}]$/.test(path)) continue
          expect(countOf(seen)).toBeLessThanOrEqual(shape[parentOf(path) ?? '']?.object ?? 0)
        }
      }),
    )
    expect(shapeOf(JSON.parse('{"__proto__":{"polluted":1}}'))).toHaveProperty(['$.__proto__.polluted'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

describe('merging', () => {
  it('adds up the counts', () => {
    const one = shapeOf([{ a: 1 }, { a: null, b: 'x' }])
    const other = shapeOf([{ a: 'y' }])

    expect(mergeShapes(one, other)).toEqual({
      $: { array: 2 },
      '$[]': { object: 3 },
      '$[].a': { number: 1, null: 1, string: 1 },
      '$[].b': { string: 1 },
    })
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
    ['beyond the bound', largeShapes, 5],
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

describe('the type of a value', () => {
  it.each([
    [undefined, 'undefined'],
    [1n, 'bigint'],
    [(): number => 1, 'function'],
    [Symbol('a'), 'symbol'],
  ])('that is not JSON is an error: %s', (value, type) => {
    expect(() => shapeOf(value)).toThrow(new TypeError(`${type} is not JSON`))
  })
})

describe('the record of what was seen at a path', () => {
  it('includes null in its count, and lists its types without null', () => {
    const seen = { string: 2, null: 3, object: 1 } as const

    expect(countOf(seen)).toBe(6)
    expect(countOf(undefined)).toBe(0)
    expect(typesOf(seen)).toEqual(['object', 'string'])
    expect(typesOf({ string: 0, null: 1 })).toEqual([])
    expect(typesOf(undefined)).toEqual([])
  })

  it('is added up in a merge, and counts as cut if either part was cut', () => {
    const merged = (one: Seen, other: Seen): Seen | undefined => mergeShapes({ $: one }, { $: other })['$']
    const seen = { string: 1, null: 2 }

    expect(merged(seen, { string: 3, array: 1 })).toEqual({ string: 4, null: 2, array: 1 })
    expect(merged(seen, seen)).not.toHaveProperty('cut')
    expect(merged({ ...seen, cut: true }, seen)).toHaveProperty('cut', true)
    expect(merged(seen, { ...seen, cut: true })).toHaveProperty('cut', true)
    expect(Object.keys(merged({ string: 1 }, { string: 1 }) ?? {})).toEqual(['string'])
  })
})

describe('the bound on a shape', () => {
  it('leaves out levels deeper than 32 steps, and marks where', () => {
    const shape = shapeOf(JSON.parse(deep(200_000)))
    const depths = Object.keys(shape).map(depthOf)

    expect(Math.max(...depths)).toBe(maxDepth)
    expect(Object.entries(shape).filter(([, { cut }]) => cut === true)).toEqual([
      [`$${'[].a'.repeat(16)}`, { array: 1, cut: true }],
    ])
  })

  it('marks nothing in a value of exactly 32 steps', () => {
    const value: unknown = JSON.parse(`${'['.repeat(33)}${']'.repeat(33)}`)

    expect(Object.values(shapeOf(value)).some(({ cut }) => cut === true)).toBe(false)
  })

  it('leaves out paths beyond 2,000, the deepest first, and marks where', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_990 }, (_, index) => [wordOf(index), { inner: 1 }]),
    )
    const shape = shapeOf({ many, rest: [1, { a: 1 }] })

    expect(Object.keys(shape)).toHaveLength(maxPaths)
    expect(shape['$.rest[]']).toEqual({ number: 1, object: 1, cut: true })
    expect(Object.values(shape).filter(({ cut }) => cut === true).length).toBeGreaterThan(1_900)
    expect(shape['$']).toEqual({ object: 1 })
  })

  it('keeps the first paths by depth and then by text, and marks where paths are missing', () => {
    const wide = fc
      .array(fc.record({ from: fc.nat({ max: 5_000 }), size: fc.integer({ min: 1, max: 3_000 }) }), {
        maxLength: 4,
      })
      .map((parts) =>
        parts.map(({ from, size }) =>
          Object.fromEntries(
            Array.from({ length: size }, (_, index) => [wordOf(from + size - index), [index]]),
          ),
        ),
      )

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
        for (const path of kept) expect(shape[path]?.cut).toBe(items.includes(`${path}[]`) ? undefined : true)
        for (const path of kept) {
          const name = path.slice('$[].'.length)
          expect(shape[path]?.array).toBe(value.filter((one) => Object.hasOwn(one, name)).length)
        }
      }),
      { numRuns: 5 },
    )
  })

  it('also holds after a merge', () => {
    const half = (from: number): object =>
      Object.fromEntries(Array.from({ length: 1_500 }, (__, at) => [wordOf(from + at), 1]))
    const merged = mergeShapes(
      shapeOf({ a: { deep: 1 }, ...half(0) }),
      shapeOf({ a: { deep: 1 }, ...half(1_500) }),
    )

    expect(Object.keys(merged)).toHaveLength(maxPaths)
    expect(Object.keys(merged).filter((path) => merged[path]?.cut === true)).toEqual(['$', '$.a'])
    expect([merged['$'], merged['$.a']]).toEqual([1, 2].map(() => ({ object: 2, cut: true })))
  })
})
