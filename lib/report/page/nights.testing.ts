import { answerDifferences } from '../../judge/answered.ts'
import type { Finding } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { findingWith, ruleWith, rulesWith, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { historyText, parsedLine } from '../history/history.ts'

/** A rule that fails in a nightly run, with its finding. */
export type Failing = readonly [RuleId, Partial<Finding>?]

/** The verdict of a nightly run in November in which these rules fail. */
export function night(day: number, fails: readonly Failing[] = [], changes: Partial<Verdict> = {}): Verdict {
  const rules = fails.map(([id, of = {}]) => {
    const summary = `answered otherwise, as ${id} shows`
    const findings = [findingWith({ case: `${id}:1:a`, fingerprint: `fingerprint of ${id}`, summary, ...of })]
    return ruleWith(id, { status: 'failed', findings })
  })
  const startedAt = `2026-11-${`${day}`.padStart(2, '0')}T02:00:00.000Z`
  const target = targetWith({ build: day < 8 ? '41' : '42' })
  const settings = { profile: 'nightly', seed: 20_261_100 + day } as const
  const end = rules.length === 0 ? {} : ({ verdict: 'nonconformant', exitCode: 1 } as const)
  return verdictWith({ startedAt, target, ...settings, ...end, rules: rulesWith(rules), ...changes })
}

/** A verdict as read back from the history. */
export function remembered(verdict: Verdict): HistoryLine {
  const line = parsedLine(historyText(historyLine(verdict)))
  if (line === null) throw new Error('the history line cannot be read back')
  return line
}

const difference = answerDifferences.documented
const [of500, of502] = [500, 502].map((status) => ({ answered: { status, errorCode: null } }))
const notJson = 'answered 502, with a body that is not JSON'
const ofQuery = 'answered 500 to page=2147483648 where 200 is documented'
const leak = 'the answer repeats the secret key in x-debug'
const leaks: Failing = ['security/no-secret-echo', { summary: leak }]
const flaky: Failing = ['errors/body-shape', { summary: notJson, ...of502, reproduced: '1 of 3' }]
const queries: Failing = ['fuzz/query', { summary: ofQuery, ...of500 }]
const missing: Failing = ['authentication/api-key-missing', { summary: findingWith().summary, difference }]

/** Thirteen nightly runs: a leak since the eighth, an intermittent failure, two fixed failures, and a new one. */
export const nights: readonly Verdict[] = Array.from({ length: 13 }, (_, index) => {
  const day = index + 1
  return night(day, [
    ...(day < 8 ? [] : [leaks]),
    ...([3, 4, 9, 13].includes(day) ? [flaky] : []),
    ...(day < 5 || day > 12 ? [] : [queries]),
    ...(day > 4 ? [] : [['fuzz/path'] as const]),
    ...(day === 13 ? [missing] : []),
  ])
})
