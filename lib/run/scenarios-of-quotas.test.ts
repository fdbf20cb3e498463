import { expect, test } from 'vitest'
import { answers, succeeds } from '../judge/judge.ts'
import { refused } from '../judge/testing/exchanges.ts'
import { example, scenario, type SuiteRule } from './plan/cases.ts'
import { rule } from './plan/rule.ts'
import type { SuiteContext } from './plan/suite-context.ts'
import type { TestRequest } from './plan/test-request.ts'
import { among, asking, failure, noKey, plays, quota, saying, type Play, type Row } from './testing/played.ts'

const acceptance = { env: { RUN_PROFILE: 'acceptance' } }
const ofSecond = { fixtures: ['FIXTURE_SECOND'] }
const quotaOf = (client: string): string =>
  `the daily quota of the client of ${client}_API_KEY is used up (429 / 1020, also for a plain valid request): run again after its reset, or with another client`

function secondOf({ list }: SuiteContext): TestRequest {
  return list.of('second')[0] ?? expect.fail('no second client')
}

/** Cases with the valid pair of the second client. */
function second(names: string): SuiteRule {
  return asking('versioning/default-version', names, (_, context) => secondOf(context), succeeds())
}

/** Two requests of the second client, one after the other. */
const stepsOfSecond = rule('versioning/unknown-endpoint', (context) => [
  scenario('steps', 2, async (stage) => {
    const one = secondOf(context).with('x-case', 's')
    return [await stage.judge(one, succeeds()), await stage.judge(one, succeeds())]
  }),
])

test.for<Row>([
  [
    'for the target ends the run if plain valid requests get it three times, the last two alone',
    { service: { a: [quota], plain: [null, quota] } },
    { ended: quotaOf('TARGET'), order: 'plain a plain plain plain' },
  ],
  [
    'for another client leaves its cases open',
    {
      ...ofSecond,
      ...acceptance,
      rules: [second('a b'), noKey('c')],
      service: { a: [quota], second: [quota] },
    },
    {
      left: [quotaOf('FIXTURE_SECOND')],
      order: 'plain wrong plain c a second second second',
      waits: [],
    },
  ],
  [
    'holds back further requests of its client',
    {
      ...ofSecond,
      rules: [second('a'), stepsOfSecond],
      service: { a: [quota], second: [quota] },
      env: { RUN_CONCURRENCY: '8' },
    },
    { left: [quotaOf('FIXTURE_SECOND')], count: { plain: 1, a: 1, s: 1, second: 3 } },
  ],
  [
    'is verified once for all simultaneous requests',
    {
      ...ofSecond,
      rules: [second('a b c')],
      service: ({ name }) => (name === 'plain' ? null : quota),
      env: { RUN_CONCURRENCY: '8' },
    },
    { left: [quotaOf('FIXTURE_SECOND')], count: { plain: 1, a: 1, b: 1, c: 1, second: 3 } },
  ],
  [
    'for the target is a suspension if the target is served after a pause',
    { ...acceptance, service: { a: [quota, null], plain: [null, null, quota, quota, quota, null] } },
    { order: 'plain wrong plain a plain plain plain plain a b c', waits: [15] },
  ],
  ...(
    [
      ['a success', [null]],
      ['1020 under another status', [refused(403, '1020'), null]],
      ['another code', [refused(429, '1006'), null]],
      ['a failure', [failure, null]],
      ['a 1020 once', [quota, null]],
      ['a 1020 twice', [quota, quota, null]],
    ] as const
  ).map(([what, plain]): Row => [
    `is judged like any other answer if a plain valid request then gets ${what}`,
    { service: { a: [quota], plain: [null, ...plain] } },
    { found: among('authentication/api-key-missing: a, 3 of 3') },
  ]),
])('an unexpected 1020 %s', plays)

const exhaustedOf = ({ list }: SuiteContext): TestRequest =>
  list.of('exhausted')[0] ?? expect.fail('no exhausted client')
const asksForQuota = (context: SuiteContext): TestRequest =>
  exhaustedOf(context).trait({ asksForQuota: true })
const isExhausted = answers({ status: 429, errorCode: '1020' })
const askingForQuota = (names: string): SuiteRule =>
  asking('quota/per-client', names, (_, context) => asksForQuota(context), isExhausted)
const servedSecond = rule('conventions/accept-optional', (context) => [
  example('second', secondOf(context), succeeds()),
])
const runsOut: Partial<Play> = {
  fixtures: ['FIXTURE_SECOND', 'FIXTURE_EXHAUSTED'],
  rules: [noKey('a'), servedSecond, askingForQuota('e f')],
}
const ofAnother = (seen: string): string =>
  `quota/per-client: served-before, ${seen}: refused for the quota of another client`

test.for<Row>([
  [
    'triggers one request of each client served before, which must still be served',
    runsOut,
    { order: 'plain second a e plain second f' },
  ],
  [
    'is a breach if the target is then refused, and ends the run if that lasts',
    { ...runsOut, service: { plain: [null, quota] } },
    { found: [ofAnother('3 of 3')], ended: saying('see quota/per-client') },
  ],
  [
    'is a breach if the target is refused once',
    { ...runsOut, service: { plain: [null, quota, null] } },
    { found: [ofAnother('1 of 3')] },
  ],
  [
    'is a breach if another client is then refused, and the run goes on',
    { ...runsOut, service: { second: [null, quota] } },
    { found: [ofAnother('3 of 3')] },
  ],
  [
    'is a breach even if a case of that client is refused at the same time',
    {
      ...runsOut,
      rules: [
        servedSecond,
        rule('quota/per-client', (context) => [
          example('e', asksForQuota(context).with('x-case', 'e'), isExhausted),
          example('s', secondOf(context).with('x-case', 's'), succeeds()),
        ]),
      ],
      service: { s: [quota], second: [null, quota] },
      env: { RUN_CONCURRENCY: '8' },
    },
    { found: [ofAnother('3 of 3')] },
  ],
  [
    'does not concern a client that was not served before',
    { ...runsOut, rules: [askingForQuota('e')], service: { second: [quota] } },
    { order: 'plain e plain' },
  ],
  [
    'is no breach if a different wrong answer follows',
    { ...runsOut, service: { plain: [null, failure, null] } },
    { order: 'plain second a e plain second f' },
  ],
  [
    'is tested even if it is already known',
    {
      ...runsOut,
      rules: [
        asking('conventions/accept-optional', 'u v', (_, context) => exhaustedOf(context), succeeds()),
        askingForQuota('e'),
      ],
    },
    { order: 'plain u exhausted exhausted exhausted e plain', left: [quotaOf('FIXTURE_EXHAUSTED')] },
  ],
])('a used-up quota of another client %s', plays)
