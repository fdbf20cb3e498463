import * as fc from 'fast-check'
import { ruleCount, serviceRules } from '../specification/testing/rule-counts.ts'
import { describe, expect, it } from 'vitest'
import { historyLine, type HistoryLine } from '../verdict/history-line.ts'
import { hostileText, hostileVerdict, outsideCode } from './hostile.testing.ts'
import { summaryMarkdown } from './summaries.ts'
import type { Verdict } from '../verdict/verdict.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  targetWith,
  verdictWith,
} from '../verdict/verdict.testing.ts'

function yesterday(verdict: Verdict, changes: Partial<HistoryLine> = {}): HistoryLine {
  return { ...historyLine(verdict), startedAt: '2026-11-19T02:00:00.000Z', ...changes }
}

describe('the summary', () => {
  it('opens with what is new since the last run, then says the verdict, then the rest', () => {
    const text = summaryMarkdown(nonconformantVerdict(), yesterday(verdictWith()))
    const order = [
      '## Conformance of `https://staging.example.com/cards/api/customizations/list`, vendor build 42',
      '**New since the last run** (2026-11-19 02:00 UTC, conformant):',
      '- **newly failing**: `authentication/api-key-missing`, `versioning/unknown-endpoint`',
      `**NONCONFORMANT**: 2 of ${serviceRules} rules are violated; waived: authentication/no-side-door.`,
      '| passed | warned | failed | waived | inconclusive | untested |\n| ---: |',
      `| ${serviceRules - 8} | 1 | 2 | 1 | 1 | 3 |`,
      '### Violations (2 causes, 2 rules, 2 findings)',
      '- **answered 401 / 1006 where 400 / 1001 is documented**\n  - Wrong form, contract: authentication/api-key-missing\n',
      '  - replay: `npx --no -- card-switch-conformance replay authentication/api-key-missing:20260101:absent`',
      '(only sometimes)',
      '### Warnings (1 cause, 1 rule, 1 finding)',
      '### Waived (1 rule)',
      '  - Wrong form, convention: 1 finding of authentication/no-side-door',
      '  - Agreed: mended in the next release (Kim, until 2027-01-31)',
      '### Not judged',
      '- inconclusive: the connection was reset three times: `versioning/selected-per-request`',
      '### Not covered by any verdict',
    ].map((part) => text.indexOf(part))

    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it('says that nothing is new, or that nothing is known to compare with', () => {
    expect(summaryMarkdown(verdictWith(), yesterday(verdictWith()))).toContain(
      '**Nothing is new** since the last run (2026-11-19 02:00 UTC, conformant).',
    )
    expect(summaryMarkdown(verdictWith(), null)).toContain('No earlier run is known')
  })

  it('does not take for mended what needs conditions that another seed did not send', () => {
    const sent = { endpoint: 'GET /', client: 'target', plain: false, flaws: [], requests: 1 } as const
    const findings = [findingWith({ sent: { ...sent, conditions: ['accept-language: de'] } })]
    const broken = rulesWith([ruleWith('fuzz/combined-flaws', { status: 'failed', findings })])
    const earlier = yesterday(verdictWith({ rules: broken, seed: 7 }))

    expect(summaryMarkdown(verdictWith(), earlier)).toContain(
      '- **with other findings than before**: `fuzz/combined-flaws` (failed before, passed now; 1 not asked this time)\n',
    )
    expect(summaryMarkdown(verdictWith({ seed: 7 }), earlier)).toContain(
      '- **mended**: `fuzz/combined-flaws`',
    )
  })

  it('names what else changed, so that the target is not blamed for it', () => {
    const earlier = yesterday(verdictWith(), { suite: { version: '0.0.9' }, seed: 7 })
    const text = summaryMarkdown(nonconformantVerdict(), earlier)

    expect(text).toContain('Not only the target may have changed since then:')
    expect(text).toContain('- the suite changed from 0.0.9 to 0.1.0')
  })

  it('says the reasons of a run that came to nothing, and compares it with nothing', () => {
    const text = summaryMarkdown(errorVerdict(), yesterday(verdictWith()))

    expect(text).toContain('- because: TARGET_BASE_URL: given nothing, expected an address\n')
    expect(text).not.toMatch(/New since|Not covered|No earlier/)
    const twice = summaryMarkdown({ ...errorVerdict(), because: ['one', 'another'] }, null)
    expect(twice).toContain(`**ERROR**: the settings, the command line or the user's files are wrong.`)
    expect(twice).toContain('- because: one\n- because: another\n')
  })

  it('says first when it is about the embedded service', () => {
    const target = targetWith({ baseUrl: 'http://127.0.0.1:4000', embedded: true, label: null })
    expect(summaryMarkdown(verdictWith({ target }), null)).toContain('**EMBEDDED REFERENCE SERVICE')
  })

  it('shows findings with one cause once, with the simplest of them', () => {
    const findings = Array.from({ length: 7 }, (_, index) =>
      findingWith({ case: `authentication/api-key-missing:1:${index}`, count: 2, examples: [] }),
    )
    const rules = rulesWith([ruleWith('authentication/api-key-missing', { status: 'failed', findings })])
    const text = summaryMarkdown(verdictWith({ rules, verdict: 'nonconformant', exitCode: 1 }), null)

    expect(text).toContain('### Violations (1 cause, 1 rule, 7 findings)')
    expect(text).toContain('  - Wrong form, contract: 7 findings of authentication/api-key-missing\n')
    expect(text.match(/ - replay: /g)).toHaveLength(1)
  })

  it('stays far below 1 MiB with 10,000 findings of the longest texts', () => {
    const findings = Array.from({ length: 250 }, (_, index) =>
      findingWith({
        fingerprint: `f${index}`,
        summary: '\u{10FFFF}漢`'.repeat(2_000),
        replay: '漢'.repeat(999),
      }),
    )
    const rules = verdictWith().rules.map(({ id }) => ruleWith(id, { status: 'failed', findings }))
    const because = Array.from({ length: 10_000 }, () => '漢'.repeat(1_000))
    const text = summaryMarkdown(verdictWith({ rules, because, verdict: 'nonconformant', exitCode: 1 }), null)

    expect(Buffer.byteLength(text)).toBeLessThan(900_001)
    expect(text).toContain(`… and ${250 * ruleCount - 30} more in verdict.json`)
  })

  it('is made of our own marks alone, whatever a service answers', () => {
    const fold =
      /^ {2}<details><summary>[\w :,]+<\/summary>\n\n {2}```json\n(?: {2}\{[^\n]*\n)+ {2}```\n\n {2}<\/details>$/gm
    const own = /^(?:#{2,3} |- |\s{2,4}- |\*\*|\||Profile |No earlier |Not only |$)/
    fc.assert(
      fc.property(hostileText, (text) => {
        const verdict = hostileVerdict(text)
        const page = summaryMarkdown(verdict, yesterday(verdictWith(), { suite: { version: text } }))
        // The lines of a fold are JSON in a block that none of them can end.
        for (const line of page.replaceAll(fold, '').split('\n')) {
          expect(line).toMatch(own)
          const bare = outsideCode(line)
          expect(bare.replace(/^#{2,3} /, '')).not.toMatch(/[<>[\]`@#~&\\!$]|:\/\/|www\./i)
          expect(bare.replaceAll('**', '')).not.toContain('*')
        }
      }),
    )
  })
})
