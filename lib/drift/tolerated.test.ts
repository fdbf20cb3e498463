import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTree, type Tree, listOr } from '../text/json.ts'
import { forAll } from '../text/properties.testing.ts'
import { anyName, canonical, changed, deep, json, jsonText, seeds, treeOf } from './json.testing.ts'
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
const texts = ['x'.repeat(100), 'ü'.repeat(300), '🎨🧪']
const severalAnswers = JSON.stringify([answer, error, {}, { '1': 1, '1st': 2, b: 3 }, ...texts])

/** The error object's property names that occur in any object of a value. */
function codesIn(value: unknown): readonly string[] {
  const found: string[] = []
  JSON.stringify(value, (name, inner: unknown) => {
    if (name === 'error_code' || name === 'error_message') found.push(name)
    return inner
  })
  return found.toSorted()
}

// Users replay seeds with later releases, so the digest of the results must not change.
const digests = { added: '86d73ac6a6d5ea1f', order: '061a277ea98a7ac9', opaque: '6a3436af84f710e3' }

describe.each(toleratedChanges)('the tolerated change $name', ({ name }) => {
  it('depends only on the seed, does not pollute prototypes and creates no error object', () => {
    const members = Object.getOwnPropertyNames(Object.prototype).toSorted()

    forAll(json, seeds, (value, seed) => {
      const other = changed(value, [name], seed)
      expect(jsonText(changed(value, [name], seed))).toBe(jsonText(other))
      expect(codesIn(other)).toEqual(codesIn(value))
      changed(other, [name], seed + 1)
      expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(members)
      expect(Reflect.get({}, 'polluted')).toBeUndefined()
    })
  })

  it('gives the same results for 400 seeds in every release', () => {
    const hash = createHash('sha256')
    for (let seed = 0; seed < 400; seed += 1) hash.update(changeText(severalAnswers, [name], seed).text)

    expect(hash.digest('hex').slice(0, 16)).toBe(digests[name])
  })

  it('can be applied to JSON with 50,000 levels', () => {
    expect(changeText(deep(50_000), [name], 1).text.length).toBeGreaterThan(125_000)
  })
})

it('the tolerated changes have the expected names and descriptions', () => {
  expect(toleratedChanges.map(({ name, says }) => `${name}: ${says}`)).toEqual([
    'added: properties added to every object',
    'order: the properties of every object in another order',
    'opaque: every opaque string longer, shorter, empty or in another format',
  ])
})

it('a change of text keeps the spelling of numbers and a byte order mark, and rejects invalid JSON', () => {
  const { text } = changeText(' {"id": 12345678901234567890, "n": [1.0, -0, 1E400]} ', every, 5)

  for (const number of ['12345678901234567890', '1.0', '-0', '1E400']) expect(text).toContain(number)
  expect(changeText('\uFEFF"text"', ['added'], 1).text).toBe('\uFEFF"text"')
  expect(() => changeText('<html>', ['opaque'], 1)).toThrow(SyntaxError)
})

it.each<readonly [text: string, names: readonly ChangeName[], says: readonly string[]]>([
  [JSON.stringify(answer), every, ['added 9 properties', 'reordered 5 objects', 'changed 10 strings']],
  ['{"a":"x","b":1}', ['order', 'opaque'], ['reordered 1 object', 'changed 1 string']],
  ['7', every, ['added 0 properties', 'reordered 0 objects', 'changed 0 strings']],
  ['{"a": 1}', [], []],
  ['{"error_code":"1001","a":["x","x",{"error_code":["y"]}],"n":1}', ['opaque'], ['changed 3 strings']],
])('a change of %j is reported once per kind, without values: %j', (text, names, says) => {
  expect(changeText(text, names, 5).done).toMatchObject(names.map((name, at) => ({ name, says: says[at] })))
  expect(changeText('{}', ['added'], 3).done[0]?.says).toBe('added 1 property')
})

/** Every value in a tree with its path, in document order. */
function partsOf(tree: Tree, path = ''): readonly (readonly [path: string, tree: Tree])[] {
  return [[path, tree], ...tree.inner.flatMap((one, at) => partsOf(one, `${path}/${one.quoted || at}`))]
}

/** The property names of every object in document order, keyed by the path of the object. */
function namesIn(whole: Tree): ReadonlyMap<string, readonly string[]> {
  const objects = partsOf(whole).filter(([, { kind }]) => kind === '{')
  return new Map(objects.map(([path, { inner }]) => [path, inner.map(({ name }) => name)]))
}

it('reordering keeps the value, and changes the order in every object with two or more properties', () => {
  forAll(json, seeds, (value, seed) => {
    const { text, done } = changeText(jsonText(value), ['order'], seed)
    const after = namesIn(readTree(text))
    const several = [...namesIn(treeOf(value))].filter(([, names]) => names.length > 1)

    expect(canonical(JSON.parse(text))).toBe(canonical(value))
    for (const [path, names] of several) expect(after.get(path)).not.toEqual(names)
    expect(done.map(({ count }) => count)).toEqual([several.length])
  })
})

it('reordering skips an object that repeats a name, because the order decides which value counts', () => {
  const text = String.raw`{"a":1,"b":2,"\u0061":3}`
  for (let seed = 0; seed < 25; seed += 1) expect(changeText(text, ['order'], seed).text).toBe(text)
})

it('added properties are in every object, are counted, have new names, and leave other properties unchanged', () => {
  forAll(json, seeds, (value, seed) => {
    const { text, done } = changeText(jsonText(value), ['added'], seed)
    const [before, after] = [namesIn(treeOf(value)), namesIn(readTree(text))]
    const known = new Set([...before.values()].flat())
    let count = 0
    for (const [path, names] of before) {
      const added = after.get(path)?.filter((name) => !names.includes(name)) ?? []
      expect(added.length).toBeGreaterThan(0)
      expect(new Set(added).size).toBe(added.length)
      expect(added.filter((name) => known.has(name))).toEqual([])
      count += added.length
    }

    expect(done.map((one) => one.count)).toEqual([count])
    expect([JSON.parse(text)]).toMatchObject([value])
  })
})

it('properties are added even if every candidate name is taken', () => {
  const names = new Set<string>()
  const addedTo = (taken: Iterable<string>, seed: number): unknown =>
    changed(Object.fromEntries([...taken].map((name) => [name, 0])), ['added'], seed)
  for (let seed = 0; seed < 60; seed += 1) {
    for (const name of Object.keys(addedTo(names, seed) ?? {})) names.add(name)
  }

  expect(names.size).toBeGreaterThanOrEqual(60)
  const numbered = [...names].filter((name) => /^x-added-(?:[0-2]|-\d+)$/.test(name))
  expect(numbered.toSorted()).toEqual(['x-added-1', 'x-added-2'])
  const allButOne = [...names].filter((name) => name !== 'größe')
  for (let seed = 0; seed < 20; seed += 1) expect(addedTo(allButOne, seed)).toHaveProperty('größe')
})

it('opaque strings all change except error_code, and nothing else changes', () => {
  forAll(json, seeds, (value, seed) => {
    const before = partsOf(treeOf(value))
    const after = partsOf(readTree(changeText(jsonText(value), ['opaque'], seed).text))
    const placesOf = (parts: typeof before) => parts.map(([path, { kind }]) => [path, kind])

    expect(placesOf(after)).toEqual(placesOf(before))
    before.forEach(([, { kind, name, text }], at) => {
      const stays = kind !== 'string' || name === 'error_code'
      expect(after[at]?.[1].text === text).toBe(stays)
    })
  })
})

it('equal opaque strings stay equal, and different ones stay different', () => {
  const anyTexts = fc.array(fc.oneof(fc.string(), fc.string({ maxLength: 1 }), anyName), { maxLength: 30 })

  forAll(anyTexts, seeds, (before, seed) => {
    const after = listOr(changed(before, ['opaque'], seed))
    expect(after.map((text) => after.indexOf(text))).toEqual(before.map((text) => before.indexOf(text)))
  })
})
