import { describe, expect, it } from 'vitest'
import { PublicWords, placesOfLetters, wholeWordsOf } from './public-words.ts'

const known = (): PublicWords =>
  new PublicWords(['The list endpoint', '/api/customizations/list', 'x', 'key\u4e00word'])

describe('public words', () => {
  it.each([
    ['list', true],
    ['ustomizat', true],
    ['the list', true],
    ['lists', false],
    ['endlist', false],
    // No text goes on in the next one.
    ['endpoint/api', false],
    ['listx', false],
    ['qz', false],
    ['keyword', false],
  ])('hold %s: %s', (text, isHeld) => {
    expect(known().hold(text)).toBe(isHeld)
  })

  it.each([
    ['endpoint, list: the list', true],
    ['/api/customizations', true],
    ['list/the', true],
    ['x x x', false],
    ['x', true],
    ['list-other', false],
    ['other list', false],
    ['he list', false],
    ['e list', false],
    ['-- /', true],
    ['the lis', false],
    ['customizations/lis', false],
  ])('explain %s: %s', (text, isExplained) => {
    const words = known()

    expect([words.explain(text), words.explain(text)]).toEqual([isExplained, isExplained])
  })
})

it('short words explain what stands in a text as it is, wherever that is', () => {
  const words = new PublicWords(['a b c d'])

  expect(['a b c', 'b c', 'b c d', 'c b'].map((text) => words.explain(text))).toEqual([
    true,
    true,
    true,
    false,
  ])
})

describe('a part of a text', () => {
  it.each([
    ['my key_abc here', 3, 5, 'key'],
    ['my key_abc here', 8, 9, 'abc'],
    ['my key_abc here', 4, 8, 'key_abc'],
    ['key', 0, 3, 'key'],
    ['key', 1, 2, 'key'],
  ])('of %j gets the rest of its words', (text, from, to, whole) => {
    expect(wholeWordsOf(text, from, to)).toBe(whole)
  })

  it('gets at most 40 characters of a word at either end', () => {
    expect(wholeWordsOf('a'.repeat(200), 100, 110)).toHaveLength(90)
  })

  it('has a place for each letter, and one for a gap that parts what does not belong together', () => {
    expect(placesOfLetters('a-B 7')).toEqual([0, 2, 4])
    expect(placesOfLetters(`a${'-'.repeat(500)}b`)).toEqual([0, 501])
    expect(placesOfLetters(`a${'-'.repeat(501)}b`)).toEqual([0, 1, 502])
  })
})
