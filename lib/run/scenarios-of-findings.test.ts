import { describe, expect, test } from 'vitest'
import { TransportError } from '../http/transport-error.ts'
import { type Check, answersOneOf, holds, succeeds, succeedsWith } from '../judge/judge.ts'
import { answer, refused, served } from '../judge/testing/exchanges.ts'
import { Secret } from '../redact/secret.ts'
import { clients } from '../serve/reference/clients.ts'
import { success } from '../specification/answers.ts'
import type { RuleId, SpecRuleId } from '../specification/rules.ts'
import { type Example, type SuiteRule, example, inScene, scenario } from './plan/cases.ts'
import { rule } from './plan/rule.ts'
import type { TestRequest } from './plan/test-request.ts'
import {
  type Came,
  type Meets,
  type Play,
  type Script,
  type Sent,
  among,
  asking,
  each,
  failure,
  it,
  locked,
  missing,
  noKey,
  numbered,
  played,
  ruled,
  saying,
  times,
} from './testing/played.ts'

const wrong = refused(401, '1006')
const right = refused(400, '1001')
const timeout = new TransportError('timeout', 'late')
const ruleId = 'authentication/api-key-missing'

/** A finding of the rule about a missing key. */
function seen(reproduced: string, cases = 'a', difference = 'another answer'): string {
  return `${ruleId}: ${cases}, ${reproduced}: ${difference}`
}

/** One case without a key and its answers in turn, with the answers to plain valid requests after the first. */
function oneCase(met: readonly Meets[], plain: readonly Meets[] = [], env = {}): Partial<Play> {
  return { rules: [noKey('a')], service: { a: met, plain: [null, ...plain] }, env }
}

/** A case of one request without a key, as a scenario. */
function scenarioOf(name: string, id: SpecRuleId): SuiteRule {
  return rule(id, ({ list }) => [
    scenario(name, 1, async (stage) => [
      await stage.judge(list.request.without('x-api-key').with('x-case', name), missing),
    ]),
  ])
}

describe('a breach', () => {
  it('is confirmed by sending its request twice more, with a health check in between', oneCase([wrong]), {
    found: [seen('3 of 3')],
    order: 'plain a a plain a',
    verdict: { requests: { sent: 5, retried: 0, confirming: 3 } },
  })
  it('is confirmed once for all rules that it breaks, and each rule judges the answers itself', {
    ...oneCase([failure, right, refused(400, '9')]),
    found: [
      seen('2 of 3', 'a', 'error_code is missing'),
      'errors/body-shape: a, 1 of 3: error_code is missing',
      'errors/documented-pairs: a, 2 of 3: not a documented pair',
    ],
    order: 'plain a a plain a',
  })
  it('is confirmed even if the health check fails', oneCase([wrong], [failure]), { found: [seen('3 of 3')] })
  it('is confirmed even if the health check gets no answer', oneCase([wrong], [timeout, timeout, null]), {
    found: [seen('3 of 3')],
    trouble: 'timeout 2',
  })
  it('is confirmed if the health check is refused at first but served alone', {
    ...oneCase([wrong], [locked, null]),
    found: [seen('3 of 3')],
    order: 'plain a a plain plain a',
  })
  it('is confirmed again after a lockout, because answers during it do not count', {
    ...oneCase([failure, failure, right], [locked, locked, null]),
    found: [],
    order: 'plain a a plain plain plain a plain a',
  })
  it('that recurs only while the client is locked out does not count', {
    ...oneCase([failure, failure, timeout], [locked, locked, null]),
    found: [],
    trouble: 'timeout 2',
  })
  it('that recurs each time also counts after a lockout', oneCase([wrong], [locked, locked, null]), {
    found: [seen('3 of 3')],
    waits: [15],
  })
  for (const [most, expected] of [
    [2, '1 of 1'],
    [3, '2 of 2'],
    [5, '2 of 2'],
    [10, '3 of 3'],
  ] as const)
    it(`is reproduced ${expected} with a budget of ${most} requests`, {
      ...oneCase([wrong], [], { RUN_MAX_REQUESTS: `${most}` }),
      found: [seen(expected)],
    })
  it('counts only attempts that were answered', oneCase([wrong, wrong, timeout]), {
    found: [seen('2 of 2')],
    trouble: 'timeout 2',
  })
  it('is dropped in a lockout', oneCase([wrong], [locked]), { ended: saying('been locked out'), found: [] })
  it('with an undocumented pair is kept even if a lockout lasts', oneCase([refused(400, '9999')], [locked]), {
    ended: saying('may have been locked out'),
    found: ['errors/documented-pairs: a, 1 of 1: not a documented pair'],
  })
  it('is not confirmed in a replay, which sends the case as often as requested', {
    ...oneCase([wrong]),
    options: { replayed: { rule: ruleId, case: 'a', times: 3 } },
    found: [seen('1 of 1', 'a a a')],
    order: 'plain a a a',
    replayed: { times: 3, wrong: 3, sent: 3, found: [{ rule: ruleId, finding: { reproduced: '3 of 3' } }] },
  })
  it('of a scenario is reproduced as often as its plays show it', {
    rules: [scenarioOf('s', ruleId)],
    service: { s: [wrong, right, wrong] },
    found: [seen('2 of 3', 's')],
  })
  it('of a scenario counts only plays that finish', {
    rules: [scenarioOf('s', ruleId)],
    service: { s: [wrong, wrong, 'closed'] },
    found: [seen('2 of 2', 's')],
  })
  it('of a scenario is dropped if a lockout lasts', {
    rules: [scenarioOf('s', ruleId)],
    service: { s: [wrong, timeout], plain: [null, locked] },
    ended: saying('may have been locked out'),
    found: [],
  })
  it('counts despite a later lockout if the client was served after its confirmation', {
    rules: [noKey(`a b ${numbered(60)}`)],
    service: { a: [wrong], b: [failure, failure, timeout], plain: [...times(3, null), locked] },
    ended: saying('may have been locked out'),
    found: [seen('3 of 3')],
    trouble: 'timeout 2',
  })
  it('that blames the client survives a temporary lockout only if it recurs each time', {
    rules: [noKey(`b c ${numbered(60)} d e`)],
    service: {
      b: [locked, locked, right],
      c: [served, right],
      d: [wrong, right, wrong],
      e: [locked],
      plain: [...times(3, null), locked, locked, null],
    },
    found: [seen('1 of 3', 'c'), seen('3 of 3', 'e')],
    waits: [15],
  })
})

/** Cases without a key, each changed further, that all get the same wrong answer. */
function alike(...all: readonly ((made: Example, request: TestRequest) => Example)[]): Partial<Play> {
  const names = 'abcdef'.slice(0, all.length)
  return {
    rules: [
      rule(ruleId, ({ list }) =>
        [...names].map((name, place) => {
          const request = list.request.without('x-api-key').with('x-case', name)
          const made = example(name, request, missing)
          return all[place]?.(made, request) ?? made
        }),
      ),
    ],
    service: each([...names].join(' '), wrong),
  }
}

const asIs = (made: Example): Example => made
const dear = (made: Example): Example => ({ ...made, requestsAlone: 200 })
const moreFlaws = (made: Example, request: TestRequest): Example => ({
  ...made,
  request: request.without('x-version'),
})
const atEndpointOf = (made: Example, request: TestRequest): Example => ({
  ...made,
  request: request.to(`/${made.name}`, `GET /${made.name}`),
})
const fiveEndpoints = alike(...Array.from({ length: 5 }, () => atEndpointOf))
const unlabelled = answer(400, { error_code: '1001', error_message: 'a' }, { fields: [] })
const labelled = answer(
  400,
  { error_code: '1001', error_message: 'a' },
  { fields: [['content-type', 'a/b']] },
)
const contentTypes = (difference: string): readonly string[] =>
  [...'abcde'].map(
    (name, place) =>
      `conventions/json-content-type: ${name}, ${place < 3 ? '3 of 3' : '1 of 1'}: ${difference}`,
  )

describe('a finding', () => {
  it('is confirmed once and lists three further cases', alike(asIs, asIs, asIs, asIs, asIs, asIs), {
    found: [seen('3 of 3', 'a b c d')],
    order: 'plain a a plain a b c d e f',
  })
  it('is shown by the case with fewer requests', alike(dear, asIs), { found: [seen('3 of 3', 'b a')] })
  it('is shown by the first of equal cases', alike(asIs, asIs), { found: [seen('3 of 3', 'a b')] })
  it('is not shown by a case with more requests', alike(asIs, dear), { found: [seen('3 of 3', 'a b')] })
  it('is shown by the case with fewer flaws', alike(moreFlaws, asIs), { found: [seen('3 of 3', 'b a')] })
  it('is shown by the first case if it occurs only sometimes', {
    ...alike(dear, asIs),
    service: { a: [wrong, right, wrong], b: [wrong] },
    found: [seen('2 of 3', 'a b')],
  })
  it('is separate for a different answer', {
    service: { a: [wrong], b: [locked] },
    found: [seen('3 of 3'), seen('3 of 3', 'b')],
  })
  it('is reported for each endpoint, and confirmed each time', fiveEndpoints, {
    found: [...'abcde'].map((name) => seen('3 of 3', name)),
  })
  it('of a documented run-wide rule is confirmed each time', {
    ...fiveEndpoints,
    service: each('a b c d e', refused(400, '9')),
    found: [
      ...[...'abcde'].map((name) => seen('3 of 3', name)),
      ...[...'abcde'].map((name) => `errors/documented-pairs: ${name}, 3 of 3: not a documented pair`),
    ],
  })
  it('of an implied rule is confirmed three times for each kind of difference', {
    ...fiveEndpoints,
    service: each('a b c d e', unlabelled),
    found: contentTypes('no content-type'),
    order: 'plain a a plain a b b plain b c c plain c d e',
  })
  it('of an implied rule is not confirmed again if its difference is the same', {
    ...fiveEndpoints,
    service: each('a b c d e', labelled),
    found: contentTypes('another content-type'),
  })
})

const alone = 'authentication/not-cached'
const afterwards = 'authentication/stays-refused'

/** A case, and a scenario that gets the same answers or other ones. */
function withScenario(
  a: readonly Meets[],
  s: readonly Meets[] = a,
  id: SpecRuleId = afterwards,
): Partial<Play> {
  return { rules: [noKey('a'), scenarioOf('s', id)], service: { a, s } }
}

describe('a scenario', () => {
  for (const id of [alone, afterwards] as const)
    it(`of ${id} leaves its breach to a rule that saw it every time`, withScenario([wrong], [wrong], id), {
      found: [seen('3 of 3')],
      count: { plain: 2, a: 3, s: 1 },
    })
  it('reports a different breach itself', withScenario([locked], [wrong]), {
    found: [seen('3 of 3'), `${afterwards}: s, 3 of 3: another answer`],
  })
  it('reports a breach itself if it is intermittent in other rules', {
    ...withScenario([wrong, right, wrong], [wrong]),
    found: [seen('2 of 3'), `${afterwards}: s, 3 of 3: another answer`],
  })
  it('reports an accepted request itself', withScenario([served]), {
    found: [seen('3 of 3'), `${afterwards}: s, 3 of 3: another answer`],
  })
  it('reports its silence', withScenario(['closed']), { found: among(`${afterwards}: s, 2 of 2: no answer`) })
  it('with a wrong answer provides no answer for a case', shared(), {
    found: [`${alone}: s, 1 of 3: another answer`],
    order: 'plain a a a a',
  })
  it('with a wrong answer provides the answer for a case if no request is left', {
    ...shared('closed'),
    env: { RUN_MAX_REQUESTS: '3' },
    found: expect.arrayContaining([seen('1 of 1')]),
    order: 'plain plain a',
    left: [],
  })
})

/** A scene that shares its request with a case and is answered wrongly once. */
function shared(first: Meets = null): Partial<Play> {
  const scene = rule(alone, ({ list }) => [
    inScene('s', [[{ request: list.request.without('x-api-key').with('x-case', 'a'), check: missing }]]),
  ])
  return { rules: [scene, noKey('a')], service: { a: [wrong, right], plain: [first, null] } }
}

const optional = 'conventions/accept-optional'
function withoutAccept(check: Check, more: Partial<Example> = {}): SuiteRule {
  return asking(optional, 'a', (one) => one.without('accept'), check, more)
}
const plainOfSecond = (id: SpecRuleId): Partial<Play> => ({
  fixtures: ['FIXTURE_SECOND'],
  rules: [rule(id, ({ list }) => list.of('second').map((request) => example('second', request, succeeds())))],
  service: { second: [wrong], plain: [null, failure] },
})
const ofList = { rule: 'endpoints/list-succeeds', fingerprint: '36aaf96ada2b9ff8' }
const neither = 'a plain valid request did not succeed either (see endpoints/list-succeeds)'
const notServed = { a: [wrong], plain: [null, failure] }
const orMissing = answersOneOf([success, { status: 400, errorCode: '1001' }])

describe('a missing success', () => {
  it('is a breach if a plain valid request in between is served', {
    rules: [withoutAccept(succeeds())],
    service: { a: [wrong] },
    found: [`${optional}: a, 3 of 3: another answer`],
  })
  it('is no breach if the plain valid request is not served either', {
    rules: [withoutAccept(succeeds())],
    service: notServed,
    left: [neither],
    verdict: ruled({ [optional]: { follows: [{ ...ofList, fingerprint: '466e08d969737b8e' }] } }),
  })
  it('is still a breach if a refusal is also allowed', {
    rules: [withoutAccept(orMissing)],
    service: notServed,
    found: [`${optional}: a, 3 of 3: another answer`],
  })
  it('is still a breach if nothing is documented', {
    rules: [withoutAccept({ ...orMissing, allowed: [] })],
    service: notServed,
    found: [`${optional}: a, 3 of 3: another answer`],
  })
  it('is not the same as a success with a wrong body', {
    rules: [withoutAccept(succeedsWith(() => 'it is empty'))],
    service: { plain: [null, failure] },
    found: [`${optional}: a, 3 of 3: it is empty`],
  })
  it('of a plain valid request is left to the rules about it', plainOfSecond(optional), {
    left: [neither],
    found: ['endpoints/list-succeeds: second, 3 of 3: another answer'],
    verdict: ruled({
      [optional]: { follows: [ofList] },
      'endpoints/list-succeeds': {
        findings: [expect.objectContaining({ fingerprint: ofList.fingerprint })],
      },
    }),
  })
  it('of a plain valid request breaks the rules about it, whatever is served in between', {
    ...plainOfSecond('versioning/default-version'),
    found: [
      'endpoints/list-succeeds: second, 3 of 3: another answer',
      'versioning/default-version: second, 3 of 3: another answer',
    ],
  })
})

test.for<readonly [what: string, service: Script, isMeant: (sent: Sent) => boolean]>([
  ['confirmations of a breach go', { a1: [wrong] }, ({ name, nth }) => name === 'a1' && nth > 0],
  [
    'lockout checks go',
    { plain: [null, locked, locked, null] },
    ({ name, connection }) => name === 'plain' && connection > 0,
  ],
])('%s out with nothing else in flight', async ([, service, isMeant]) => {
  const { sent } = await played({ rules: [noKey(numbered(60))], service, env: { RUN_CONCURRENCY: '8' } })
  const together = ({ at }: Sent): number => sent.filter((one) => one.at === at).length

  expect(sent.filter(isMeant).map(together)).toEqual([1, 1])
  expect(Math.max(...sent.map(together))).toBe(8)
})

const { apiKey, secretKey } = clients.permitted

/** A verdict with this observation. */
const noting = (id: string, value: object): Came['verdict'] => ({
  observations: expect.arrayContaining([{ id, value }]),
})
const missingBody = { error_code: '1001', error_message: 'a' }
const twoTypes = ['application/json', 'application/json'].map((type) => ['content-type', type] as const)
/** Holds if the answer was cut. */
const beginning: Check = {
  allowed: [],
  judge: ({ response }) =>
    response.cutFrom === undefined ? { kind: 'unclear', because: 'all came' } : holds,
}

const mustNotServe = (met: Meets): Partial<Play> => ({
  rules: [
    asking(ruleId, 'a', (one) => one.without('x-api-key'), missing, {
      brokenIfServed: 'authentication/no-bypass',
    }),
  ],
  service: { a: [met] },
})

const page = answer(500, '<html>oops', { fields: [['content-type', 'text/html']] })
const coded = (status: number, code: string): Meets =>
  answer(status, { error_code: code, error_message: 'a' }, { fields: [['content-type', 'text/x']] })
/** A case that is only observed, with this answer. */
const observed = (met: Meets): Partial<Play> => ({
  rules: [
    asking(ruleId, 'a', (one) => one.without('x-api-key').trait({ observed: true }), {
      allowed: [],
      judge: () => holds,
    }),
  ],
  service: { a: [met] },
})
const notDocumented = { found: ['errors/documented-pairs: a, 3 of 3: not a documented pair'] }

const near = new Secret('TARGET_API_KEY with character 7 changed', `${apiKey.slice(0, 7)}#${apiKey.slice(8)}`)
/** A request whose credential comes back as the error code. */
const echoing = (change: (request: TestRequest) => TestRequest, status: number): Partial<Play> => ({
  rules: [asking(ruleId, 'a', change, missing)],
  service: ({ name, apiKey: key = '' }) =>
    name === 'a'
      ? answer(
          status,
          { error_code: key, error_message: `invalid: ${key}` },
          {
            fields: [
              ['content-type', 'application/json'],
              ['location', `/?key=${key}`],
            ],
          },
        )
      : null,
})
/** A verdict with a finding like this. */
const findingOf = (id: RuleId, like: object): Came['verdict'] =>
  ruled({ [id]: { findings: [expect.objectContaining(like)] } })
const echoed = (name: string, status: number): Came => ({
  found: among('errors/documented-pairs: a, 3 of 3'),
  verdict: findingOf('errors/documented-pairs', {
    answered: { status, errorCode: `<${name}>` },
    summary: saying(`<${name}>`),
    exchange: expect.objectContaining({
      response: expect.objectContaining({ body: saying(`invalid: <${name}>`) }),
    }),
  }),
})
const notJson = (what: string): string =>
  `a body that is not JSON (${what}), although every body is documented as JSON`

describe('a request', () => {
  it('answered with a page breaks several rules, which are confirmed together', {
    rules: [noKey('a')],
    service: { a: [page] },
    found: [
      'conventions/json-response: a, 3 of 3: body is not JSON',
      'conventions/json-content-type: a, 3 of 3: another content-type',
      seen('3 of 3', 'a', 'body is not JSON'),
      'errors/body-shape: a, 3 of 3: body is not JSON',
      'errors/documented-pairs: a, 3 of 3: not a documented pair',
    ],
    order: 'plain a a plain a',
  })
  for (const status of [404, 501])
    it(`that is only observed may be answered ${status}`, observed(coded(status, '9')))
  it('that is only observed may not be answered 500', observed(coded(500, '9')), notDocumented)
  it('that is only observed may not be answered 503 with a code', observed(coded(503, '1001')), notDocumented)
  it('that is only observed may not be answered with the secret', observed(answer(400, secretKey)), {
    found: ['security/no-secret-echo: a, 3 of 3: secret in the body'],
  })
  it('whose answer repeats its key as the code is reported without the key', {
    ...echoing((one) => one.without('x-version'), 400),
    ...echoed('TARGET_API_KEY', 400),
  })
  it('whose answer repeats its near miss of the key as the code is reported without that value', {
    ...echoing((one) => one.with('x-api-key', near), 401),
    ...echoed(near.name, 401),
  })
  it('of another client that does not succeed is reported with another possible explanation', {
    fixtures: ['FIXTURE_SECOND'],
    rules: [
      rule('versioning/default-version', ({ list }) =>
        list.of('second').map((one) => example('second', one, succeeds())),
      ),
    ],
    service: { second: [refused(401, '1013')] },
    found: among('endpoints/list-succeeds: second'),
    verdict: findingOf('endpoints/list-succeeds', {
      summary:
        'answered 401 / 1013 where success is documented, or the client of FIXTURE_SECOND_API_KEY may not use the endpoint',
    }),
  })
  it('answered without JSON during start-up or rate limiting leaves only an observation', {
    service: {
      plain: [
        { ...page, status: 503 },
        answer(429, 'slow', { fields: [['content-type', 'text/plain']] }),
        null,
      ],
    },
    trouble: expect.anything(),
    verdict: noting('not-json', {
      '429 without 1020': notJson('text/plain'),
      '503 before the first answer': notJson('text/html'),
    }),
  })
  it('that is served also breaks authentication/no-bypass', mustNotServe(served), {
    found: [seen('3 of 3'), 'authentication/no-bypass: a, 3 of 3: another answer'],
  })
  it('that is refused otherwise breaks only its own rule', mustNotServe(wrong), { found: [seen('3 of 3')] })
  it('whose answer fails only after a tolerated change is not sent again: the suite is at fault', {
    rules: [
      asking(
        optional,
        'a',
        (one) => one.without('accept'),
        succeedsWith((body) => (Object.keys(Object(body)).length > 2 ? 'it holds more' : null)),
      ),
    ],
    found: ['tolerance/added-properties: a, 1 of 1: not tolerated: it holds more'],
    order: 'plain a',
    exitCode: 4,
  })
  for (const [id, left] of [
    [optional, []],
    ['mine/long', ['all came']],
  ] as const)
    it(
      `whose answer is long is judged ${id === optional ? 'by its beginning' : 'as a whole by rules of users'}`,
      {
        rules: [
          rule(
            id === optional ? id : { id, level: 'documented', section: 'Mine', says: 'it is long' },
            ({ list }) => [example('a', list.request.with('x-case', 'a'), beginning)],
          ),
        ],
        service: { a: [answer(200, 'x'.repeat(1_000_000))] },
        left,
        found: among('conventions/json-response: a'),
      },
    )
  it('with equal types breaks no rule', { service: { a: [answer(400, missingBody, { fields: twoTypes })] } })
  it('whose answer has duplicate members leaves an observation and breaks no rule', {
    service: {
      a: [answer(400, '{"error_code":"1001","error_code":"1001","error_message":"a","x":{"b":1,"b":2}}')],
    },
    verdict: noting('duplicate-members', { b: '400 / 1001', error_code: '400 / 1001' }),
  })
  for (const warning of [true, undefined])
    it(
      `whose answer begins with a byte order mark ${warning === true ? 'gets a warning' : 'is a breach in a strict run'}`,
      {
        service: { a: [answer(400, `\uFEFF${JSON.stringify(missingBody)}`)] },
        env: { RUN_STRICT: String(warning !== true) },
        found: ['conventions/json-response: a, 3 of 3: byte order mark'],
        verdict: findingOf('conventions/json-response', {
          summary: saying('U+FEFF'),
          ...(warning && { warning }),
        }),
        exitCode: warning === true ? 0 : 1,
      },
    )
  it('adds to the duration of its rule and is reported with the number of requests sent', {
    verdict: { rules: expect.arrayContaining([expect.objectContaining({ id: ruleId, durationMs: 3 })]) },
    events: expect.arrayContaining([
      expect.objectContaining({ kind: 'answered' }),
      { kind: 'request-done', sent: 4 },
    ]),
  })
})
