import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../verdict/verdict.ts'
import { ruleWith, rulesWith, findingWith, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { rawReportsOf } from '../testing/every-report.ts'
import { summaryMarkdown, terminalSummary } from './summaries.ts'

const digest = 'a'.repeat(64)
const linesOf = (verdict: Verdict, news: string | null = null): readonly string[] => {
  const options = { colour: false, width: 100, reportsDir: 'reports/', digest, news }
  return terminalSummary(verdict, options).trimEnd().split('\n')
}

const reasons = {
  listening: 'nothing is listening on staging.example:8443 (connection refused): is the service running?',
  refused: 'the very first valid request was refused with 401 / 1006: check TARGET_API_KEY',
}
const unjudged = verdictWith().rules.map((rule, place) => ({
  ...rule,
  status: place % 9 === 0 ? ('untested' as const) : ('inconclusive' as const),
  because: 'why',
}))

describe('a run in which nothing could be judged', () => {
  it.each(Object.entries(reasons))('says why, and what to do, and lists no rule: %s', (_, reason) => {
    const because = [`the run ended early: ${reason}`, ...unjudged.map(({ id }) => `${id}: ${reason}`)]
    const verdict = verdictWith({ verdict: 'incomplete', exitCode: 3, because, rules: unjudged })
    const lines = linesOf(verdict)
    const text = lines.join(' ')

    expect(lines[0]).toMatch(/^INCOMPLETE: https:/)
    expect(text.toLowerCase()).toContain(reason.slice(0, 40).toLowerCase())
    expect(text).toContain('Run doctor with the same settings')
    expect(text).toContain('exit 3: incomplete')
    expect(lines.length).toBeLessThanOrEqual(8)
    for (const form of [text, summaryMarkdown(verdict)]) {
      expect(form).toContain('Run doctor')
      expect(form).not.toMatch(/conventions|inconclusive|[Nn]ot covered|area/)
    }
    // Whoever reads the other reports finds each rule.
    expect(rawReportsOf(verdict)['page']).toContain('conventions/')
  })

  it('keeps its table where one rule was judged', () => {
    const rules = [ruleWith('endpoints/list-succeeds'), ...unjudged.slice(1)]
    const verdict = verdictWith({ verdict: 'incomplete', exitCode: 3, because: ['why'], rules })

    expect(linesOf(verdict).join('\n')).toContain('Rules by area')
  })
})

describe('a green verdict', () => {
  const texts = ['', 'x'.repeat(199), 'a b '.repeat(49)]
  const untested = [
    [
      'authentication/customer-not-found',
      'FIXTURE_NO_CUSTOMER_API_KEY and FIXTURE_NO_CUSTOMER_SECRET_KEY are not given',
    ],
    [
      'authentication/stays-refused',
      'none of FIXTURE_NO_CUSTOMER_…, FIXTURE_INACTIVE_… and FIXTURE_UNAUTHORIZED_… is given',
    ],
    ['tolerance/no-breaking-change', 'RUN_BASELINE is not given'],
    ['conventions/http-messages', 'only an acceptance asks (--profile acceptance)'],
  ] as const
  const rules = rulesWith([
    ...untested.map(([id, because]) => ruleWith(id, { status: 'untested', because })),
    ruleWith('conventions/json-content-type', { status: 'warned', findings: [findingWith()] }),
  ])
  const requests = { ...verdictWith().requests, sent: 400, retried: 4 }

  it('has the verdict, the counts, what warns, what was not tested by what it needs, and the reports', () => {
    expect(linesOf(verdictWith({ rules, requests }), 'since the last run (then): nothing is new')).toEqual([
      'CONFORMANT: https://staging.example.com/cards/api/customizations/list (vendor, build 42), profile',
      'gate',
      '40 rules: 35 passed, 1 warned, 4 untested; 400 requests sent, 4 retried, 1.8 s, seed 20260101',
      '1 warning, see summary.md. 4 rules not tested; needed: --profile acceptance, RUN_BASELINE, FIXTURE_…',
      '(NO_CUSTOMER, INACTIVE, UNAUTHORIZED).',
      'reports: reports/',
    ])
  })

  it('names retries in its headline from one in a hundred on', () => {
    const retriedFor = (count: number) => ({ ...requests, retried: count, retriedFor: { '502': count } })

    const told = linesOf(verdictWith({ requests: retriedFor(4) }))
      .slice(0, 3)
      .join(' ')
    expect(told).toMatch(/profile gate; 4 of 400 requests \(1 %\) got no answer of the service: 4 × 502/)
    expect(linesOf(verdictWith({ requests: retriedFor(3) })).join(' ')).toMatch(
      /, profile gate 40 rules.*, 3 retried/,
    )
  })

  it('has at most six lines of a hundred columns, whatever it is called', () => {
    fc.assert(
      fc.property(
        fc.record({
          label: fc.constantFrom(null, ...texts),
          build: fc.constantFrom(null, ...texts),
          embedded: fc.boolean(),
          baseUrl: fc.constantFrom('https://a.example', `https://${'a'.repeat(300)}.example`),
        }),
        fc.constantFrom('gate' as const, 'acceptance' as const, 'nightly' as const),
        fc.constantFrom(null, 'since the last run: nothing is new', 'a b '.repeat(60)),
        fc.constantFrom(0, 3, 90),
        (target, profile, news, count) => {
          const retriedFor = count === 0 ? {} : { 'closed connection': count, '503': count }
          const verdict = verdictWith({
            target: targetWith(target),
            profile,
            rules,
            requests: { ...requests, retried: count, retriedFor },
          })
          const lines = linesOf(verdict, news)
          const rows = lines.map((line) => Math.max(1, Math.ceil(Array.from(line).length / 100)))

          expect(rows.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(6)
          expect(lines).toContain('reports: reports/')
          if (profile === 'acceptance') expect(lines.at(-1)).toContain(digest)
          if (target.embedded) expect(lines.join(' ')).toContain('EMBEDDED REFERENCE SERVICE: this verdict')
        },
      ),
    )
  })
})
