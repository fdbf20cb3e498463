import { expect, test } from 'vitest'
import { isPicked, isWhole } from './picked-rules.ts'

const missing = { file: 'versioning', suite: 'Versioning', name: 'versioning/version-missing: it is refused' }
const whole = { file: 'versioning', pattern: undefined }

test.each([
  [[], false],
  [[whole], true],
  [[{ ...whole, file: 'fuzz' }], false],
  [[{ ...whole, file: 'fuzz' }, whole], true],
  // As vitest does, with the name of the suite before that of the test.
  [[{ ...whole, pattern: /^Versioning versioning\/version-missing/ }], true],
  [[{ ...whole, pattern: /^versioning/ }], false],
])('with %j, a test is picked: %s', (files, picked) => {
  expect(isPicked({ watch: false, files }, missing)).toBe(picked)
})

test.each([
  [false, [whole, { ...whole, file: 'fuzz' }], true],
  [true, [whole, { ...whole, file: 'fuzz' }], false],
  [false, [whole], false],
  [false, [whole, { ...whole, file: 'fuzz', pattern: /./ }], false],
])('all tests are picked, watching %s, with %j: %s', (watch, files, expected) => {
  expect(isWhole({ watch, files }, ['versioning', 'fuzz'])).toBe(expected)
})
