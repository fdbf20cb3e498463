import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChangeName } from './changed.ts'
import { canonical, json, partsOf, seeds } from './json.testing.ts'
import { treeOf } from './json-tree.ts'
import { changedText, changeText, toleratedChanges } from './tolerated.ts'
import { writeTree } from './write-tree.ts'

const every: readonly ChangeName[] = ['added', 'order', 'opaque']

const answer = {
  customizations: [
    { id: 'cust_1', name: 'Blue', palette: { primary: '#00f', secondary: '#08f' }, weight: 1.5, on: true },
    { id: 'cust_2', name: 'Red', palette: { primary: '#f00', secondary: null }, weight: 2, on: false },
  ],
  total: 2,
}

const error = { error_code: '1001', error_message: 'api key header is missing' }

describe.each(toleratedChanges)('the tolerated change $name', ({ name, change }) => {
  it('is decided by the seed alone', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        expect(changedText(name, value, seed)).toBe(changedText(name, value, seed))
      }),
    )
    const texts = Array.from({ length: 20 }, (_, seed) => changedText(name, answer, seed))
    expect(new Set(texts).size).toBeGreaterThan(10)
  })

  it('gives a value that is what its text means, and leaves the given one alone', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const before = canonical(value)
        expect(canonical(change(value, seed))).toBe(canonical(JSON.parse(changedText(name, value, seed))))
        expect(canonical(value)).toBe(before)
      }),
    )
  })

  it('does the same to a text as to its value', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const text = writeTree(treeOf(value))
        expect(changeText(text, [name], seed).text).toBe(changedText(name, value, seed))
      }),
    )
  })

  it('pollutes no prototype, whatever the names', () => {
    const members = Object.getOwnPropertyNames(Object.prototype).toSorted()

    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        change(change(value, seed), seed + 1)
        expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(members)
        expect(Reflect.get({}, 'polluted')).toBeUndefined()
      }),
    )
  })

  it('leaves error_code and the types of the error object as they are', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const changed = change(error, seed)
        expect(changed).toMatchObject({ error_code: '1001', error_message: expect.any(String) })
      }),
    )
  })

  it('makes no error object of what was none', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const codes = (one: unknown): readonly string[] =>
          partsOf(one)
            .objects.flatMap((object) =>
              ['error_code', 'error_message'].filter((key) => Object.hasOwn(object, key)),
            )
            .toSorted()
        expect(codes(change(value, seed))).toEqual(codes(value))
      }),
    )
  })
})

describe('the tolerated changes', () => {
  it('say what they do, for a list of them', () => {
    expect(toleratedChanges.map(({ name, says }) => `${name}: ${says}`)).toEqual([
      'added: properties added to every object',
      'order: the properties of every object in another order',
      'opaque: every opaque string longer, shorter, empty or of another format',
    ])
  })

  it.each([
    [
      'added',
      String.raw`{"a":1,"b":"x","line\nbreak":"","c":{"then":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}},"d":"y","":[]},"e":[]}`,
    ],
    ['order', '{"e":[],"c":{"d":"y"},"b":"x","a":1}'],
    [
      'opaque',
      '{"a":1,"b":"","c":{"d":"yvoyacyrhvoyacyrhvoyacyrhvoyacyrhvoyacyrhvoyacyrhvoyacyrhvoyacyrh"},"e":[]}',
    ],
  ] as const)('give for a seed what they gave before: %s', (name, text) => {
    expect(changeText('{"a":1,"b":"x","c":{"d":"y"},"e":[]}', [name], 20260101).text).toBe(text)
  })
})

describe('a change of text', () => {
  it('keeps numbers to the letter', () => {
    const { text } = changeText(' {"id": 12345678901234567890, "n": [1.0, -0, 1E400]} ', every, 5)

    for (const number of ['12345678901234567890', '1.0', '-0', '1E400']) expect(text).toContain(number)
  })

  it('keeps a byte order mark', () => {
    expect(changeText('\uFEFF"text"', ['added'], 1).text).toBe('\uFEFF"text"')
  })

  it('says what was done, each once, without a value', () => {
    const { done } = changeText(JSON.stringify(answer), every, 5)

    expect(done.map(({ name }) => name)).toEqual(every)
    expect(done.map(({ says }) => says)).toEqual([
      expect.stringMatching(/^added \d+ properties$/),
      expect.stringMatching(/^reordered \d+ objects$/),
      expect.stringMatching(/^changed \d+ strings$/),
    ])
    expect(changeText('{"a":"x","b":1}', ['order', 'opaque'], 5).done.map(({ says }) => says)).toEqual([
      'reordered 1 object',
      'changed 1 string',
    ])
    expect(changeText('7', every, 5).done.map(({ count }) => count)).toEqual([0, 0, 0])
  })

  it('refuses what is not JSON', () => {
    expect(() => changeText('<html>', ['opaque'], 1)).toThrow(SyntaxError)
  })

  it('may be none', () => {
    expect(changeText('{"a": 1}', [], 1)).toEqual({ text: '{"a": 1}', done: [] })
  })
})
