import { expect, it } from 'vitest'
import { findingWith, ruleWith } from '../../verdict/verdict.testing.ts'
import { sentOftenEnough } from './findings.ts'

it.each([
  ['its answer occurs only sometimes elsewhere', 500, 'line --times 20'],
  ['its answer occurs each time', 401, 'line'],
])('a replay line sends its case as often as needed if %s', (_, status, expected) => {
  const failed = { answered: { status: 500, errorCode: null }, reproduced: '2 of 3' }
  const steady = { answered: { status, errorCode: null }, reproduced: '3 of 3', replay: 'line' }
  const results = [failed, steady].map((one) => ruleWith('fuzz/path', { findings: [findingWith(one)] }))

  expect(sentOftenEnough(results)[1]?.findings[0]?.replay).toBe(expected)
})
