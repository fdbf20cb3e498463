import { describe, expect, it } from 'vitest'
import {
  bidirectional,
  byteOrderMark,
  combiningMarks,
  controlCharacters,
  emoji,
  separators,
  strippable,
  zeroWidth,
  type Character,
} from './unicode.ts'

function textOf({ bytes }: Character): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

describe('characters', () => {
  it.each([
    ['separators', separators, /^\p{White_Space}$/u],
    ['zero width', zeroWidth, /^\p{Default_Ignorable_Code_Point}$/u],
    ['byte order mark', [byteOrderMark], /^\ufeff$/],
    ['bidirectional', bidirectional, /^\p{Bidi_Control}$/u],
    ['emoji', emoji, /^\p{Extended_Pictographic}$/u],
    ['combining', combiningMarks, /^\p{M}$/u],
    ['control', controlCharacters, /^\p{Cc}$/u],
    ['strippable', strippable, /^[\p{White_Space}\u200b\ufeff\u180e]$/u],
  ])('listed in a class belong to it: %s', (_, characters, pattern) => {
    for (const character of characters) expect(textOf(character)).toMatch(pattern)
    expect(new Set(characters.map(textOf)).size).toBe(characters.length)
  })

  it('that belong to a class are all listed', () => {
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
