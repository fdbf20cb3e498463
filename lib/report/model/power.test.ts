import { describe, expect, it } from 'vitest'
import { rateExcluded } from '../../verdict/power.ts'
import { type Power } from '../../judge/worth.ts'
import { verdictWith } from '../../verdict/verdict.testing.ts'
import { oneIn, worthView, powerSentence, worthOf } from './power.ts'

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

/** The sentence of a run with so many answers, without a breach but for these counts. */
function sentenceOf(answers: number, changes: Partial<Power> = {}): string | null {
  return powerSentence({
    power: { ...power, answers, excludes: rateExcluded(answers), ...changes },
  })
}

describe('what a verdict is worth', () => {
  it('is a bound that is rounded so that it never promises more', () => {
    expect(oneIn(1 - 0.05 ** (1 / 480))).toBe('one in 160')
    expect(oneIn(0.95)).toBe('one in 1')
    expect(worthOf({ answers: 480, excludes: 0.0062 })).toBe('fewer than one in 161 faulty')
    expect(worthOf({ answers: 480, excludes: null })).toBeNull()
    expect(worthOf({ answers: 4, excludes: 0.52 })).toBeNull()
    expect(worthOf({ answers: 480, excludes: null, faulty: 3, unanswered: 1 })).toBe(
      '3 faulty, 1 request was left unanswered',
    )
  })

  it('is a sentence with its condition, and for a red run none about a rate', () => {
    expect(sentenceOf(480)).toBe(
      '480 answers could have shown a breach: with 95 % confidence fewer than one in 160 answers are faulty, if faults strike answers independently and at random',
    )
    expect(powerSentence({ power: { ...power, excludes: null } })).toBe(
      '480 answers could have shown a breach',
    )
    expect(powerSentence({})).toBeNull()
  })

  it.each([
    [0, 'no answer could have shown a breach'],
    [1, '1 answer could have shown a breach'],
    [29, '29 answers could have shown a breach'],
    [30, /^30 answers could have shown a breach: .* fewer than one in 10 answers are faulty,/],
    [31, /^31 answers could have shown a breach: .* fewer than one in 10 answers are faulty,/],
  ])('states a rate from 30 answers on: %i', (answers, expected) => {
    expect(sentenceOf(answers)).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    )
  })

  it('says how many answers showed a breach, and apart from them what was left unanswered', () => {
    expect(sentenceOf(480, { faulty: 3 })).toBe(
      '3 of 480 answers showed a breach; confirmations are not counted',
    )
    expect(sentenceOf(480, { faulty: 1, unanswered: 2 })).toBe(
      '1 of 480 answers showed a breach, 2 requests were left unanswered; confirmations are not counted',
    )
    expect(sentenceOf(480, { unanswered: 1 })).toBe(
      '480 answers could have shown a breach, 1 request was left unanswered; confirmations are not counted',
    )
  })

  it('names what was not reached, with the setting that would', () => {
    const { situations = [], caveat } = worthView({ power }) ?? {}
    expect(situations).toEqual([
      { name: 'each flaw alone', reached: '1', of: '2', missing: 'inactive (FIXTURE_INACTIVE_API_KEY)' },
      {
        name: 'each condition with at most one flaw',
        reached: '1',
        of: '7',
        missing: 'a, b, c, d and 2 more (--profile acceptance)',
      },
      { name: 'several requests at once', reached: '1', of: '1', missing: 'none' },
    ])
    expect(caveat).toContain('says nothing of faults that depend on one input, node or connection')
    expect(worthView(verdictWith())).toBeNull()
  })
})
