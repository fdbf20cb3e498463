import { describe, expect, it } from 'vitest'
import type { Cause } from '../judge/causes.ts'
import { covers, type Waiver } from '../settings/waivers.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../verdict/verdict.testing.ts'
import { causesIn } from './findings.ts'
import { htmlPage } from './page/html-page.ts'
import { summaryMarkdown, terminalSummary } from './summaries.ts'
import { fingerprintsOf, waiverDrafts } from './waiver-drafts.ts'

const sent = { endpoint: 'GET /a', client: 'target', plain: false, flaws: ['apiKey absent'] } as const
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
const [cause] = causesIn(verdict)
const draft =
  '{"rule":"authentication/api-key-missing","fingerprint":"3f2a9c0d1e4b5a67","reason":"","owner":"","expires":"2026-12-20"}'
const alone = {
  ...verdict,
  rules: rulesWith(rules.filter(({ id }) => id === 'authentication/api-key-missing')),
}
const options = { colour: false, width: 200, reportsDir: null }

function draftsOf(one: Cause | undefined): readonly string[] {
  return one === undefined ? [] : waiverDrafts(one, verdict)
}

describe('a waiver that is ready to paste', () => {
  it('covers each finding of the cause for thirty days, and no longer', () => {
    const entries = draftsOf(cause).map((text): Waiver => JSON.parse(text))

    expect(draftsOf(cause)[0]).toBe(draft)
    expect(entries.map(({ rule, fingerprint }) => `${rule} ${fingerprint}`)).toEqual([
      'authentication/api-key-missing 3f2a9c0d1e4b5a67',
      'fuzz/api-key a',
      'fuzz/api-key b',
    ])
    for (const entry of entries) {
      expect(covers(entry, entry, '2026-12-20')).toBe(true)
      expect(covers(entry, entry, '2026-12-21')).toBe(false)
    }
  })

  it('stands on the terminal beside the fingerprint, if it is one line', () => {
    const text = terminalSummary(alone, options)

    expect(text).toContain('    fingerprint 3f2a9c0d1e4b5a67\n')
    expect(text).toContain(`    waive       ${draft}\n`)
    expect(terminalSummary(verdict, options)).toContain('    fingerprint 3f2a9c0d1e4b5a67, a, b\n')
    expect(terminalSummary(verdict, options)).toContain(
      '    waive       3 entries, see summary.md or index.html\n',
    )
  })

  it('unfolds in the summary and on the page', () => {
    const summary = summaryMarkdown(verdict, null)

    expect(summary).toContain('  - fingerprint: `3f2a9c0d1e4b5a67`, a, b\n'.replace('`, a, b', ', a, b`'))
    expect(summary).toContain(
      `  <details><summary>Waive it: 3 lines for the file of RUN_WAIVERS</summary>\n\n  \`\`\`json\n  ${draft},\n`,
    )
    expect(htmlPage(verdict, [])).toContain(`${draft.replaceAll('"', '&#34;')},\n`)
  })

  it('is not offered for a warning, whose fingerprint is told all the same', () => {
    const summary = summaryMarkdown({ ...verdict, rules: rulesWith(rules.slice(1, 2)) }, null)

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
    const many = verdictWith({ ...verdict, rules: [ruleWith('fuzz/path', { status: 'failed', findings })] })
    const lines = terminalSummary(many, { ...options, width: 100 })
      .split('\n')
      .filter((line) => line.startsWith('✗'))

    expect(lines.at(-1)).toMatch(/^✗ w+… \[v is its name\]$/)
    expect(lines.at(-1)?.length).toBeLessThanOrEqual(100)
  })
})

it('knows each fingerprint of a cause once', () => {
  expect(cause === undefined ? [] : fingerprintsOf(cause, rules)).toEqual(['3f2a9c0d1e4b5a67', 'a', 'b'])
})
