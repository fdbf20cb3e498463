import { expect, test } from 'vitest'
import { readVerdictBytes } from '../../verdict/read-verdict.ts'
import { verdictWith } from '../../verdict/verdict.testing.ts'

test('a verdict is read from its bytes, whatever its strings hold', () => {
  const verdict = verdictWith({ notCovered: ['"[{'.repeat(1_000), 'ä\u{1f600}\\'] })

  expect(readVerdictBytes(Buffer.from(JSON.stringify(verdict)))).toEqual({ kind: 'value', value: verdict })
})

test('one that is nested without end is refused, and does not run out of stack', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const text = JSON.stringify(verdictWith()).replace(/^\{/, `{"further":${deep},`)

  expect(readVerdictBytes(Buffer.from(text))).toEqual({
    kind: 'wrong',
    wrong: 'is nested deeper than 200 levels, as no verdict is',
    remedy: '; give a verdict.json, or the folder of one',
  })
})
