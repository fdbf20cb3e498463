import { expect, test } from 'vitest'
import { isPicked, isWhole } from './picked-rules.ts'

const missing = { file: 'versioning', suite: 'Versioning', name: 'versioning/version-missing: it is refused' }
const whole = { file: 'versioning', pattern: undefined }

test.each([
  [[], false],
  [[whole], true],
  [[{ ...whole, file: 'fuzz' }], false],
  [[{ ...whole, file: 'fuzz' }, whole], true],
  // Vitest matches the suite name followed by the test name.
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
])('with watch %s and %j, all tests are picked: %s', (watch, files, expected) => {
  expect(isWhole({ watch, files }, ['versioning', 'fuzz'])).toBe(expected)
})
