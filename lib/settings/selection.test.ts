import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { ruleIds } from '../spec/rules.ts'
import { readOnly } from './selection.ts'

describe('RUN_ONLY', () => {
  test.each([
    ['quota/exhausted', ['quota/exhausted']],
    ['quota/*', ['quota/exhausted', 'quota/stays-exhausted', 'quota/per-client']],
    ['*/json-response', ['conventions/json-response']],
    ['*exhausted', ['quota/exhausted', 'quota/stays-exhausted']],
    ['quota/*exhausted', ['quota/exhausted', 'quota/stays-exhausted']],
    [' quota/per-client , conventions/json-response,', ['conventions/json-response', 'quota/per-client']],
    ['*', ruleIds],
    ['**', ruleIds],
  ])('%s selects', (text, selected) => {
    expect(readOnly(text)).toMatchObject({ value: { selected }, issues: [] })
  })

  test('the globs are kept as given, once each', () => {
    expect(readOnly('quota/*, *,quota/*').value.only).toEqual(['quota/*', '*'])
  })

  test.each([
    ['authentication', 'authentication/*'],
    ['api-key-missing', 'authentication/api-key-missing'],
    ['auth/api-key-missing', 'authentication/api-key-missing'],
    ['authentication/api-key-mising', 'authentication/api-key-missing'],
    ['authentification/*', 'authentication/*'],
    ['quota/exhauste', 'quota/exhausted'],
    ['quota/exhausted*x', 'quota/*'],
    ['QUOTA/EXHAUSTED', 'did you mean quota/exhausted'],
    ['quota/exhausted.', 'quota/exhausted'],
    ['quota?exhausted', 'quota/exhausted'],
    [',', 'rules'],
  ])('%s matches nothing, and %s is suggested', (text, suggested) => {
    expect(readOnly(text).issues).toEqual([
      {
        setting: 'RUN_ONLY',
        given: text,
        expected: expect.any(String),
        hint: expect.stringContaining(suggested),
      },
    ])
  })

  test('each glob that matches nothing is a mistake of its own', () => {
    expect(readOnly('a,quota/*,b').issues.map(({ given }) => given)).toEqual(['a', 'b'])
  })

  test('a rule with any part starred still selects itself', () => {
    const starred = fc
      .tuple(fc.constantFrom(...ruleIds), fc.nat(40), fc.nat(40))
      .map(([id, from, length]) => ({ id, glob: `${id.slice(0, from)}*${id.slice(from + length)}` }))
    fc.assert(
      fc.property(starred, ({ id, glob }) => {
        expect(readOnly(glob).value.selected).toContain(id)
      }),
    )
  })

  test('many stars take no time', () => {
    expect(readOnly('*a'.repeat(5_000)).issues.length).toBe(1)
  })
})
