import { describe, expect, it } from 'vitest'
import type { Finding } from '../judge/record.ts'
import type { RuleId } from '../spec/rules.ts'
import { withoutExplained } from './merge-explained.ts'
import { findingWith, ruleWith } from './verdict.testing.ts'
import type { VerdictRule } from './verdict.ts'

const scenario: RuleId = 'authentication/not-cached'
const steady = findingWith({ reproduced: '3 of 3' })

function failed(id: RuleId, ...findings: readonly Finding[]): VerdictRule {
  return ruleWith(id, { status: 'failed', findings })
}

/** The scenario as it stands in one shard, where another shard found this. */
function scenarioBeside(other: VerdictRule, ...findings: readonly Finding[]): VerdictRule | undefined {
  return withoutExplained([[failed(scenario, ...findings)], [other]])[0]?.[0]
}

describe('a breach of a scenario', () => {
  const told = failed('authentication/api-key-missing', steady)

  it('is not told again where a rule of another shard tells it', () => {
    expect(scenarioBeside(told, steady)).toEqual(ruleWith(scenario))
    expect(withoutExplained([[failed(scenario, steady)], [told]])[1]).toEqual([told])
  })

  it('leaves the others of the scenario where they are', () => {
    const other = findingWith({ fingerprint: 'another fingerprint' })

    expect(scenarioBeside(told, steady, other)).toMatchObject({ status: 'failed', findings: [other] })
  })

  it.each<[string, VerdictRule, Finding]>([
    ['is another one', told, findingWith({ fingerprint: 'another fingerprint' })],
    ['lets somebody in', told, findingWith({ answered: { status: 200, errorCode: null } })],
    ['was left unanswered', told, findingWith({ answered: null })],
    [
      'was met only sometimes by the other rule',
      failed('authentication/api-key-missing', findingWith({ reproduced: '2 of 3' })),
      steady,
    ],
    [
      'was met only once by the other rule',
      failed('authentication/api-key-missing', findingWith({ reproduced: '1 of 1' })),
      steady,
    ],
    ['is told by a scenario only', failed('authentication/isolated-under-concurrency', steady), steady],
    ['is told by an implied rule only', failed('versioning/malformed-version', steady), steady],
  ])('stands where it %s', (_, other, finding) => {
    expect(scenarioBeside(other, finding)).toEqual(failed(scenario, finding))
  })

  it('of which no answer is left makes nothing pass', () => {
    const silent = { ...failed(scenario, steady), answers: 0 }

    expect(withoutExplained([[silent, told]])[0]?.[0]).toMatchObject({ status: 'untested', findings: [] })
  })
})
