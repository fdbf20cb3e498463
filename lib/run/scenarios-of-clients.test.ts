import { describe, expect } from 'vitest'
import { TransportError } from '../http/transport-error.ts'
import { type Check, answers, holds, succeeds } from '../judge/judge.ts'
import { answer, refused, served } from '../judge/testing/exchanges.ts'
import { type SuiteRule, example, scenario } from './plan/cases.ts'
import { rule } from './plan/rule.ts'
import type { SuiteContext } from './plan/suite-context.ts'
import type { TestRequest } from './plan/test-request.ts'
import {
  type Meets,
  type Play,
  among,
  asking,
  failure,
  guesses,
  invalidSecret,
  it,
  locked,
  missing,
  noKey,
  numbered,
  quota,
  saying,
  times,
} from './testing/played.ts'

const acceptance = { env: { RUN_PROFILE: 'acceptance' } }

/** Enough cases for health checks in between; plain valid requests get these answers in turn. */
function many(count: number, ...plain: readonly Meets[]): Partial<Play> {
  return { rules: [noKey(numbered(count))], service: { plain: [null, ...plain] } }
}

/** A case that is never answered; the health checks of its proof get these answers in turn. */
function silent(...plain: readonly Meets[]): Partial<Play> {
  return { service: { a: ['closed'], plain: [null, ...plain] } }
}

const lockedOnce = [locked, locked, null]
const proven = 'authentication/api-key-missing: a, 6 of 6: no answer: connection-closed'
const wrongAnswer = 'endpoints/list-succeeds: plain, 1 of 3: another answer'
const quotaOf = (client: string): string =>
  `the daily quota of the client of ${client}_API_KEY is used up (429 / 1020, also for a plain valid request): run again after its reset, or with another client`

describe('a health check', () => {
  it('comes after 50 rejections', many(120), { checks: [0, 51, 102] })
  it('counts rejections in flight', { ...many(120), env: { RUN_CONCURRENCY: '8' }, checks: [0, 51, 102] })
  it('comes later if a request with the valid credentials is served in between', {
    rules: [
      noKey(numbered(30)),
      asking('authentication/no-bypass', 'valid', (one) => one, succeeds()),
      asking(
        'versioning/version-missing',
        numbered(60).replaceAll('a', 'b'),
        (one) => one.without('x-api-key'),
        missing,
      ),
    ],
    checks: [0, 82],
  })
  it('that is answered wrongly is judged, and the next one comes no earlier', many(120, failure, null), {
    checks: [0, 51, 52, 53, 54, 105],
    found: among('endpoints/list-succeeds: plain, 1 of 3'),
  })
  it('that gets another refusal is judged', many(60, refused(400, '1010'), null), { found: [wrongAnswer] })
  it('that finds the quota used up three times in a row ends the run', silent(quota), {
    ended: quotaOf('TARGET'),
    order: 'plain a a a a plain plain plain',
    waits: [0.3, 0.8, 1.5, 0.8, 1, 2],
  })
  it('that gets no answer three times in a row and after a pause ends the run', {
    ...silent(new TransportError('timeout', 'late')),
    ended: 'the service stopped answering plain valid requests: late',
    waits: expect.arrayContaining([2, 15]),
  })
  it('is repeated after a pause, and a success clears earlier failures', {
    ...silent(quota, quota, null, quota, quota, null),
    found: [proven],
    waits: [0.3, 0.8, 1.5, 0.8, 1, 2, 1, 2],
  })
  it('lets the run continue after a temporary ban', silent(...times(12, 'closed'), null), {
    left: [saying('no answer came, 5 of 5 times')],
  })
})

describe('a client', () => {
  for (const [said, met] of [
    ['401 / 1006', refused(401, '1006')],
    ['403 / no code', answer(403, '<html>locked</html>')],
    ['423 / no code', answer(423, '')],
    ['400 / 1007', refused(400, '1007')],
  ] as const)
    it(`is locked out if it also gets ${said} alone and after a pause`, many(60, met), {
      ended: `after several refusals a plain valid request is answered ${said}: the client may have been locked out`,
      checks: [0, 51, 52, 53],
      waits: [15],
    })
  it('that is served after a pause repeats its refused requests and is checked twice as often', {
    ...many(120, ...lockedOnce),
    checks: [0, 51, 52, 53, 79, 105],
    waits: [15],
    order: saying('a50 plain plain plain a50 a51'),
  })
  it('that is locked out a fifth time ends the run', many(220, ...times(4, ...lockedOnce), locked), {
    ended: saying('may have been locked out'),
    waits: [15, 15, 15, 15],
  })
  it('that is served alone on a new connection is not locked out', many(60, locked, null), {
    found: [wrongAnswer],
    sent: expect.arrayContaining([expect.objectContaining({ name: 'plain', nth: 2, connection: 1 })]),
  })
  it('that gets no answer when it sends alone is not locked out', {
    ...many(60, locked, ...times(4, 'closed'), null),
    found: [wrongAnswer],
  })
  it('that was never served is not locked out', {
    rules: [noKey(numbered(60))],
    service: { plain: [...times(3, failure), locked] },
    checks: [0, 1, 2, 3, 54],
    found: among('endpoints/list-succeeds: plain, 3 of 3: another answer'),
  })
  it('gets a longer wait in acceptance', {
    ...silent(null, ...times(3, locked), null),
    ...acceptance,
    waits: [0.3, 0.8, 1.5, 0.8, 15, 46],
    found: [proven],
  })
  it('gets a wait if a wrong secret may have suspended its quota', {
    ...silent(null, quota, quota, quota, null),
    ...acceptance,
    waits: [0.3, 0.8, 1.5, 0.8, 1, 2, 15],
    found: [proven],
  })
})

/** An acceptance run whose plain valid requests get these answers after its single wrong secret. */
function afterWrong(...plain: readonly Meets[]): Partial<Play> {
  return { ...acceptance, rules: [noKey('a'), guesses('g')], service: { plain: [null, ...plain] } }
}

const breachOfSecret =
  'endpoints/list-succeeds: after-one-wrong-secret, 3 of 3: refused after a single wrong secret'
const leftOut = (requests: string): string =>
  `the client was locked out after ${requests} with wrong credentials: no more are sent, so that the other rules can be judged`

describe('a single wrong secret', () => {
  it('is sent once if the client is still served', afterWrong(), { order: 'plain wrong plain a g' })
  it('that causes three refusals of a valid request is a breach, and no more are sent', {
    ...afterWrong(locked, null, locked, locked, null, locked, locked, locked, null),
    found: [breachOfSecret],
    left: [leftOut('one request')],
    waits: [15, 15, 46],
    order: 'plain wrong plain plain wrong plain plain plain wrong plain plain plain plain a',
  })
  it('that causes two refusals of a valid request is no breach', {
    ...afterWrong(locked, null, locked, null, null),
    order: 'plain wrong plain plain wrong plain plain wrong plain a g',
  })
  it('after which the client is not served within a minute ends the run', afterWrong(locked), {
    ended: saying('after a single wrong secret a plain valid request is refused'),
    waits: [15, 46],
  })
  for (const [what, met] of [
    ['a firewall page', answer(403, '<html>')],
    ['a used-up quota', quota],
    ['a code that blames no client', refused(400, '1010')],
    ['no answer', new TransportError('timeout', 'late')],
  ] as const)
    it(`is no breach if ${what} follows`, afterWrong(...times(met instanceof Error ? 2 : 1, met), null), {
      order: expect.stringMatching(/^plain wrong plain (plain )?a g$/),
    })
  it('is no breach if it gets no answer itself', {
    ...afterWrong(locked),
    service: { wrong: [new TransportError('timeout', 'late')] },
    order: 'plain wrong wrong a g',
  })
  it('is not sent unless the rule about valid requests is selected', {
    ...afterWrong(),
    env: { ...acceptance.env, RUN_ONLY: 'authentication/*' },
    order: 'plain a g',
  })
})

const staysRefused = 'authentication/stays-refused'
const anything: Check = { allowed: [], judge: () => holds }
/** Guesses after a first lockout, which happens while a breach is confirmed. */
function afterLockout(names: string, plain: readonly Meets[], more: Partial<Play> = {}): Partial<Play> {
  return {
    ...acceptance,
    rules: [noKey('a'), guesses(names, staysRefused)],
    service: { a: [failure], plain: [null, null, ...lockedOnce, ...plain] },
    ...more,
  }
}

describe('requests with wrong credentials', () => {
  it('are sent without checks', {
    rules: [guesses('g h i')],
    env: { RUN_CONCURRENCY: '8' },
    order: 'plain g h i',
  })
  it('are sent one by one after a lockout, each after the client was served', afterLockout('g h i', [null]), {
    order: saying('g plain h plain i'),
    found: among('authentication/api-key-missing: a, 3 of 3'),
  })
  it('are also sent one by one if a field is repeated', {
    ...afterLockout('g', [null], {
      rules: [
        noKey('a'),
        asking(
          staysRefused,
          'g h',
          (one) => one.apply((to) => ({ ...to, fields: [...to.fields, { name: 'x-api-key', value: 'b' }] })),
          anything,
        ),
      ],
    }),
    order: saying('g plain h'),
    found: among('authentication/api-key-missing: a, 3 of 3'),
  })
  it('that wait in the queue lose their turn in a lockout', {
    ...acceptance,
    env: { ...acceptance.env, RUN_CONCURRENCY: '4' },
    rules: [guesses(numbered(60))],
    service: { plain: [null, null, ...lockedOnce] },
    order: expect.stringMatching(/ plain a59 plain a60 plain a\d+$/),
  })
  it('are left out after a second lockout, including those in the queue', {
    ...afterLockout('g h i', [null, ...lockedOnce]),
    left: [leftOut('one request')],
    order: expect.stringMatching(/g plain plain plain$/),
    found: among(''),
  })
  it('that were accepted are a breach even if the rest is left out', {
    rules: [noKey('a'), guesses('g', staysRefused)],
    service: { a: [failure], g: [served], plain: [null, ...lockedOnce, null, ...lockedOnce] },
    found: among(`${staysRefused}: g`),
  })
  it('are sent as before after the first lockout in a gate, and left out after the second', {
    rules: [noKey('a'), guesses('g h i j', staysRefused)],
    service: { a: [failure], i: [failure], plain: [null, ...lockedOnce, null, ...lockedOnce] },
    left: [leftOut('4 requests')],
    order: saying('g h i i plain plain plain'),
    found: expect.not.arrayContaining([saying(staysRefused)]),
  })
})

function secondOf({ list }: SuiteContext): TestRequest {
  return list.of('second')[0] ?? expect.fail('no second client')
}

/** Cases with the valid pair of the second client. */
function second(names: string): SuiteRule {
  return asking('versioning/default-version', names, (_, context) => secondOf(context), succeeds())
}

const secondGuess = asking(
  'authentication/secret-key-invalid',
  'g',
  (_, context) => secondOf(context).with('x-secret-key', 'invented'),
  invalidSecret,
)
const ofSecond = { fixtures: ['FIXTURE_SECOND'] }
const bySecond = (...rules: readonly SuiteRule[]): Partial<Play> => ({
  ...ofSecond,
  rules: [secondGuess, ...rules],
})

describe('a valid pair of another client', () => {
  it('is sent again if it is refused alone and served after a pause', {
    ...bySecond(second('a')),
    service: { a: [locked, null], second: [locked, null] },
    order: 'plain g a second second a',
    waits: [15],
  })
  it('is judged if it is served alone', {
    ...bySecond(second('a')),
    service: { a: [locked, null] },
    order: 'plain g a second a plain a',
    found: ['versioning/default-version: a, 1 of 3: another answer'],
  })
  it('is judged if no wrong secret was sent for its key', {
    ...ofSecond,
    rules: [second('a'), guesses('g')],
    service: { a: [locked, null] },
    order: expect.not.stringContaining('second'),
    found: among('versioning/default-version: a, 1 of 3'),
  })
  it('is left open if it stays locked but was served before', {
    ...bySecond(second('a b')),
    service: { b: [locked], second: [locked] },
    left: [saying('of FIXTURE_SECOND_API_KEY is refused as if its own secret were wrong')],
    order: 'plain g a b second second',
  })
  it('is judged after one wait if it was never served', {
    ...bySecond(second('a b')),
    service: { a: [locked], b: [locked], second: [locked] },
    waits: [15],
    found: ['versioning/default-version: a b, 3 of 3: another answer'],
  })
  for (const code of ['1012', '1010'])
    it(`is judged if the answer is ${code}`, {
      ...bySecond(second('a')),
      service: { a: [refused(401, code), null], second: [locked] },
      waits: [],
      found: among('versioning/default-version: a, 1 of 3'),
    })
  it('gets at most four waits', {
    ...bySecond(second('a b')),
    service: { b: [locked], second: [locked, null, locked, null, locked, null, locked, null, locked] },
    waits: [15, 15, 15, 15],
    left: [saying('may have been locked out')],
  })
})

/** Two requests of the second client, one after the other. */
const stepsOfSecond = rule('versioning/unknown-endpoint', (context) => [
  scenario('steps', 2, async (stage) => {
    const one = secondOf(context).with('x-case', 's')
    return [await stage.judge(one, succeeds()), await stage.judge(one, succeeds())]
  }),
])

describe('an unexpected 1020', () => {
  it('for the target ends the run if plain valid requests get it three times, the last two alone', {
    service: { a: [quota], plain: [null, quota] },
    ended: quotaOf('TARGET'),
    order: 'plain a plain plain plain',
  })
  it('for another client leaves its cases open', {
    ...ofSecond,
    ...acceptance,
    rules: [second('a b'), noKey('c')],
    service: { a: [quota], second: [quota] },
    left: [quotaOf('FIXTURE_SECOND')],
    order: 'plain wrong plain c a second second second',
    waits: [],
  })
  it('holds back further requests of its client', {
    ...ofSecond,
    rules: [second('a'), stepsOfSecond],
    service: { a: [quota], second: [quota] },
    env: { RUN_CONCURRENCY: '8' },
    left: [quotaOf('FIXTURE_SECOND')],
    count: { plain: 1, a: 1, s: 1, second: 3 },
  })
  it('is verified once for all simultaneous requests', {
    ...ofSecond,
    rules: [second('a b c')],
    service: ({ name }) => (name === 'plain' ? null : quota),
    env: { RUN_CONCURRENCY: '8' },
    left: [quotaOf('FIXTURE_SECOND')],
    count: { plain: 1, a: 1, b: 1, c: 1, second: 3 },
  })
  it('for the target is a suspension if the target is served after a pause', {
    ...acceptance,
    service: { a: [quota, null], plain: [null, null, quota, quota, quota, null] },
    order: 'plain wrong plain a plain plain plain plain a b c',
    waits: [15],
  })
  for (const [what, plain] of [
    ['a success', [null]],
    ['1020 under another status', [refused(403, '1020'), null]],
    ['another code', [refused(429, '1006'), null]],
    ['a failure', [failure, null]],
    ['a 1020 once', [quota, null]],
    ['a 1020 twice', [quota, quota, null]],
  ] as const)
    it(`is judged like any other answer if a plain valid request then gets ${what}`, {
      service: { a: [quota], plain: [null, ...plain] },
      found: among('authentication/api-key-missing: a, 3 of 3'),
    })
})

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

describe('a used-up quota of another client', () => {
  it('triggers one request of each client served before, which must still be served', runsOut, {
    order: 'plain second a e plain second f',
  })
  it('is a breach if the target is then refused, and ends the run if that lasts', {
    ...runsOut,
    service: { plain: [null, quota] },
    found: [ofAnother('3 of 3')],
    ended: saying('see quota/per-client'),
  })
  it('is a breach if the target is refused once', {
    ...runsOut,
    service: { plain: [null, quota, null] },
    found: [ofAnother('1 of 3')],
  })
  it('is a breach if another client is then refused, and the run goes on', {
    ...runsOut,
    service: { second: [null, quota] },
    found: [ofAnother('3 of 3')],
  })
  it('is a breach even if a case of that client is refused at the same time', {
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
    found: [ofAnother('3 of 3')],
  })
  it('does not concern a client that was not served before', {
    ...runsOut,
    rules: [askingForQuota('e')],
    service: { second: [quota] },
    order: 'plain e plain',
  })
  it('is no breach if a different wrong answer follows', {
    ...runsOut,
    service: { plain: [null, failure, null] },
    order: 'plain second a e plain second f',
  })
  it('is tested even if it is already known', {
    ...runsOut,
    rules: [
      asking('conventions/accept-optional', 'u v', (_, context) => exhaustedOf(context), succeeds()),
      askingForQuota('e'),
    ],
    order: 'plain u exhausted exhausted exhausted e plain',
    left: [quotaOf('FIXTURE_EXHAUSTED')],
  })
})
