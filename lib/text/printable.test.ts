import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileText } from '../report/testing/hostile.ts'
import { beginning, printable } from './printable.ts'

describe('printable text', () => {
  it.each([
    ['plain text, ümläute and 漢字 unchanged', 'Grüße, 漢字 🙂', 'Grüße, 漢字 🙂'],
    ['an escape sequence', '\u001B[31mred', String.raw`\u001b[31mred`],
    ['the one-character form of an escape sequence', '\u009B31m', String.raw`\u009b31m`],
    ['line ends and tabs', 'a\r\n\tb', String.raw`a\r\n\tb`],
    ['NUL and DEL', '\0\u007F', String.raw`\u0000\u007f`],
    ['direction overrides', '\u202Egnp\u2069', String.raw`\u202egnp\u2069`],
    ['zero-width characters', '\u200B\u200D\uFEFF\u00AD', String.raw`\u200b\u200d\ufeff\u00ad`],
    ['tag characters', '\u{E0041}', String.raw`\u{e0041}`],
    ['line separators', '\u2028', String.raw`\u2028`],
    ['pipeline commands', '##[error]x ##vso[x]y ## [z', String.raw`#\u0023[error]x #\u0023vso[x]y ## [z`],
    ['half a character', 'a\uD800b', String.raw`a\ud800b`],
  ])('shows %s', (_, text, expected) => {
    expect(printable(text)).toBe(expected)
  })

  it('never contains characters that hide or move text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u)
      }),
    )
  })
})

it.each([
  ['abc', 'abc', 3, 3],
  ['abcd… (12 more characters)', 'abcdef', 4, 16],
  ['abc… (10 more characters)', 'abc', 4, 13],
  // No character is split.
  ['a… (3 more characters)', 'a🙂b', 2, 4],
])('a cut text ends with the number of hidden characters: %s', (expected, text, most, length) => {
  expect(beginning(text, most, length - text.length)).toBe(expected)
})
