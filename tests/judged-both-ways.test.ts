import { expect, test } from 'vitest'
import { answer, exchange, refused } from '../lib/judge/testing/exchanges.ts'
import { rulesOfAnswer } from '../lib/engine/record/known-answers.ts'
import { judgeBothWays } from './judged-both-ways.ts'

/** Remembers every answer as one that keeps all rules. */
class Careless {
  rulesThatHold(): typeof rulesOfAnswer {
    return rulesOfAnswer
  }
}
judgeBothWays(Careless)

test('a memory that is wrong about an answer is an error', () => {
  const memory = new Careless()
  const judge: (answered: ReturnType<typeof exchange>) => unknown = memory.rulesThatHold.bind(memory)

  expect(judge(exchange(refused(401, '1006')))).toBe(rulesOfAnswer)
  for (const wrong of [
    refused(400, '1006'),
    answer(500, {}),
    answer(200, {}),
    refused(401, '1006', { fields: [] }),
  ])
    expect(() => judge(exchange(wrong))).toThrow(/remembered as/)
})
