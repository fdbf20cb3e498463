import { expect, test } from 'vitest'
import { Secret } from '../redact/secret.ts'
import { fieldsOf, trimOws } from './request.ts'

test.for([
  ['a', 'a'],
  [' \t a b\t ', 'a b'],
  ['\u00A0a\u00A0', '\u00A0a\u00A0'],
  [' \t', ''],
  ['', ''],
] as const)('%j arrives as %j', ([sent, arrived]) => {
  expect(trimOws(sent)).toBe(arrived)
})

test('trimming a long run of blanks takes linear time', () => {
  expect(trimOws(`a${' '.repeat(1_000_000)}b`)).toHaveLength(1_000_002)
})

test('fields are found by name in any letter case, in order', () => {
  const fields = [
    { name: 'X-Api-Key', value: new Secret('K', ' secret ') },
    { name: 'x-api-keys', value: 'no' },
    { name: 'x-api-key', value: '' },
  ]
  const request = { method: 'GET', target: '/', fields }

  expect(fieldsOf(request, 'X-API-KEY')).toEqual(['secret', ''])
  expect(fieldsOf(request, 'x-version')).toEqual([])
})
