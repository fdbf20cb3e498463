import { describe, expect, it } from 'vitest'
import { covers, type Waiver } from '../../settings/waivers.ts'
import { findingWith, ruleWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { htmlPage } from '../page/html-page.ts'
import { summaryMarkdown, terminalSummary } from '../render/summaries.ts'
import { alike, failing, unlike, violated } from '../testing/verdicts.ts'
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

function shown(one: Verdict, width = 200): string {
  return terminalSummary(one, { colour: false, width, reportsDir: null })
}

describe('a waiver that is ready to paste', () => {
  it('is one for each cause, and covers its findings for thirty days, and no longer', () => {
    const entry: Partial<Waiver> = JSON.parse(linesOf(verdict).join())
    const pasted: Waiver = { rule: null, fingerprint: null, reason: 'r', owner: 'o', expires: '', ...entry }

    expect(linesOf(verdict)).toEqual([ofCause])
    for (const fingerprint of ['3f2a9c0d1e4b5a67', 'a', 'b']) {
      expect(covers(pasted, { rule: 'fuzz/api-key', fingerprint }, '2026-12-20')).toBe(true)
      expect(covers(pasted, { rule: 'fuzz/api-key', fingerprint }, '2026-12-21')).toBe(false)
    }
  })

  it('stands on the terminal if it is short, and unfolds in the summary and on the page', () => {
    const long = failing('fuzz/api-key', ...Array.from('012345678', (name) => alike(name.repeat(16))))
    const fold = '  <details><summary>Waive it: 1 line for the file of RUN_WAIVERS</summary>\n\n  ```json\n'

    expect(shown(violated(first))).toContain(`    waive       {"fingerprint":"3f2a9c0d1e4b5a67",${agreed}\n`)
    expect(shown(verdict)).toContain(`    waive       ${ofCause}\n`)
    expect(shown(violated(long))).toContain('    waive       see summary.md or index.html\n')
    expect(summaryMarkdown(verdict)).toContain('  - fingerprint: `3f2a9c0d1e4b5a67, a, b`\n')
    expect(summaryMarkdown(verdict)).toContain(`${fold}  ${ofCause}\n`)
    expect(htmlPage(verdict)).toContain(`<code>${ofCause.replaceAll('"', '&#34;')}</code>`)
  })

  it('is not offered for a warning, whose fingerprint is told all the same, as that of a cause in one line', () => {
    const warned = summaryMarkdown({ ...violated(warning), verdict: 'conformant', exitCode: 0 })
    const long = unlike(5, 'w').map((one) => ({ ...one, summary: 'w'.repeat(200) }))
    const lines = shown(violated(failing('fuzz/path', ...long)), 1_000).match(/^✗.*/gm)

    expect(warned).toContain('mere warning')
    expect(warned).not.toContain('Waive it')
    expect(lines?.at(-1)).toMatch(/^✗ w{200} \(wrong form, contract: fuzz\/path\) \[w-4\]$/)
  })
})

describe('the entries of a report cover', () => {
  const reports = [
    ['the summary', (one: Verdict) => summaryMarkdown(one)],
    ['the page', (one: Verdict) => htmlPage(one).replaceAll('&#34;', '"')],
  ] as const

  it.each(reports)('all causes, also those beyond what is shown in full: %s', (_, report) => {
    const many = violated(failing('fuzz/path', ...unlike(120, 'one')))
    const text = report(many)

    expect(linesOf(many)).toHaveLength(120)
    for (const line of linesOf(many)) expect(text.split(line), line).toHaveLength(2)
  })

  const breach = { rule: 'endpoints/list-succeeds', fingerprint: 'ffffffffffffffff' } as const
  const because = 'a plain valid request failed'
  const follows = ruleWith('authentication/not-cached', {
    status: 'inconclusive',
    because,
    follows: [breach],
  })
  const untested = ruleWith('quota/exhausted', { status: 'untested', because: 'no such client is given' })
  const notGiven = `{"rule":"quota/exhausted",${agreed}`
  const unreported = `{"fingerprint":"ffffffffffffffff",${agreed}`

  it.each(reports)('breaches that no rule reported, and what acceptance demands: %s', (_, report) => {
    const gate = { ...violated(follows, untested), verdict: 'incomplete' } as const
    const acceptance = { ...gate, profile: 'acceptance' } as const

    expect(linesOf(gate)).toEqual([unreported])
    expect(linesOf(acceptance)).toEqual([unreported, notGiven])
    for (const line of linesOf(acceptance)) expect(report(acceptance)).toContain(line)
    expect(report(gate)).toContain('Waive what was not judged')
    expect(report(gate)).not.toContain(notGiven)
  })

  it('no breach twice, and no rule that follows from nothing that can be waived', () => {
    const reported = failing('endpoints/list-succeeds', findingWith({ fingerprint: breach.fingerprint }))
    const spent = ruleWith('fuzz/path', { status: 'inconclusive', because: 'the budget was used up' })
    const both = violated(follows, reported, spent)

    expect(linesOf(both)).toEqual([unreported])
    expect(unwaivable(both).map(({ id }) => id)).toEqual(['fuzz/path'])
  })
})
