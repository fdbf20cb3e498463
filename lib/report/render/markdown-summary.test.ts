import * as fc from 'fast-check'
import { ruleCount } from '../../specification/testing/rule-counts.ts'
import { describe, expect, it } from 'vitest'
import { hostileText, hostileVerdict, outsideCode } from '../testing/hostile.ts'
import { summaryMarkdown } from './summaries.ts'
import { errorVerdict, findingWith, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'

describe('the summary', () => {
  it('says the reasons of a run that came to nothing', () => {
    const text = summaryMarkdown(errorVerdict())

    expect(text).toContain('- because: TARGET_BASE_URL: given nothing, expected an address\n')
    expect(text).not.toMatch(/Not covered|earlier run|last run/)
    const twice = summaryMarkdown({ ...errorVerdict(), because: ['one', 'another'] })
    expect(twice).toContain(`**ERROR**: the settings, the command line or the user's files are wrong.`)
    expect(twice).toContain('- because: one\n- because: another\n')
  })

  it('shows findings with one cause once, with the simplest of them', () => {
    const findings = Array.from({ length: 7 }, (_, index) =>
      findingWith({ case: `authentication/api-key-missing:1:${index}`, count: 2, examples: [] }),
    )
    const rules = rulesWith([ruleWith('authentication/api-key-missing', { status: 'failed', findings })])
    const text = summaryMarkdown(verdictWith({ rules, verdict: 'nonconformant', exitCode: 1 }))

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
    const text = summaryMarkdown(verdictWith({ rules, because, verdict: 'nonconformant', exitCode: 1 }))

    expect(Buffer.byteLength(text)).toBeLessThan(900_001)
    expect(text).toContain(`… and ${250 * ruleCount - 30} more in verdict.json`)
  })

  it('is made of our own marks alone, whatever a service answers', () => {
    const fold =
      /^ {2}<details><summary>[\w :,]+<\/summary>\n\n {2}```json\n(?: {2}\{[^\n]*\n)+ {2}```\n\n {2}<\/details>$/gm
    const own = /^(?:#{2,3} |- |\s{2,4}- |\*\*|\||Profile |$)/
    fc.assert(
      fc.property(hostileText, (text) => {
        const page = summaryMarkdown(hostileVerdict(text))
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
