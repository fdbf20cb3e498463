import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outlineOf as outlinedAs } from './outline.ts'

/** The outline of a text, or undefined where it has none. */
function outlineOf(text: string): unknown {
  const outline = outlinedAs(text)
  return outline.kind === 'outline' ? outline.value : undefined
}

/** What JSON.parse gives, in outline: another opinion. */
function parsed(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
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
const members = fc.dictionary(fc.oneof(names, fc.string({ unit: 'binary' })), fc.jsonValue())
const texts = fc
  .tuple(fc.oneof(fc.jsonValue(), members), fc.constantFrom(undefined, 1, '\t\n'))
  .map(([value, indent]) => JSON.stringify(value, null, indent))

describe('the outline of a JSON text', () => {
  it('is that of the value', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(outlineOf(text)).toEqual(parsed(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is none wherever JSON.parse finds none', () => {
    const broken = fc
      .tuple(
        texts,
        fc.nat(),
        fc.nat(2),
        fc.constantFrom('', ',', '"', '\\', ']', '}', ':', '0', '-', '\0', 'e1'),
      )
      .map(([text, place, cut, put]) => {
        const at = place % (text.length + 1)
        return text.slice(0, at) + put + text.slice(at + cut)
      })
    fc.assert(
      fc.property(broken, (text) => {
        expect(outlineOf(text)).toEqual(parsed(text))
      }),
      { numRuns: 5_000 },
    )
  })

  it.each([
    '',
    ' ',
    '{',
    '[',
    '{}{}',
    '[,]',
    '[1,]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '[}',
    '{]',
    '01',
    '1.',
    '.1',
    '-',
    '+1',
    '1e',
    'tru',
    'nullx',
    '"\\x"',
    '"\\u12"',
    '"\t"',
    '\u00a0{}',
    '[1 2]',
    '{"a":1 "b":2}',
    "{'a':1}",
  ])('is none for %j', (text) => {
    expect(parsed(text)).toBeUndefined()
    expect(outlineOf(text)).toBeUndefined()
  })

  it.each([
    ['', 0],
    ['[1,', 3],
    ['{"a":"', 6],
    ['[1 2]', 3],
    ['{"a":1,}', 7],
    ['[}', 1],
    ['{}{}', 2],
    ['["a\tb"]', 3],
    ['[tru]', 1],
    ['  <html>', 2],
  ])('is none for %j from character %i on', (text, at) => {
    expect(outlinedAs(text)).toEqual({ kind: 'not-json', at })
  })

  it.each([
    ['a name that stands twice', '{"error_code":1,"error_code":"1001"}'],
    ['an escaped name', String.raw`{"\u0065rror_code":"1001"}`],
    ['an error object deeper', '{"a":{"error_code":"1001"}}'],
    ['an error object in a list', '[{"error_code":"1001"}]'],
    ['containers in its place', '{"error_code": {"a":[1]} , "error_message": [ {} ] }'],
    ['nothing but space', ' \r\n\t{ } '],
  ])('is that of the value for %s', (_, text) => {
    expect(outlineOf(text)).toEqual(parsed(text))
  })

  it('is found of any depth, length and width', () => {
    const levels = 2_000_000
    const keys = Array.from({ length: 300_000 }, (__, at) => `"k${at}":${at}`).join(',')

    expect(outlineOf('['.repeat(levels) + ']'.repeat(levels))).toEqual([])
    expect(outlineOf(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)).toEqual({})
    expect(outlineOf('['.repeat(levels) + ']'.repeat(levels - 1))).toBeUndefined()
    expect(outlineOf(`{${keys},"error_code":"1001"}`)).toEqual({ error_code: '1001' })
    expect(outlineOf(`"${'a\\n'.repeat(1_000_000)}"`)).toBe('a\n'.repeat(1_000_000))
    expect(outlineOf('9'.repeat(4_000_000))).toBe(Infinity)
  })
})
