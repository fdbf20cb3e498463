import { expect, it } from 'vitest'
import { findingWith, ruleWith } from '../../verdict/verdict.testing.ts'
import { sentOftenEnough } from './replay-times.ts'

const line = "npx replay 'a'"
const [failed, refused] = [
  { status: 500, errorCode: null },
  { status: 401, errorCode: '1006' },
]

it('sends a case many times where a service gives such an answer only sometimes, and any other case once', () => {
  const findings = [
    findingWith({ answered: failed, reproduced: '2 of 3', replay: `${line} --times 20` }),
    findingWith({ answered: failed, reproduced: '3 of 3', replay: line }),
    findingWith({ answered: failed, reproduced: '3 of 3', replay: null }),
    findingWith({ answered: refused, reproduced: '3 of 3', replay: line }),
    findingWith({ answered: refused, reproduced: '1 of 1', replay: `${line} --times 20` }),
  ]
  const results = findings.map((finding) => ruleWith('fuzz/path', { findings: [finding] }))

  expect(sentOftenEnough(results).map(({ findings: [finding] }) => finding?.replay)).toEqual([
    `${line} --times 20`,
    `${line} --times 20`,
    null,
    line,
    `${line} --times 20`,
  ])
})
