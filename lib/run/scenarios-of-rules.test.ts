import { expect, test } from 'vitest'
import { succeeds, type Check } from '../judge/judge.ts'
import { answer, refused } from '../judge/testing/exchanges.ts'
import { clients } from '../serve/reference/clients.ts'
import type { RuleId, SpecRuleId } from '../specification/rules.ts'
import { example, inScene, scenario, type Case, type Scenario, type Scene } from './plan/cases.ts'
import { NoAnswer } from './plan/errors.ts'
import { rule } from './plan/rule.ts'
import type { TestRequest } from './plan/test-request.ts'
import {
  failure,
  among,
  asking,
  missing,
  noKey,
  numbered,
  plays,
  ruled,
  saying,
  type Came,
  type Meets,
  type Play,
  type Row,
} from './testing/played.ts'

const ruleId = 'authentication/api-key-missing'
const optional = 'conventions/accept-optional'
const [alone, alsoAlone] = ['authentication/not-cached', 'versioning/selected-per-request'] as const
const wrong = refused(401, '1006')
const unclear: Check = { allowed: [], judge: () => ({ kind: 'unclear', because: 'nobody knows' }) }

/** A verdict in which a rule has one finding, like this. */
const finding = (like: object, id: RuleId = ruleId): Came['verdict'] =>
  ruled({ [id]: { findings: [expect.objectContaining(like)] } })

/** Makes the request without a key that the service sees by this name. */
type Named = (name: string) => TestRequest

/** A rule about requests without a key. */
const keyless = (id: SpecRuleId, of: (named: Named) => readonly Case[]) =>
  rule(id, ({ list }) => of((name) => list.request.without('x-api-key').with('x-case', name)))

/** A scenario that judges the requests of these names, one after another, on one connection if it `isAlone`. */
function judging(named: Named, names: string, first = missing, isAlone = false): Scenario {
  const all = names.split(' ')
  return scenario('s', all.length, async (stage) => {
    const connection = isAlone ? stage.connection() : undefined
    const judged = []
    for (const [place, name] of all.entries())
      judged.push(await stage.judge(named(name), place === 0 ? first : missing, connection))
    return judged
  })
}

/** A rule with one such scenario. */
const oneScenario = (...how: [names: string, first?: Check, isAlone?: boolean]): Partial<Play> => ({
  rules: [keyless(ruleId, (named) => [judging(named, ...how)])],
})

/** A rule with one scenario that gets no answer. */
const giving = (none: 'unavailable' | 'trouble'): Partial<Play> => ({
  rules: [rule(ruleId, () => [scenario('s', 1, () => Promise.reject(new NoAnswer(none, 'for a reason')))])],
})

const budget = (requests: number) => ({ env: { RUN_MAX_REQUESTS: `${requests}` } })
const notFitting = (which: string): readonly string[] => [
  `${which} did not fit into the budget (RUN_MAX_REQUESTS)`,
]
const neither = 'a plain valid request did not succeed either (see endpoints/list-succeeds)'

/** A request that needs a success and gets `met`; plain valid requests after the first get `plain`. */
const refusedAmid = (met: Meets, plain: Meets): Partial<Play> => ({
  rules: [asking(optional, 'a', (one) => one.without('accept'), succeeds())],
  service: { a: [met], plain: [null, plain] },
})
const echo = answer(400, { error_code: clients.permitted.apiKey, error_message: 'not known' })

/** A case under conditions, and the same without them. */
function conditioned(u: Meets, b: Meets = null): Partial<Play> {
  const both = keyless(ruleId, (named) => [
    {
      ...example('under', named('u').trait({ conditions: ['?debug=true'] }), missing),
      plain: example('bare', named('b'), missing),
    },
  ])
  return { rules: [both], service: { u: [u], b: [b] } }
}

const suiteFailed =
  /^the suite itself failed: authentication\/api-key-missing: a bug of ours \(at .*scenarios-of-rules\.test\.ts/

test.for<Row>([
  [
    'that pass are counted, and the first answer is kept',
    {},
    {
      verdict: ruled({
        [ruleId]: {
          answers: 3,
          sample: expect.objectContaining({ response: expect.objectContaining({ status: 400 }) }),
        },
      }),
    },
  ],
  [
    'with the same wrong answer are one finding that describes it',
    { service: { a: [wrong], b: [wrong], c: [wrong] } },
    {
      found: [`${ruleId}: a b c, 3 of 3: another answer`],
      verdict: finding({
        count: 3,
        summary: 'answered 401 / 1006 where 400 / 1001 is documented',
        answered: { status: 401, errorCode: '1006' },
      }),
    },
  ],
  [
    'name another possible explanation of a breach',
    {
      rules: [
        rule(ruleId, ({ list }) => [example('a', list.request, missing, 'FIXTURE_… is not such a client')]),
      ],
    },
    {
      found: among(''),
      verdict: finding({
        summary: 'answered 200 with JSON where 400 / 1001 is documented, or FIXTURE_… is not such a client',
      }),
    },
  ],
  [
    'that are never answered are reported as unanswered',
    { service: { a: ['closed'] } },
    {
      found: among(''),
      verdict: finding({
        answered: null,
        allowed: [{ status: 400, errorCode: '1001' }],
        summary: expect.stringMatching(/^no answer came while plain valid requests were answered: /),
        exchange: expect.objectContaining({ response: null }),
        curl: saying('x-secret-key: $TARGET_SECRET_KEY'),
      }),
    },
  ],
  [
    'whose answers are unclear are not judged',
    { rules: [asking(ruleId, 'a b', (one) => one.without('x-api-key'), unclear)] },
    { left: ['nobody knows'] },
  ],
  [
    'are sent as long as they fit into the budget',
    { rules: [noKey(numbered(5))], ...budget(3) },
    { left: notFitting('3 of 5 cases'), order: 'plain a1 a2' },
  ],
  [
    'whose budget runs out midway are not judged',
    { rules: [noKey(numbered(5))], ...budget(6), service: { a2: ['closed'] } },
    { left: [saying('the budget of 6 requests was used up')], order: 'plain a1 a2 a3 a4 a5' },
  ],
  [
    'that need a success are left open if the health check gets no answer',
    refusedAmid(wrong, 'closed'),
    { left: [neither] },
  ],
  [
    'that need a success are left open if the health check is refused with a credential as the code',
    refusedAmid(echo, echo),
    { left: [neither], found: among('') },
  ],
  ['under conditions are sent once if they pass', conditioned(null), { order: 'plain u' }],
  [
    'that fail only under conditions are judged without them: another rule reports the conditions',
    conditioned(failure),
    { order: 'plain u b' },
  ],
  [
    'are reported without conditions if the flaw alone shows the breach',
    conditioned(failure, failure),
    { order: 'plain u b b plain b', found: among(`${ruleId}: under, 3 of 3`) },
  ],
  [
    'are all judged even if the suite itself fails in one of them',
    {
      rules: [
        keyless(ruleId, (named) => [
          scenario('s', 1, () => Promise.reject(new TypeError('a bug of ours'))),
          example('a', named('a'), missing),
        ]),
      ],
    },
    {
      order: 'plain a',
      exitCode: 4,
      left: [saying('not judged')],
      verdict: { because: [expect.stringMatching(suiteFailed)] },
    },
  ],
])('cases %s', plays)

const leaving = (status: string, because: string): Came => ({
  left: [because],
  verdict: ruled({ [ruleId]: { status } }),
})
const broken = (seen: string, how = 'another answer'): string[] => [`${ruleId}: s, ${seen}: ${how}`]

/** A scenario that sends one request and may send up to `most`. */
const spending = (named: Named, name: string, least: number, most: number): Scenario =>
  scenario(name, { least, most }, async (stage) => [await stage.judge(named(name), missing)])

test.for<Row>([
  [
    'counts every answer that it judged',
    oneScenario('a b'),
    { verdict: ruled({ [ruleId]: { answers: 2 } }) },
  ],
  [
    'that finds nothing to test leaves its rule untested',
    giving('unavailable'),
    leaving('untested', 'for a reason'),
  ],
  [
    'that gets no answer leaves its rule inconclusive',
    giving('trouble'),
    leaving('inconclusive', 'for a reason'),
  ],
  [
    'with an unclear answer is not judged',
    oneScenario('a b', unclear),
    leaving('inconclusive', 'nobody knows'),
  ],
  [
    'with an unclear answer and a breach is a breach',
    { ...oneScenario('a b', unclear), service: { b: [wrong] } },
    { found: broken('3 of 3') },
  ],
  [
    'that fails differently when played again counts its first failure once',
    { ...oneScenario('a'), service: { a: [wrong, answer(400, {})] } },
    { found: expect.arrayContaining(broken('1 of 3')) },
  ],
  [
    'is played again on new connections, which are all closed at the end',
    { ...oneScenario('a b', missing, true), service: { b: [wrong] } },
    {
      found: broken('3 of 3'),
      sent: [0, 1, 1, 2, 2, 3, 3].map((connection) => expect.objectContaining({ connection })),
      verdict: { requests: { confirming: 4 } },
    },
  ],
  [
    'that gets no answer is a breach, and closes its connection',
    { ...oneScenario('a', missing, true), service: { a: ['closed'] } },
    { found: broken('6 of 6', 'no answer: connection-closed') },
  ],
  [
    'that ends early lists its reason after the reason of an earlier case',
    {
      rules: [
        rule(ruleId, () => [
          scenario('slow', 1, async () => {
            await Promise.resolve()
            throw new NoAnswer('trouble', 'slow')
          }),
          scenario('quick', 1, () => Promise.reject(new NoAnswer('trouble', 'quick'))),
        ]),
      ],
      env: { RUN_CONCURRENCY: '8' },
    },
    { left: ['slow; quick'] },
  ],
  [
    'that comes last is played after all other cases of its rule and their confirmations',
    {
      rules: [
        keyless(ruleId, (named) => [
          { ...judging(named, 'l'), last: true },
          example('a', named('a'), missing),
        ]),
      ],
      service: { a: [wrong] },
      env: { RUN_CONCURRENCY: '8' },
    },
    { order: 'plain a a plain a l', found: among('') },
  ],
  [
    'is played if the budget covers its minimum',
    {
      rules: [
        keyless(ruleId, (named) => [
          spending(named, 'a', 1, 2),
          spending(named, 'b', 1, 9),
          spending(named, 'c', 2, 2),
        ]),
      ],
      ...budget(4),
    },
    { order: 'plain a b', left: notFitting('1 of 3 cases') },
  ],
  [
    'returns its unused requests to the budget for confirmations',
    {
      rules: [
        keyless(ruleId, (named) => [spending(named, 'a', 1, 18)]),
        asking('errors/body-shape', 'b', (one) => one.without('x-api-key'), missing),
      ],
      service: { b: [wrong] },
      ...budget(20),
    },
    { order: 'plain a b b plain b', found: among('') },
  ],
])('a scenario %s', plays)

/** Steps of a scene, one after another. */
const inTurn = (named: Named, names: string): Scene =>
  names.split(' ').map((name) => [{ request: named(name), check: missing }])

/** Two rules that judge one scene. */
function sameScene(): Partial<Play> {
  let scene: Scene | null = null
  const judgingIt = (name: string) => (named: Named) => [inScene(name, (scene ??= inTurn(named, 'a b')))]
  return { rules: [keyless(alone, judgingIt('s')), keyless(alsoAlone, judgingIt('t'))] }
}

const isJudged = { status: 'passed', answers: 2 }

test.for<Row>([
  [
    'is sent once and early if a lone scenario sends it',
    {
      rules: [
        noKey('c'),
        keyless(alone, (named) => [example('b', named('b'), missing), judging(named, 'a d')]),
      ],
    },
    { order: 'plain a d c b', verdict: ruled({ [alone]: { status: 'passed', answers: 3 } }) },
  ],
  [
    'is sent once for a lone scenario, even with nothing left in the budget',
    {
      rules: [keyless(alone, (named) => [judging(named, 'a b')])],
      ...budget(3),
    },
    { order: 'plain a b', verdict: ruled({ [alone]: isJudged }) },
  ],
  [
    'is sent once for a scene of two rules, even with nothing left in the budget',
    { ...sameScene(), ...budget(3) },
    { order: 'plain a b', verdict: ruled({ [alone]: isJudged, [alsoAlone]: isJudged }) },
  ],
  [
    'is sent once for a scene of two rules, even if both play at the same time',
    { ...sameScene(), env: { RUN_CONCURRENCY: '8' } },
    { order: 'plain a b', verdict: ruled({ [alone]: isJudged, [alsoAlone]: isJudged }) },
  ],
  [
    'is sent again for a case that must resend it, and that answer is not shared',
    {
      rules: [
        noKey('a'),
        asking('authentication/secret-key-missing', 'a', (one) => one.without('x-api-key'), missing, {
          again: true,
        }),
        asking('versioning/version-missing', 'a', (one) => one.without('x-api-key'), missing),
      ],
      service: { a: [null, wrong, null] },
    },
    { order: 'plain a a a plain a', found: ['authentication/secret-key-missing: a, 1 of 3: another answer'] },
  ],
  [
    'is not sent early by a scenario that sends nothing itself',
    {
      rules: [
        keyless(alone, (named) => [
          scenario('free', 0, async (stage) => [await stage.judgeKnown(named('a'), missing)]),
        ]),
        keyless(alsoAlone, (named) => [judging(named, 'b')]),
      ],
    },
    { order: 'plain b a' },
  ],
  [
    'is sent early only for scenarios that fit into the budget',
    {
      rules: [
        keyless(alone, (named) =>
          ['a b', 'c', 'd e'].map((names) => inScene(names.replace(' ', ''), inTurn(named, names))),
        ),
      ],
      ...budget(5),
    },
    { order: 'plain a b c', left: notFitting('1 of 3 cases') },
  ],
])('a request of several cases %s', plays)
