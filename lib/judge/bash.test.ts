import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bashWord, inDoubleQuotes } from './bash.ts'
import { runInBash } from './testing/run-in-bash.ts'

describe('a text as one word of bash', () => {
  it.each([
    ['', "''"],
    ['a b', "'a b'"],
    ["it's", String.raw`'it'\''s'`],
    ['\xff', String.raw`$'\377'`],
    ['\xe2\x80\x8bab\t', String.raw`$'\342\200\213''ab'$'\011'`],
  ])('%j: %s', (text, word) => {
    expect(bashWord(text)).toBe(word)
  })

  it('means to bash what it says', async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code)),
        fc.constantFrom(...'\'"\\$`!~*#{} \t\r\n0'),
      ),
      maxLength: 30,
    })
    const texts = fc.sample(text, { numRuns: 300, seed: 3 })

    expect(await printedByBash(texts.map(bashWord))).toEqual(texts)
  })
})

describe('a text between double quotes', () => {
  it.each([
    ['a b', 'a b'],
    [' "$`\\', String.raw` \"\$\`\\`],
    ['!', `"'!'"`],
  ])('%j: %s', (text, written) => {
    expect(inDoubleQuotes(text)).toBe(written)
  })

  it('means to bash what it says', async () => {
    const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code))
    const unit = fc.oneof(printable, fc.constantFrom(...'\'"\\$`!{'))
    const texts = fc.sample(fc.string({ unit, maxLength: 30 }), { numRuns: 300, seed: 3 })

    expect(await printedByBash(texts.map((text) => `"${inDoubleQuotes(text)}"`))).toEqual(texts)
  })
})

/** What bash makes of each of these words, where `!` recalls former lines as where a user types. */
async function printedByBash(words: readonly string[]): Promise<readonly string[]> {
  const typed = 'set -o history -o histexpand'
  const { stdout, stderr } = await runInBash([typed, ...words.map((word) => `printf '%s\\0' ${word}`)])

  expect(stderr).toBe('')
  return stdout.toString('latin1').split('\0').slice(0, -1)
}
