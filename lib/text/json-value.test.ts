import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTooDeep, maxLevels } from './json-value.ts'

function depthOf(value: unknown): number {
  return typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0
}

test('a text is too deep at one level beyond the bound', () => {
  const nested = (levels: number): string => '[{"a":'.repeat(levels / 2) + '0' + '}]'.repeat(levels / 2)

  expect(isTooDeep(nested(maxLevels))).toBe(false)
  expect(isTooDeep(nested(maxLevels + 2))).toBe(true)
  expect(isTooDeep('['.repeat(maxLevels + 1))).toBe(true)
})

test('only nested levels count, not adjacent levels', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const room = maxLevels - depthOf(value)
      const inside = (levels: number): string =>
        '['.repeat(levels) + JSON.stringify(value) + ']'.repeat(levels)

      expect([isTooDeep(inside(room)), isTooDeep(inside(room + 1))]).toEqual([false, true])
    }),
  )
})
