import * as fc from 'fast-check'
import { ruleCount, serviceRules } from '../../specification/testing/rule-counts.ts'
import { describe, expect, it } from 'vitest'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import { terminalSummary } from './summaries.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'

const options = { colour: false, width: 100, reportsDir: 'reports/' }
const violated = { verdict: 'nonconformant', exitCode: 1 } as const
const shown = (verdict: Verdict, changes: Partial<Parameters<typeof terminalSummary>[1]> = {}): string =>
  terminalSummary(verdict, { ...options, ...changes })

describe('the terminal summary', () => {
  it('counts each area that has not all passed in columns, or line by line where the terminal is narrow', () => {
    const incomplete: Verdict = {
      ...nonconformantVerdict(),
      verdict: 'incomplete',
      exitCode: 3,
      causes: [],
    }
    const wide = shown(incomplete)
    expect(wide).toMatch(/^ {2}area +passed +warned +failed +waived +inconclusive +untested$/m)
    expect(wide).toMatch(/^ {2}authentication +10 +· +1 +1 +· +·$/m)
    expect(wide).toMatch(/^ {2}all passed: endpoints, errors, input, fuzz, tolerance, security$/m)
    expect(shown(incomplete, { width: 60 })).toContain('  authentication  10 passed, 1 failed, 1 waived\n')
    expect(shown(nonconformantVerdict())).not.toContain('inconclusive  untested')
  })

  it('cuts a long body, and says how much of it is missing', () => {
    const { exchange } = findingWith()
    const response = { status: 401, headers: [], body: 'x'.repeat(500), bodyCut: 79 }
    const findings = [findingWith({ exchange: { ...exchange, response } })]
    const rules = rulesWith([ruleWith('errors/body-shape', { status: 'failed', findings })])

    expect(shown(verdictWith({ ...violated, rules })).replaceAll(/\s+/g, ' ')).toContain(
      '(459 more characters)',
    )
  })

  it('puts the reasons of an error at the top', () => {
    const lines = shown(errorVerdict()).split('\n')
    expect(lines[0]).toBe('ERROR: no target, profile gate')
    expect(lines.slice(0, 5).join('\n')).toContain('- TARGET_BASE_URL: given nothing, expected an address')
    expect(lines.at(-3)).toMatch(/^exit 2: /)
  })

  it('ends with the digest of the verdict, to be kept', () => {
    expect(shown(verdictWith(violated), { digest: 'a'.repeat(64), width: 50 })).toMatch(
      /\nreports: reports\/\nSHA-256 of verdict\.json: a{64}\n$/,
    )
  })

  it('says which waivers have expired or cover nothing any more', () => {
    const waiver = {
      rule: 'quota/exhausted',
      fingerprint: null,
      reason: 'known',
      owner: 'Kim',
      expires: '2026-01-31',
    }
    const text = shown(
      verdictWith({
        waivers: [
          { ...waiver, expired: true, used: false },
          { ...waiver, expired: false, used: false },
        ],
      }),
      { width: 200 },
    )
    expect(text).toContain('EXPIRED on 2026-01-31')
    expect(text).toContain('COVERED NOTHING in this run')
  })
})

describe('a flood of findings', () => {
  const failing = (bodies: (index: number) => string): Verdict =>
    verdictWith({
      verdict: 'nonconformant',
      exitCode: 1,
      rules: rulesWith(
        verdictWith().rules.map(({ id }, index) => {
          const finding = findingWith({ case: `${id}:1:a` })
          const { exchange } = finding
          const response = { status: 404, headers: [], body: bodies(index), bodyCut: 0 }
          const found = {
            ...finding,
            answered: { status: 404, errorCode: null },
            exchange: { ...exchange, response },
          }
          return ruleWith(id, { status: 'failed', findings: [found, { ...found, case: `${id}:1:b` }] })
        }),
      ),
    })

  it('shows three causes with what was sent, documented and answered, and ten in all, and leaves the rest to verdict.json', () => {
    const text = shown(failing((index) => `trace ${index}`))

    expect(text).toContain(
      `Violations (${ruleCount} causes, ${serviceRules} rules, ${2 * ruleCount} findings)`,
    )
    expect(text.match(/^✗ /gm)).toHaveLength(10)
    expect(text.match(/^ +answered /gm)).toHaveLength(3)
    expect(text.match(/^ +replay /gm)).toHaveLength(3)
    expect(text).toContain(`… and ${ruleCount - 10} more in verdict.json`)
  })

  it('counts the rules that fail by violations, as the headline does, and names each of them once', () => {
    const sent = {
      endpoint: 'GET /a',
      client: 'target',
      plain: false,
      flaws: ['apiKey absent'],
      requests: 1,
    } as const
    const alike = (name: string) =>
      findingWith({ sent, difference: 'alike', case: `${name}:1:a`, fingerprint: 'a' })
    const [failed, warned] = ['errors/body-shape', 'conventions/json-content-type'] as const
    const rules = rulesWith([
      ruleWith(failed, { status: 'failed', findings: [alike(failed)] }),
      ruleWith(warned, { status: 'warned', findings: [alike(warned)] }),
    ])
    const text = shown(verdictWith({ verdict: 'nonconformant', exitCode: 1, rules }))

    expect(text).toContain('Violations (1 cause, 1 rule, 2 findings)')
  })

  it('says of its first causes where the specification documents what', () => {
    const text = shown(
      failing((index) => `trace ${index}`),
      { width: 500 },
    )
    const documented = text.split('\n').filter((line) => line.includes('documented  '))

    expect(documented).toHaveLength(3)
    const sections = verdictWith().rules.map(({ section }) => ` (${section})`)
    for (const line of documented) expect(sections.some((section) => line.endsWith(section))).toBe(true)
  })

  it('is as long as its causes, however many rules and findings have them', () => {
    const sent = {
      endpoint: 'GET /a',
      client: 'target',
      plain: false,
      flaws: ['apiKey absent'],
      requests: 1,
    } as const
    const alike = { sent, difference: 'another answer' }
    const rules = rulesWith(
      verdictWith().rules.map(({ id }) =>
        ruleWith(id, {
          status: 'failed',
          findings: ['a', 'b'].map((name) =>
            findingWith({ ...alike, case: `${id}:1:${name}`, fingerprint: name }),
          ),
        }),
      ),
    )
    const text = shown(verdictWith({ verdict: 'nonconformant', exitCode: 1, rules }))

    expect(text).toContain('A request without x-api-key: 401 / 1006, documented 400 / 1001')
    expect(text).toContain(`Violations (1 cause, ${serviceRules} rules, ${2 * ruleCount} findings)`)
    expect(text).toMatch(new RegExp(`and ${ruleCount - 3}\\s+more`))
    expect(text.split('\n').length).toBeLessThanOrEqual(30)
  })

  it('tells one mistake once, however many requests show it', () => {
    const found = (flaw: string) =>
      findingWith({
        case: `fuzz/headers:1:${flaw}`,
        fingerprint: flaw,
        difference: 'error_message is missing',
        sent: { endpoint: 'GET /a', client: 'target', plain: false, flaws: [flaw], requests: 1 },
      })
    const findings = ['apiKey absent', 'secretKey absent', 'version absent'].map(found)
    const rules = rulesWith([ruleWith('fuzz/headers', { status: 'failed', findings })])
    const text = shown(verdictWith({ verdict: 'nonconformant', exitCode: 1, rules }))

    expect(text).toContain('Violations (1 cause, 1 rule, 3 findings)')
    expect(text).toContain('Several kinds of error answer: each lacks error_message')
    expect(text.match(/^✗ /gm)).toHaveLength(1)
  })

  it('keeps lines for copying whole, unless they would mislead', () => {
    const withCurl = (curl: string | null): string =>
      shown(
        verdictWith({
          ...violated,
          rules: rulesWith([
            ruleWith('errors/body-shape', { status: 'failed', findings: [findingWith({ curl })] }),
          ]),
        }),
        { width: 40 },
      )
    const long = `curl -H 'x: ${'a b '.repeat(300)}' 'https://x'`

    expect(withCurl(long)).toContain(`\n    ${long}\n`)
    expect(withCurl("curl 'https://x/\u202E'")).toMatch(/not fit for a\s+terminal,\s+see\s+verdict\.json/)
    expect(withCurl(`curl ${'x'.repeat(70_000)}`).length).toBeLessThan(10_000)
    expect(withCurl(null)).toMatch(/^ +replay +npx /m)
    expect(withCurl(null)).not.toContain('curl')
  })
})

describe('whatever a service answers', () => {
  it('sends no control characters to the terminal but newlines', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: -5, max: 200 }), (text, width) => {
        const summary = shown(hostileVerdict(text), { width, reportsDir: text })
        expect(summary.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u)
      }),
    )
  })

  it('sends the codes of colours only where they are asked for, and no others', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const plain = shown(hostileVerdict(text))
        const coloured = shown(hostileVerdict(text), { colour: true })

        expect(coloured).toContain('\u001B[31m')
        // oxlint-disable-next-line no-control-regex -- the codes are what is looked for
        expect(coloured.replaceAll(/\u001B\[(?:0|1|2|31|32|33)m/g, '')).toBe(plain)
      }),
    )
  })

  it('wraps all but the lines to copy and the table', () => {
    const text = shown(nonconformantVerdict(), { width: 50 })
    const long = text.split('\n').filter((line) => Array.from(line).length > 50)
    expect(long.every((line) => /^ +(?:curl |replay +npx |waive +\{"fingerprint")/.test(line))).toBe(true)
  })
})
