import { expect, test } from 'vitest'
import { shownWord, withShownWords } from './command-line.ts'

test.each([
  ['rum', 'rum'],
  ['--nonsense', '--nonsense'],
  ['--secret-key=Zm9v+Tq/81', '--secret-key…'],
  ['--nonsense\u001b[2J', '--nonsense…'],
  ['-Zm9v+Tq/81', 'a word of 11 characters'],
  ['Zm9v+Tq/81', 'a word of 10 characters'],
  ['averylongwordinlowercase', 'a word of 24 characters'],
])('%s', (word, shown) => {
  expect(shownWord(word)).toBe(shown)
})

test('a text about words shows them no other way', () => {
  const message = "option '--format <format>' argument 'Zm9v+Tq/81' is invalid, as is '--api-key=Zm9v+Tq/81'"

  expect(withShownWords(message, ['rules', '--format', 'Zm9v+Tq/81', '--api-key=Zm9v+Tq/81'])).toBe(
    "option '--format <format>' argument 'a word of 10 characters' is invalid, as is '--api-key…'",
  )
})
