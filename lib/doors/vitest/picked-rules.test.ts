import { expect, test } from 'vitest'
import { isPicked } from './picked-rules.ts'

const missing = { file: 'versioning', suite: 'Versioning', name: 'versioning/version-missing: it is refused' }
const whole = { file: 'versioning', pattern: undefined, names: undefined }

test.each([
  [[], false],
  [[whole], true],
  [[{ ...whole, file: 'fuzz' }], false],
  [[{ ...whole, file: 'fuzz' }, whole], true],
  // As vitest does, with the name of the suite before that of the test.
  [[{ ...whole, pattern: /^Versioning versioning\/version-missing/ }], true],
  [[{ ...whole, pattern: /^versioning/ }], false],
  [[{ ...whole, names: [missing.name] }], true],
  [[{ ...whole, names: ['another'] }], false],
  [[{ ...whole, pattern: /fuzz/, names: [missing.name] }], false],
])('with %j a test is picked: %s', (files, picked) => {
  expect(isPicked({ watch: false, files }, missing)).toBe(picked)
})

test('a test outside of every suite is picked by its name alone', () => {
  const last = { file: 'own', suite: null, name: 'the run comes to a verdict' }

  expect(isPicked({ watch: false, files: [{ ...whole, file: 'own', pattern: /^the run/ }] }, last)).toBe(true)
})
