import { describe, expect } from 'vitest'
import { answers, succeeds } from '../judge/judge.ts'
import { answer, refused, served } from '../judge/testing/exchanges.ts'
import { refuse } from '../serve/reference/answer.ts'
import type { Fault } from '../serve/reference/fault.ts'
import { example, rule, scenario, type SuiteRule } from './plan/cases.ts'
import type { TestRequest } from './plan/suite-context.ts'
import { anything, failure, locked, lockedOnce, missing, quota, timeout, wrong } from './testing/answers.ts'
import type { Meets } from './testing/in-memory.ts'
import { among, it, parallel, saying, type Came, type Play, type Script } from './testing/played.ts'
import { asClient, asking, guesses, noKey, ofSecond, withoutKey } from './testing/rules.ts'
import { numbered, times } from './testing/scripts.ts'

const acceptance = { env: { RUN_PROFILE: 'acceptance' } }
const ended = (text: string): Came => ({ ended: saying(text) })
const found = (...all: readonly string[]): Came => ({ found: all })
const waits = (...all: readonly number[]): Came => ({ waits: all })

/** Enough cases for health checks in between; plain valid requests get these answers in turn. */
const many = (count: number, ...plain: readonly Meets[]): Partial<Play> => {
  return { rules: [noKey(numbered(count))], service: { plain: [null, ...plain] } }
}

/** A case that is never answered; the health checks of its proof get these answers in turn. */
const silent = (...plain: readonly Meets[]): Partial<Play> => ({
  service: { a: ['closed'], plain: [null, ...plain] },
})

const proven = 'authentication/api-key-missing: a, 6 of 6: no answer: connection-closed'
const judgedWrong = found('endpoints/list-succeeds: plain, 1 of 3: another answer')
const quotaOf = (client: string): string =>
  `the daily quota of the client of ${client}_API_KEY is used up (429 / 1020, also for a plain valid request): run again after its reset, or with another client`

describe('a health check', () => {
  it('comes after 50 rejections', many(120), { checks: [0, 51, 102] })
  it('counts rejections in flight', many(120), parallel, { checks: [0, 51, 102] })
  it('comes later if a request with the valid credentials is served in between', {
    rules: [
      noKey(numbered(30)),
      asking('authentication/no-bypass', 'valid', (one) => one, succeeds()),
      asking('versioning/version-missing', numbered(60).replaceAll('a', 'b'), withoutKey, missing),
    ],
    checks: [0, 82],
  })
  it('that is answered wrongly is judged, and the next one comes no earlier', many(120, failure, null), {
    checks: [0, 51, 52, 53, 54, 105],
    found: among('endpoints/list-succeeds: plain, 1 of 3'),
  })
  it('that gets another refusal is judged', many(60, refused(400, '1010'), null), judgedWrong)
  it('that finds the quota used up three times in a row ends the run', silent(quota), {
    ended: quotaOf('TARGET'),
    order: 'plain a a a a plain plain plain',
  })
  it('that gets no answer three times in a row and after a pause ends the run', silent(timeout), {
    ended: 'the service stopped answering plain valid requests: no answer',
    waits: expect.arrayContaining([2, 15]),
  })
  it('is repeated after a pause, and a success clears earlier failures', found(proven), {
    ...silent(quota, quota, null, quota, quota, null),
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
    it(`is locked out if it also gets ${said} alone and after a pause`, many(60, met), waits(15), {
      ended: `after several refusals a plain valid request is answered ${said}: the client may have been locked out`,
      checks: [0, 51, 52, 53],
    })
  it('that is served after a pause repeats its refused requests and is checked twice as often', waits(15), {
    ...many(120, ...lockedOnce),
    checks: [0, 51, 52, 53, 79, 105],
    order: saying('a50 plain plain plain a50 a51'),
  })
  it('that is locked out a fifth time ends the run', many(220, ...times(4, ...lockedOnce), locked), {
    ...lockedForGood,
    waits: [15, 15, 15, 15],
  })
  it('that is served alone on a new connection is not locked out', many(60, locked, null), judgedWrong, {
    sent: expect.arrayContaining([expect.objectContaining({ name: 'plain', nth: 2, connection: 1 })]),
  })
  it('is checked for a lockout with nothing else in flight', many(60, locked, locked, null), parallel, {
    turns: saying(' a58 | plain | a59 a60 | plain | '),
  })
  it('that gets no answer is not locked out', many(60, locked, ...times(4, 'closed'), null), judgedWrong)
  it('that was never served is not locked out', many(60), {
    service: { plain: [...times(3, failure), locked] },
    checks: [0, 1, 2, 3, 54],
    found: among('endpoints/list-succeeds: plain, 3 of 3: another answer'),
  })
  it('gets a longer wait in acceptance', silent(null, ...times(3, locked), null), acceptance, found(proven), {
    waits: [0.3, 0.8, 1.5, 0.8, 15, 46],
  })
  it('gets a wait if a wrong secret may have suspended its quota', acceptance, found(proven), {
    ...silent(null, ...times(3, quota), null),
    waits: [0.3, 0.8, 1.5, 0.8, 1, 2, 15],
  })
})

/** An acceptance run whose plain valid requests get these answers after its single wrong secret. */
const afterWrong = (...plain: readonly Meets[]): Partial<Play> => {
  return { ...acceptance, rules: [noKey('a'), guesses('g')], service: { plain: [null, ...plain] } }
}

const afterOne = '3 of 3: refused after a single wrong secret'
const breachOfSecret = `endpoints/list-succeeds: after-one-wrong-secret, ${afterOne}`
const leftOut = (requests: string): Came => ({
  left: [
    `the client was locked out after ${requests} with wrong credentials: no more are sent, so that the other rules can be judged`,
  ],
})

describe('a single wrong secret', () => {
  it('is sent once if the client is still served', afterWrong(), 'plain wrong plain a g')
  it('that causes three refusals of a valid request is a breach, and no more are sent', {
    ...afterWrong(locked, null, locked, locked, null, locked, locked, locked, null),
    ...found(breachOfSecret),
    ...leftOut('one request'),
    waits: [15, 15, 46],
    order: 'plain wrong plain plain wrong plain plain plain wrong plain plain plain plain a',
  })
  it('that causes two refusals of a valid request is not a breach', {
    ...afterWrong(locked, null, locked, null, null),
    order: 'plain wrong plain plain wrong plain plain wrong plain a g',
  })
  it('after which the client is not served within a minute ends the run', afterWrong(locked), waits(15, 46), {
    ended: saying('after a single wrong secret a plain valid request is refused'),
  })
  for (const [what, ...met] of [
    ['a firewall page', answer(403, '<html>')],
    ['a used-up quota', quota],
    ['a code that blames no client', refused(400, '1010')],
    ['no answer', timeout, timeout],
  ] as const)
    it(`is not a breach if ${what} follows`, afterWrong(...met, null), {
      order: expect.stringMatching(/^plain wrong plain (plain )?a g$/),
    })
  it('is not a breach if it gets no answer itself', afterWrong(locked), 'plain wrong wrong a g', {
    service: { wrong: [timeout] },
  })
  it('is not sent unless the rule about valid requests is selected', afterWrong(), 'plain a g', {
    env: { ...acceptance.env, RUN_ONLY: 'authentication/*' },
  })
})

const staysRefused = 'authentication/stays-refused'
const lockedForGood = ended('may have been locked out')
const breachOfKey = { found: among('authentication/api-key-missing: a, 3 of 3') }
const repeatedKey = (one: TestRequest): TestRequest =>
  one.apply((to) => ({ ...to, fields: [...to.fields, { name: 'x-api-key', value: 'b' }] }))
/** Guesses after a first lockout, which happens while a breach is confirmed. */
const afterLockout = (names: string, ...plain: readonly Meets[]): Partial<Play> => ({
  ...acceptance,
  rules: [noKey('a'), guesses(names, staysRefused)],
  service: { a: [failure], plain: [null, null, ...lockedOnce, ...plain] },
})

describe('requests with wrong credentials', () => {
  it('are sent without checks', { rules: [guesses('g h i')] }, parallel, 'plain g h i')
  it('are sent one by one after a lockout, each after the client was served', breachOfKey, {
    ...afterLockout('g h i', null),
    order: saying('g plain h plain i'),
  })
  it('are also sent one by one if a field is repeated', afterLockout('g', null), breachOfKey, {
    rules: [noKey('a'), asking(staysRefused, 'g h', repeatedKey, anything)],
    order: saying('g plain h'),
  })
  it('are also sent one by one if other rules of the specification are missing', afterLockout('g h'), {
    isPartial: true,
    service: { a: [wrong], plain: [null, ...lockedOnce, null] },
    order: expect.stringMatching(/^plain a a plain .* g plain h$/),
    found: among('authentication/api-key-missing: a'),
  })
  it('that wait in the queue lose their turn in a lockout', {
    env: { ...acceptance.env, RUN_CONCURRENCY: '4' },
    rules: [guesses(numbered(60))],
    service: { plain: [null, null, ...lockedOnce] },
    order: expect.stringMatching(/ plain a59 plain a60 plain a\d+$/),
  })
  it('are left out after a second lockout, including those in the queue', leftOut('one request'), {
    ...afterLockout('g h i', null, ...lockedOnce),
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
    ...leftOut('4 requests'),
    order: saying('g h i i plain plain plain'),
    found: expect.not.arrayContaining([saying(staysRefused)]),
  })
})

const [asSecond, asExhausted] = [asClient('second'), asClient('exhausted')]
const asWrongSecond: typeof asSecond = (...given) => asSecond(...given).with('x-secret-key', 'invented')
const asAsking: typeof asSecond = (...given) => asExhausted(...given).trait({ asksForQuota: true })

/** Cases with the valid pair of the second client. */
const second = (names: string): SuiteRule => asking('versioning/default-version', names, asSecond, succeeds())
const secondGuess = asking('authentication/secret-key-invalid', 'g', asWrongSecond, anything)
const withSecond = { fixtures: ['FIXTURE_SECOND'] }
/** The second client's case `a` and perhaps `b`, after a guess of its secret; `a` is locked once. */
const bySecond = (names = 'a', b: readonly Meets[] = []): Partial<Play> => ({
  ...withSecond,
  rules: [secondGuess, second(names)],
  service: { a: [locked, null], second: b },
})
const isWrong = (seen: string): string => `versioning/default-version: ${seen}: another answer`
const aIsWrong = found(isWrong('a, 1 of 3'))

describe('a valid pair of another client', () => {
  it('is sent again if it is served after a pause', bySecond('a', [locked, null]), waits(15), {
    order: 'plain g a second second a',
  })
  it('is judged if it is served alone', bySecond(), 'plain g a second a plain a', aIsWrong)
  it('is judged if no wrong secret was sent for its key', bySecond(), {
    rules: [second('a'), guesses('g')],
    order: expect.not.stringContaining('second'),
    found: among(isWrong('a, 1 of 3')),
  })
  it('is left open if it stays locked but was served before', bySecond('a b'), 'plain g a b second second', {
    service: { b: [locked], second: [locked] },
    left: [saying('of FIXTURE_SECOND_API_KEY is refused as if its own secret were wrong')],
  })
  it('is judged after one wait if never served', bySecond('a b'), found(isWrong('a b, 3 of 3')), waits(15), {
    service: { a: [locked], b: [locked], second: [locked] },
  })
  for (const code of ['1012', '1010'])
    it(`is judged if the answer is ${code}`, bySecond(), waits(), {
      service: { a: [refused(401, code), null], second: [locked] },
      found: among(isWrong('a, 1 of 3')),
    })
  it('gets at most four waits', bySecond('a b'), waits(15, 15, 15, 15), {
    service: { b: [locked], second: [...times(4, locked, null), locked] },
    left: [saying('may have been locked out')],
  })
})

/** Two requests of the second client, one after the other. */
const stepsOfSecond = rule('versioning/unknown-endpoint', (context) => [
  scenario('steps', 2, async (stage) => {
    const one = asSecond(context.list.request, context).with('x-case', 's')
    return [await stage.judge(one, succeeds()), await stage.judge(one, succeeds())]
  }),
])

const leftForSecond = { left: [quotaOf('FIXTURE_SECOND')] }

describe('an unexpected 1020', () => {
  it('for the target ends the run if plain valid requests get it three times, the last two alone', {
    service: { a: [quota], plain: [null, quota] },
    ended: quotaOf('TARGET'),
    order: 'plain a plain plain plain',
  })
  it('for another client leaves its cases open', acceptance, withSecond, leftForSecond, waits(), {
    rules: [second('a b'), noKey('c')],
    service: { a: [quota], second: [quota] },
    order: 'plain wrong plain c a second second second',
  })
  it('holds back further requests of its client', parallel, withSecond, leftForSecond, {
    rules: [second('a'), stepsOfSecond],
    service: { a: [quota], second: [quota] },
    count: { plain: 1, a: 1, s: 1, second: 3 },
  })
  it('is verified once for all simultaneous requests', parallel, withSecond, leftForSecond, {
    rules: [second('a b c')],
    service: ({ name }) => (name === 'plain' ? null : quota),
    count: { plain: 1, a: 1, b: 1, c: 1, second: 3 },
  })
  it('for the target is a suspension if the target is served after a pause', acceptance, waits(15), {
    service: { a: [quota, null], plain: [null, null, ...times(3, quota), null] },
    order: 'plain wrong plain a plain plain plain plain a b c',
  })
  for (const [what, ...plain] of [
    ['a success', null],
    ['1020 under another status', refused(403, '1020'), null],
    ['another code', refused(429, '1006'), null],
    ['a failure', failure, null],
    ['a 1020 once', quota, null],
    ['a 1020 twice', quota, quota, null],
  ] as const)
    it(`is judged like any other answer if a plain valid request then gets ${what}`, breachOfKey, {
      service: { a: [quota], plain: [null, ...plain] },
    })
})

const isExhausted = answers({ status: 429, errorCode: '1020' })
const askingForQuota = (names: string): SuiteRule => asking('quota/per-client', names, asAsking, isExhausted)
const servedSecond = ofSecond('conventions/accept-optional')
const runsOut: Partial<Play> = {
  fixtures: ['FIXTURE_SECOND', 'FIXTURE_EXHAUSTED'],
  rules: [noKey('a'), servedSecond, askingForQuota('e f')],
}
const ofAnother = (seen: number): Came =>
  found(`quota/per-client: served-before, ${seen} of 3: refused for the quota of another client`)
const answered = (service: Script): Partial<Play> => ({ ...runsOut, service })

describe('a used-up quota of another client', () => {
  it('triggers one request of each client served before, which must still be served', runsOut, {
    order: 'plain second a e plain second f',
  })
  it('is a breach if the target is then refused, and ends the run if that lasts', ofAnother(3), {
    ...answered({ plain: [null, quota] }),
    ended: saying('see quota/per-client'),
  })
  it('is a breach if the target is refused once', answered({ plain: [null, quota, null] }), ofAnother(1))
  it('is a breach if another client is then refused', answered({ second: [null, quota] }), ofAnother(3))
  it('is a breach even if a case of that client is refused at the same time', parallel, ofAnother(3), {
    ...answered({ s: [quota], second: [null, quota] }),
    rules: [
      servedSecond,
      rule('quota/per-client', (context) => [
        example('e', asAsking(context.list.request, context).with('x-case', 'e'), isExhausted),
        example('s', asSecond(context.list.request, context).with('x-case', 's'), succeeds()),
      ]),
    ],
  })
  it('concerns only clients that were served', answered({ second: [quota] }), 'plain e plain', {
    rules: [askingForQuota('e')],
  })
  it('is not a breach if a different wrong answer follows', answered({ plain: [null, failure, null] }), {
    order: 'plain second a e plain second f',
  })
  it('is tested even if it is already known', runsOut, 'plain u exhausted exhausted exhausted e plain', {
    rules: [asking('conventions/accept-optional', 'u v', asExhausted, succeeds()), askingForQuota('e')],
    left: [quotaOf('FIXTURE_EXHAUSTED')],
  })
})

const page = answer(200, '<html>')
const notFound = refused(400, '1010')
const input = refused(400, '1030')

const nowhere: Fault = {
  name: 'nowhere',
  about: 'Every request is answered 400 and 1010.',
  rules: ['endpoints/list-succeeds'],
  bend: () => ({ answer: () => refuse('1010') }),
}

/** Answers the first plain valid request, and a request without credentials. */
const toFirst = (...[met = null, stranger = refused(400, '1001')]: readonly Meets[]): Partial<Play> => {
  return { service: { plain: [met, null], stranger: [stranger] } }
}
const plainIsJudged = { found: among('endpoints/list-succeeds: plain, 1 of 3') }
const nowhereFound = { service: () => notFound, path: '/v1' }
const endedBy = (reason: unknown, all = 'plain'): Came => ({ ended: reason, order: all })

describe('the first request', () => {
  it('is sent alone, however many cases wait', parallel, { order: 'plain a b c' })
  it('ends the run if it is not answered after its retries', {
    service: { plain: ['closed'] },
    ...endedBy('the connection was closed', 'plain plain plain plain'),
    exitCode: 3,
    waits: [0.3, 0.8, 1.5],
  })
  it('ends the run if a second request also finds the quota used up', 'plain plain', {
    service: { plain: [quota] },
    ended: quotaOf('TARGET'),
  })
  it('lets the run continue if a 1020 does not recur', toFirst(quota), { order: 'plain plain a b c' })
  for (const code of ['1006', '1007', '1011', '1012', '1013'])
    it(`ends the run if the credentials are refused with ${code}`, toFirst(refused(401, code)), {
      ...endedBy(saying(`refused with 401 / ${code}: check TARGET_API_KEY and TARGET_SECRET_KEY, and that`)),
    })
  it('ends the run if a query may be missing', toFirst(input), endedBy(saying('set TARGET_QUERY, for ex')))
  it('ends the run if its query may be wrong', {
    service: () => input,
    env: { TARGET_QUERY: 'page=1' },
    ...endedBy(saying('TARGET_QUERY does not suit the list endpoint'), 'permitted'),
  })
  for (const [what, ...met] of [
    ['another documented code', refused(400, '1003')],
    ['a report of a missing header', refused(400, '1001')],
    ['credentials that were refused with another status', refused(403, '1006')],
    ['input that was refused with another status', refused(422, '1030')],
    ['an error object without a text', answer(401, { error_code: '1006' })],
    ['a failure', answer(500, { oops: true })],
    ['an endpoint that is not found at the documented address and version', notFound],
    ['an empty 404', answer(404, '')],
    ['a page, if a stranger gets a success,', page, served],
    ['a page, if a stranger gets a code,', page, refused(401, '1006')],
    ['a page, if a stranger gets half an error object,', page, answer(400, { error_code: 1001 })],
    ['a page, if a stranger gets a failure,', page, answer(500, '<html>')],
    ['a page, if a stranger gets no answer,', page, 'closed'],
  ] as const)
    it(`leaves ${what} to be judged`, toFirst(...met), plainIsJudged)
  for (const [what, met, stranger] of [
    ['a page', page, page],
    ['an empty 404', answer(404, ''), answer(404, '')],
    ['a login redirect', answer(302, ''), answer(302, '')],
    ['an error object of another kind', answer(403, { message: 'no' }), answer(401, { message: 'who?' })],
    ['a captive portal', answer(511, '<html>'), answer(511, '<html>')],
    ['a list of errors', answer(403, ['no']), answer(401, ['who?'])],
  ] as const)
    it(`ends the run if ${what} is the only answer, even without credentials`, toFirst(met, stranger), {
      ended: saying(
        `another service answers: a plain valid request was answered ${met.status} and a request without credentials ${stranger.status},`,
      ),
      order: 'plain stranger',
    })
  it('is sent with the documented version if another version is not found', 'permitted plain', {
    service: ({ name }) => (name === 'permitted' ? notFound : null),
    env: { TARGET_VERSION: '3' },
    ended:
      'the first valid request was refused with 400 / 1010 (endpoint not found for the specified version), and is served with TARGET_VERSION=1: change the settings',
  })
  it('is sent to the address without its path if the path is not found', {
    ...nowhereFound,
    ...endedBy(saying('and is served with TARGET_BASE_URL=http://')),
  })
  it('is sent with both changes, and blames the settings if it is found nowhere', nowhereFound, {
    env: { TARGET_VERSION: '3' },
    reference: { faults: [nowhere] },
    ended: expect.stringMatching(
      /is not served with TARGET_VERSION=1; TARGET_BASE_URL=\S+; TARGET_BASE_URL=\S+ and TARGET_VERSION=1 either: check TARGET_BASE_URL and TARGET_VERSION$/,
    ),
    order: 'permitted plain',
  })
  for (const [what, met] of [
    ['a different code', refused(400, '1003')],
    ['a different status', refused(404, '1010')],
    ['a different form', answer(400, { error_code: '1010' })],
  ] as const)
    it(`is not sent elsewhere after ${what}`, {
      service: ({ nth, name }) => (name === 'permitted' && nth === 0 ? met : null),
      env: { TARGET_VERSION: '3' },
      order: expect.not.stringContaining('plain'),
      found: among('endpoints/list-succeeds: plain'),
    })
  it('does not blame the service for a fault in the suite', {
    service: () => {
      throw new TypeError('a bug of ours')
    },
    exitCode: 4,
    left: ['the rule was not judged completely'],
  })
})
