import { describe, expect, it } from 'vitest'
import { hostileVerdict } from '../testing/hostile.ts'
import { errorVerdict, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { historyPage } from './history-page.ts'
import { night, nights, remembered } from './nights.testing.ts'

/** The texts of the page of the last of some verdicts. */
function textOf(verdicts: readonly Verdict[]): string {
  const [last, ...before] = verdicts.toReversed()
  if (last === undefined) throw new Error('no verdict')
  const page = historyPage(last, before.toReversed().map(remembered))
  return page
    .replace(/^[^]*<main id="main">/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
}

describe('the page of the history', () => {
  const text = textOf(nights)

  it('says first what is new, still there and fixed, by cause and severity', () => {
    const order = [
      'Since the last run: 2 new causes, 1 still there, 1 fixed',
      'New since the last run (2)',
      'Wrong answer answered 401 / 1006 (invalid api key) where 400 / 1001 (api key header is missing) is documented',
      'Still there (1)',
      'Security the answer repeats the secret key in x-debug',
      'not passed since 2026-11-08 02:00 UTC, 6 runs',
      'Fixed since the last run (1)',
      'answered 500 to page=2147483648 where 200 is documented',
      'Rules that failed in the last 13 runs',
      'The last 13 runs, newest first',
    ].map((part) => text.indexOf(part))

    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it('says which nights had no verdict, and compares with the last run that had', () => {
    const because = ['the service stopped answering']
    const empty = { verdict: 'incomplete', exitCode: 3, because } as const
    const rules = rulesWith([ruleWith('fuzz/path', { status: 'inconclusive', because: 'no answer' })])
    const page = textOf([night(1, [['fuzz/path']]), night(2, [], { ...empty, rules }), night(3)])

    expect(page).toContain('Since the last run with a verdict: 1 fixed')
    expect(page).toContain('Last run with a verdict: 2026-11-01 02:00 UTC, nonconformant.')
    expect(page).toContain('Without a verdict since: 2026-11-02 02:00 UTC;')
  })

  it('leads to the rules of the report, and says how often each failed', () => {
    const [last] = nights.slice(-1)
    const page = last === undefined ? '' : historyPage(last, nights.slice(0, -1).map(remembered))

    expect(page).toContain('<a href="index.html#authentication/api-key-missing">')
    expect(text).toContain(
      'errors/body-shape Sometimes: in 4 of 13 runs, with 95 % confidence in 13 to 58 of 100',
    )
    expect(text).toContain('fuzz/path Recovered: passes since 2026-11-05 02:00 UTC')
    expect(text).toContain('security/no-secret-echo Always since 2026-11-08 02:00 UTC')
  })

  it('marks where the build changed', () => {
    expect(text).toContain('▲1 2026-11-08 02:00 UTC: 41 → 42')
    expect(text.match(/another build/g)).toHaveLength(1)
  })

  it('takes a new seed each night for nothing else that changed, but names another suite', () => {
    const other = { ...night(14), suite: { version: '9.9.9' } }

    expect(text).not.toContain('Not only the service')
    expect(textOf([...nights, other])).toContain(
      'Not only the service may have changed: the suite changed from 1.0.0 to 9.9.9',
    )
  })

  it('says that there is nothing to compare with, or no verdict, and why', () => {
    expect(textOf([night(1)])).toContain('No earlier run to compare with')
    expect(textOf([errorVerdict()])).toMatch(
      /This run came to no verdict .*TARGET_BASE_URL: given nothing, expected an address/,
    )
    expect(textOf([night(1), night(2)])).toContain('Since the last run: nothing is new')
  })

  it('says that nothing was judged of a target that was not reached, and not that it is fixed', () => {
    const rules = verdictWith().rules.map((rule) => ({ ...rule, status: 'untested' as const }))
    const unreached = night(14, [], { verdict: 'incomplete', exitCode: 3, rules })
    const told = textOf([...nights, unreached])

    expect(told).toContain('Not judged this time (3)')
    expect(told).toContain(`${serviceRules} rules not judged any more`)
    expect(told).not.toContain('Fixed since')
  })

  it('is bounded, whatever a service answers', () => {
    const hostile = hostileVerdict('<'.repeat(9_000))
    const page = historyPage({ ...hostile, startedAt: '2026-12-01T00:00:00.000Z' }, [remembered(hostile)])

    expect(page.length).toBeLessThan(500_000)
    expect(page).not.toContain('<<')
  })
})
