import { expect, test } from 'vitest'
import { emptyBaseline, observe, requestNameOf } from '../drift/baseline.ts'
import { succeeds, succeedsWith } from '../judge/judge.ts'
import { refused } from '../judge/testing/exchanges.ts'
import type { SpecRuleId } from '../specification/rules.ts'
import {
  inScene,
  scenario,
  type JudgedExchange,
  type Scenario,
  type Scene,
  type Stage,
  type Step,
} from './plan/cases.ts'
import { rule } from './plan/rule.ts'
import type { TestRequest } from './plan/test-request.ts'
import {
  among,
  missing,
  noKey,
  plays,
  ruled,
  saying,
  type Came,
  type Play,
  type Row,
  type Script,
} from './testing/played.ts'

const [alone, afterwards, later] = [
  'authentication/not-cached',
  'authentication/stays-refused',
  'authentication/no-side-door',
] as const
const [wrong, right] = [refused(401, '1006'), refused(400, '1001')]

/** Makes the request without a key that the service sees by this name. */
type Named = (name: string) => TestRequest
/** What a scenario does with its stage; returns what it judged, if anything. */
type Act = (stage: Stage, named: Named, plain: TestRequest) => Promise<readonly JudgedExchange[] | void>

interface Needs {
  readonly id?: SpecRuleId
  /** Names of the requests whose answers it takes, and of those it provides. */
  readonly wants?: string
  readonly provides?: string
}

/** A rule with one scenario of one request. */
const staged = (act: Act, { id = afterwards, wants = '', provides = '' }: Needs = {}) =>
  rule(id, ({ list }) => {
    const named: Named = (name) =>
      name === 'plain' ? list.request : list.request.without('x-api-key').with('x-case', name)
    const all = (names: string) => (names === '' ? [] : names.split(' ').map(named))
    const play: Scenario['play'] = async (stage) => (await act(stage, named, list.request)) ?? []
    return [scenario('s', 1 + all(wants).length, play, { wants: all(wants), provides: all(provides) })]
  })

/** A rule that sends `a` in a scenario before all other cases, and a later scenario that wants it. */
const afterA = (act: Act, service: Script = {}): Partial<Play> => ({
  rules: [
    staged(async (stage, named) => void (await stage.send(named('a'))), { id: alone, provides: 'a' }),
    staged(act, { wants: 'a' }),
  ],
  service,
})
const acting = (act: Act, more: Partial<Play> = {}): Partial<Play> => ({ rules: [staged(act)], ...more })

/** Notes a number from the stage as an observation. */
const noting =
  (value: (stage: Stage) => number): Act =>
  async (stage, named) => {
    await stage.send(named('a'))
    stage.observations.observe('seen', value(stage))
  }
const noted = (value: number): Came => ({
  verdict: { observations: expect.arrayContaining([{ id: 'seen', value }]) },
})

const idle: Act = () => Promise.resolve()

/** Judges `c` after taking `a` and `b` from others. */
const taking: Act = async (stage, named) => {
  await stage.known(named('a'))
  await stage.judgeKnown(named('b'), missing)
  return [await stage.judge(named('c'), missing)]
}
/** Judges `c`, and sends `b` only when it is played again. */
const sendingLater = (): Act => {
  let isAgain = false
  return async (stage, named) => {
    const judged = await stage.judge(named('c'), missing)
    if (isAgain) await stage.send(named('b'))
    isAgain = true
    return [judged]
  }
}
const attempting =
  (transportMayRefuse: boolean): Act =>
  async (stage, named) => {
    const met = await stage.attempt(named('a').trait({ transportMayRefuse }))
    return met === null ? [await stage.judge(named('b'), missing)] : []
  }
const counting = succeedsWith((body) => (Object.keys(Object(body)).length > 2 ? 'it holds more' : null))

/** The number of customizations becomes a text in the baseline. */
const compared: Act = async (stage, _, plain) => {
  await stage.send(plain)
  const seen = { requestName: requestNameOf(plain.traits.endpoint, null), status: 200, errorCode: null }
  const body = { value: { customizations: [], total: 'none' } }
  await stage.compareWith(observe(emptyBaseline, { ...seen, body }))
}
const refusedPlain = 'a plain valid request was answered 400 / 1001 (see endpoints/list-succeeds)'
const following: Came = {
  left: [refusedPlain],
  found: among('endpoints/list-succeeds: s'),
  verdict: ruled({
    [afterwards]: { follows: [expect.objectContaining({ rule: 'endpoints/list-succeeds' })] },
  }),
}

test.for<Row>([
  [
    'provides the answer for a case with the same request',
    {
      rules: [
        staged(async (stage, named) => void (await stage.send(named('a'))), { id: alone, provides: 'a' }),
        noKey('a'),
      ],
    },
    { order: 'plain a' },
  ],
  [
    'takes the answer that another scenario got',
    afterA(async (stage, named) => void (await stage.known(named('a')))),
    { order: 'plain a' },
  ],
  [
    'that sends a wanted request first provides no wrong answer, since the order may have caused it',
    {
      rules: [
        staged(async (stage, named) => void (await stage.known(named('a'))), { id: alone, wants: 'a' }),
        noKey('a'),
      ],
      service: { a: [wrong, right] },
    },
    { order: 'plain a a' },
  ],
  [
    'judges the answer that another scenario got, if it is right',
    afterA(async (stage, named) => [await stage.judgeKnown(named('a'), missing)]),
    { order: 'plain a' },
  ],
  [
    'sends the request again if the other scenario got a wrong answer',
    afterA(async (stage, named) => [await stage.judgeKnown(named('a'), missing)], { a: [wrong, right] }),
    { order: 'plain a a' },
  ],
  [
    'that is played again takes no answers',
    {
      rules: [noKey('a b'), staged(taking, { wants: 'a b' }), staged(idle, { id: later, wants: 'a b' })],
      service: { c: [wrong] },
    },
    { order: 'plain a b c a b c a b c', found: among(`${afterwards}: s, 3 of 3`) },
  ],
  [
    'that is played again provides no answers for cases',
    {
      rules: [
        staged(sendingLater(), { id: alone }),
        staged(async (stage, named) => void (await stage.known(named('b'))), { wants: 'b' }),
      ],
      service: { c: [wrong] },
    },
    { order: 'plain c c b c b b', found: among(`${alone}: s, 3 of 3`) },
  ],
  [
    'starts a silence after the requests in flight, and holds further requests until it ends',
    acting(async (stage, named) => {
      const before = stage.send(named('a'))
      const silence = stage.silence(900)
      await Promise.all([before, silence, stage.send(named('b'))])
    }),
    { order: 'plain a b', waits: [0.9] },
  ],
  [
    'knows how many requests were sent as a client',
    acting(noting((stage) => stage.sentAs('target'))),
    noted(2),
  ],
  ['knows how many requests its rule may send', acting(noting((stage) => stage.affordable)), noted(0)],
  [
    'tests its checks against tolerated changes',
    acting(async (stage, _, plain) => [await stage.judge(plain.with('x-case', 'a'), counting)]),
    { found: among('tolerance/added-properties: s, 1 of 1: not tolerated: it holds more'), exitCode: 4 },
  ],
  [
    'continues if the transport refuses a request that it may refuse',
    acting(attempting(true), { service: { a: ['closed'] } }),
    { order: 'plain a b' },
  ],
  [
    'reports any other failure of an attempt',
    acting(attempting(false), { service: { a: ['closed'] } }),
    { found: [`${afterwards}: s, 6 of 6: no answer: connection-closed`], count: { a: 6 } },
  ],
  [
    'compares the answers so far with a baseline',
    acting(compared, { env: { RUN_BASELINE: '/baseline.json' } }),
    { found: [saying(`${afterwards}: s, 1 of 1: type-changed $.total`)] },
  ],
  [
    'continues after a success that it needs, from itself or from another scenario',
    {
      rules: [
        staged(async (stage, named) => void (await stage.send(named('plain'))), {
          id: alone,
          provides: 'plain',
        }),
        staged(
          async (stage, named, plain) => [await stage.servedKnown(named('plain')), await stage.served(plain)],
          { wants: 'plain' },
        ),
      ],
    },
    { order: 'plain plain plain' },
  ],
  [
    'is left open without a success that it needs, and follows from that breach',
    acting(async (stage, _, plain) => [await stage.served(plain)], {
      service: { plain: [null, right, null] },
    }),
    following,
  ],
  [
    'is left open without a success that it needs from another scenario, and follows from that breach',
    acting(async (stage, _, plain) => [await stage.servedKnown(plain)], {
      service: { plain: [null, right, null] },
    }),
    following,
  ],
])('a scenario %s', plays)

/** A rule that judges a scene with these steps. */
const scene = (
  of: (step: (name: string, more?: Partial<Step>) => Step, plain: TestRequest) => Scene,
): Partial<Play> => ({
  rules: [
    rule(alone, ({ list }) => [
      inScene(
        's',
        of(
          (name, more) => ({
            request: list.request.without('x-api-key').with('x-case', name),
            check: missing,
            ...more,
          }),
          list.request,
        ),
      ),
    ]),
  ],
})
const [one, two] = [{ connection: 'one' }, { connection: 'two' }]
const on = (...places: readonly number[]): Came => ({
  sent: [0, ...places].map((connection) => expect.objectContaining({ connection })),
})
const sceneBroken = [`${alone}: s, 3 of 3: another answer`]

test.for<Row>([
  [
    'sends its groups one after another, and the steps of a group in parallel',
    { ...scene((step) => [[step('a'), step('b')], [step('c')]]), env: { RUN_CONCURRENCY: '8' } },
    { turns: 'plain | a b | c' },
  ],
  [
    'sends steps that name the same connection on it, and unnamed steps on any',
    scene((step) => [[step('a', one)], [step('b', one), step('c', two), step('d')]]),
    on(1, 1, 2, 0),
  ],
  [
    'fails if one of its steps fails, and is confirmed by playing it as a whole',
    { ...scene((step) => [[step('a')], [step('b')]]), service: { b: [wrong] } },
    { order: 'plain a b a b a b', found: sceneBroken },
  ],
  [
    'sends the fallback of a step that is not served, on the same connection',
    scene((step, plain) => [
      [step('a', { fallback: plain, ...one })],
      [{ request: plain.with('x-case', 'b'), check: succeeds(), fallback: plain }],
    ]),
    { order: 'plain a plain b', ...on(1, 1, 0) },
  ],
])('a scene %s', plays)
