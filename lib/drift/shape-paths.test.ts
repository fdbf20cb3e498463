import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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

describe('a path', () => {
  it.each([
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
  ])('of %j is %s', (name, path) => {
    expect(propertyPath(rootPath, name)).toBe(path)
  })

  it('is another for other steps', () => {
    fc.assert(
      fc.property(steps, steps, (one, other) => {
        expect(pathOf(one) === pathOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
      }),
    )
  })

  it('can be taken apart again, whatever the names', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const path = pathOf(all)
        expect(parentOf(path)).toBe(all.length === 0 ? null : pathOf(all.slice(0, -1)))
        expect(depthOf(path)).toBe(all.length)
        expect(isProperty(path)).toBe(all.at(-1)?.kind === 'property')
      }),
    )
  })

  it('lies below those that it starts with', () => {
    fc.assert(
      fc.property(steps, steps, (above, more) => {
        expect(isBelow(pathOf([...above, ...more]), pathOf(above))).toBe(more.length > 0)
      }),
    )
    expect(isBelow('$.abc', '$.ab')).toBe(false)
    expect(isBelow('$.abc.d', '$.ab')).toBe(false)
  })
})

describe('a name', () => {
  it.each([
    '17',
    '0',
    '2026-11-20',
    'cust_8f3k2j19',
    '123e4567-e89b-12d3-a456-426614174000',
    'deadbeefdeadbeef',
    'kim@example.com',
    'x'.repeat(65),
  ])('%s stands for something, and is no part of a shape', (name) => {
    expect(isIdentifier(name)).toBe(true)
  })

  it.each([
    '',
    'palette',
    'sha256',
    'rfc3339',
    'iso8601',
    'line2',
    '2nd',
    'deadbeefdeadbeef_url',
    'url_deadbeefdeadbeef',
    '@id',
    'größe',
    '__proto__',
    'x'.repeat(64),
  ])('%s is part of a shape', (name) => {
    expect(isIdentifier(name)).toBe(false)
  })
})
