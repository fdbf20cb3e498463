import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTree, type Tree } from '../text/json-tree.ts'
import { canonical, changed, json, jsonText, partsOf, seeds, treeOf } from './json.testing.ts'
import { changeText, toleratedChanges, type ChangeName } from './tolerated.ts'

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

  it('keeps error_code and the types in the error object', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const types = { error_code: '1001', error_message: expect.any(String) }
        expect(changed(error, [name], seed)).toMatchObject(types)
      }),
    )
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

  it('also takes effect in parsers that put digit names first', () => {
    const plain = (value: object): readonly string[] =>
      Object.keys(value).filter((name) => !/^\d+$/.test(name))

    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom('1', '2', 'a', 'b', 'c', '00', '-1'), { minLength: 2 }),
        seeds,
        (names, seed) => {
          const value = Object.fromEntries(names.map((name) => [name, name]))
          fc.pre(plain(value).length > 1)
          const other = Object(changed(value, ['order'], seed))
          expect(plain(other)).not.toEqual(plain(value))
        },
      ),
    )
  })

  it('keeps the order of list items', () => {
    expect(changeText('[3,1,2,["b","a"]]', ['order'], 1)).toEqual({
      text: '[3,1,2,["b","a"]]',
      done: [{ name: 'order', count: 0, says: 'reordered 0 objects' }],
    })
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
