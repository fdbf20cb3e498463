import { describe, expect, it } from 'vitest'
import { causesOf } from '../../explain/causes.ts'
import { covers, type Waiver } from '../../settings/waivers.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { htmlPage } from '../page/html-page.ts'
import { summaryMarkdown, terminalSummary } from '../render/summaries.ts'
import { unwaivable, waiverDrafts, waiverLine } from './waiver-drafts.ts'

const sent = {
  endpoint: 'GET /a',
  client: 'target',
  plain: false,
  flaws: ['apiKey absent'],
  requests: 1,
} as const
const alike = { sent, difference: 'another answer' }
const rules = rulesWith([
  ruleWith('authentication/api-key-missing', { status: 'failed', findings: [findingWith(alike)] }),
  ruleWith('fuzz/api-key', {
    status: 'failed',
    findings: ['a', 'b', 'b'].map((fingerprint, place) =>
      findingWith({ ...alike, fingerprint, case: `fuzz/api-key:1:${place}` }),
    ),
  }),
  ruleWith('conventions/json-content-type', {
    status: 'warned',
    findings: [findingWith({ fingerprint: 'mere warning', difference: 'content type' })],
  }),
])
const verdict = verdictWith({ verdict: 'nonconformant', exitCode: 1, rules })
const draft = '{"fingerprint":"3f2a9c0d1e4b5a67","reason":"","owner":"","expires":"2026-12-20"}'
const ofCause = '{"fingerprints":["3f2a9c0d1e4b5a67","a","b"],"reason":"","owner":"","expires":"2026-12-20"}'
const alone = verdictOf(rulesWith(rules.filter(({ id }) => id === 'authentication/api-key-missing')))
const options = { colour: false, width: 200, reportsDir: null }

function verdictOf(some: Verdict['rules']): Verdict {
  return { ...verdict, rules: some, causes: causesOf(some) }
}

describe('a waiver that is ready to paste', () => {
  it('is one for each cause, and covers its findings for thirty days, and no longer', () => {
    const [entry, ...others] = linesOf(verdict).map((text): Partial<Waiver> => JSON.parse(text))
    const pasted: Waiver = { rule: null, fingerprint: null, reason: 'r', owner: 'o', expires: '', ...entry }
    const fingerprints = ['3f2a9c0d1e4b5a67', 'a', 'b']

    expect(linesOf(verdict)).toEqual([ofCause])
    expect(others).toEqual([])
    for (const fingerprint of fingerprints) {
      expect(covers(pasted, { rule: 'fuzz/api-key', fingerprint }, '2026-12-20')).toBe(true)
      expect(covers(pasted, { rule: 'fuzz/api-key', fingerprint }, '2026-12-21')).toBe(false)
    }
  })

  it('stands on the terminal, where it tells the fingerprint, if it is short', () => {
    const many = Array.from({ length: 9 }, (_, place) =>
      findingWith({ ...alike, fingerprint: `${place}`.repeat(16), case: `fuzz/api-key:1:${place}` }),
    )
    const long = verdictOf([ruleWith('fuzz/api-key', { status: 'failed', findings: many })])

    expect(terminalSummary(alone, options)).toContain(`    waive       ${draft}\n`)
    expect(terminalSummary(verdict, options)).toContain(`    waive       ${ofCause}\n`)
    expect(terminalSummary(long, options)).toContain('    waive       see summary.md or index.html\n')
  })

  it('unfolds in the summary and on the page', () => {
    const summary = summaryMarkdown(verdict)

    expect(summary).toContain('  - fingerprint: `3f2a9c0d1e4b5a67`, a, b\n'.replace('`, a, b', ', a, b`'))
    expect(summary).toContain(
      `  <details><summary>Waive it: 1 line for the file of RUN_WAIVERS</summary>\n\n  \`\`\`json\n  ${ofCause}\n`,
    )
    expect(htmlPage(verdict)).toContain(`<code>${ofCause.replaceAll('"', '&#34;')}</code>`)
  })

  it('is not offered for a warning, whose fingerprint is told all the same', () => {
    const summary = summaryMarkdown(verdictOf(rulesWith(rules.slice(1, 2))))

    expect(summary).toContain('mere warning')
    expect(summary).not.toContain('Waive it')
  })

  it('names the fingerprint at the end of a cause in one line', () => {
    const findings = ['x', 'y', 'z', 'w', 'v'].map((name) =>
      findingWith({
        case: `fuzz/path:1:${name}`,
        fingerprint: `${name} is its name`,
        summary: 'w'.repeat(200),
      }),
    )
    const many = verdictOf([ruleWith('fuzz/path', { status: 'failed', findings })])
    const lines = terminalSummary(many, { ...options, width: 1_000 })
      .split('\n')
      .filter((line) => line.startsWith('✗'))

    expect(lines.at(-1)).toBe(`✗ ${'w'.repeat(200)} (wrong form, contract: fuzz/path) [v is its name]`)
  })
})

describe('the entries of a report cover', () => {
  const reports = [
    ['the summary', (one: Verdict) => summaryMarkdown(one)],
    ['the page', (one: Verdict) => htmlPage(one)],
  ] as const

  it.each(reports)('all causes, also those beyond what is shown in full: %s', (_, report) => {
    const findings = Array.from({ length: 120 }, (__, place) =>
      findingWith({
        fingerprint: `${place}`.padStart(16, '0'),
        case: `fuzz/path:1:${place}`,
        difference: `${place}`,
      }),
    )
    const many = verdictOf([ruleWith('fuzz/path', { status: 'failed', findings })])
    const text = report(many).replaceAll('&#34;', '"')

    expect(linesOf(many)).toHaveLength(120)
    for (const line of linesOf(many)) expect(text.split(line), line).toHaveLength(2)
  })

  const breach = { rule: 'endpoints/list-succeeds', fingerprint: 'ffffffffffffffff' } as const
  const inconclusive = ruleWith('authentication/not-cached', {
    status: 'inconclusive',
    because: 'a plain valid request failed',
    follows: [breach],
  })
  const untested = ruleWith('quota/exhausted', { status: 'untested', because: 'no such client is given' })
  const notGiven = '{"rule":"quota/exhausted","reason":"","owner":"","expires":"2026-12-20"}'
  const unreported = '{"fingerprint":"ffffffffffffffff","reason":"","owner":"","expires":"2026-12-20"}'

  it.each(reports)('breaches that no rule reported, and what acceptance demands: %s', (_, report) => {
    const gate = { ...verdictOf(rulesWith([inconclusive, untested])), verdict: 'incomplete' } as const
    const acceptance = { ...gate, profile: 'acceptance' } as const

    expect(linesOf(gate)).toEqual([unreported])
    expect(linesOf(acceptance)).toEqual([unreported, notGiven])
    for (const line of linesOf(acceptance)) {
      expect(report(acceptance).replaceAll('&#34;', '"')).toContain(line)
    }
    expect(report(gate)).toContain('Waive what was not judged')
    expect(report(gate)).not.toContain(notGiven.replaceAll('"', '&#34;'))
  })

  it('no breach twice, and no rule that follows from nothing that can be waived', () => {
    const reported = ruleWith('endpoints/list-succeeds', {
      status: 'failed',
      findings: [findingWith({ fingerprint: breach.fingerprint })],
    })
    const spent = ruleWith('fuzz/path', { status: 'inconclusive', because: 'the budget was used up' })
    const both = verdictOf(rulesWith([inconclusive, reported, spent]))

    expect(linesOf(both)).toEqual([unreported])
    expect(unwaivable(both).map(({ id }) => id)).toEqual(['fuzz/path'])
  })
})

function linesOf(one: Verdict): readonly string[] {
  return waiverDrafts(one).map((each) => waiverLine(each, one))
}
