import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { anyText } from './any-text.testing.ts'
import { duplicateNames, skimJson } from './skim-json.ts'

/** The outline of a text, or undefined if it is not JSON. */
function skimmed(text: string): unknown {
  const json = skimJson(text)
  return json.kind === 'json' ? json.value : undefined
}

/** The outline according to JSON.parse: a second implementation. */
function parsed(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return []
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name === 'error_code' || name === 'error_message')
      .map(([name, inner]: readonly [string, unknown]) => [name, kindOf(inner)]),
  )
}

function kindOf(value: unknown): unknown {
  if (Array.isArray(value)) return []
  return typeof value === 'object' && value !== null ? {} : value
}

const names = fc.constantFrom('error_code', 'error_message', '__proto__', 'a', '')
const members = fc.dictionary(fc.oneof(names, anyText()), fc.jsonValue())
const texts = fc
  .tuple(fc.oneof(fc.jsonValue(), members), fc.constantFrom(undefined, 1, '\t\n'))
  .map(([value, indent]) => JSON.stringify(value, null, indent))

describe('the outline of a JSON text', () => {
  it('equals the outline of its value', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(skimmed(text)).toEqual(parsed(text))
      }),
    )
  })

  it.each([
    ['', 0],
    ['[1,', 3],
    ['{"error_code":"1001"}}', 21],
  ])('does not exist for %j, which is invalid from character %i on', (text, at) => {
    expect(skimJson(text)).toEqual({ kind: 'not-json', at })
  })

  it.each([
    ['a repeated name', '{"error_code":1,"error_code":"1001"}'],
    ['an escaped name', String.raw`{"\u0065rror_code":"1001"}`],
    ['a nested error object', '{"a":{"error_code":"1001"}}'],
    ['an error object in a list', '[{"error_code":"1001"}]'],
    ['containers as values of the error object', '{"error_code": {"a":[1]} , "error_message": [ {} ] }'],
    ['nothing but white space', ' \r\n\t{ } '],
  ])('equals the outline of its value for %s', (_, text) => {
    expect(skimmed(text)).toEqual(parsed(text))
  })

  it('is found at any depth, length and width', () => {
    const levels = 2_000_000
    const keys = Array.from({ length: 300_000 }, (__, at) => `"k${at}":${at}`).join(',')

    expect(skimmed('['.repeat(levels) + ']'.repeat(levels))).toEqual([])
    expect(skimmed(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)).toEqual({})
    expect(skimmed('['.repeat(levels) + ']'.repeat(levels - 1))).toBeUndefined()
    expect(skimmed(`{${keys},"error_code":"1001"}`)).toEqual({ error_code: '1001' })
  })
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
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
      (value, object) => {
        const [name = ''] = Object.keys(object)
        const written = JSON.stringify(object).slice(0, -1)
        const twice = `${written},${JSON.stringify(name)}:0}`

        expect(duplicateNames(JSON.stringify(value))).toEqual([])
        expect(duplicateNames(`[${JSON.stringify(value)},${twice}]`)).toEqual([name.slice(0, 100)])
      },
    ),
  )
})
