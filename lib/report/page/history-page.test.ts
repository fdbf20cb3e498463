import { expect, it } from 'vitest'
import { historyLine } from '../../verdict/history-line.ts'
import { errorVerdict, ruleWith, rulesWith, waiver } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { hostileVerdict } from '../testing/hostile.ts'
import { wordsOf } from '../testing/words.ts'
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

const because = ['the service stopped answering']
const empty = { verdict: 'incomplete', exitCode: 3, because } as const
const open = ruleWith('fuzz/path', { status: 'inconclusive', because: 'no answer' })
const unjudged = (day: number): Verdict => night(day, [], { ...empty, rules: rulesWith([open]) })
const path: Failing = ['fuzz/path']
const minor: Failing = ['fuzz/path', { warning: true }]

// Exceptions are counted by waivers that cover something, not by rules.
const agreed = { waivers: [waiver, { ...waiver, used: true }] }
const newer = { ...night(14), suite: { version: '9.9.9' } }
const untested = rulesWith([]).map((rule) => ({ ...rule, status: 'untested' as const }))

/** Runs of every kind of history. */
const histories: Readonly<Record<string, readonly Verdict[]>> = {
  'new, remaining and fixed causes': nights,
  'no earlier run': [night(1)],
  'nothing new': [night(1), night(2)],
  'no verdict': [errorVerdict()],
  'nights without a verdict': [night(1, [path]), unjudged(2), night(3)],
  'a cause that began before the history': [night(1, [path]), night(2, [path])],
  'another build': [night(7), night(8)],
  'a cause that only warns': [night(1), night(2, [minor])],
  'another suite': [...nights, newer],
  'agreed exceptions': [night(1, [], agreed), { ...night(2, [], agreed), selection: { only: ['fuzz/*'] } }],
  'rules that are no longer judged': [...nights, night(14, [], { ...empty, rules: untested })],
}

it('the history page of each kind of history has the reviewed text', async () => {
  const textOf = (runs: readonly Verdict[]) => `${wordsOf(pageOf(runs)).trim()}\n`
  const texts = Object.entries(histories).map(([kind, runs]) => `=== ${kind}\n${textOf(runs)}`)

  await expect(texts.join('')).toMatchFileSnapshot('../../../tests/golden/forms/history.txt')
  expect(pageOf(nights)).toContain('<a href="index.html#authentication/api-key-missing">')
})

it('the history page shows the outcome of each of up to thirty runs, untested if it has no full verdict', () => {
  const error = { verdict: 'error', exitCode: 4, rules: [] } as const
  const slot = /<li title="([^"]*)"><svg class="icon (\w+)"/g
  const slotsOf = (verdicts: readonly Verdict[]) =>
    [...pageOf(verdicts).matchAll(slot)].map(([, ...parts]) => parts)
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
