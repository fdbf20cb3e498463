import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deep, json, partsOf, wordOf } from './json.testing.ts'
import { depthOf, parentOf } from './shape-paths.ts'
import {
  countOf,
  emptyShape,
  maxDepth,
  maxPaths,
  mergeShapes,
  shapeOf,
  typesOf,
  type Seen,
  type Shape,
} from './shape.ts'

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
    [{}, 'object'],
    [[], 'array'],
    ['', 'string'],
    [0, 'number'],
    [false, 'boolean'],
    [null, 'null'],
  ])('like %j is %s', (value, type) => {
    expect(shapeOf(value)).toEqual({ $: { [type]: 1 } })
  })

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
