import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { ruleIds } from '../specification/rules.ts'
import { specCatalogue } from '../specification/catalogue.ts'
import { isSelected, readOnly } from './selection.ts'

const read = (text: string) => readOnly(text, specCatalogue)
const selectedBy = (text: string) => ruleIds.filter((id) => isSelected(read(text).value, id))

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
    expect(selectedBy(text)).toEqual(selected)
    expect(read(text).issues).toEqual([])
  })

  test('the globs are kept as given, once each', () => {
    expect(read('quota/*, *,quota/*').value).toEqual(['quota/*', '*'])
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
    [',', 'the command rules'],
    ['auth/*', 'did you mean authentication/*?'],
    ['auth', 'did you mean authentication/*?'],
    ['Conv', 'did you mean conventions/*?'],
    ['vers/*', 'did you mean versioning/*?'],
    ['auth/api-key-*ing-x', 'did you mean authentication/*?'],
    ['auth/api-key', 'did you mean fuzz/api-key?'],
    ['auth/api-key-', 'did you mean authentication/api-key-missing or authentication/api-key-invalid?'],
    ['api-key-', 'did you mean authentication/api-key-missing or authentication/api-key-invalid?'],
    ['list-suceeds', 'did you mean endpoints/list-succeeds?'],
    ['nonsense', 'the command rules lists them all'],
    ['nonsense/*', 'the command rules lists them all'],
    ['*nonsense*', 'the command rules lists them all'],
  ])('%s matches nothing, and %s is suggested', (text, suggested) => {
    expect(read(text).issues).toEqual([
      {
        setting: 'RUN_ONLY',
        given: text,
        expected: expect.any(String),
        hint: expect.stringContaining(suggested),
      },
    ])
  })

  test('each glob that matches nothing is a mistake of its own', () => {
    expect(read('a,quota/*,b').issues.map(({ given }) => given)).toEqual(['a', 'b'])
  })

  test('a rule with any part starred still selects itself', () => {
    const starred = fc
      .tuple(fc.constantFrom(...ruleIds), fc.nat(40), fc.nat(40))
      .map(([id, from, length]) => ({ id, glob: `${id.slice(0, from)}*${id.slice(from + length)}` }))
    fc.assert(
      fc.property(starred, ({ id, glob }) => {
        expect(selectedBy(glob)).toContain(id)
      }),
    )
  })

  test('many stars take no time', () => {
    expect(read('*a'.repeat(5_000)).issues.length).toBe(1)
  })
})
