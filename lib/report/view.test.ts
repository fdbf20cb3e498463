import { describe, expect, it } from 'vitest'
import { findingWith, ruleWith, targetWith, verdictWith } from '../verdict/verdict.testing.ts'
import type { VerdictRule } from '../verdict/verdict.ts'
import { summaryMarkdown } from './render/summary.ts'
import { failing, unlike, violated } from './testing/verdicts.ts'
import { view } from './view.ts'

describe('the causes of a view', () => {
  const causesOf = (...rules: readonly VerdictRule[]) => view(violated(...rules)).causes

  it('show at least one finding each, more if there is room, and count the rest', () => {
    const of = (count: number) => causesOf(failing('fuzz/path', ...unlike(count, 'path')))
    const same = Array.from({ length: 500 }, (_, place) =>
      findingWith({ fingerprint: `${place}`, case: `${place}`, difference: 'x' }),
    ).map((one) => ({
      ...one,
      sent: {
        endpoint: 'GET /a',
        client: 'target' as const,
        plain: false,
        flaws: ['apiKey absent'],
        requests: 1,
      },
    }))
    const shown = of(300)

    expect(shown).toHaveLength(300)
    expect(shown.every(({ findings, hidden }) => findings.length + hidden === 1 && hidden === 0)).toBe(true)
    expect(
      causesOf(failing('fuzz/path', ...same)).map(({ findings, hidden }) => [findings.length, hidden]),
    ).toEqual([[180, 320]])
  })

  it('start with failures and end with waived causes', () => {
    const findings = unlike(1, 'quota').map((one) => ({ ...one, waived: 'agreed' }))
    const waived = ruleWith('quota/exhausted', { status: 'waived', findings })
    const warned = ruleWith('conventions/json-content-type', {
      status: 'warned',
      findings: unlike(1, 'type'),
    })

    expect(
      causesOf(warned, waived, failing('fuzz/path', ...unlike(2, 'a'))).map(({ status }) => status),
    ).toEqual(['failed', 'failed', 'warned', 'waived'])
  })

  it('show each fingerprint once, with its total count and three further cases', () => {
    const same = Array.from({ length: 10_000 }, (_, index) =>
      findingWith({ case: `case-${index}`, count: 2, examples: [] }),
    )
    const [cause] = causesOf(failing('fuzz/path', ...same))
    const also = cause?.findings[0]?.facts.filter(({ label }) => label === 'also')

    expect(cause?.findings).toHaveLength(1)
    expect(cause?.findings[0]?.often).toBe('3 of 3; met 20000 times')
    expect(also).toHaveLength(3)
    expect(cause?.hidden).toBe(0)
  })

  it.each([
    ['status and code', {}, '400 / 1001 (api key header is missing)', '401 / 1006 (invalid api key)'],
    [
      'the sentence of the rule if status and code are right',
      { allowed: [{ status: 401, errorCode: '1006' }] as const, summary: 'the error_message is missing' },
      ruleWith('fuzz/path').says,
      'the error_message is missing',
    ],
    [
      'the earlier shape if a shape changed',
      { shapes: { before: 'a: string', after: 'absent' } },
      'a: string',
      'absent',
    ],
  ])('show as expected %s', (_, changes, expected, got) => {
    expect(causesOf(failing('fuzz/path', findingWith(changes)))).toMatchObject([{ expected, got }])
  })
})

describe('the figures in a view', () => {
  const byRule = { 'fuzz/path': 60, 'fuzz/query': 40, 'quota/exhausted': 10 }

  it.each([
    [
      115,
      byRule,
      { p50: 5, p95: 10, p99: 15, max: 20 },
      'median 5 ms, 95 % at most 10 ms, 99 % at most 15 ms, slowest 20 ms, all 115, fuzz 100, quota 10, of no rule 5',
    ],
    [0, { 'fuzz/path': 0 }, null, 'all 0, fuzz 0'],
  ])('are latencies and, for %i requests, counts by area', (sent, rules, latencyMs, says) => {
    const requests = { sent, retried: 0, confirming: 0, budget: 200, byRule: rules }
    const shown = view(verdictWith({ requests, latencyMs }))

    expect(
      [...shown.latency, ...shown.requests].map(({ label, value }) => `${label} ${value}`).join(', '),
    ).toBe(says)
  })
})

describe('an endpoint that was not judged', () => {
  const because = 'POST is only sent where the endpoints file says "fuzz": true'
  const post = { endpoint: 'POST /api/cards', because, fingerprint: 'f3c44f9c9425884c' }
  const target = targetWith({ endpoints: ['/api/customizations/list', '/api/cards'] })
  const left = verdictWith({ profile: 'acceptance', target: { ...target, notJudged: [post] } })
  const waiver = {
    rule: null,
    fingerprint: post.fingerprint,
    reason: 'agreed',
    owner: 'Kim',
    expires: '2027-01-31',
    expired: false,
    used: true,
  }
  const waived = verdictWith({
    ...left,
    target: { ...target, notJudged: [{ ...post, waived: 'agreed (Kim)' }] },
    waivers: [waiver],
  })

  it('is an agreed exception if a waiver covers it', () => {
    const { word, endpoints, sentence } = view(waived)
    expect(word).toBe('conformant with 1 agreed exception')
    expect(endpoints).toEqual([{ name: 'POST /api/cards', because, waived: 'agreed (Kim)' }])
    expect(sentence).toMatch(/; waived: POST \/api\/cards$/)
  })

  it('gets its own waiver draft, only in acceptance', () => {
    const draft = `{"rule":"endpoints/list-succeeds","fingerprint":"${post.fingerprint}","reason":"","owner":"","expires":"2026-12-20"}`

    expect(summaryMarkdown(view(left))).toContain(draft)
    expect(summaryMarkdown(view(waived))).not.toContain(post.fingerprint)
    expect(summaryMarkdown(view({ ...left, profile: 'gate' }))).not.toContain(post.fingerprint)
  })
})
