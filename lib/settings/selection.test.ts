import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { specCatalogue } from '../specification/catalogue.ts'
import { ruleIds } from '../specification/rules.ts'
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
  ])('selects the rules that match %s', (text, selected) => {
    expect(selectedBy(text)).toEqual(selected)
    expect(read(text).issues).toEqual([])
  })

  test('keeps its globs as given, without duplicates', () => {
    expect(read('quota/*, *,quota/*').value).toEqual(['quota/*', '*'])
  })

  test.each([
    ['did you mean authentication/*?', ['authentication', 'authentification/*']],
    ['did you mean authentication/api-key-missing?', ['authentication/api-key-mising']],
    ['quota/exhausted', ['quota/exhauste', 'quota/exhausted.', 'quota?exhausted', 'QUOTA/EXHAUSTED']],
    ['did you mean fuzz/*?', ['fuz/*', 'fuzz/']],
    ['the command rules', [',']],
    ['the command rules lists all rules', ['nonsense', 'nonsense/*', '*nonsense*', 'auth/api-key']],
  ])('suggests "%s" for the unmatched globs %j', (suggested, texts) => {
    const [expected, hint] = [expect.any(String), expect.stringContaining(suggested)]

    for (const text of texts)
      expect(read(text).issues).toEqual([{ setting: 'RUN_ONLY', given: text, expected, hint }])
  })

  test('reports each unmatched glob as a separate mistake', () => {
    expect(read('a,quota/*,b').issues.map(({ given }) => given)).toEqual(['a', 'b'])
  })

  test('selects a rule if a star replaces any part of its id', () => {
    const starred = fc
      .tuple(fc.constantFrom(...ruleIds), fc.nat(40), fc.nat(40))
      .map(([id, from, length]) => ({ id, glob: `${id.slice(0, from)}*${id.slice(from + length)}` }))
    fc.assert(
      fc.property(starred, ({ id, glob }) => {
        expect(selectedBy(glob)).toContain(id)
      }),
    )
  })

  test('with thousands of stars is matched quickly', () => {
    expect(read('*a'.repeat(5_000)).issues.length).toBe(1)
  })
})
