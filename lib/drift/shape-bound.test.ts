import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deep, wordOf } from './json.testing.ts'
import { depthOf } from './paths.ts'
import { maxDepth, maxPaths, mergeShapes, shapeOf, type Shape } from './shape.ts'

describe('the bound of a shape', () => {
  it('leaves out what is deeper than 32 steps, and says where', () => {
    const shape = shapeOf(JSON.parse(deep(200_000)))
    const depths = Object.keys(shape).map(depthOf)

    expect(Math.max(...depths)).toBe(maxDepth)
    expect(Object.entries(shape).filter(([, { cut }]) => cut === true)).toEqual([
      [`$${'[].a'.repeat(16)}`, { array: 1, cut: true }],
    ])
  })

  it('marks nothing that ends at 32 steps', () => {
    const value: unknown = JSON.parse(`${'['.repeat(33)}${']'.repeat(33)}`)

    expect(Object.values(shapeOf(value)).some(({ cut }) => cut === true)).toBe(false)
  })

  it('leaves out what exceeds 2,000 paths, the deep ones first, and says where', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_990 }, (_, index) => [wordOf(index), { inner: 1 }]),
    )
    const shape = shapeOf({ many, rest: [1, { a: 1 }] })

    expect(Object.keys(shape)).toHaveLength(maxPaths)
    expect(shape['$.rest[]']).toEqual({ number: 1, object: 1, cut: true })
    expect(Object.values(shape).filter(({ cut }) => cut === true).length).toBeGreaterThan(1_900)
    expect(shape['$']).toEqual({ object: 1 })
  })

  it('keeps of any value the first paths by depth and text, and marks where the others would stand', () => {
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
      { numRuns: 30 },
    )
  })

  it('marks after a merge nothing of which all was kept', () => {
    const half = (from: number): Shape =>
      shapeOf({
        few: { inner: 1 },
        many: Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [wordOf(from + index), 1])),
      })
    const merged = mergeShapes(half(0), half(1_500))

    expect(Object.entries(merged).filter(([, { cut }]) => cut === true)).toEqual([
      ['$.many', { object: 2, cut: true }],
    ])
  })

  it('holds for a merge, too', () => {
    const half = (from: number): Shape =>
      shapeOf({
        a: { deep: 1 },
        z: { deep: 1 },
        ...Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [wordOf(from + index), 1])),
      })
    const merged = mergeShapes(half(0), half(1_500))

    expect(Object.keys(merged)).toHaveLength(maxPaths)
    expect(merged['$']).toEqual({ object: 2, cut: true })
    expect(merged['$.a']).toEqual({ object: 2, cut: true })
  })
})
