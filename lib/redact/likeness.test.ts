import { expect, it } from 'vitest'
import { likenessFinder } from './likeness.ts'
import { Secret } from './secret.ts'

const value = 'sk_9fQ2mLx7Tzv4Rk1wYc83'
const most = value.slice(0, 18)

/** Whether a text is found to hold a credential or most of it. */
function isFound(credential: string, text: string, fewest = 0, publicWords: readonly string[] = []): boolean {
  return likenessFinder([new Secret('KEY', credential)], { fewest, publicWords })(text) === 'KEY'
}

it.each([
  ['three quarters', most, true],
  ['less', most.slice(1), false],
  ['less at the end', value.slice(6), false],
  ['another letter case', most.toUpperCase(), true],
  ['backwards', most.split('').toReversed().join(''), true],
  ['apart', value.split('').join(' - '), true],
  ['in base64', Buffer.from(most).toString('base64'), true],
  ['in base64 of another letter case', Buffer.from(value).toString('base64').toLowerCase(), true],
  ['in hexadecimal, behind a word', `build-${Buffer.from(most).toString('hex')}`, true],
  ['nothing', '', false],
])('of a credential, %s: %j', (_, text, found) => {
  expect(isFound(value, text)).toBe(found)
})

it.each([
  [0, 225, true],
  [37, 225, true],
  [75, 225, true],
  [37, 220, false],
])('of a long credential, three quarters anywhere: from %i on, %i of 300: %s', (from, length, found) => {
  const long = Array.from({ length: 300 }, (_, at) => (((at * at * 31) % 1_009) % 36).toString(36)).join('')

  expect(isFound(long, long.slice(from, from + length))).toBe(found)
})

it.each([
  ['x7Zq9', false],
  ['x7Zq9w', true],
])('in base64 of another letter case from six characters on: %s: %s', (credential, found) => {
  expect(isFound(credential, Buffer.from(credential).toString('base64').toLowerCase())).toBe(found)
})

it('signs may be others', () => {
  expect(isFound('abcd-ef12-gh34', 'abcd ef12 gh34')).toBe(true)
})

it('a space may be a plus', () => {
  expect(isFound('one two 3 four 5', 'one+two+3+four+5')).toBe(true)
  expect(isFound('a b c 1 2', 'a+b+c+1+2')).toBe(true)
})

it.each([
  ['sandbox1', 'the sandbox', false],
  ['sandbox1', 'SANDBOX1', true],
  ['sandboxes1', 'the sandboxes', true],
  ['20261120', 'build 2026112', false],
  ['20261120', '20261120', true],
  ['Staging', 'Staging', true],
  ['x7-Zq9w1', 'x7-Zq9w', true],
])(
  'a word or a number that is short occurs by chance, but for the whole: %s in %j: %s',
  (credential, text, found) => {
    expect(isFound(credential, text)).toBe(found)
  },
)

it.each([
  ['my-secret-key-1', 'Acme, x-secret-key over mTLS', false],
  ['my-secret-key-1', 'my-secret-key-1', true],
  ['yek-terces-ym-1', 'Acme, x-secret-key over mTLS', false],
  ['xsecretkey12', 'x-secret-key', false],
  ['key-list-one', 'key-list-on', true],
  // No text goes on in the next one.
  ['Secret-Keylist', 'Secret-Keylist', true],
  ['listtsil', 'listtsil', true],
  ['list', 'List', false],
  ['x-secret-key', 'X-Secret-Key', false],
])('public words are none: %s in %j: %s', (credential, text, found) => {
  expect(isFound(credential, text, 0, ['my X-Secret-Key', 'list'])).toBe(found)
})

it.each([
  ['staging', 'staging', 0, true],
  ['staging', 'staging', 8, false],
  ['abcdefghijk1', 'abcdefghijk1', 12, true],
  ['abcdefghijk1234', 'abcdefghijk1', 12, true],
  ['abcdefghijk1234', 'abcdefghijk', 12, false],
])(
  'where users did not choose the words, more is needed: %s in %s of %i: %s',
  (credential, text, fewest, found) => {
    expect(isFound(credential, text, fewest)).toBe(found)
  },
)

it.each([
  ['dev', 'a/Dev-b', true],
  ['dev', 'devices', false],
  ['de', 'de', true],
  ['de', 'de la', false],
  ['deve', 'development', true],
])('a short one is found as a word, a shorter one alone: %s in %j: %s', (credential, text, found) => {
  expect(isFound(credential, text)).toBe(found)
})

it('a text that takes too long to decode may hold one', () => {
  let text = 'hello world, this is a text'
  for (let depth = 0; depth < 8; depth += 1) text = Buffer.from(text).toString('hex')

  expect(likenessFinder([new Secret('KEY', value)], { fewest: 0, publicWords: [] })(text)).toBe(
    'a credential',
  )
})

it('of no credential nothing is found', () => {
  expect(likenessFinder([], { publicWords: [], fewest: 0 })('anything')).toBeNull()
  expect(isFound('', '')).toBe(false)
})
