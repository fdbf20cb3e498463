import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { json, partsOf, wordOf } from './json.testing.ts'
import { parentOf } from './paths.ts'
import { countOf } from './seen.ts'
import { emptyShape, mergeShapes, shapeOf, type Shape } from './shape.ts'

const shapes = json.map(shapeOf)

/** Shapes that do not fit into the bound together, and some that do not alone: many names from few, at two depths. */
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
  it('holds how often each type was seen at each path', () => {
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

  it('takes names that are identifiers together, and keeps none of them', () => {
    const shape = shapeOf({ byId: { cust_8f3k2j19: { on: true }, '17': { on: false }, other: 1 } })

    expect(shape).toEqual({
      $: { object: 1 },
      '$.byId': { object: 1 },
      '$.byId{}': { object: 2 },
      '$.byId{}.on': { boolean: 2 },
      '$.byId.other': { number: 1 },
    })
  })

  it('holds no value', () => {
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

  it('is plain JSON, whatever the names', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        expect(JSON.parse(JSON.stringify(shape))).toEqual(shape)
        expect(structuredClone(shape)).toEqual(shape)
      }),
    )
    expect(shapeOf(JSON.parse('{"__proto__":{"polluted":1}}'))).toHaveProperty(['$.__proto__.polluted'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('counts a property no more often than objects that may hold it', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        for (const [path, seen] of Object.entries(shape)) {
          const parent = shape[parentOf(path) ?? '']
          if (path !== '$' && !/[\]}]$/.test(path))
            expect(countOf(seen)).toBeLessThanOrEqual(parent?.object ?? 0)
        }
      }),
    )
  })
})

describe('merging', () => {
  it('adds what was seen', () => {
    const one = shapeOf([{ a: 1 }, { a: null, b: 'x' }])
    const other = shapeOf([{ a: 'y' }])

    expect(mergeShapes(one, other)).toEqual({
      $: { array: 2 },
      '$[]': { object: 3 },
      '$[].a': { number: 1, null: 1, string: 1 },
      '$[].b': { string: 1 },
    })
  })

  it('of the shapes of items gives the shape of their list, but for the list', () => {
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

  it('with nothing changes nothing', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        expect(mergeShapes(shape, emptyShape)).toEqual(shape)
        expect(mergeShapes(emptyShape, shape)).toEqual(shape)
      }),
    )
  })

  it.each([
    ['small', shapes, 200],
    ['beyond the bound', largeShapes, 40],
  ])('is commutative and associative: %s', (_, arbitrary, numRuns) => {
    fc.assert(
      fc.property(arbitrary, arbitrary, arbitrary, (one, two, three) => {
        expect(mergeShapes(one, two)).toEqual(mergeShapes(two, one))
        expect(mergeShapes(mergeShapes(one, two), three)).toEqual(mergeShapes(one, mergeShapes(two, three)))
      }),
      { numRuns },
    )
  })
})
