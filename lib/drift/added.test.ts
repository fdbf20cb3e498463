import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTree, type Tree } from '../text/json-tree.ts'
import { isObject } from '../text/json-value.ts'
import { canonical, changed, json, jsonText, partsOf, seeds, treeOf } from './json.testing.ts'
import { isIdentifier } from './shape-paths.ts'
import { changeText } from './tolerated.ts'

function added(value: unknown, seed: number): unknown {
  return changed(value, ['added'], seed)
}

/** The changed text, the number of added properties, and the same in words. */
function withAdded(text: string, seed: number) {
  const { text: after, done } = changeText(text, ['added'], seed)
  return { text: after, ...done[0] }
}

/** The names of all properties, at every level. */
function namesOf(tree: Tree): ReadonlySet<string> {
  const inner =
    tree.kind === 'array' ? tree.items : tree.kind === 'object' ? tree.members.map(({ value }) => value) : []
  const own = tree.kind === 'object' ? tree.members.map(({ name }) => name) : []
  return new Set([...own, ...inner.flatMap((one) => [...namesOf(one)])])
}

/** The value reduced to the properties of the other. Equal to the other if properties were only added. */
function without(value: unknown, original: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(original)) {
    return value.map((item, index) => without(item, original[index]))
  }
  if (!isObject(value) || !isObject(original)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => Object.hasOwn(original, name))
      .map(([name, inner]) => [name, without(inner, original[name])]),
  )
}

/** Each object with its added properties, under many seeds. */
function additions(): readonly string[] {
  return Array.from({ length: 300 }, (_, seed) => withAdded('{}', seed).text)
}

describe('added properties', () => {
  it('leave existing properties unchanged', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        expect(canonical(without(added(value, seed), value))).toBe(canonical(value))
      }),
    )
  })

  it('are added to every object at every level, and are counted', () => {
    const text = '{"a":{},"b":[{},[{"c":{"d":{}}}]],"__proto__":{}}'

    fc.assert(
      fc.property(seeds, (seed) => {
        const after = withAdded(text, seed)
        const value: unknown = JSON.parse(after.text)
        const [a, b] = isObject(value) && Array.isArray(value['b']) ? [value['a'], value['b']] : []
        const [first, [second]] = b ?? [null, [null]]
        const inner = isObject(second) ? second['c'] : null
        const innermost = isObject(inner) ? inner['d'] : null
        const sizes = [value, a, first, second, inner, innermost].map((one) => Object.keys(one ?? {}).length)
        expect(sizes.every((size, index) => size > ([3, 0, 0, 1, 1, 0][index] ?? 0))).toBe(true)
        expect(after.count).toBeGreaterThanOrEqual(7)
      }),
    )
  })

  it('have new names that are unique within their object', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const tree = readTree(withAdded(jsonText(value), seed).text)
        const names = tree.kind === 'object' ? tree.members.map(({ name }) => name) : []
        expect(new Set(names).size).toBe(names.length)
        const known = namesOf(treeOf(value))
        const own = new Set(Object.keys(typeof value === 'object' && value !== null ? value : {}))
        if (tree.kind === 'object')
          expect(names.filter((name) => known.has(name) && !own.has(name))).toEqual([])
      }),
    )
  })

  it('are added even if every candidate name is taken', () => {
    const names = new Set<string>()
    for (let seed = 0; seed < 60; seed += 1) {
      const taken = Object.fromEntries([...names].map((name) => [name, 0]))
      for (const name of Object.keys(added(taken, seed) ?? {})) names.add(name)
    }

    expect(names.size).toBeGreaterThanOrEqual(60)
    expect(names).toContain('x-added-1')
    expect(names).toContain('x-added-2')
    expect([...names].filter((name) => /^x-added-(?:0|-\d+)$/.test(name))).toEqual([])
    const allButOne = Object.fromEntries(
      [...names].filter((name) => name !== 'größe').map((name) => [name, 0]),
    )
    for (let seed = 0; seed < 20; seed += 1) expect(added(allButOne, seed)).toHaveProperty('größe')
  })

  it('have names that are hard to parse, and values of every JSON type, including nested values', () => {
    const objects = additions().map((text): object => JSON.parse(text))
    const values = objects.flatMap((one): readonly unknown[] => Object.values(one))
    const kinds = values.map((one) => (one === null ? 'null' : Array.isArray(one) ? 'array' : typeof one))

    for (const name of ['__proto__', 'constructor', '', 'größe', '属性', 'dotted.name', 'name with spaces'])
      expect(objects.filter((one) => Object.hasOwn(one, name)).length, name).toBeGreaterThan(3)
    expect(objects.every((one) => Object.getPrototypeOf(one) === Object.prototype)).toBe(true)
    expect(new Set(kinds)).toEqual(new Set(['null', 'array', 'object', 'string', 'number', 'boolean']))
    expect(partsOf(values).objects.some((one) => Object.values(one).some(isObject))).toBe(true)
    // An identifier would become an entry of a map.
    expect(objects.flatMap((one) => Object.keys(one)).filter(isIdentifier)).toEqual([])
  })
})
