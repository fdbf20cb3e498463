import { describe, expect, it } from 'vitest'
import {
  bidirectional,
  byteOrderMark,
  characterOf,
  combiningMarks,
  controlCharacters,
  emoji,
  hexadecimalOf,
  separators,
  strippable,
  utf8,
  zeroWidth,
  type Character,
} from './unicode.ts'

function textOf({ bytes }: Character): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

describe('characters', () => {
  it('say their code point and their bytes', () => {
    expect(characterOf(0x200b)).toEqual({ bytes: '\xe2\x80\x8b', says: 'U+200B (e2 80 8b)' })
    expect(characterOf(0)).toEqual({ bytes: '\0', says: 'U+0000 (00)' })
    expect(characterOf(0x1f511)).toEqual({ bytes: '\xf0\x9f\x94\x91', says: 'U+1F511 (f0 9f 94 91)' })
  })

  it('are written as a byte a character', () => {
    expect(utf8('é€')).toBe('\xc3\xa9\xe2\x82\xac')
    expect(hexadecimalOf('\0\x0a\xff')).toBe('00 0a ff')
  })

  it.each([
    ['separators', separators, /^\p{White_Space}$/u],
    ['zero width', zeroWidth, /^\p{Default_Ignorable_Code_Point}$/u],
    ['byte order mark', [byteOrderMark], /^\ufeff$/],
    ['bidirectional', bidirectional, /^\p{Bidi_Control}$/u],
    ['emoji', emoji, /^\p{Extended_Pictographic}$/u],
    ['combining', combiningMarks, /^\p{M}$/u],
    ['control', controlCharacters, /^\p{Cc}$/u],
    ['strippable', strippable, /^[\p{White_Space}\u200b\ufeff\u180e]$/u],
  ])('of a class are of it: %s', (_, characters, pattern) => {
    for (const character of characters) expect(textOf(character)).toMatch(pattern)
    expect(new Set(characters.map(textOf)).size).toBe(characters.length)
  })

  it('of a class are all that there are of it', () => {
    const all = Array.from({ length: 0x3100 }, (_, code) => String.fromCodePoint(code))
    const beyondAscii = all.filter((one) => /^[^\0-\x7f]$/.test(one))

    expect(separators.map(textOf).toSorted()).toEqual(
      beyondAscii.filter((one) => /\p{White_Space}/u.test(one)).toSorted(),
    )
    expect(bidirectional.map(textOf).toSorted()).toEqual(
      all.filter((one) => /\p{Bidi_Control}/u.test(one)).toSorted(),
    )
    expect(controlCharacters.map(textOf).toSorted()).toEqual(
      all.filter((one) => /\p{Cc}/u.test(one) && !/[\t\r\n]/.test(one)).toSorted(),
    )
  })
})
