import { describe, expect, it } from 'vitest'
import {
  errorVerdict,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import { verdictSentence } from './sentence.ts'

describe('the verdict in one sentence', () => {
  it('says how many rules hold', () => {
    expect(verdictSentence(verdictWith())).toBe('Conformant: 41 rules hold, none is violated.')
  })

  it('says what else became of rules', () => {
    const rules = rulesWith([ruleWith('quota/exhausted', { status: 'untested', because: 'no fixture' })])

    expect(verdictSentence(verdictWith({ rules }))).toBe(
      'Conformant: 40 rules hold, none is violated, 1 untested.',
    )
    expect(verdictSentence(nonconformantVerdict())).toBe(
      'Nonconformant: 2 of 41 rules are violated, 1 warned, 1 waived, 1 inconclusive, 3 untested.',
    )
  })

  it('never says of an incomplete run that it is enough', () => {
    expect(verdictSentence(verdictWith({ verdict: 'incomplete', exitCode: 3, rules: [] }))).toBe(
      'Incomplete: no rule was judged.',
    )
    expect(verdictSentence(verdictWith({ verdict: 'incomplete', exitCode: 3 }))).toMatch(
      /^Incomplete: what was judged is not enough for a verdict\./,
    )
  })

  it('tells a mistake of the user from one of the suite', () => {
    expect(verdictSentence(errorVerdict())).toContain("the user's files are wrong")
    expect(verdictSentence({ ...errorVerdict(), exitCode: 4 })).toContain('the suite itself failed')
  })
})
