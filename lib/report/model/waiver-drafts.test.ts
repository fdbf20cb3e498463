import { describe, expect, it } from 'vitest'
import { covers, type Waiver } from '../../settings/waivers.ts'
import { findingWith, ruleWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { htmlPage } from '../page/html-page.ts'
import { summaryMarkdown } from '../render/summary.ts'
import { alike, failing, unlike, violated } from '../testing/verdicts.ts'
import { view } from '../view.ts'
import { unwaivable, waiverDrafts, waiverLine } from './waiver-drafts.ts'

const first = failing('authentication/api-key-missing', alike('3f2a9c0d1e4b5a67'))
const fuzzed = failing('fuzz/api-key', ...['a', 'b', 'b'].map((name) => alike(name)))
const warning = ruleWith('conventions/json-content-type', {
  status: 'warned',
  findings: [findingWith({ fingerprint: 'mere warning', difference: 'content type' })],
})
const verdict = violated(first, fuzzed, warning)
const agreed = '"reason":"","owner":"","expires":"2026-12-20"}'
const ofCause = `{"fingerprints":["3f2a9c0d1e4b5a67","a","b"],${agreed}`

function linesOf(one: Verdict): readonly string[] {
  return waiverDrafts(one).map((each) => waiverLine(each, one))
}

it('a waiver draft covers all findings of a cause for exactly thirty days', () => {
  const entry: Partial<Waiver> = JSON.parse(linesOf(verdict).join())
  const pasted: Waiver = { rule: null, fingerprint: null, reason: 'r', owner: 'o', expires: '', ...entry }

  expect(linesOf(verdict)).toEqual([ofCause])
  for (const fingerprint of ['3f2a9c0d1e4b5a67', 'a', 'b']) {
    expect(covers(pasted, { rule: 'fuzz/api-key', fingerprint }, '2026-12-20')).toBe(true)
    expect(covers(pasted, { rule: 'fuzz/api-key', fingerprint }, '2026-12-21')).toBe(false)
  }
})

describe('the waiver drafts in a report', () => {
  const reports = [
    ['the summary', (one: Verdict) => summaryMarkdown(view(one))],
    ['the page', (one: Verdict) => htmlPage(view(one)).replaceAll('&#34;', '"')],
  ] as const

  it.each(reports)('cover all causes, including those not shown in full: %s', (_, report) => {
    const many = violated(failing('fuzz/path', ...unlike(120, 'one')))
    const text = report(many)

    expect(linesOf(many)).toHaveLength(120)
    for (const line of linesOf(many)) expect(text.split(line), line).toHaveLength(2)
  })

  const breach = { rule: 'endpoints/list-succeeds', fingerprint: 'ffffffffffffffff' } as const
  const blocked = { status: 'inconclusive', because: 'why', follows: [breach] } as const
  const follows = ruleWith('authentication/not-cached', blocked)
  const untested = ruleWith('quota/exhausted', { status: 'untested', because: 'no such client is given' })
  const notGiven = `{"rule":"quota/exhausted",${agreed}`
  const unreported = `{"fingerprint":"ffffffffffffffff",${agreed}`

  it.each(reports)('cover unreported breaches and, in acceptance, untested rules: %s', (_, report) => {
    const gate = { ...violated(follows, untested), verdict: 'incomplete' } as const
    const acceptance = { ...gate, profile: 'acceptance' } as const

    expect(linesOf(gate)).toEqual([unreported])
    expect(linesOf(acceptance)).toEqual([unreported, notGiven])
    for (const line of linesOf(acceptance)) expect(report(acceptance)).toContain(line)
    expect(report(gate)).toContain('More waiver drafts')
    expect(report(gate)).not.toContain(notGiven)
  })

  it('cover no breach twice, and no rule whose reason cannot be waived', () => {
    const reported = failing('endpoints/list-succeeds', findingWith({ fingerprint: breach.fingerprint }))
    const spent = ruleWith('fuzz/path', { status: 'inconclusive', because: 'the budget was used up' })
    const both = violated(follows, reported, spent)

    expect(linesOf(both)).toEqual([unreported])
    expect(unwaivable(both).map(({ id }) => id)).toEqual(['fuzz/path'])
  })
})
