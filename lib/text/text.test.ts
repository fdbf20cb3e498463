import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { legendOf, visible } from '../report/model/finding-view.ts'
import { replayText } from '../report/render/replay-text.ts'
import { exchange } from '../verdict/verdict.testing.ts'
import { distance, meant } from './nearest.ts'
import { grouped, beginning, printable } from './printable.ts'
import { forAll } from './properties.testing.ts'
import { urlOf } from './url.ts'

test.each([
  ['https://a.example/b', undefined, 'https://a.example/b'],
  ['/c', 'https://a.example/b', 'https://a.example/c'],
  ['/c', undefined, null],
  ['https://a b', undefined, null],
  // Often enough for the function to be compiled.
  ['https://bücher.example', undefined, 'https://xn--bcher-kva.example/'],
  ['/ü', 'https://a.example', 'https://a.example/%C3%BC'],
])('%s is read from %s as %s, however often', (text, base, href) => {
  const read = new Set(Array.from({ length: 20_000 }, () => urlOf(text, base)?.href ?? null))

  expect([...read]).toEqual([href])
})

test('a count has a comma before every three digits', () => {
  const shown = [0, 999, 1_000, 20_480, 1_234_567].map(grouped)

  expect(shown.join(' ')).toBe('0 999 1,000 20,480 1,234,567')
})

test.each<[away: number, ...pairs: readonly (readonly [string, string])[]]>([
  [1, ['abc', 'acb'], ['abc', 'ab'], ['abc', 'abxc'], ['abc', 'axc']],
  [3, ['', 'abc'], ['ca', 'abc'], ['kitten', 'sitting']],
])('the distance is %i between %j', (away, ...pairs) => {
  expect(pairs.map(([from, to]) => distance(from, to))).toEqual(pairs.map(() => away))
})

test('the distance is symmetric, 0 only between equal texts, and at most the longer length', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
  forAll(text, text, (one, other) => {
    const away = distance(one, other)

    expect(away).toBe(distance(other, one))
    expect(away === 0).toBe(one === other)
    expect(away).toBeLessThanOrEqual(Math.max(one.length, other.length))
    expect(away).toBeGreaterThanOrEqual(Math.abs(one.length - other.length))
  })
})

test.each<[meant: string | null, ...texts: readonly string[]]>([
  ['method', 'methd', 'me'],
  ['path', 'Path'],
  ['acceptance', 'accept', 'ACC'],
  [null, 'p', 'zzz', ''],
])('%s is meant by %j', (expected, ...texts) => {
  const candidates = ['method', 'path', 'acceptance']

  expect(texts.map((text) => meant(text, candidates))).toEqual(texts.map(() => expected))
})

test.each([
  ['a match at the start beats a closer match', 'quot', ['quit', 'quotation'], 'quotation'],
  ['all matches at the start are suggested', 'rep', ['replay', 'report', 'rules'], 'replay or report'],
  ['too many matches at the start are left out', '--max', ['--max-a', '--max-b', '--max-c', '--max-d'], null],
  ['all equally close matches are suggested', 'rune', ['run', 'runs', 'rules'], 'run or runs'],
])('%s', (_, text, candidates, expected) => {
  expect(meant(text, candidates)).toBe(expected)
})

test.each([
  ['plain text, ümläute and 漢字 unchanged', 'Grüße, 漢字 🙂', 'Grüße, 漢字 🙂'],
  ['an escape sequence', '\u001B[31mred', String.raw`\u001b[31mred`],
  ['the one-character form of an escape sequence', '\u009B31m', String.raw`\u009b31m`],
  ['line ends and tabs', 'a\r\n\tb', String.raw`a\r\n\tb`],
  ['NUL and DEL', '\0\u007F', String.raw`\u0000\u007f`],
  ['direction overrides', '\u202Egnp\u2069', String.raw`\u202egnp\u2069`],
  ['zero-width characters', '\u200B\u200D\uFEFF\u00AD', String.raw`\u200b\u200d\ufeff\u00ad`],
  ['tag, joining and number characters', '\u{E0041}\u034F\u0600', String.raw`\u{e0041}\u034f\u0600`],
  ['line separators', '\u2028\u2029', String.raw`\u2028\u2029`],
  ['pipeline commands', '##[error]x ##vso[x]y ## [z', String.raw`#\u0023[error]x #\u0023vso[x]y ## [z`],
  ['half a character', 'a\uD800b', String.raw`a\ud800b`],
])('printable text shows %s', (_, text, expected) => {
  expect(printable(text)).toBe(expected)
})

test.each([
  ['abc', 'abc', 3, 3],
  ['abcd… (12 more characters)', 'abcdef', 4, 16],
  ['abc… (10 more characters)', 'abc', 4, 13],
  // No character is split.
  ['a… (3 more characters)', 'a🙂b', 2, 4],
])('a cut text ends with the number of hidden characters: %s', (expected, text, most, length) => {
  expect(beginning(text, most, length - text.length)).toBe(expected)
})

test.each([
  ['a space at the end', '1 ', String.raw`1\u0020`],
  ['spaces on both sides', '  1 ', String.raw`\u0020\u00201\u0020`],
  ['spaces only', '  ', String.raw`\u0020\u0020`],
  ['a space inside', '1 2', '1 2'],
  ['a tab, which is left to printable', '\t1\t', '\t1\t'],
  ['characters that only look like a space', '1\u00A0\u3000', String.raw`1\u00a0\u3000`],
  ['nothing', '', ''],
])('a value with visible white space is shown correctly for %s', (_, value, expected) => {
  expect(visible(value)).toBe(expected)
})

test('a value with visible white space begins and ends with visible characters once it is printable', () => {
  forAll(fc.array(fc.constantFrom(' ', '\t', 'a', '\u200B', '\0')), (characters) => {
    const shown = printable(visible(characters.join('')))

    expect(shown).toMatch(/^(?:[!-~](?:[ -~]*[!-~])?)?$/)
    expect(JSON.parse(`"${shown}"`)).toBe(characters.join(''))
  })
})

test('the legend explains only escapes that occur', () => {
  const space = String.raw`\u0020 is a space at an end of a value`
  const legends = ['1 2', '1 ', '\t1 '].map((value) => legendOf([['x-version', value]]))

  expect(legends).toEqual([null, space, String.raw`${space}; \t is a tab`])
  expect(legendOf([['x-version\u200B', '1']])).toMatch(/^\\u and a code in hexadecimal is a character/)
  expect(legendOf([['x', '\0']])).not.toBeNull()
})

test('a replayed request shows every space, tab and invisible character, and a legend', () => {
  const request = { ...exchange.request, headers: [['x-version', '\t1\u202e1 ']] } as const
  const counts = { asked: 1, times: 1, wrong: 0, sent: 1, found: [], unjudged: [] }
  const replayed = { baseUrl: 'http://a.example', ...counts, exchanges: [{ ...exchange, request }] }
  const shown = replayText(replayed, { colour: false, width: 200 })

  expect(shown).toContain(String.raw`\t1\u202e1\u0020`)
  expect(shown).toContain(' is a space at an end')
})
