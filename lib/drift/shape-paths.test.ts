import fc from 'fast-check'
import { expect, test } from 'vitest'
import { names } from './json.testing.ts'
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

type Step = { readonly kind: 'property'; readonly name: string } | { readonly kind: 'items' | 'entries' }

const step: fc.Arbitrary<Step> = fc.oneof(
  names.map((name) => ({ kind: 'property' as const, name })),
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
