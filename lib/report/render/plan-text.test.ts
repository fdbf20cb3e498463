import { expect, it } from 'vitest'
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

it('the plan shows the requests of each rule and the totals, and states once what untested rules need', () => {
  expect(planText(plan)).toMatchInlineSnapshot(`
    "Plan for https://staging.example.com, profile gate; nothing is sent.

      rule                                requests
      authentication/api-key-missing             2
      errors/body-shape               every answer
      quota/exhausted                     untested
      quota/stays-exhausted               untested
      before all others                          1
      health checks, at most                     2
      total, at most                             5

    Requests that count towards each daily quota, at most: target 4, second 1.

    Untested with these settings (2 rules):
      quota/exhausted, quota/stays-exhausted
        no exhausted client is given; needs FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY

    Fits the budget of 500 requests: 495 left for retries and confirmations.
    "
  `)
})

it.each<[string, Partial<ShownPlan>, string]>([
  ['no target', { baseUrl: null }, 'Plan for no target'],
  ['control characters as escapes', { baseUrl: 'https://x/\u001B[2J' }, String.raw`https://x/\u001b[2J`],
  [
    'endpoints that receive no requests, by reason',
    { notJudged: ['/api/a', 'POST /api/b'].map((endpoint) => ({ endpoint, because: 'no rule' })) },
    'Not judged with these settings (2 endpoints):\n  /api/a, POST /api/b\n    no rule\n',
  ],
  ['a budget that just fits', { total: 500 }, 'Fits the budget of 500 requests: 0 left'],
  [
    'how many requests a rule keeps if the budget does not fit',
    { total: 600, rules: plan.rules.map((rule) => ({ ...rule, allotted: 0 })) },
    '  0 of 2\n',
  ],
  ['a budget that does not fit', { total: 501 }, 'DOES NOT FIT'],
])('the plan shows %s', (_, changes, says) => {
  expect(planText({ ...plan, ...changes })).toContain(says)
})
