import { describe, expect } from 'vitest'
import { emptyBaseline, observe, requestNameOf } from '../drift/baseline.ts'
import { succeeds, succeedsWith, type Check } from '../judge/judge.ts'
import { answer } from '../judge/testing/exchanges.ts'
import { clients } from '../serve/reference/clients.ts'
import type { RuleId, SpecRuleId } from '../specification/rules.ts'
import { NoAnswer, example, inScene, rule, scenario } from './plan/cases.ts'
import type { Case, JudgedExchange, Scenario, Scene, Stage, Step } from './plan/cases.ts'
import type { SuiteContext, TestRequest } from './plan/suite-context.ts'
import { failure, missing, right, unclear, wrong } from './testing/answers.ts'
import type { Meets } from './testing/in-memory.ts'
import { among, budget, findingOf, it, neither, noting, parallel, ruled, saying } from './testing/played.ts'
import type { Came, Play } from './testing/played.ts'
import { asking, judging, keyless, noKey, ruleId, withoutKey, type Named } from './testing/rules.ts'
import { each, numbered } from './testing/scripts.ts'

const optional = 'conventions/accept-optional'
const [alone, alsoAlone] = ['authentication/not-cached', 'versioning/selected-per-request'] as const
const [afterwards, later] = ['authentication/stays-refused', 'authentication/no-side-door'] as const

const anyFound: Came = { found: among('') }

/** A rule about requests without a key, with these cases. */
const withCases = (of: (named: Named) => readonly Case[]): Partial<Play> => ({ rules: [keyless(ruleId, of)] })

/** A rule with one scenario that judges the requests of these names. */
const oneScenario = (...how: [names: string, first?: Check, isAlone?: boolean]): Partial<Play> =>
  withCases((named) => [judging(named, ...how)])

/** A rule with one scenario that gets no answer. */
const giving = (none: 'unavailable' | 'trouble'): Partial<Play> =>
  withCases(() => [scenario('s', 1, () => Promise.reject(new NoAnswer(none, 'for a reason')))])

const notFitting = (which: string): Came => {
  return { left: [`${which} did not fit into the budget (RUN_MAX_REQUESTS)`] }
}
const five: Partial<Play> = { rules: [noKey(numbered(5))] }

/** A request that needs a success and gets `met`; plain valid requests after the first get `plain`. */
const refusedAmid = (met: Meets, plain: Meets): Partial<Play> => ({
  rules: [asking(optional, 'a', (one) => one.without('accept'), succeeds())],
  service: { a: [met], plain: [null, plain] },
})
const echo = answer(400, { error_code: clients.permitted.apiKey, error_message: 'not known' })

/** A case under conditions, and the same without them. */
const conditioned = (u: Meets, b: Meets = null): Partial<Play> => ({
  ...withCases((named) => [
    {
      ...example('under', named('u').trait({ conditions: ['?debug=true'] }), missing),
      plain: example('bare', named('b'), missing),
    },
  ]),
  service: { u: [u], b: [b] },
})

const refusal = expect.objectContaining({ status: 400 })
const suiteFailed =
  /^the suite itself failed: authentication\/api-key-missing: a bug of ours \(at .*scenarios-of-rules\.test\.ts/

describe('cases', () => {
  it('that pass are counted, and the first answer is kept', {
    verdict: ruled({ [ruleId]: { answers: 3, sample: expect.objectContaining({ response: refusal }) } }),
  })
  it('with the same wrong answer are one finding that describes it', {
    service: each('a b c', wrong),
    found: [`${ruleId}: a b c, 3 of 3: another answer`],
    verdict: findingOf(ruleId, {
      count: 3,
      summary: 'answered 401 / 1006 where 400 / 1001 is documented',
      answered: { status: 401, errorCode: '1006' },
    }),
  })
  it('name another possible explanation of a breach', anyFound, {
    rules: [rule(ruleId, ({ list }) => [example('a', list.request, missing, 'FIXTURE_… is not such')])],
    verdict: findingOf(ruleId, { summary: saying('400 / 1001 is documented, or FIXTURE_… is not such') }),
  })
  it('that are never answered are reported as unanswered', anyFound, {
    service: { a: ['closed'] },
    verdict: findingOf(ruleId, {
      answered: null,
      allowed: [{ status: 400, errorCode: '1001' }],
      summary: expect.stringMatching(/^no answer came while plain valid requests were answered: /),
      exchange: expect.objectContaining({ response: null }),
      curl: saying('x-secret-key: $TARGET_SECRET_KEY'),
    }),
  })
  const unclearly = asking(ruleId, 'a b', withoutKey, unclear)
  it('whose answers are unclear are not judged', { rules: [unclearly], left: ['nobody knows'] })
  it('are sent while the budget lasts', five, budget(3), notFitting('3 of 5 cases'), { order: 'plain a1 a2' })
  it('whose budget runs out midway are not judged', five, budget(6), 'plain a1 a2 a3 a4 a5', {
    service: { a2: ['closed'] },
    left: [saying('the budget of 6 requests was used up (RUN_MAX_REQUESTS; ')],
  })
  it('that need a success stay open without a check', refusedAmid(wrong, 'closed'), { left: [neither] })
  it('that need a success stay open if the health check is refused with a credential as the code', anyFound, {
    ...refusedAmid(echo, echo),
    left: [neither],
  })
  it('under conditions are sent once if they pass', conditioned(null), { order: 'plain u' })
  it('that fail only under conditions leave them to others', conditioned(failure), { order: 'plain u b' })
  it('are reported without conditions if the flaw alone shows the breach', conditioned(failure, failure), {
    order: 'plain u b b plain b',
    found: among(`${ruleId}: under, 3 of 3`),
  })
  it(
    'are all judged even if the suite itself fails in one of them',
    withCases((named) => [
      scenario('s', 1, () => Promise.reject(new TypeError('a bug of ours'))),
      example('a', named('a'), missing),
    ]),
    'plain a',
    { exitCode: 4, left: [saying('not judged')], verdict: { because: [expect.stringMatching(suiteFailed)] } },
  )
})

const leaving = (status: string, because: string): Came => {
  return { left: [because], verdict: ruled({ [ruleId]: { status } }) }
}
const broken = (seen: string, how = 'another answer') => ({ found: [`${ruleId}: s, ${seen}: ${how}`] })
/** The connections of all requests after the first. */
const on = (...places: readonly number[]): Came => ({
  sent: [0, ...places].map((connection) => expect.objectContaining({ connection })),
})

/** A scenario that sends one request and may send up to `most`. */
const spending = (named: Named, name: string, least: number, most: number): Scenario =>
  scenario(name, { least, most }, async (stage) => [await stage.judge(named(name), missing)])

const differently = answer(400, {})
const troubled = (text: string): NoAnswer => new NoAnswer('trouble', text)

describe('a scenario', () => {
  it('counts every answer it judged', oneScenario('a b'), { verdict: ruled({ [ruleId]: { answers: 2 } }) })
  it('that finds nothing is untested', giving('unavailable'), leaving('untested', 'for a reason'))
  it('without an answer is inconclusive', giving('trouble'), leaving('inconclusive', 'for a reason'))
  it('with unclear answers is unjudged', oneScenario('a b', unclear), leaving('inconclusive', 'nobody knows'))
  it('with an unclear answer and a breach is a breach', oneScenario('a b', unclear), broken('3 of 3'), {
    service: { b: [wrong] },
  })
  it('that fails differently when played again counts its first failure once', oneScenario('a'), {
    service: { a: [wrong, differently] },
    found: expect.arrayContaining(broken('1 of 3').found),
  })
  it('is played again on new connections, which are all closed at the end', {
    ...oneScenario('a b', missing, true),
    service: { b: [wrong] },
    ...broken('3 of 3'),
    ...on(1, 1, 2, 2, 3, 3),
    verdict: { requests: { confirming: 4 } },
  })
  it('that gets no answer is a breach, and closes its connection', oneScenario('a', missing, true), {
    service: { a: ['closed'] },
    ...broken('6 of 6', 'no answer: connection-closed'),
  })
  it('that ends early lists its reason after the reason of an earlier case', parallel, {
    ...withCases(() => [
      scenario('slow', 1, () => Promise.resolve().then(() => Promise.reject(troubled('slow')))),
      scenario('quick', 1, () => Promise.reject(troubled('quick'))),
    ]),
    left: ['slow; quick'],
  })
  it('that comes last is played after all other cases of its rule and their confirmations', parallel, {
    ...withCases((named) => [{ ...judging(named, 'l'), last: true }, example('a', named('a'), missing)]),
    service: { a: [wrong] },
    order: 'plain a a plain a l',
    found: among(''),
  })
  it('is played if the budget covers its minimum', budget(4), notFitting('1 of 3 cases'), {
    ...withCases((all) => [spending(all, 'a', 1, 2), spending(all, 'b', 1, 9), spending(all, 'c', 2, 2)]),
    order: 'plain a b',
  })
  it('returns its unused requests to the budget for confirmations', budget(20), anyFound, {
    rules: [
      keyless(ruleId, (named) => [spending(named, 'a', 1, 18)]),
      asking('errors/body-shape', 'b', withoutKey, missing),
    ],
    service: { b: [wrong] },
    order: 'plain a b b plain b',
  })
})

/** Steps of a scene, one after another. */
const inTurn = (named: Named, names: string): Scene =>
  names.split(' ').map((name) => [{ request: named(name), check: missing }])

/** Two rules that judge one scene. */
function sameScene(): Partial<Play> {
  let scene: Scene | null = null
  const judgingIt = (name: string) => (named: Named) => [inScene(name, (scene ??= inTurn(named, 'a b')))]
  return { rules: [keyless(alone, judgingIt('s')), keyless(alsoAlone, judgingIt('t'))] }
}

const bothJudged = (id: RuleId = alone): Came => ({
  order: 'plain a b',
  verdict: ruled({ [alone]: { status: 'passed', answers: 2 }, [id]: { status: 'passed', answers: 2 } }),
})

describe('a request of several cases', () => {
  it('is sent once and early if a lone scenario sends it', 'plain a d c b', {
    rules: [noKey('c'), keyless(alone, (all) => [example('b', all('b'), missing), judging(all, 'a d')])],
    verdict: ruled({ [alone]: { status: 'passed', answers: 3 } }),
  })
  it('is sent again for a rule that sends alone', 'plain b b', {
    rules: [noKey('b'), keyless(alone, (named) => [example('b', named('b'), missing)])],
  })
  it('is sent once for a lone scenario, even with nothing left in the budget', budget(3), bothJudged(), {
    rules: [keyless(alone, (named) => [judging(named, 'a b')])],
  })
  it('is sent once for a scene of two rules on a tight budget', sameScene(), budget(3), bothJudged(alsoAlone))
  it('is sent once for a scene that two rules play at once', sameScene(), parallel, bothJudged(alsoAlone))
  it('is sent again for a case that must resend it, and that answer is not shared', 'plain a a a plain a', {
    rules: [
      noKey('a'),
      asking('authentication/secret-key-missing', 'a', withoutKey, missing, { again: true }),
      asking('versioning/version-missing', 'a', withoutKey, missing),
    ],
    service: { a: [null, wrong, null] },
    found: ['authentication/secret-key-missing: a, 1 of 3: another answer'],
  })
  it('is not sent early by a scenario that sends nothing itself', 'plain b a', {
    rules: [
      keyless(alone, (named) => [scenario('free', 0, (stage) => judgingKnown(stage, named))]),
      keyless(alsoAlone, (named) => [judging(named, 'b')]),
    ],
  })
  it('is sent early only for scenarios that fit into the budget', budget(5), notFitting('1 of 3 cases'), {
    rules: [keyless(alone, (named) => ['a b', 'c', 'd e'].map((all) => inScene(all, inTurn(named, all))))],
    order: 'plain a b c',
  })
})

/** What a scenario does with its stage; returns what it judged, if anything. */
type Act = (stage: Stage, named: Named, plain: TestRequest) => Promise<readonly JudgedExchange[] | void>

/** Names of the requests whose answers a scenario takes, and of those it provides. */
type Needs = Partial<Readonly<Record<'wants' | 'provides', string>>> & { readonly id?: SpecRuleId }

/** A rule with one scenario of one request. */
const staged = (act: Act, { id = afterwards, wants = '', provides = '' }: Needs = {}) =>
  rule(id, ({ list }) => {
    const bare = withoutKey(list.request)
    const named: Named = (name) => (name === 'plain' ? list.request : bare.with('x-case', name))
    const all = (names: string) => (names === '' ? [] : names.split(' ').map(named))
    const play: Scenario['play'] = async (stage) => (await act(stage, named, list.request)) ?? []
    return [scenario('s', 1 + all(wants).length, play, { wants: all(wants), provides: all(provides) })]
  })

const sending = (name: string): Act => {
  return (stage, named) => stage.send(named(name)).then(() => [])
}
const knowing = (name: string): Act => {
  return (stage, named) => stage.known(named(name)).then(() => [])
}
const nothing: Act = () => Promise.resolve()
const judgingKnown = async (stage: Stage, named: Named) => [await stage.judgeKnown(named('a'), missing)]
const servedPlain: Act = async (stage, _, plain) => [await stage.served(plain)]
const servedKnown: Act = async (stage, _, plain) => [await stage.servedKnown(plain)]
const sendsA = staged(sending('a'), { id: alone, provides: 'a' })

/** A rule that sends `a` in a scenario before all other cases, and a later scenario that wants it. */
const afterA = (act: Act): Partial<Play> => ({ rules: [sendsA, staged(act, { wants: 'a' })] })
const acting = (act: Act): Partial<Play> => ({ rules: [staged(act)] })

/** Notes how many requests the target sent and the rule may send. */
const observing: Act = async (stage, named) => {
  await stage.send(named('a'))
  stage.observations.observe('seen', [stage.sentAs('target'), stage.affordable])
}

/** Judges `c` after taking `a` and `b` from other rules. */
const taking: Act = async (stage, named) => {
  await stage.known(named('a'))
  await stage.judgeKnown(named('b'), missing)
  return [await stage.judge(named('c'), missing)]
}
/** Judges `c`, and sends `b` only when it is played again. */
const sendingLater = (plays = 0): Act => {
  return async (stage, named) => {
    const judged = await stage.judge(named('c'), missing)
    if (plays++ > 0) await stage.send(named('b'))
    return [judged]
  }
}
const attempting =
  (transportMayRefuse: boolean): Act =>
  async (stage, named) => {
    const met = await stage.attempt(named('a').trait({ transportMayRefuse }))
    return met === null ? [await stage.judge(named('b'), missing)] : []
  }
const unanswered = { service: { a: ['closed'] } } as const
const counting = succeedsWith((body) => (Object.keys(Object(body)).length > 2 ? 'it holds more' : null))

/** The number of customizations becomes a text in the baseline. */
const compared: Act = async (stage, _, plain) => {
  await stage.send(plain)
  const seen = { requestName: requestNameOf(plain.traits.endpoint, null), status: 200, errorCode: null }
  const body = { value: { customizations: [], total: 'none' } }
  await stage.compareWith(observe(emptyBaseline, { ...seen, body }))
}
const following: Came & Partial<Play> = {
  service: { plain: [null, right, null] },
  left: ['a plain valid request was answered 400 / 1001 (see endpoints/list-succeeds)'],
  found: among('endpoints/list-succeeds: s'),
  follows: [saying(`${afterwards}: endpoints/list-succeeds`)],
}

describe('a scenario', () => {
  it('provides the answer for a case like it', { rules: [sendsA, noKey('a')], order: 'plain a' })
  it('takes the answer that another scenario got', afterA(knowing('a')), { order: 'plain a' })
  it('that sends a wanted request first provides no wrong answer, since the order may have caused it', {
    rules: [staged(knowing('a'), { id: alone, wants: 'a' }), noKey('a')],
    service: { a: [wrong, right] },
    order: 'plain a a',
  })
  it('judges the answer that another scenario got if right', afterA(judgingKnown), { order: 'plain a' })
  it('sends the request again if the other scenario got a wrong answer', afterA(judgingKnown), 'plain a a', {
    service: { a: [wrong, right] },
  })
  it('that is played again takes no answers', 'plain a b c a b c a b c', {
    rules: [noKey('a b'), staged(taking, { wants: 'a b' }), staged(nothing, { id: later, wants: 'a b' })],
    service: { c: [wrong] },
    found: among(`${afterwards}: s, 3 of 3`),
  })
  it('that is played again provides no answers for cases', 'plain c c b c b b', {
    rules: [staged(sendingLater(), { id: alone }), staged(knowing('b'), { wants: 'b' })],
    service: { c: [wrong] },
    found: among(`${alone}: s, 3 of 3`),
  })
  it('starts a silence after the requests in flight, and holds further requests until it ends', {
    ...acting(async (stage, named) => {
      const before = stage.send(named('a'))
      await Promise.all([before, stage.silence(900), stage.send(named('b'))])
    }),
    order: 'plain a b',
    waits: [0.9],
  })
  it('knows what a client sent and may send', acting(observing), { verdict: noting('seen', [2, 0]) })
  it('tests its checks against tolerated changes', {
    ...acting(async (stage, _, plain) => [await stage.judge(plain.with('x-case', 'a'), counting)]),
    found: among('tolerance/added-properties: s, 1 of 1: not tolerated: it holds more'),
    exitCode: 4,
  })
  it('continues after a refusal it may get', acting(attempting(true)), unanswered, { order: 'plain a b' })
  it('reports any other failure of an attempt', acting(attempting(false)), unanswered, {
    found: [`${afterwards}: s, 6 of 6: no answer: connection-closed`],
    count: { a: 6 },
  })
  it('compares the answers so far with a baseline', acting(compared), {
    env: { RUN_BASELINE: '/baseline.json' },
    found: [saying(`${afterwards}: s, 1 of 1: type-changed $.total`)],
  })
  it('continues after a success that it needs, from itself or from another scenario', 'plain plain plain', {
    rules: [
      staged(sending('plain'), { id: alone, provides: 'plain' }),
      staged(servedKnown, { wants: 'plain' }),
      staged(servedPlain, { id: later }),
    ],
  })
  it('is left open by a missing success, and follows from that breach', acting(servedPlain), following)
  it('is left open without such a success from another scenario, too', acting(servedKnown), following)
})

type AsStep = (name: string, more?: Partial<Step>) => Step

/** A rule that judges a scene with these steps. */
const scene = (of: (step: AsStep, plain: TestRequest) => Scene): Partial<Play> => {
  const stepOf = (bare: TestRequest): AsStep => {
    return (name, more) => ({ request: bare.with('x-case', name), check: missing, ...more })
  }
  const cases = ({ list }: SuiteContext) => [inScene('s', of(stepOf(withoutKey(list.request)), list.request))]
  return { rules: [rule(alone, cases)] }
}
const [one, two] = [{ connection: 'one' }, { connection: 'two' }]

it('a scene sends its groups one after another, and the steps of a group in parallel', parallel, {
  ...scene((step) => [[step('a'), step('b')], [step('c')]]),
  turns: 'plain | a b | c',
})
it('a scene sends steps that name the same connection on it, and unnamed steps on any', on(1, 1, 2, 0), {
  ...scene((step) => [[step('a', one)], [step('b', one), step('c', two), step('d')]]),
})
it(
  'a scene fails if one of its steps fails, and is confirmed by playing it as a whole',
  scene((step) => [[step('a')], [step('b')]]),
  { service: { b: [wrong] }, order: 'plain a b a b a b', found: [`${alone}: s, 3 of 3: another answer`] },
)
it('a scene sends the fallback of a step that is not served, on the same connection', on(1, 1, 0), {
  ...scene((step, plain) => [
    [step('a', { fallback: plain, ...one })],
    [{ request: plain.with('x-case', 'b'), check: succeeds(), fallback: plain }],
  ]),
  order: 'plain a plain b',
})
