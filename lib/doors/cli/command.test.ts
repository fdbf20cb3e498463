import { expect, test } from 'vitest'
import { shownWord } from './command.ts'

test.each([
  ['rum', 'rum'],
  ['--nonsense', '--nonsense'],
  ['--secret-key=Zm9v+Tq/81', '--secret-key…'],
  ['--nonsense\u001b[2J', '--nonsense…'],
  ['-Zm9v+Tq/81', 'a word of 11 characters'],
  ['Zm9v+Tq/81', 'a word of 10 characters'],
  ['averylongwordinlowercase', 'a word of 24 characters'],
])('%s is shown as %s', (word, shown) => {
  expect(shownWord(word)).toBe(shown)
})
