import { describe, expect } from 'vitest'
import { TransportError, type TransportErrorKind } from '../http/transport-error.ts'
import { answer, refused } from '../judge/testing/exchanges.ts'
import { example, inScene, rule, type SuiteRule } from './plan/cases.ts'
import type { TestRequest } from './plan/suite-context.ts'
import { anything, failure, missing, timeout } from './testing/answers.ts'
import type { Meets } from './testing/in-memory.ts'
import { among, it, parallel, saying, type Came, type Play, type Script } from './testing/played.ts'
import { asClient, asking, noKey, ofSecond, ruleId, withoutKey } from './testing/rules.ts'
import { each, numbered, times } from './testing/scripts.ts'

const none = (kind: TransportErrorKind): TransportError => new TransportError(kind, 'no answer')
const busy = answer(503, 'busy')

type Change = (request: TestRequest) => TestRequest
const withoutVersion: Change = (one) => one.without('x-version')
const withoutBoth: Change = (one) => withoutKey(withoutVersion(one))
const elsewhere: Change = (one) => withoutKey(one).to('/other', 'GET /other')
/** A request whose flaws are not known. */
const repeating: Change = (one) =>
  one.apply((to) => ({ ...to, fields: [...to.fields, { name: 'x-version', value: '1' }] }))
const ofSize =
  (size: number): Change =>
  (one) =>
    withoutKey(one).with('x-a', 'a'.repeat(size))

type Changes = Readonly<Record<string, Change>>

/** A case for each change, by its name. */
function changed(changes: Changes, transportMayRefuse = false): SuiteRule {
  return rule(ruleId, ({ list }) =>
    Object.entries(changes).map(([name, change]) =>
      example(name, change(list.request).with('x-case', name).trait({ transportMayRefuse }), anything),
    ),
  )
}

/** A case that is left open after this many attempts, or reported. */
const open = (attempts: string): Came => ({ left: [`no answer came, ${attempts} times: no answer`] })
const silent = (kind: TransportErrorKind, seen: string): Came => {
  return { found: [`${ruleId}: a, ${seen}: no answer: ${kind}`] }
}

/** Cases that the transport may refuse; by default all without a key. */
function refusable(service: Script, changes?: Changes): Partial<Play> {
  const alike = Object.fromEntries(Object.keys(service).map((name) => [name, withoutKey]))
  return { service, rules: [changed(changes ?? alike, true)] }
}

const notServed = { found: among('endpoints/list-succeeds: plain, 3 of 3') }

const twoOfAKind = { a: withoutKey, b: withoutKey, e: repeating, f: repeating }
const ofEachKind = { ...twoOfAKind, c: withoutVersion, d: elsewhere }
const ofSizes = { a: ofSize(3_900), b: ofSize(5_000), c: ofSize(9_000), d: ofSize(4_999) }

describe('a request that the transport may refuse', () => {
  it('is rejected at once by a closed connection', refusable(each('a b c d', 'closed')), 'plain a b c d', {
    waits: [],
    exitCode: 0,
  })
  for (const [what, met] of Object.entries({ 'a gateway': busy, silence: timeout }))
    it(`is rejected by ${what} after two tries, similar ones after one`, refusable(each('a b c', met)), {
      order: 'plain a plain a b plain c plain',
      exitCode: 0,
      trouble: '',
    })
  it('gets two tries each', refusable({ a: [busy], b: [timeout] }), 'plain a plain a b plain b')
  it('is tried twice for each combination of endpoint and flaws, or for its exact bytes', {
    ...refusable(each('a b c d e f', busy), ofEachKind),
    order: 'plain a plain a b plain e plain e f plain f c plain c d plain d',
  })
  it('is not sent if a smaller request got no answer because of its size', {
    ...refusable(each('a b c d', timeout), ofSizes),
    order: 'plain a plain a b plain d plain',
  })
  it('is sent as often as a replay asks, however large', refusable({ a: [timeout] }, { a: ofSize(5_000) }), {
    options: { replayed: { rule: ruleId, case: 'a', times: 3 } },
    count: { plain: 4, a: 4 },
  })
  it('is not judged while no other request is served', notServed, {
    ...refusable({ a: [busy], plain: [null, failure] }, { a: withoutKey }),
    order: 'plain a plain plain plain plain',
    left: [saying('no answer came, 1 of 1 times')],
  })
  it('is judged by the response that finally comes', refusable({ a: [busy, null] }), { trouble: '503 1' })
  it('is left open if a different failure follows', refusable({ a: [busy, none('tls')] }), open('2 of 2'))
  it('is not rejected without HTTP', refusable({ a: [none('not-http')] }), silent('not-http', '6 of 6'))
  it('is rejected by a closed connection on its retry', refusable({ a: [none('not-http'), 'closed'] }), {
    order: 'plain a a',
    trouble: '',
  })
})

/** Three cases; the first one and plain valid requests after the first get these answers in turn. */
const first = (a: readonly Meets[], ...plain: readonly Meets[]): Partial<Play> => {
  return { service: { a, plain: [null, ...plain] } }
}
/** Twenty cases, of which these run into trouble once, and one that gets no answer. */
const amid = (inTrouble: string): Partial<Play> => ({
  rules: [noKey(`${numbered(20)} a`)],
  service: { ...each(inTrouble, 'closed', null), a: [timeout] },
})

/** Cases that share a scene, in which each judges its own request. */
function sharing(...names: readonly string[]): SuiteRule {
  return rule(ruleId, ({ list }) => {
    const requestOf = (name: string) => withoutKey(list.request).with('x-case', name)
    const scene = names.map((name) => [{ request: requestOf(name), check: missing }])
    return names.map((name, at) => inScene(name, scene, scene[at]))
  })
}

describe('a request without an answer', () => {
  it('is a breach after retries and two more attempts, with health checks in between', first([timeout]), {
    ...silent('timeout', '4 of 4'),
    order: 'plain a a plain a plain a b c',
    trouble: '',
    verdict: { requests: { retried: 1, confirming: 2 } },
  })
  it('needs more attempts if another request failed', amid('a1'), silent('timeout', '6 of 6'))
  it('needs even more attempts if several failed', amid('a1 a5 a9'), silent('timeout', '7 of 7'))
  it('is left open if many other requests failed', open('2 of 2'), 'plain b b c c a a', {
    rules: [noKey('b c a')],
    service: { ...each('b c', 'closed', null), a: [timeout] },
  })
  it('is a breach if its connection is closed and a new one is served', first(['closed']), {
    ...silent('connection-closed', '6 of 6'),
    order: 'plain a a a a plain a plain a plain b c',
  })
  it('is left open if its connection is closed, and so is a new one', {
    ...first(['closed'], null, null, ...times(4, 'closed'), null),
    left: [saying('no answer came, 4 of 4 times')],
    trouble: 'closed connection 8',
  })
  it('is left open if other requests are not served', first([timeout], failure), open('2 of 2'), notServed, {
    order: saying('plain a a plain plain plain plain b'),
    trouble: 'timeout 2',
  })
  it('is left open if no connection is established', first([none('tls')]), open('5 of 5'), {
    order: 'plain a a a a plain a b c',
  })
  it('is tried again if no connection is established and no other request is served', open('5 of 5'), {
    ...first([none('tls')], failure, null),
    order: 'plain a a a a plain plain plain plain a b c',
    found: among('endpoints/list-succeeds: plain, 1 of 3'),
  })
  it('is left open if its last attempt gets no connection', first([timeout, timeout, none('tls')]), {
    ...open('3 of 3'),
    order: 'plain a a plain a b c',
  })
  it('is left open if its answer cannot be read', first([none('undecodable')]), 'plain a b c', {
    left: ['no answer could be read, 1 of 1 times: no answer'],
  })
  it('is left open if it is plain and valid, since similar requests are answered', open('2 of 2'), {
    fixtures: ['FIXTURE_SECOND'],
    rules: [ofSecond('conventions/accept-optional')],
    service: { second: [timeout] },
    count: { plain: 3, second: 4 },
  })
  for (const attempts of [1, 2, 3])
    it(`is judged by the answer to attempt ${attempts + 1}`, first([...times(attempts, timeout), null]), {
      trouble: `timeout ${attempts}`,
      count: { plain: attempts === 1 ? 1 : attempts, a: attempts + 1, b: 1, c: 1 },
    })
  it('limits similar requests to two attempts, and the same request to one', {
    rules: [noKey('a b'), asking('errors/body-shape', 'a', withoutKey, missing, { again: true })],
    service: each('a b', timeout),
    found: [`${ruleId}: a b, 4 of 4: no answer: timeout`, 'errors/body-shape: a, 1 of 1: no answer: timeout'],
    order: 'plain a a plain a plain a b plain b a plain',
  })
  it('is reported as that of the case that judges it, for each case of its scene', {
    rules: [sharing('b', 'a')],
    service: { a: [timeout] },
    found: [`${ruleId}: a a, 4 of 4: no answer: timeout`],
  })
  it('is retried for one case at a time, and the other cases use its result', parallel, {
    service: each('a b c', 'closed'),
    found: [`${ruleId}: a b c, 6 of 6: no answer: connection-closed`],
    count: { plain: 6, a: 6, b: 2, c: 2 },
  })
  it('does not affect requests with the same flaws if it is finally answered', parallel, {
    service: each('a b', 'closed', 'closed', null),
    count: { plain: 1, a: 3, b: 3, c: 1 },
  })
})

/** Two cases that are never answered, the first one with a proof. */
const pair = (a: Change, b: Change): Partial<Play> => {
  return { rules: [changed({ a, b })], service: each('a b', timeout) }
}
const proof = 'a a plain a plain a'
const proven = (order: string): Came => ({ found: among(ruleId), order: `plain ${proof} ${order}` })
const afresh = proven('b b plain b plain b')

const noSecret: Change = (one) => one.without('x-secret-key')
const oddVersion: Change = (one) => one.with('x-version', 'x')
const ofFourKinds = { a: withoutKey, b: withoutVersion, c: noSecret, d: oddVersion }

describe('a request after an unanswered request', () => {
  it('is similar if it has the same flaws', pair(withoutKey, withoutKey), proven('b plain b'))
  it('is similar if it has further flaws', pair(withoutKey, withoutBoth), proven('b plain b'))
  it('is not similar if it has fewer flaws', pair(withoutBoth, withoutKey), afresh)
  it('is not similar if it has different flaws', pair(withoutVersion, withoutKey), afresh)
  it('is not similar if it has no flaws', { ...pair(withoutKey, (one) => one), ...afresh })
  it('is not similar if its flaws are unknown', pair(withoutKey, repeating), afresh)
  it('is not similar if the flaws of both are unknown', pair(repeating, repeating), afresh)
  it('is not similar at another endpoint', pair(withoutKey, elsewhere), afresh)
  it('with any flaw is similar after three kinds of flaws got no answer', {
    rules: [changed(ofFourKinds)],
    service: each('a b c d', timeout),
    found: among(''),
    order: saying('c c plain c plain c d plain'),
  })
})

/** Four cases that are answered at the second attempt: the service seems to be in trouble, so plain valid requests test it. */
const trial = (plain: readonly Meets[], met: Meets = 'closed', names = 'a b c d'): Partial<Play> => ({
  rules: [noKey(names)],
  service: { ...each(names, met, null), plain: [null, ...plain] },
})

/** Trouble at these places, counted from 0, and successes everywhere else. */
const failingAt = (...places: readonly number[]): readonly Meets[] =>
  Array.from({ length: 31 }, (_, place) => (places.includes(place) ? 'closed' : null))
const everyNth = (nth: number): readonly Meets[] =>
  Array.from({ length: 100 }, (_, place) => (place % nth === nth - 1 ? busy : null))
const halfOfTen = everyNth(2).slice(0, 10)
const inTrouble = (failed: number, of: number): string =>
  `the service is in trouble: ${failed} of ${of} plain valid requests got no answer, each sent once: the connection was closed`
const sends = (plain: number, more = {}): Came => ({ checks: { length: 1 + plain }, ...more })

describe('a trial', () => {
  it('sends ten requests if none fails', trial([null]), sends(10, { order: saying('c c d plain plain') }))
  it('sends 30 requests if only 4 of the first 10 fail', trial(failingAt(0, 3, 6, 9)), sends(30))
  it('ends the run if 5 of 10 fail', trial(failingAt(0, 2, 4, 6, 8)), sends(10, { ended: inTrouble(5, 10) }))
  it('ends the run at 6 of 20', trial(failingAt(0, 3, 6, 9, 12, 15)), sends(20, { ended: inTrouble(6, 20) }))
  it('does not end the run if 7 of 30 fail', trial(failingAt(0, 5, 10, 15, 20, 25, 29)), sends(30))
  it('ends the run if 8 of 30 fail', {
    ...trial(failingAt(0, 4, 8, 12, 16, 20, 24, 29)),
    ...sends(30, { ended: inTrouble(8, 30) }),
  })
  it('leaves an outage to the next health check if all fail', trial(times(10, 'closed')), sends(10))
  it('with 503s slows the run down if all requests are served at ten a second', {
    ...trial([...halfOfTen, null], busy),
    ...sends(10 + 11, { trouble: '503 (rate limit) 9', exitCode: 0 }),
  })
  it('with 503s slows the run down further if all requests are served at five a second', {
    ...trial([...halfOfTen, busy, null], busy),
    ...sends(10 + 1 + 11, { trouble: '503 (rate limit) 10', waits: expect.arrayContaining([1]) }),
  })
  it('with 503s that no rate prevents slows nothing down in the end', {
    ...trial([...times(4, busy), ...times(6, null), ...times(4, busy), null], busy),
    ...sends(10 + 4 + 20, { waits: [0.3, 0.3, 0.3, 1, 1, 1, 1, 1, 0.3] }),
  })
  it('with 503s that no rate prevents ends the run if half of its requests fail', {
    ...trial([...halfOfTen, busy], busy),
    ...sends(10 + 4, { ended: saying('the service is in trouble: 5 of 10'), trouble: '503 13' }),
  })
  it('with one 503 in six slows nothing down', trial(everyNth(6), busy), sends(30, { trouble: '503 9' }))
  it('does not start after an unanswered request, whose proof explains the failures', {
    rules: [noKey(`${numbered(20)} a b c d`)],
    service: { ...each('a b d', 'closed', null), c: ['closed'] },
    found: among(`${ruleId}: c`),
    order: expect.stringMatching(/ c plain d plain d$/),
  })
})

const bare = answer(429, { message: 'too many requests' })
const after = (code: number, field: string): Meets => answer(code, '', { fields: [['Retry-After', field]] })
const unnoted = { observations: expect.not.arrayContaining([expect.objectContaining({ id: 'not-json' })]) }
const tooFast = { left: ['the service refused the rate of requests, 6 of 6 times (429)'] }

/** A case with these answers in turn; its check accepts any answer. */
const by = (method: string, ...a: readonly Meets[]): Partial<Play> => {
  return { rules: [asking(ruleId, 'a', (one) => withoutKey(one).method(method), anything)], service: { a } }
}
const oneCase = (...a: readonly Meets[]): Partial<Play> => by('GET', ...a)
const toAskForQuota: Change = (one) => one.trait({ asksForQuota: true })
/** Cases of the exhausted client that get these answers; by default they ask for a quota. */
function ofExhausted(names: string, met: readonly Meets[], change = toAskForQuota): Partial<Play> {
  const exhausted = asClient('exhausted')
  const rules = [asking('quota/exhausted', names, (...given) => change(exhausted(...given)), anything)]
  return { fixtures: ['FIXTURE_EXHAUSTED'], rules, service: each(names, ...met) }
}
const headForQuota: Change = (one) => toAskForQuota(one).method('HEAD')
const fiveTimes = [...Array(20).fill(0.3), 0.5, 0.5, 0.5, 0.4, 0.4, 0.4, 0.4]
const waits = (...all: readonly number[]): Came => ({ waits: all })

describe('a request', () => {
  it('waits longer each time', oneCase('closed', 'closed', 'closed', null), waits(0.3, 0.8, 1.5))
  for (const method of ['HEAD', 'OPTIONS'])
    it(`with ${method} is sent again`, by(method, 'closed', 'closed', null), waits(0.3, 0.8))
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    // It may have had an effect.
    it(`with ${method} is sent again only once`, by(method, 'closed', 'closed', null), waits(0.3))
  it('is sent again after the wait that a gateway names', oneCase(after(503, '2'), null), waits(2))
  it('is never sent again earlier than usual', oneCase(after(503, '0'), null), waits(0.3))
  it('is sent again after ten seconds at most', oneCase(after(503, '86400'), null), waits(10))
  it('is sent again as usual if no time is named', oneCase(after(503, 'soon'), null), waits(0.3))
  it('is slowed down by a 429 without a code', oneCase(bare, bare, null), waits(1, 1), { verdict: unnoted })
  it('is slowed down by a 429 with an unknown code', oneCase(refused(429, 'RATE'), null), waits(1))
  it('is slowed down for as long as a 429 asks', oneCase(after(429, '7'), null), waits(7))
  it('is slowed down for a minute at most', oneCase(after(429, '3600'), null), waits(60))
  it('with POST is sent again after a 429, as it had no effect', by('POST', bare, null), waits(1))
  it('keeps its retries', oneCase(bare, 'closed', bare, 'closed', 'closed', null), waits(1, 0.3, 1, 0.8, 1.5))
  it('gets no others', oneCase('closed', 'closed', bare, 'closed', null), waits(0.3, 0.8, 1, 1.5))
  it('is not judged if a 429 persists', oneCase(bare), tooFast, waits(1, 1, 1, 1, 1))
  it('takes a persistent 429 as its answer if it asks for a quota', ofExhausted('a', [bare]), waits(1, 1), {
    order: saying('plain a a a a plain a'),
    found: expect.anything(),
  })
  it('takes its first 429 as its answer if another of its client did', ofExhausted('a b', [bare]), {
    order: 'plain a a a a plain a b',
    found: expect.anything(),
  })
  // HEAD gets no code.
  it('with HEAD takes its first 429', ofExhausted('a', [bare], headForQuota), 'plain a')
  const ofPlain = ofExhausted('a', [bare], (one) => one)
  it('is too fast if a 429 persists without a quota', ofPlain, tooFast)
  it('is too fast if a 429 persists and its client has quota left', tooFast, {
    rules: [asking(ruleId, 'a', (one) => toAskForQuota(withoutKey(one)), anything)],
    service: { a: [bare] },
  })
  it('that asks for a quota is sent again alone, after a pause of all requests', parallel, {
    ...ofExhausted(numbered(20), []),
    service: each('a1 a2', bare, null),
    turns: expect.stringMatching(/ a17 a18 a19 a20 \| a1 \| a2$/),
    waits: [1],
  })
  it('with a 429 slows down all requests, but only once for those in flight', {
    rules: [noKey(numbered(8))],
    service: each('a1 a2 a3', bare, null),
    env: { RUN_CONCURRENCY: '4' },
    turns: 'plain | a1 a2 a3 a4 | a5 | a6 | a7 | a8 | a1 | a2 | a3',
    waits: [1],
  })
  for (const [what, count, met, all] of [
    ['nothing down if a gateway fails four times', 4, answer(502, ''), Array(26).fill(0.3)],
    ['nothing down if connections are closed five times', 5, 'closed', Array(27).fill(0.3)],
    ['all requests down if a gateway fails five times', 5, answer(502, ''), fiveTimes],
  ] as const)
    it(`slows ${what}, with answers in between`, {
      rules: [noKey(numbered(12))],
      service: each(numbered(count), met, null),
      env: { RUN_MAX_RPS: '4' },
      waits: all,
    })
})

/** Two hundred cases; from the second request on, no answer comes until this time. */
function failingFor(ms: number): Partial<Play> {
  let began: number | null = null
  const service: Script = ({ at, index }) => {
    if (index === 1) began = at
    return began !== null && at - began < ms ? 'closed' : null
  }
  return { rules: [noKey(numbered(200))], service, ...parallel }
}

it('an outage ends the run after a few requests, however many cases wait', failingFor(Infinity), {
  ended: saying('the service stopped answering'),
  sent: { length: 31 },
})
it('an outage that ends after two seconds costs a few requests', failingFor(2_000), {
  trouble: 'closed connection 11',
  sent: { length: 216 },
})

/** Many cases, some of which get this answer once. */
const amidMany = (names: string, met: Meets = 'closed'): Partial<Play> => {
  return { rules: [noKey(numbered(420))], service: each(names, met, null), ...parallel }
}
const regrown = { sizes: '1 8 2 3 4 5 6 2', atMost: [2, 3, 4, 5, 6] }
const droppedAgain = { sizes: '1 8 2 3 2 3 2', atMost: [2, 3, 2, 3] }
const three = 'a9 a10 a11'

describe('the number of requests in flight', () => {
  it('stays the same after two closed connections', amidMany('a9 a10'), { sizes: '1 8 6', atMost: [] })
  it('drops to two after three closed connections, then grows again', amidMany(three), regrown)
  it('drops to two again after one more closed connection', amidMany(`${three} a150`), droppedAgain)
  it('drops to two after 503s on new connections', amidMany(three, answer(503, '')), regrown)
  it('stays the same after 502s', amidMany(three, answer(502, '')), { sizes: '1 8 2 8 4 1', atMost: [] })
  it('stays the same if closes are rare', amidMany('a10 a110 a210 a310'), { sizes: '1 8 6 1', atMost: [] })
})
