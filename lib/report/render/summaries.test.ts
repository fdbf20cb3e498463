import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ruleCount, serviceRules } from '../../specification/testing/rule-counts.ts'
import {
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import { targetWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { rawReportsOf } from '../testing/every-report.ts'
import { hostileText, hostileVerdict, outsideCode } from '../testing/hostile.ts'
import { alike, failing, violated } from '../testing/verdicts.ts'
import { summaryMarkdown, terminalSummary } from './summaries.ts'

type Options = Partial<Parameters<typeof terminalSummary>[1]>

function shown(verdict: Verdict, changes: Options = {}): string {
  return terminalSummary(verdict, { colour: false, width: 100, reportsDir: 'reports/', ...changes })
}

const { exchange } = findingWith()
const digest = 'a'.repeat(64)
const everyRule = verdictWith().rules.map(({ id }) => id)
/** Two findings of each rule, of which each rule is a cause of its own. */
const flood = violated(
  ...everyRule.map((id, place) => {
    const response = { status: 404, headers: [], body: `trace ${place}`, bodyCut: 0 }
    const of = { answered: { status: 404, errorCode: null }, exchange: { ...exchange, response } }
    return failing(id, ...['a', 'b'].map((name) => findingWith({ ...of, case: `${id}:1:${name}` })))
  }),
)
const oneCause = violated(...everyRule.map((id) => failing(id, alike('a'), alike('b'))))
const [badShape, badType] = ['errors/body-shape', 'conventions/json-content-type'] as const
const warning = ruleWith(badType, { status: 'warned', findings: [alike('a')] })
const mistaken = ['apiKey absent', 'secretKey absent', 'version absent'].map((flaw) =>
  alike(flaw, { difference: 'error_message is missing' }, flaw),
)
const seven = Array.from({ length: 7 }, (_, place) => findingWith({ case: `a:1:${place}`, examples: [] }))
const sameCause = violated(failing('authentication/api-key-missing', ...seven))
const counted = (causes: number, rules: number, findings: number): string =>
  `Violations (${causes} cause${causes === 1 ? '' : 's'}, ${rules} rule${rules === 1 ? '' : 's'}, ${findings} findings)`

describe('the terminal', () => {
  const incomplete: Verdict = { ...nonconformantVerdict(), verdict: 'incomplete', exitCode: 3, causes: [] }

  it('counts areas line by line where it is narrow, ends with the digest, and wraps all but lines to copy', () => {
    expect(shown(incomplete, { width: 60 })).toContain('  authentication  10 passed, 1 failed, 1 waived\n')
    expect(shown(violated(), { digest, width: 50 })).toMatch(/\nreports: reports\/\nSHA-256 of .*: a{64}\n$/)
    const wrapped = shown(nonconformantVerdict(), { width: 50 }).split('\n')
    const long = wrapped.filter((line) => Array.from(line).length > 50)
    expect(long.filter((line) => !/^ +(?:curl |replay +npx |waive +\{"fing)/.test(line))).toEqual([])
  })

  it('is as long as its causes, and tells one mistake once', () => {
    const text = shown(oneCause)
    const once = shown(violated(failing('fuzz/headers', ...mistaken)))

    expect(text).toContain('A request without x-api-key: 401 / 1006, documented 400 / 1001')
    expect(text).toContain(counted(1, serviceRules, 2 * ruleCount))
    expect(text).toMatch(new RegExp(`and ${ruleCount - 3}\\s+more`))
    expect(text.split('\n').length).toBeLessThanOrEqual(30)
    // Warnings are counted apart, as in the headline.
    expect(shown(violated(failing(badShape, alike('a')), warning))).toContain(counted(1, 1, 2))
    expect(once).toContain(counted(1, 1, 3))
    expect(once).toContain('Several kinds of error answer: each lacks error_message')
    expect(once.match(/^✗ /gm)).toHaveLength(1)
  })

  it('keeps lines for copying whole, unless they would mislead', () => {
    const withCurl = (curl: string | null): string =>
      shown(violated(failing(badShape, findingWith({ curl }))), { width: 40 })
    const long = `curl -H 'x: ${'a b '.repeat(300)}' 'https://x'`

    expect(withCurl(long)).toContain(`\n    ${long}\n`)
    expect(withCurl("curl 'https://x/\u202E'")).toMatch(/not fit for a\s+terminal,\s+see\s+verdict\.json/)
    expect(withCurl(`curl ${'x'.repeat(70_000)}`).length).toBeLessThan(10_000)
    expect(withCurl(null)).toMatch(/^ +replay +npx /m)
    expect(withCurl(null)).not.toContain('curl')
  })

  it('shows three causes with what was sent, documented (and where) and answered, and ten in all', () => {
    const text = shown(flood, { width: 500 })
    const lines = text.split('\n')
    const sections = verdictWith().rules.map(({ section }) => ` (${section})`)
    const documented = lines.filter((line) => /^ +documented /.test(line))

    expect(text).toContain(counted(ruleCount, serviceRules, 2 * ruleCount))
    expect(text.match(/^✗ /gm)).toHaveLength(10)
    expect(text.match(/^ +(?:answered|replay|documented) /gm)).toHaveLength(9)
    expect(documented).toHaveLength(3)
    expect(text).toContain(`… and ${ruleCount - 10} more in verdict.json`)
    for (const line of documented) expect(sections.some((section) => line.endsWith(section))).toBe(true)
  })

  it('gets no control characters but newlines and the colours that are asked for, whatever a service answers', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: -5, max: 200 }), (text, width) => {
        const plain = shown(hostileVerdict(text), { width, reportsDir: text })
        const coloured = shown(hostileVerdict(text), { width, reportsDir: text, colour: true })

        expect(plain.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u)
        expect(coloured).toContain('\u001B[31m')
        // oxlint-disable-next-line no-control-regex -- the codes are what is looked for
        expect(coloured.replaceAll(/\u001B\[(?:0|1|2|31|32|33)m/g, '')).toBe(plain)
      }),
    )
  })
})

describe('a run in which nothing could be judged', () => {
  const incomplete = { verdict: 'incomplete', exitCode: 3 } as const
  const rules = everyRule.map((id, place) =>
    ruleWith(id, { status: place % 9 === 0 ? 'untested' : 'inconclusive', because: 'why' }),
  )

  it.each([
    'nothing is listening on staging.example:8443 (connection refused): is the service running?',
    'the very first valid request was refused with 401 / 1006: check TARGET_API_KEY',
  ])('says why, and what to do, and lists no rule: %s', (reason) => {
    const because = [`the run ended early: ${reason}`, ...everyRule.map((id) => `${id}: ${reason}`)]
    const verdict = verdictWith({ ...incomplete, because, rules })
    const text = shown(verdict)

    expect(text).toMatch(/^INCOMPLETE: https:(?:.*\n){3,8}$/)
    expect(text.replaceAll(/\s+/g, ' ').toLowerCase()).toContain(reason.slice(0, 40).toLowerCase())
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(/Run doctor with the same settings.*exit 3: incomplete/)
    expect(summaryMarkdown(verdict)).toContain('Run doctor')
    for (const form of [text, summaryMarkdown(verdict)])
      expect(form).not.toMatch(/conventions|inconclusive|[Nn]ot covered|area/)
    // Whoever reads the other reports finds each rule.
    expect(rawReportsOf(verdict)['page']).toContain('conventions/')
  })

  it('keeps its table where one rule was judged', () => {
    const one = [ruleWith('endpoints/list-succeeds'), ...rules.slice(1)]

    expect(shown(verdictWith({ ...incomplete, because: ['why'], rules: one }))).toContain('Rules by area')
  })
})

describe('a green verdict on the terminal', () => {
  const needed = {
    'authentication/customer-not-found':
      'FIXTURE_NO_CUSTOMER_API_KEY and FIXTURE_NO_CUSTOMER_SECRET_KEY are not given',
    'authentication/stays-refused':
      'none of FIXTURE_NO_CUSTOMER_…, FIXTURE_INACTIVE_… and FIXTURE_UNAUTHORIZED_… is given',
    'tolerance/no-breaking-change': 'RUN_BASELINE is not given',
    'conventions/http-messages': 'only an acceptance asks (--profile acceptance)',
  }
  const untested = new Map(Object.entries(needed))
  const rules = rulesWith([
    ...everyRule.flatMap((id) => {
      const because = untested.get(id)
      return because === undefined ? [] : [ruleWith(id, { status: 'untested', because })]
    }),
    ruleWith(badType, { status: 'warned', findings: [findingWith()] }),
  ])
  const requests = { ...verdictWith().requests, sent: 400, retried: 4 }
  const linesOf = (verdict: Verdict, news: string | null = null): readonly string[] =>
    shown(verdict, { digest, news }).trimEnd().split('\n')

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

  it.each([
    [3, /, profile gate 40 rules.*, 3 retried/],
    [4, /profile gate; 4 of 400 requests \(1 %\) got no answer of the service: 4 × 502 40 rules/],
  ])('names retries in its headline from one in a hundred on: %i of 400', (count, says) => {
    const retried = { ...requests, retried: count, retriedFor: { '502': count } }

    expect(linesOf(verdictWith({ requests: retried })).join(' ')).toMatch(says)
  })

  it('has at most six lines of a hundred columns, whatever it is called', () => {
    const text = fc.constantFrom(null, '', 'x'.repeat(199), 'a b '.repeat(49))
    const baseUrl = fc.constantFrom('https://a.example', `https://${'a'.repeat(300)}.example`)
    fc.assert(
      fc.property(
        fc.record({ label: text, build: text, embedded: fc.boolean(), baseUrl }),
        fc.constantFrom('gate' as const, 'acceptance' as const, 'nightly' as const),
        fc.constantFrom(null, 'since the last run: nothing is new', 'a b '.repeat(60)),
        fc.constantFrom(0, 3, 90),
        (target, profile, news, count) => {
          const retriedFor = count === 0 ? {} : { 'closed connection': count, '503': count }
          const of = { target: targetWith(target), requests: { ...requests, retried: count, retriedFor } }
          const lines = linesOf(verdictWith({ ...of, profile, rules }), news)
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

describe('the summary', () => {
  it('shows findings with one cause once, with the simplest of them', () => {
    const text = summaryMarkdown(sameCause)

    expect(text).toContain(`### ${counted(1, 1, 7)}`)
    expect(text).toContain('  - Wrong form, contract: 7 findings of authentication/api-key-missing\n')
    expect(text.match(/ - replay: /g)).toHaveLength(1)
  })

  it('stays far below 1 MiB with 10,000 findings of the longest texts', () => {
    const longest = { summary: '\u{10FFFF}漢`'.repeat(2_000), replay: '漢'.repeat(999) }
    const findings = Array.from({ length: 250 }, (_, place) =>
      findingWith({ fingerprint: `f${place}`, ...longest }),
    )
    const because = Array.from({ length: 10_000 }, () => '漢'.repeat(1_000))
    const text = summaryMarkdown({ ...violated(...everyRule.map((id) => failing(id, ...findings))), because })

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
