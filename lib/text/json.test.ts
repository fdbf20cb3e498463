import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { canonical, json, treeOf } from '../drift/json.testing.ts'
import { readTree, writeTree, isTooDeep, maxLevels, scanJson, duplicateNames, skimJson } from './json.ts'
import { anyText, forAll } from './properties.testing.ts'

/** The index from which a text is not JSON, or null. */
const brokenAt = (text: string): number | null => scanJson(text, () => false)

/** A second implementation. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const errorNames = fc.constantFrom('error_code', 'error_message', '__proto__', 'a', '')
const anyMembers = fc.dictionary(fc.oneof(errorNames, anyText()), fc.jsonValue())
const valid = fc
  .tuple(fc.oneof(fc.jsonValue(), anyMembers), fc.constantFrom(undefined, 1, '\t\r\n '))
  .map(([value, indent]) => JSON.stringify(value, null, indent))
const words = ['true', 'null', '\\u00e4', '{"a":']
const signs = fc.constantFrom(...'{}[],:"\\/-+.eE019 \t\n\u0000\u00A0\uFEFFu', ...words)
const mutated = fc
  .tuple(valid, fc.nat(), fc.nat(2), fc.oneof(signs, fc.constant('')))
  .map(([text, place, cut, put]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + put + text.slice(at + cut)
  })
const ofSigns = { weight: 2, arbitrary: fc.string({ unit: signs, maxLength: 12 }) }
const any = fc.oneof({ weight: 4, arbitrary: mutated }, ofSigns, valid, fc.string(), anyText())

it('a scanned text is JSON if and only if JSON.parse accepts it, and is valid before the reported character', () => {
  forAll(any, (text) => {
    const at = brokenAt(text)
    expect(at === null).toBe(isJson(text))
    expect([at ?? text.length, null]).toContain(brokenAt(text.slice(0, at ?? text.length)))
  })
})

it.each<[at: number, texts: readonly string[]]>([
  [0, ['', '.1', '-', '+1', '\u00A0{}', '\uFEFF{}']],
  [1, [' ', '{', '{,}', '[,]', '[}', '{]', "{'a':1}", '"\\u12"', '[tru]', '01', '1.', '1e']],
  [2, ['{}{}', '"a\\x"', '  <html>', '1 2']],
  [3, ['[1,', '[1 2]', '["a\tb"]', '[1,]']],
  [4, ['{"a"}', 'nullx']],
  [5, ['{"a":}']],
  [6, ['{"a":"']],
  [7, ['{"a":1,}', '{"a":1 "b":2}']],
  [21, ['{"error_code":"1001"}}']],
])('a scanned text is wrong from character %i on, whatever reads it: %j', (at, texts) => {
  for (const text of texts) {
    expect([text, isJson(text), brokenAt(text)]).toEqual([text, false, at])
    expect(skimJson(text)).toEqual({ kind: 'not-json', at })
    expect(() => readTree(text)).toThrow(SyntaxError)
  }
})

it('a scanned text is read part by part, as written, with its depth', () => {
  const text = String.raw` {"\u0061" : [ 1.0, {} ], "b":"\"" } `
  const parts: unknown[] = []
  const see = (last: string) => (part: string, depth: number, from: number, to: number) => {
    parts.push([part, depth, text.slice(from, to)])
    return part === last
  }
  expect(scanJson(text, see('none'))).toBeNull()

  expect(parts).toEqual([
    ['{', 0, '{'],
    ['name', 1, String.raw`"\u0061"`],
    ['[', 1, '['],
    ['literal', 2, '1.0'],
    ['{', 2, '{'],
    ['}', 2, '}'],
    [']', 1, ']'],
    ['name', 1, '"b"'],
    ['string', 1, String.raw`"\""`],
    ['}', 0, '}'],
  ])
  const count = parts.length
  for (const last of ['{', 'name', '[', 'literal', 'string']) {
    parts.length = 0
    expect(scanJson(`${text},`, see(last))).toBeNull()
    expect(parts.length).toBeLessThan(count)
  }
})

it.each([
  ['a string', `"${'größe '.repeat(400_000)}"`],
  ['a string of escapes', `"${'\\n\\u00e4'.repeat(400_000)}"`],
  ['a number', '9'.repeat(1_000_000)],
  ['a nesting', '['.repeat(500_000) + ']'.repeat(500_000)],
])('a scanned text can hold %s of a million characters or levels', (_, text) => {
  expect(brokenAt(text)).toBeNull()
  expect(brokenAt(text.slice(0, -1) + '\u0000')).toBe(text.length - 1)
})

/** The outline of a text, or undefined if it is not JSON. */
function skimmed(text: string): unknown {
  const skim = skimJson(text)
  return skim.kind === 'json' ? skim.value : undefined
}

/** The outline according to JSON.parse: a second implementation. */
function parsed(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return []
  if (typeof value !== 'object' || value === null) return value
  const ofError = Object.entries(value).filter(([name]) => /^error_(?:code|message)$/.test(name))
  return Object.fromEntries(ofError.map(([name, inner]: readonly [string, unknown]) => [name, kindOf(inner)]))
}

function kindOf(value: unknown): unknown {
  if (Array.isArray(value)) return []
  return typeof value === 'object' && value !== null ? {} : value
}

it('the outline of a JSON text equals the outline of its value', () => {
  const odd = [
    '{"error_code":1,"error_code":"1001"}',
    String.raw`{"\u0065rror_code":"1001"}`,
    '{"a":{"error_code":"1001"}}',
    '[{"error_code":"1001"}]',
    '{"error_code": {"a":[1]} , "error_message": [ {} ] }',
    ' \r\n\t{ } ',
  ]
  forAll(valid, (text) => {
    expect(skimmed(text)).toEqual(parsed(text))
  })
  expect(odd.map(skimmed)).toEqual(odd.map(parsed))
})

it('the outline of a JSON text is found at any depth, length and width', () => {
  const levels = 500_000
  const keys = Array.from({ length: 100_000 }, (__, at) => `"k${at}":${at}`).join(',')

  expect(skimmed('['.repeat(levels) + ']'.repeat(levels))).toEqual([])
  expect(skimmed(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)).toEqual({})
  expect(skimmed('['.repeat(levels) + ']'.repeat(levels - 1))).toBeUndefined()
  expect(skimmed(`{${keys},"error_code":"1001"}`)).toEqual({ error_code: '1001' })
})

test.each<[duplicates: readonly string[], ...texts: readonly string[]]>([
  [[], '{}', '[{"a":1},{"a":1}]', '{"a":{"a":["a","a"]}}', '"{\\"a\\":1,\\"a\\":2}"'],
  [[], '{"a":"b","b":"a","c":[{"a":1,"b":2}]}', '{"a":"\\"b\\":","b":1}'],
  [['error_code'], '{"error_code":"1","error_code":"2"}', '{"error_code":"1","error_\\u0063ode":"2"}'],
  [['c', 'b'], ' [ { "b" : { } , "a" : [ { "c" : 1 , "c" : 2 } ] , "b" : 1 , "b" : 2 } ] '],
  [[''], '{"":1,"":2}'],
  [['__proto__'], '{"__proto__":1,"__proto__":2}'],
  [['a'], '{"a":[{"x":"}"}],"a":1}'],
])('duplicateNames returns %j', (duplicates, ...all) => {
  for (const text of all) expect(duplicateNames(text), text).toEqual(duplicates)
})

test('at most five repeated names are reported, each with at most 100 characters', () => {
  const many = Array.from({ length: 9 }, (_, at) => `"${String(at).repeat(300)}":1`)
  const found = duplicateNames(`{${[...many, ...many].join(',')}}`)

  expect(found.map(({ length }) => length)).toEqual([100, 100, 100, 100, 100])
})

test('text from JSON.stringify has no repeated names until a name is repeated', () => {
  forAll(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value, object) => {
    const [name = ''] = Object.keys(object)
    const written = JSON.stringify(object).slice(0, -1)
    const twice = `${written},${JSON.stringify(name)}:0}`

    expect(duplicateNames(JSON.stringify(value))).toEqual([])
    expect(duplicateNames(`[${JSON.stringify(value)},${twice}]`)).toEqual([name.slice(0, 100)])
  })
})

it('a tree of any value or text is written as an equal value', () => {
  forAll(json, fc.jsonValue(), fc.constantFrom('', '\t', ' \r\n '), (value, other, indent) => {
    const text = JSON.stringify(other, null, indent)
    expect(canonical(JSON.parse(writeTree(treeOf(value))))).toBe(canonical(value))
    expect(writeTree(readTree(text))).toBe(JSON.stringify(JSON.parse(text)))
  })
})

it.each([
  ['numbers', ['12345678901234567890', '1.0', '-0', '1E+400']],
  ['names', ['{"b":1,"a":2,"1":3,"b":4}', '{"":{"":[]}}']],
  ['escapes', [String.raw`{"\u0061":"\ud83c\udfa8 \/ \" \\"}`, String.raw`["\\","\\\"",{"\\\\":"\""}]`]],
  ['empty and lone values', ['[[],{},[{}],""]', 'null', '"alone"']],
])('a tree of %s is written exactly as read', (_, all) => {
  for (const text of all) expect(writeTree(readTree(text))).toBe(text)
})

it('a tree compares names by meaning, not by spelling', () => {
  const tree = readTree(String.raw`{"\u0061":1,"_\"_":2}`)

  expect(tree.inner.map(({ name }) => name)).toEqual(['a', '_"_'])
})

it('a tree can be written with replaced members and strings', () => {
  const text = writeTree(readTree('{"a":"x","b":["y",{"c":"z"}],"d":1}'), {
    members: (members) => members.toReversed(),
    string: ({ text: string, name }, nearest) => `"${name}=${nearest}=${string.slice(1, -1)}"`,
  })

  expect(text).toBe('{"d":1,"b":["=b=y",{"c":"c=c=z"}],"a":"a=a=x"}')
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

test('a text is too deep one nested level beyond the bound, whatever is beside it', () => {
  const nested = (levels: number): string => '[{"a":'.repeat(levels / 2) + '0' + '}]'.repeat(levels / 2)

  expect([maxLevels, maxLevels + 2].map((levels) => isTooDeep(nested(levels)))).toEqual([false, true])
  expect(isTooDeep('['.repeat(maxLevels + 1))).toBe(true)
  forAll(fc.jsonValue({ maxDepth: 4 }), (value) => {
    const room = maxLevels - depthOf(value)
    const inside = (levels: number): string => '['.repeat(levels) + JSON.stringify(value) + ']'.repeat(levels)

    expect([isTooDeep(inside(room)), isTooDeep(inside(room + 1))]).toEqual([false, true])
  })
})
