import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ShellPart } from '../http/shell.ts'
import { bashWord } from './bash.ts'
import { credentials } from './testing/exchanges.ts'
import { runInBash } from './testing/run-in-bash.ts'

const key = '${TARGET_API_KEY}'

describe('parts as one word of bash', () => {
  it.each<[parts: readonly ShellPart[], word: string]>([
    [[], "''"],
    [[{ text: '' }], "''"],
    [[{ text: 'a b' }], "'a b'"],
    [[{ text: 'a' }, { text: 'b' }], "'ab'"],
    [[{ text: "it's" }], String.raw`'it'\''s'`],
    [[{ text: '\xff' }], String.raw`$'\377'`],
    [[{ text: '\xe2\x80\x8bab\t' }], String.raw`$'\342\200\213''ab'$'\011'`],
    [[{ expansion: key }], `"${key}"`],
    [[{ text: 'a: ' }, { expansion: key }, { text: ' "$`\\' }], String.raw`"a: ${key} \"\$\`\\"`],
    [[{ expansion: key }, { text: '\x01b' }], String.raw`"${key}"$'\001''b'`],
    [[{ expansion: key }, { text: '!' }], `"${key}"'!'""`],
  ])('%j: %s', (parts, word) => {
    expect(bashWord(parts)).toBe(word)
  })

  it('mean to bash what they say', async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code)),
        fc.constantFrom(...'\'"\\$`!~*#{} \t\r\n0'),
      ),
      maxLength: 12,
    })
    const part = fc.oneof(
      text.map((one) => ({ text: one })),
      fc.constant({ expansion: key }),
    )
    const words = fc.sample(fc.array(part, { maxLength: 6 }), { numRuns: 300, seed: 3 })
    const { stdout, stderr } = await runInBash(words.map((parts) => `printf '%s\\0' ${bashWord(parts)}`))

    expect(stderr).toBe('')
    expect(stdout.toString('latin1').split('\0').slice(0, -1)).toEqual(
      words.map((parts) =>
        parts.map((one) => ('text' in one ? one.text : credentials.apiKey.reveal())).join(''),
      ),
    )
  })
})
