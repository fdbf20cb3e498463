import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTree, type Tree } from '../text/json-tree.ts'
import { isObject } from '../text/json-value.ts'
import { canonical, changed, json, jsonText, anyName, partsOf, seeds, treeOf } from './json.testing.ts'
import { type ChangeName, changeText, toleratedChanges } from './tolerated.ts'

const every: readonly ChangeName[] = ['added', 'order', 'opaque']

const answer = {
  customizations: [
    { id: 'cust_1', name: 'Blue', palette: { primary: '#00f', secondary: '#08f' }, weight: 1.5, on: true },
    { id: 'cust_2', name: 'Red', palette: { primary: '#f00', secondary: null }, weight: 2, on: false },
  ],
  total: 2,
}

const error = { error_code: '1001', error_message: 'api key header is missing' }

/** The error object's property names that occur in any object of a value. */
function codesIn(value: unknown): readonly string[] {
  const names = ['error_code', 'error_message']
  return partsOf(value)
    .objects.flatMap((object) => names.filter((name) => Object.hasOwn(object, name)))
    .toSorted()
}

describe.each(toleratedChanges)('the tolerated change $name', ({ name }) => {
  const textOf = (value: unknown, seed: number): string => changeText(jsonText(value), [name], seed).text

  it('depends only on the seed, does not pollute prototypes and creates no error object', () => {
    const members = Object.getOwnPropertyNames(Object.prototype).toSorted()

    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const other = changed(value, [name], seed)
        expect(textOf(value, seed)).toBe(textOf(value, seed))
        expect(codesIn(other)).toEqual(codesIn(value))
        changed(other, [name], seed + 1)
        expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(members)
        expect(Reflect.get({}, 'polluted')).toBeUndefined()
      }),
    )
    expect(new Set(Array.from({ length: 20 }, (_, seed) => textOf(answer, seed))).size).toBeGreaterThan(10)
  })
})

describe('the tolerated changes', () => {
  it('have the expected names and descriptions', () => {
    expect(toleratedChanges.map(({ name, says }) => `${name}: ${says}`)).toEqual([
      'added: properties added to every object',
      'order: the properties of every object in another order',
      'opaque: every opaque string longer, shorter, empty or in another format',
    ])
  })

  // Users replay seeds with later releases, so the digest of the results must not change.
  it.each([
    ['added', '86d73ac6a6d5ea1f'],
    ['order', '061a277ea98a7ac9'],
    ['opaque', '6a3436af84f710e3'],
  ] as const)('give the same results for 400 seeds in every release: %s', (name, digest) => {
    const text = JSON.stringify([
      answer,
      error,
      {},
      { '1': 1, '1st': 2, b: 3 },
      'x'.repeat(100),
      'ü'.repeat(300),
      '🎨🧪',
    ])
    const hash = createHash('sha256')
    for (let seed = 0; seed < 400; seed += 1) hash.update(changeText(text, [name], seed).text)

    expect(hash.digest('hex').slice(0, 16)).toBe(digest)
  })
})

describe('a change of text', () => {
  it('keeps the spelling of numbers', () => {
    const { text } = changeText(' {"id": 12345678901234567890, "n": [1.0, -0, 1E400]} ', every, 5)

    for (const number of ['12345678901234567890', '1.0', '-0', '1E400']) expect(text).toContain(number)
  })

  it('keeps a byte order mark, rejects invalid JSON, and accepts an empty list of changes', () => {
    expect(changeText('\uFEFF"text"', ['added'], 1).text).toBe('\uFEFF"text"')
    expect(changeText('{"a": 1}', [], 1)).toEqual({ text: '{"a": 1}', done: [] })
    expect(() => changeText('<html>', ['opaque'], 1)).toThrow(SyntaxError)
  })

  it('reports each kind of change once, without values', () => {
    const saysOf = (text: string, names: readonly ChangeName[]): readonly string[] =>
      changeText(text, names, 5).done.map(({ says }) => says)
    const { done } = changeText(JSON.stringify(answer), every, 5)

    expect(done.map(({ name }) => name)).toEqual(every)
    expect(done.map(({ says }) => says.replace(/\d+/, 'N')).join()).toBe(
      'added N properties,reordered N objects,changed N strings',
    )
    expect(saysOf('{"a":"x","b":1}', ['order', 'opaque'])).toEqual(['reordered 1 object', 'changed 1 string'])
    expect(changeText('7', every, 5).done.map(({ count }) => count)).toEqual([0, 0, 0])
  })
})

/** The property names of every object in document order, keyed by the object regardless of order. */
function orders(tree: Tree, found = new Map<string, readonly string[]>(), path = ''): typeof found {
  if (tree.kind === 'array') tree.items.forEach((item, index) => orders(item, found, `${path}/${index}`))
  if (tree.kind === 'object') {
    found.set(
      path,
      tree.members.map(({ name }) => name),
    )
    for (const { name, value } of tree.members) orders(value, found, `${path}/${JSON.stringify(name)}`)
  }
  return found
}

describe('reordering', () => {
  it('keeps the value, and changes the order in every object with two or more properties', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const { text, done } = changeText(jsonText(value), ['order'], seed)
        const after = orders(readTree(text))
        const several = [...orders(treeOf(value))].filter(([, names]) => names.length > 1)

        expect(canonical(JSON.parse(text))).toBe(canonical(value))
        for (const [path, names] of several) {
          expect(after.get(path)?.toSorted()).toEqual(names.toSorted())
          expect(after.get(path)).not.toEqual(names)
        }
        expect(done.map(({ count }) => count)).toEqual([several.length])
      }),
    )
  })

  it('skips an object that repeats a name, because the order decides which value counts', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const text = String.raw`{"a":1,"b":2,"\u0061":3}`
        expect(changeText(text, ['order'], seed).text).toBe(text)
      }),
    )
  })
})

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
})

type Leaf = readonly [name: string | null, tree: Tree]

/** Every leaf, in document order. */
function leaves(tree: Tree, name: string | null = null): readonly Leaf[] {
  if (tree.kind === 'array') return tree.items.flatMap((item) => leaves(item))
  if (tree.kind === 'object') return tree.members.flatMap((member) => leaves(member.value, member.name))
  return [[name, tree]]
}

/** Pairs of each leaf before and after. */
function pairs(value: unknown, seed: number): readonly (readonly [Leaf, Leaf])[] {
  const after = leaves(readTree(changeText(jsonText(value), ['opaque'], seed).text))
  return leaves(treeOf(value)).flatMap((leaf, index) => {
    const other = after[index]
    return other === undefined ? [] : [[leaf, other] as const]
  })
}

/** All strings in the changed value. */
function otherStrings(value: unknown, seed: number): readonly string[] {
  return partsOf(changed(value, ['opaque'], seed)).strings.map(([, text]) => text)
}

describe('opaque strings', () => {
  it('all change except error_code, and nothing else changes', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const all = pairs(value, seed)
        for (const [[name, before], [nameAfter, after]] of all) {
          expect([nameAfter, after.kind]).toEqual([name, before.kind])
          const stays = before.kind === 'literal' || (before.kind === 'string' && name === 'error_code')
          if (stays) expect(after).toEqual(before)
          else if (before.kind === 'string') expect(after).not.toEqual(before)
        }
        expect(all).toHaveLength(leaves(treeOf(value)).length)
      }),
    )
  })

  it('that are equal stay equal, and different strings stay different', () => {
    const texts = fc.array(fc.oneof(fc.string(), fc.string({ maxLength: 1 }), anyName), { maxLength: 30 })

    fc.assert(
      fc.property(texts, seeds, (before, seed) => {
        const after = otherStrings(before, seed)
        expect(after.map((text) => after.indexOf(text))).toEqual(before.map((text) => before.indexOf(text)))
      }),
    )
  })

  it('are counted', () => {
    const { done } = changeText(
      '{"error_code":"1001","a":["x","x",{"error_code":["y"]}],"n":1}',
      ['opaque'],
      1,
    )

    expect(done).toEqual([{ name: 'opaque', count: 3, says: 'changed 3 strings' }])
  })
})
