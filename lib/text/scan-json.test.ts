import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from './any-text.testing.ts'
import { JsonScanner } from './scan-json.ts'

/** The index from which a text is not JSON, or null. */
function brokenAt(text: string): number | null {
  const scanner = new JsonScanner(text)
  for (;;) {
    const part = scanner.next()
    if (part === 'end') return null
    if (part === 'not-json') return scanner.at
  }
}

/** A second implementation. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const values = fc.oneof(fc.jsonValue(), fc.dictionary(anyText(), fc.jsonValue()))
const valid = fc
  .tuple(values, fc.constantFrom(undefined, 1, '\t\r\n '))
  .map(([value, indent]) => JSON.stringify(value, null, indent))
const signs = fc.constantFrom(
  ...'{}[],:"\\/-+.eE019 \t\n\u0000\u00A0\uFEFFu',
  'true',
  'null',
  '\\u00e4',
  '{"a":',
)
const mutated = fc
  .tuple(valid, fc.nat(), fc.nat(2), fc.oneof(signs, fc.constant('')))
  .map(([text, place, cut, put]) => {
    const at = place % (text.length + 1)
    return text.slice(0, at) + put + text.slice(at + cut)
  })
const any = fc.oneof(
  { weight: 4, arbitrary: mutated },
  { weight: 2, arbitrary: fc.string({ unit: signs, maxLength: 12 }) },
  valid,
  fc.string(),
  anyText(),
)

describe('a scanned text', () => {
  it('is JSON if and only if JSON.parse accepts it, and is valid before the reported character', () => {
    fc.assert(
      fc.property(any, (text) => {
        const at = brokenAt(text)
        expect(at === null).toBe(isJson(text))
        expect([at ?? text.length, null]).toContain(brokenAt(text.slice(0, at ?? text.length)))
      }),
    )
  })

  it.each<[at: number, texts: readonly string[]]>([
    [0, ['', '.1', '-', '+1', '\u00A0{}', '\uFEFF{}']],
    [1, [' ', '{', '{,}', '[,]', '[}', '{]', "{'a':1}", '"\\u12"', '[tru]', '01', '1.', '1e']],
    [2, ['{}{}', '"a\\x"', '  <html>']],
    [3, ['[1,', '[1 2]', '["a\tb"]']],
    [4, ['{"a"}', 'nullx']],
    [6, ['{"a":"']],
    [7, ['{"a":1,}', '{"a":1 "b":2}']],
  ])('is wrong from character %i on: %j', (at, texts) => {
    for (const text of texts) expect([text, isJson(text), brokenAt(text)]).toEqual([text, false, at])
  })

  it('is read part by part, as written, with its depth', () => {
    const scanner = new JsonScanner(String.raw` {"\u0061" : [ 1.0, {} ], "b":"\"" } `)
    const parts: unknown[] = []
    for (let part = scanner.next(); part !== 'end'; part = scanner.next())
      parts.push([part, scanner.depth, scanner.written])

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
  })

  it.each([
    ['a string', `"${'größe '.repeat(1_000_000)}"`],
    ['a string of escapes', `"${'\\n\\u00e4'.repeat(1_000_000)}"`],
    ['a number', '9'.repeat(4_000_000)],
    ['a nesting', '['.repeat(2_000_000) + ']'.repeat(2_000_000)],
  ])('can hold %s of millions of characters or levels', (_, text) => {
    expect(brokenAt(text)).toBeNull()
    expect(brokenAt(text.slice(0, -1) + '\u0000')).toBe(text.length - 1)
  })
})
