import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { hideSecrets, holdsSecret } from './hide-secrets.ts'
import { shortened } from './issue.ts'

const secret = 's3cret"value+1'

test.each([
  ['plain', secret],
  ['inside', `before ${secret} after`],
  ['behind what would be cut', `${'x'.repeat(75)}${secret}`],
  ['percent-encoded', encodeURIComponent(secret)],
  ['as JSON', JSON.stringify({ secret })],
])('a secret %s is not shown', (_, given) => {
  const [mistake] = hideSecrets([{ setting: 'X', given, expected: `a ${secret}`, hint: given }], [secret])

  expect(mistake).toEqual({
    setting: 'X',
    given: `a value of ${given.length} characters, not shown since it holds a credential`,
    expected: 'a <a credential>',
    hint: null,
  })
})

test('what is shown holds no control characters and at most 80 characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const shown = shortened(text)

      expect(Array.from(shown).length).toBeLessThanOrEqual(80)
      expect(shown).not.toMatch(/\p{Cc}|\p{Surrogate}|[\u202a-\u202e]/u)
    }),
  )
})

test('a short secret hides only what equals it', () => {
  const mistake = { setting: 'X', given: 'a1', expected: 'e', hint: null }

  expect(hideSecrets([mistake], ['a'])[0]?.given).toBe('a1')
  expect(hideSecrets([{ ...mistake, given: 'a' }], ['a'])[0]?.given).not.toBe('a')
})

test.each([
  ['devices of dev-2', true],
  ['dev', true],
  ['a/dev/b', true],
  ['devices', false],
  ['my2dev', false],
  ['devdev', false],
])('a secret of three characters is found as a word of its own: %s', (text, found) => {
  expect(holdsSecret(text, ['dev'])).toBe(found)
})

test.each(['a.b', '(((', '-^]', '\\d{', '/$|'])('also where it is no word at all: %s', (odd) => {
  expect(holdsSecret(`x ${odd} y`, [odd])).toBe(true)
  expect(holdsSecret('xaxb y', [odd])).toBe(false)
})
