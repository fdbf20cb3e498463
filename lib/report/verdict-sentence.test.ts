import { describe, expect, it } from 'vitest'
import {
  errorVerdict,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../verdict/verdict.testing.ts'
import { verdictSentence } from './verdict-sentence.ts'

describe('the verdict in one sentence', () => {
  it('says how many rules passed', () => {
    expect(verdictSentence(verdictWith())).toBe('nothing is violated, 41 rules passed')
  })

  it('says what else became of rules', () => {
    const rules = rulesWith([ruleWith('quota/exhausted', { status: 'untested', because: 'no fixture' })])

    expect(verdictSentence(verdictWith({ rules }))).toBe(
      'nothing is violated, 40 rules passed, 1 rule untested',
    )
    expect(verdictSentence(nonconformantVerdict())).toBe(
      '2 of 41 rules are violated; waived: authentication/no-side-door',
    )
  })

  it('never says of an incomplete run that it is enough', () => {
    expect(verdictSentence(verdictWith({ verdict: 'incomplete', exitCode: 3, rules: [] }))).toBe(
      'no rule was judged',
    )
    expect(verdictSentence(verdictWith({ verdict: 'incomplete', exitCode: 3 }))).toBe(
      'what was judged is not enough for a verdict',
    )
  })

  it('tells a mistake of the user from one of the suite', () => {
    expect(verdictSentence(errorVerdict())).toContain("the user's files are wrong")
    expect(verdictSentence({ ...errorVerdict(), exitCode: 4 })).toContain('the suite itself failed')
  })
})
