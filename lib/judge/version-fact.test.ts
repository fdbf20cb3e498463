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
    ['odd', ['00', '01', '+1', '+01', '-0', '-01', '007', '12.0', '1.0', '1.', '+1.00', '-10.0']],
    ['odd', ['0x1', '0XfF', '+0x1F', '-0x0', '0o7', '0o17', '-0O7', '0b1', '0b101', '+0B10']],
    ['odd', ['1e0', '1E2', '12e3', '1e+10', '1e-2', '-1e0', '1.e2', '1.5e1', '1.25e2', '+10.50e12']],
    ['odd', ['1_0', '12_345', '1_000_000', '+1_0', '-1_00']],
    ['odd', ['０', '１', '１２', '-１', '+１０', '١', '٤٢']],
    ['malformed', ['abc', 'v1', '1abc', '1 1', '1;', '1,2', 'null', '½', '一', '\u200b1', '٤٢x', 'x٤٢']],
    ['malformed', ['--1', '+-1', '++1', '+', '-', '1-', '1.5', '.0', '1.0.0', '1.01', 'v1.0', '1.0a']],
    [
      'malformed',
      ['0x', '0xg', '0x1g', '1x1', 'v0x1', '0o', '0o8', '0o18', 'v0o7', '0b', '0b2', '0b12', 'v0b1'],
    ],
    ['malformed', ['e1', '1e', '1e+', '1ee1', 'v1e0', '1e0x', '1e1.5', '1e*2', '1.xe2', '1..e2', '1.5e']],
    ['malformed', ['_1', '1_', '1__0', 'v1_0', '1_0x', '1_x', '1_0_']],
  ] as const)('is %s', (fact, values) => {
    for (const value of values) expect(versionFact(bytes(value), known), value).toBe(fact)
  })
})
