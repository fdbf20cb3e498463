import { expect, it } from 'vitest'
import type { Power, RulePower } from '../../judge/power.ts'
import { rateExcluded } from '../../verdict/power.ts'
import { verdictWith } from '../../verdict/verdict.testing.ts'
import { powerView, powerSentence, rulePowerText } from './power.ts'

const power: Power = {
  confidence: 0.95,
  answers: 480,
  excludes: 1 - 0.05 ** (1 / 480),
  situations: [
    { kind: 'flaw', reached: { 'no x-api-key': 3 }, missing: { inactive: 'FIXTURE_INACTIVE_API_KEY' } },
    {
      kind: 'condition',
      reached: { 'accept-language: de': 7 },
      missing: Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, '--profile acceptance']),
      ),
    },
    { kind: 'load', reached: { 'several requests at once': 400 }, missing: {} },
  ],
}

const could = 'answers could have shown a breach'
const showed = 'requests showed a breach; confirmations are not counted'
const randomly = 'answers are faulty (95 % confidence)'

/** Answers without a breach, and the rate that they exclude. */
function rated(answers: number, oneIn: number): [RulePower, string, string] {
  const rate = `fewer than one in ${oneIn}`
  const sentence = `${answers} ${could}: if faults are random, ${rate} ${randomly}`
  return [{ answers, excludes: rateExcluded(answers) }, `${rate} faulty`, sentence]
}

// Rates are rounded so that they never promise too much. A rate needs at least 30 answers and no breach.
it.each<[RulePower, string | null, string]>([
  [{ answers: 0, excludes: rateExcluded(0) }, null, `no answer could have shown a breach`],
  [{ answers: 1, excludes: rateExcluded(1) }, null, '1 answer could have shown a breach'],
  [{ answers: 29, excludes: rateExcluded(29) }, null, `29 ${could}`],
  [{ answers: 480, excludes: null }, null, `480 ${could}`],
  rated(30, 10),
  rated(480, 160),
  [{ answers: 480, excludes: null, faulty: 3 }, '3 of 480 requests showed a breach', `3 of 480 ${showed}`],
  [
    { answers: 480, excludes: null, faulty: 1, unanswered: 2 },
    '3 of 482 requests showed a breach',
    `3 of 482 ${showed}`,
  ],
])('the power of a verdict for %j is %s, and its sentence is: %s', (of, rule, sentence) => {
  expect(rulePowerText(of)).toBe(rule)
  expect(powerSentence({ power: { ...power, ...of } })).toBe(sentence)
})

it('the power of a verdict lists situations that were not reached, with the setting that reaches them', () => {
  const { situations = [], caveat } = powerView({ power }) ?? {}
  expect(situations).toEqual([
    { label: 'each flaw alone', value: '1 of 2; not reached: inactive (FIXTURE_INACTIVE_API_KEY)' },
    {
      label: 'each condition with at most one flaw',
      value: '1 of 7; not reached: a, b, c, d and 2 more (--profile acceptance)',
    },
    { label: 'several requests at once', value: '1 of 1' },
  ])
  expect(caveat).toContain('says nothing about faults that depend on one input, node or connection')
  expect(powerView(verdictWith())).toBeNull()
})
