import { describe, expect, it } from 'vitest'
import { planText, type ShownPlan } from './plan-text.ts'

const exhausted = {
  needs: 'FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY',
  requests: 0,
  allotted: 0,
  untested: 'no exhausted client is given',
}
const plan: ShownPlan = {
  rules: [
    { id: 'authentication/api-key-missing', requests: 2, allotted: 2, untested: null },
    { id: 'errors/body-shape', requests: 0, allotted: 0, untested: null },
    { id: 'quota/exhausted', ...exhausted },
    { id: 'quota/stays-exhausted', ...exhausted },
  ],
  byClient: { second: 1, target: 4 },
  total: 5,
  budget: 500,
  opening: 1,
  checks: 2,
  baseUrl: 'https://staging.example.com',
  profile: 'gate',
  notJudged: [],
}

describe('the plan', () => {
  it('names the target, and says that nothing is sent', () => {
    expect(planText(plan)).toMatch(
      /^Plan for https:\/\/staging\.example\.com, profile gate; nothing is sent\.\n/,
    )
    expect(planText({ ...plan, baseUrl: null })).toContain('Plan for no target')
  })

  it('gives each rule its requests, and the totals', () => {
    const text = planText(plan)

    expect(text).toMatch(/^ {2}authentication\/api-key-missing +2$/m)
    expect(text).toMatch(/^ {2}errors\/body-shape +every answer$/m)
    expect(text).toMatch(/^ {2}quota\/exhausted +untested$/m)
    expect(text).toMatch(/^ {2}before all others +1$/m)
    expect(text).toMatch(/^ {2}health checks, at most +2$/m)
    expect(text).toMatch(/^ {2}total, at most +5$/m)
    expect(text).toContain('Fits the budget of 500 requests: 495 left')
    expect(text).toContain('Of the daily quota of each client, at most: target 4, second 1.')
  })

  it('says once what untested rules need', () => {
    const text = planText(plan)

    expect(text).toContain(
      'Untested with these settings (2 rules):\n  quota/exhausted, quota/stays-exhausted\n',
    )
    expect(text).toMatch(/^ {4}no exhausted client is given; needs FIXTURE_EXHAUSTED_API_KEY and /m)
  })

  it('names the endpoints that nothing is sent to, by reason', () => {
    const because = 'no selected rule sends to it'
    const notJudged = ['/api/a', 'POST /api/b'].map((endpoint) => ({ endpoint, because }))

    expect(planText({ ...plan, notJudged })).toContain(
      `Not judged with these settings (2 endpoints):\n  /api/a, POST /api/b\n    ${because}\n`,
    )
    expect(planText(plan)).not.toContain('Not judged')
  })

  it('says plainly when it does not fit', () => {
    const short = planText({
      ...plan,
      rules: plan.rules.map((rule) => ({ ...rule, allotted: 0 })),
      total: 600,
    })
    expect(short).toContain('DOES NOT FIT')
    expect(short).toMatch(/^ {2}authentication\/api-key-missing +0 of 2$/m)
    expect(planText({ ...plan, total: 500 })).not.toContain('DOES NOT FIT')
  })

  it('shows no control characters of an address', () => {
    expect(planText({ ...plan, baseUrl: 'https://x/\u001B[2J' })).toContain(String.raw`https://x/\u001b[2J`)
  })
})
