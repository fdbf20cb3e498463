import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTree, type Tree } from '../text/json-tree.ts'
import { isObject } from '../text/json-value.ts'
import { canonical, changed, json, jsonText, names, partsOf, seeds, treeOf } from './json.testing.ts'
import { drawnText, drawsFrom, startFor, startOf } from './seeded-draws.ts'
import { isIdentifier } from './shape-paths.ts'
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

/** The changed versions of a text under many seeds. */
function remade(text: string): readonly string[] {
  return Array.from({ length: 400 }, (_, seed) => String(changed(text, ['opaque'], seed)))
}

/** All strings in the changed value. */
function otherStrings(value: unknown, seed: number): readonly string[] {
  return partsOf(changed(value, ['opaque'], seed)).strings.map(([, text]) => text)
}

const greek = /^\p{Script=Greek}+$/u

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
    const texts = fc.array(fc.oneof(fc.string(), fc.string({ maxLength: 1 }), names), { maxLength: 30 })

    fc.assert(
      fc.property(texts, seeds, (before, seed) => {
        const after = otherStrings(before, seed)
        expect(after.map((text) => after.indexOf(text))).toEqual(before.map((text) => before.indexOf(text)))
      }),
    )
  })

  it('are usually replaced by the same text in different answers with the same seed', () => {
    const once = otherStrings(['cust_1', 'cust_2'], 3)
    const again = otherStrings([{ id: 'cust_2' }, 'cust_1'], 3)

    expect(again.toSorted()).toEqual(once.toSorted())
  })

  it.each(['cust_8f3k', '', 'x', 'api key header is missing', '🎨🎨', 'ü'.repeat(400)])(
    'such as %j can become longer, shorter or empty',
    (text) => {
      const others = remade(text)

      const isShorter = (other: string): boolean => other.length < text.length && text.startsWith(other)
      expect(others.some((other) => other.length > text.length && other.startsWith(text))).toBe(true)
      expect(others.includes('')).toBe(text !== '')
      expect(others.some((other) => other !== '' && isShorter(other))).toBe(text.length > 1)
    },
  )

  it.each([
    ['Greek', greek],
    ['Cyrillic', /^\p{Script=Cyrillic}+$/u],
    ['Han', /^\p{Script=Han}+$/u],
    ['Arabic', /^\p{Script=Arabic}+$/u],
    ['emoji', /^\p{Extended_Pictographic}+$/u],
    ['Latin letters with combining marks, composed or decomposed', /^(?:[ẞñåçø]|[eo]\p{M})+$/u],
    ['a UUID', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/],
    ['a number', /^[1-9]\d{5,}$/],
    ['a time', /^20[1-8]\d-0[1-9]-1\dT00:00:00Z$/],
    ['an address', /^https:\/\/example\.invalid\/[a-z]{9}\?a=b&c=d#e$/],
    ['base64', /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9+/])[A-Za-z0-9+/]{22}==$/],
    ['white space, quotes and markup', /^ {2}[a-z]{4}\t"quoted" \\ <b>&amp;<\/b>\n$/],
    ['null as text', /^null$/],
    ['true as text', /^true$/],
    ['0 as text', /^0$/],
    ['braces', /^\{\}$/],
    ['a dash', /^-$/],
    ['37 characters', /^cust_8f3k.{28}$/s],
    ['65 characters', /^cust_8f3k.{56}$/s],
    ['256 characters', /^cust_8f3k.{247}$/s],
    ['300 characters', /^cust_8f3k.{291}$/s],
  ])('can become %s', (_, form) => {
    expect(remade('cust_8f3k').some((other) => form.test(other))).toBe(true)
  })

  it('are never cut within a character', () => {
    for (const text of remade('🎨🧪🔑🌍')) expect(Buffer.from(text).toString()).toBe(text)
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

describe('draws', () => {
  it('stay the same in every release', () => {
    const draw = drawsFrom(startFor(startOf(20260101, 'opaque'), 'cust_8'))

    expect([draw(1_000), draw(1_000), draw(1_000)]).toEqual([32, 331, 580])
  })

  it('follow mulberry32, starting from an FNV-1a hash', () => {
    const draw = drawsFrom(1)

    expect(Array.from({ length: 4 }, () => draw(2 ** 32))).toEqual([
      2_693_262_067, 11_749_833, 2_265_367_787, 4_213_581_821,
    ])
    expect(startFor(0, '')).toBe(0x811c9dc5)
    expect(startFor(0, 'a')).toBe(0xe40c292c)
    expect(startFor(0, 'foobar')).toBe(0xbf9cf968)
  })

  it('are integers below the bound, and reach all of them', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 2 ** 31 }), (seed, bound) => {
        const number = drawsFrom(startOf(seed, 'a'))(bound)
        expect(Number.isInteger(number) && number >= 0 && number < bound).toBe(true)
      }),
    )
    const draw = drawsFrom(startOf(7, 'a'))
    expect(new Set(Array.from({ length: 200 }, () => draw(7))).size).toBe(7)
  })

  it('depend on the seed, the name and the text', () => {
    const starts = [startOf(1, 'a'), startOf(2, 'a'), startOf(1, 'b'), startOf(12, ''), startOf(1, '2')]
    const texts = ['', 'a', 'b', 'aa', '\u0000'].map((text) => startFor(startOf(1, 'a'), text))

    expect(new Set([...starts, ...texts]).size).toBeGreaterThanOrEqual(9)
  })

  it('build texts from whole characters of an alphabet', () => {
    const text = drawnText(drawsFrom(1), ['🎨', '🧪', 'x'], 50)

    expect([...text]).toHaveLength(50)
    expect(text).toMatch(/^[🎨🧪x]+$/u)
  })
})
