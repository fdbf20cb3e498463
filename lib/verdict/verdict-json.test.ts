import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { asWritten, verdictDigest, verdictJson } from './verdict-json.ts'
import { targetWith, verdictWith } from './verdict.testing.ts'
import { partsOf } from './verdict.ts'

it('half characters are replaced in a written verdict and in its reports', () => {
  const whole = verdictWith({ target: targetWith({ label: 'build 😀' }) })
  const half = verdictWith({ target: targetWith({ label: 'build \ud83d' }) })

  expect(asWritten(whole)).toBe(whole)
  expect(asWritten(half).target.label).toBe('build \ufffd')
  expect(verdictJson(asWritten(half))).toBe(verdictJson(half))
})

it('the digest of a verdict equals the digest of its file', () => {
  const verdict = verdictWith()
  const text = verdictJson(verdict)

  expect(text).toMatch(/^\{\n {2}"format".*\}\n$/s)
  expect(verdictDigest(verdict)).toBe(createHash('sha256').update(text).digest('hex'))
})

it.each([
  [{ only: null }, []],
  [{ only: ['quota/*', 'fuzz/query'] }, ['only quota/*, fuzz/query']],
  [{ only: ['quota/*'], essential: true }, ['only quota/*', 'one case a rule']],
])('a selection is described in a few words: %j', (selection, parts) => {
  expect(partsOf({ selection })).toEqual(parts)
})
