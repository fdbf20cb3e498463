import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonical, json, seeds } from './json.testing.ts'
import { treeOf, type Tree } from './json-tree.ts'
import { inAnotherOrder } from './order.ts'
import { readTree } from './read-tree.ts'

/** The names of every object as they stand in the text, objects by the value that they have, whatever its order. */
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

describe('another order', () => {
  it('leaves the value what it was', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        expect(canonical(JSON.parse(inAnotherOrder(treeOf(value), seed).text))).toBe(canonical(value))
      }),
    )
  })

  it('really is another in the text, for every object of two properties or more', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const before = orders(treeOf(value))
        const { text, done } = inAnotherOrder(treeOf(value), seed)
        const after = orders(readTree(text))
        const several = [...before].filter(([, names]) => names.length > 1)

        for (const [path, names] of several) {
          expect(after.get(path)?.toSorted()).toEqual(names.toSorted())
          expect(after.get(path)).not.toEqual(names)
        }
        expect(done.count).toBe(several.length)
      }),
    )
  })

  it('really is another for those, too, for which names of digits come first', () => {
    const plain = (value: object): readonly string[] =>
      Object.keys(value).filter((name) => !/^\d+$/.test(name))

    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom('1', '2', 'a', 'b', 'c', '00', '-1'), { minLength: 2 }),
        seeds,
        (names, seed) => {
          const value = Object.fromEntries(names.map((name) => [name, name]))
          fc.pre(plain(value).length > 1)
          const other: object = JSON.parse(inAnotherOrder(treeOf(value), seed).text)
          expect(plain(other)).not.toEqual(plain(value))
        },
      ),
    )
  })

  it('really is another for those where names only begin with digits', () => {
    for (let seed = 0; seed < 60; seed += 1) {
      const other: object = JSON.parse(inAnotherOrder(readTree('{"1":1,"1st":2,"b":3}'), seed).text)
      expect(Object.keys(other)).toEqual(['1', 'b', '1st'])
    }
  })

  it.each(['{"a":1,"b":2,"c":3}', '{"1":1,"2":2,"3":3}', '{"1":1,"2":2,"c":3}'])(
    'of %s reaches every order but the one that was',
    (text) => {
      const texts = Array.from({ length: 200 }, (_, seed) => inAnotherOrder(readTree(text), seed).text)

      expect(new Set(texts).size).toBe(5)
      expect(texts).not.toContain(text)
    },
  )

  it('leaves items of lists where they are', () => {
    expect(inAnotherOrder(readTree('[3,1,2,["b","a"]]'), 1)).toEqual({
      text: '[3,1,2,["b","a"]]',
      done: { name: 'order', count: 0, says: 'reordered 0 objects' },
    })
  })

  it('keeps the order of an object that repeats a name, which decides what the name stands for', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const text = String.raw`{"a":1,"b":2,"\u0061":3}`
        expect(inAnotherOrder(readTree(text), seed).text).toBe(text)
      }),
    )
  })
})
