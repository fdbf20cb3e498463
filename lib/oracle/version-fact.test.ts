import { describe, expect, it } from 'vitest'
import { versionFact } from './version-fact.ts'

const known = { served: '1', unsupported: '99' }

/** The text as one character a byte, the way it arrives. */
function bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

describe('the fact about a version', () => {
  it.each([
    ['blank', ['']],
    ['served', ['1']],
    ['unsupported', ['99', '100000000', '2147483647', '123456789']],
    [
      'out-of-range',
      ['2147483648', '-1', '4294967297', '9007199254740993', '18446744073709551617', `1${'0'.repeat(309)}`],
    ],
    ['other', ['0', '2', '3', '99999999']],
    ['odd', ['01', '+1', '1.0', '1.', '0x1', '1e0', '-0', '00', '+01', '1_0', '０', '１', '١', '1E2', '0b1']],
    [
      'malformed',
      ['abc', 'v1', '1.5', '1,2', '1abc', '1 1', '--1', '0x', 'null', '1;', '½', '一', '1.0.0', '\u200b1'],
    ],
  ] as const)('is %s', (fact, values) => {
    for (const value of values) expect(versionFact(bytes(value), known), value).toBe(fact)
  })
})
