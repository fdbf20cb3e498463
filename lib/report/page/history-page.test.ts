import { expect, it } from 'vitest'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { historyLine } from '../../verdict/history-line.ts'
import { errorVerdict, ruleWith, rulesWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { hostileVerdict } from '../testing/hostile.ts'
import { view } from '../view.ts'
import { historyPage } from './history-page.ts'
import { htmlPage } from './html-page.ts'
import { night, nights, remembered, type Failing } from './nights.testing.ts'

/** The page for the last verdict, with the others as its history. */
function pageOf(verdicts: readonly Verdict[]): string {
  const [last, ...before] = verdicts.toReversed()
  if (last === undefined) throw new Error('no verdict')
  return historyPage(view(last), before.toReversed().map(historyLine))
}

/** The text in part of a page. */
function textOf(part: string): string {
  const untagged = part.replaceAll(/<[^>]*>/g, ' ')
  return untagged.replaceAll(/\s+/g, ' ').trim()
}

const mainOf = (verdicts: readonly Verdict[]): string =>
  textOf(/<main>([^]*)<\/main>/.exec(pageOf(verdicts))?.[1] ?? '')

const row = /<span class="badge([^]*?)<\/dd>/g
const because = ['the service stopped answering']
const empty = { verdict: 'incomplete', exitCode: 3, because } as const
const open = ruleWith('fuzz/path', { status: 'inconclusive', because: 'no answer' })
const unjudged = (day: number): Verdict => night(day, [], { ...empty, rules: rulesWith([open]) })
const path: Failing = ['fuzz/path']
const minor: Failing = ['fuzz/path', { warning: true }]

const page = pageOf(nights)

it('the history page first counts new, remaining and fixed causes, then lists each by severity with its start and streak', () => {
  expect(page).toContain('Since the last run: 2 new causes, 1 still there, 1 fixed</h1>')
  expect([...page.matchAll(row)].map(([, found = '']) => textOf(found))).toEqual([
    'failed"> New Failure of the service: answered 502, with a body that is not JSON (only sometimes) errors/body-shape , since 2026-11-13 02:00 UTC, build 42, 1 run',
    'failed"> New Wrong answer: answered 401 / 1006 (invalid api key) where 400 / 1001 (api key header is missing) is documented authentication/api-key-missing , since 2026-11-13 02:00 UTC, build 42, 1 run',
    'failed"> Still there Security: the answer repeats the secret key in x-debug security/no-secret-echo , since 2026-11-08 02:00 UTC, build 42, 6 runs in a row',
    'passed"> Fixed Failure of the service: answered 500 to page=2147483648 where 200 is documented fuzz/query , since 2026-11-05 02:00 UTC, build 41, until 2026-11-12 02:00 UTC, 8 runs in a row',
  ])
  expect(page).toContain('<a href="index.html#authentication/api-key-missing">')
  // The seed of each night is no change.
  expect(page).not.toContain('Not only the service')
})

const noVerdict = 'This run reached no verdict'
const slip = 'TARGET_BASE_URL: given nothing, expected an address'
const newer = { ...night(14), suite: { version: '9.9.9' } }
const suite = 'Not only the service may have changed: the suite changed from 1.0.0 to 9.9.9'
const untested = rulesWith([]).map((rule) => ({ ...rule, status: 'untested' as const }))
const older = [night(1, [path]), unjudged(2), night(3)]

it.each<[string, readonly Verdict[], ...(readonly string[])]>([
  ['that there is no earlier run', [night(1)], 'No earlier run to compare with'],
  ['that nothing is new', [night(1), night(2)], 'Since the last run: nothing is new'],
  ['why there is no verdict', [errorVerdict()], noVerdict, slip],
  [
    'which nights had no verdict',
    older,
    'Since the last run with a verdict: 1 fixed',
    'Last run with a verdict: 2026-11-01 02:00 UTC, nonconformant.',
    'Without a verdict since: 2026-11-02 02:00 UTC;',
  ],
  ['the earliest known start', [night(1, [path]), night(2, [path])], 'since at least 2026-11-01 02:00 UTC'],
  ['another build', [night(7), night(8)], '(vendor, build 42) (build 41 before), profile nightly'],
  ['that a cause only warns', [night(1), night(2, [minor])], 'New Wrong form, only a warning: answered'],
  ['that the suite changed', [...nights, newer], suite],
  [
    'which rules are no longer judged',
    [...nights, night(14, [], { ...empty, rules: untested })],
    `${serviceRules} rules no longer judged`,
    'Not seen this time, and not known to be fixed Wrong answer: answered 401',
    'Rules no longer judged: conventions/json-response ,',
    `and ${serviceRules - 20} more`,
  ],
])('the history page says %s', (_, verdicts, ...says) => {
  const text = mainOf(verdicts)

  for (const one of says) expect(text).toContain(one)
})

it('the history page shows the outcome of each of up to thirty runs, untested if it has no full verdict', () => {
  const error = { verdict: 'error', exitCode: 4, rules: [] } as const
  const slotsOf = (verdicts: readonly Verdict[]) =>
    [...pageOf(verdicts).matchAll(/<li title="([^"]*)"><svg class="icon (\w+)"/g)].map(
      ([, ...parts]) => parts,
    )
  const month = Array.from({ length: 40 }, (_, index) => {
    return { ...night(1), startedAt: new Date(Date.UTC(2026, 0, index + 1)).toISOString() }
  })
  const others = [unjudged(3), night(4, [], error), night(5, [], { profile: 'gate' })]
  expect(slotsOf([night(1), night(2, [path]), ...others, night(6)])).toEqual([
    ['2026-11-01 02:00 UTC: conformant', 'passed'],
    ['2026-11-02 02:00 UTC: nonconformant', 'failed'],
    ['2026-11-03 02:00 UTC: incomplete', 'untested'],
    ['2026-11-04 02:00 UTC: error', 'untested'],
    ['2026-11-06 02:00 UTC: conformant', 'passed'],
  ])
  expect(slotsOf([night(1, [], { selection: { only: ['fuzz/*'] } })])[0]?.[1]).toBe('untested')
  expect(slotsOf(month)).toHaveLength(30)
})

it('the history page and the page of a run have a bounded size, whatever a service answers', () => {
  const hostile = hostileVerdict('<'.repeat(9_000))
  const shown = view({ ...hostile, startedAt: '2026-12-01T00:00:00.000Z' })

  for (const bounded of [historyPage(shown, [remembered(hostile)]), htmlPage(shown)]) {
    expect(bounded.length).toBeLessThan(500_000)
    expect(bounded).not.toContain('<<')
  }
})
