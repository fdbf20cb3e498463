import { describe, expect } from 'vitest'
import { answersOneOf, holds, succeeds, succeedsWith, type Check, type Judgement } from '../judge/judge.ts'
import { answer, refused, served } from '../judge/testing/exchanges.ts'
import { Secret } from '../redact/secret.ts'
import { clients } from '../serve/reference/clients.ts'
import { success } from '../specification/answers.ts'
import type { RuleId, SpecRuleId } from '../specification/rules.ts'
import { example, inScene, rule, scenario, type Case, type Example, type SuiteRule } from './plan/cases.ts'
import type { TestRequest } from './plan/suite-context.ts'
import { anything, failure, locked, lockedOnce, missing, right, timeout, wrong } from './testing/answers.ts'
import type { Meets } from './testing/in-memory.ts'
import { among, budget, findingOf, it, neither, noting, parallel, ruled, saying } from './testing/played.ts'
import type { Came, Play } from './testing/played.ts'
import { asking, judging, keyless, noKey, ofSecond, ruleId, withoutKey, type Named } from './testing/rules.ts'
import { each, numbered, times } from './testing/scripts.ts'

/** A finding of the rule about a missing key. */
const seen = (reproduced: string, cases = 'a', how = 'another answer', id: RuleId = ruleId) =>
  `${id}: ${cases}, ${reproduced}: ${how}`
const finding = (id: RuleId, cases?: string, how?: string) => seen('3 of 3', cases, how, id)
const finds = (...as: Parameters<typeof seen>): Came => ({ found: [seen(...as)] })

/** One case without a key and its answers in turn, with the answers to plain valid requests after the first. */
const oneCase = (a: readonly Meets[], ...plain: readonly Meets[]): Partial<Play> => ({
  rules: [noKey('a')],
  service: { a, plain: [null, ...plain] },
})

/** A rule with one scenario of one request without a key. */
const scenarioOf = (id: SpecRuleId): SuiteRule => keyless(id, (named) => [judging(named, 's')])
const oneScenario = (s: readonly Meets[], plain: readonly Meets[] = [null]): Partial<Play> => {
  return { rules: [scenarioOf(ruleId)], service: { s, plain } }
}

const lockedForGood = { ended: saying('may have been locked out') }
const timedOut = { trouble: 'timeout 2' }
const thrice = finds('3 of 3')
const blaming = { b: [locked, locked, right], c: [served, right], d: [wrong, right, wrong], e: [locked] }

describe('a breach', () => {
  it('is confirmed by sending its request twice more, with a health check in between', oneCase([wrong]), {
    ...thrice,
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
  it('is confirmed with nothing else in flight', finds('3 of 3', 'a1'), parallel, {
    rules: [noKey(numbered(60))],
    service: { a1: [wrong] },
    turns: expect.stringMatching(/^plain \| a1 a2 .+ \| a1 \| plain \| a1$/),
  })
  it('is confirmed even if the health check fails', oneCase([wrong], failure), thrice)
  it('is confirmed without a health check', oneCase([wrong], timeout, timeout, null), timedOut, thrice)
  it('is confirmed if the health check succeeds only alone', oneCase([wrong], locked, null), thrice, {
    order: 'plain a a plain plain a',
  })
  it('is confirmed again after a lockout, whose answers do not count', {
    ...oneCase([failure, failure, right], ...lockedOnce),
    order: 'plain a a plain plain plain a plain a',
  })
  it('that recurs only in a lockout ends', oneCase([failure, failure, timeout], ...lockedOnce), timedOut)
  it('that recurs each time survives a lockout', oneCase([wrong], ...lockedOnce), thrice, { waits: [15] })
  for (const [most, expected] of Object.entries({ 2: '1 of 1', 3: '2 of 2', 5: '2 of 2', 10: '3 of 3' }))
    it(`is reproduced ${expected} in ${most} requests`, oneCase([wrong]), budget(most), finds(expected))
  it('of a rule that the suites lack is left out', oneCase([failure]), {
    isPartial: true,
    ...finds('3 of 3', 'a', 'error_code is missing'),
  })
  it('counts only answers', oneCase([wrong, wrong, timeout]), timedOut, finds('2 of 2'))
  it('is dropped in a lockout', oneCase([wrong], locked), { ended: saying('been locked out') })
  it('with an undocumented pair is kept even if a lockout lasts', oneCase([refused(400, '9999')], locked), {
    ...lockedForGood,
    found: ['errors/documented-pairs: a, 1 of 1: not a documented pair'],
  })
  it('is not confirmed in a replay, which sends the case as often as requested', oneCase([wrong]), {
    options: { replayed: { rule: ruleId, case: 'a', times: 3 } },
    found: [seen('1 of 1', 'a a a')],
    order: 'plain a a a',
    replayed: { times: 3, wrong: 3, sent: 3, found: [{ rule: ruleId, finding: { reproduced: '3 of 3' } }] },
  })
  it('of a scenario counts plays that show it', oneScenario([wrong, right, wrong]), finds('2 of 3', 's'))
  it('of a scenario counts plays that finish', oneScenario([wrong, wrong, 'closed']), finds('2 of 2', 's'))
  it('of a scenario is dropped in a lockout', oneScenario([wrong, timeout], [null, locked]), lockedForGood)
  it('counts despite a later lockout if the client was served after its confirmation', {
    rules: [noKey(`a b ${numbered(60)}`)],
    service: { a: [wrong], b: [failure, failure, timeout], plain: [...times(3, null), locked] },
    ...lockedForGood,
    ...thrice,
    ...timedOut,
  })
  it('that blames the client survives a temporary lockout only if it recurs each time', {
    rules: [noKey(`b c ${numbered(60)} d e`)],
    service: { ...blaming, plain: [...times(3, null), ...lockedOnce] },
    found: [seen('1 of 3', 'c'), seen('3 of 3', 'e')],
    waits: [15],
  })
})

const typed = (...types: readonly string[]) => {
  return { fields: types.map((type) => ['content-type', type] as const) }
}

type Change = (made: Example, request: TestRequest) => Case

/** Cases without a key, each changed further, that all get the same wrong answer. */
function alike(...all: readonly Change[]): Partial<Play> {
  const changes = all.map((change, at) => ['abcdef'.charAt(at), change] as const)
  const cases = (of: Named) => changes.map(([one, change]) => change(example(one, of(one), missing), of(one)))
  return { rules: [keyless(ruleId, cases)], service: each('a b c d e f', wrong) }
}

const asIs: Change = (made) => made
const dear: Change = ({ name, request, check }) =>
  scenario(name, 200, async (stage) => [await stage.judge(request, check)])
const moreFlaws: Change = (made, request) => ({ ...made, request: request.without('x-version') })
const atEndpointOf: Change = (made, request) => {
  return { ...made, request: request.to(`/${made.name}`, `GET /${made.name}`) }
}
const fiveEndpoints = alike(...Array.from({ length: 5 }, () => atEndpointOf))
const errorBody = (code: string) => ({ error_code: code, error_message: 'a' })
const body = errorBody('1001')
const [unlabelled, labelled] = [answer(400, body, typed()), answer(400, body, typed('a/b'))]
const five = [...'abcde']
const pairs = five.map((name) => finding('errors/documented-pairs', name, 'not a documented pair'))
const each3 = five.map((name) => seen('3 of 3', name))
const contentTypes = (difference: string): readonly string[] =>
  five.map((name, at) => {
    return `conventions/json-content-type: ${name}, ${at < 3 ? '3 of 3' : '1 of 1'}: ${difference}`
  })

it('a finding is confirmed once and lists three further cases', alike(asIs, asIs, asIs, asIs, asIs, asIs), {
  found: [seen('3 of 3', 'a b c d')],
  order: 'plain a a plain a b c d e f',
})
it('a finding is shown by the case with fewer requests', alike(dear, asIs), finds('3 of 3', 'b a'))
it('a finding is shown by the first of equal cases', alike(asIs, asIs), finds('3 of 3', 'a b'))
it('a finding is not shown by a case with more requests', alike(asIs, dear), finds('3 of 3', 'a b'))
it('a finding is shown by the case with fewer flaws', alike(moreFlaws, asIs), finds('3 of 3', 'b a'))
it('a finding is shown by the first case if it occurs only sometimes', alike(dear, asIs), {
  service: { a: [wrong, right, wrong], b: [wrong] },
  found: [seen('2 of 3', 'a b')],
})
it('a finding is separate for a different answer', {
  service: { a: [wrong], b: [locked] },
  found: [seen('3 of 3'), seen('3 of 3', 'b')],
})
it('a finding is reported for each endpoint, and confirmed each time', fiveEndpoints, { found: each3 })
it('a finding of a documented run-wide rule is confirmed each time', fiveEndpoints, {
  service: each('a b c d e', refused(400, '9')),
  found: [...each3, ...pairs],
})
it('a finding of an implied rule is confirmed three times for each kind of difference', fiveEndpoints, {
  service: each('a b c d e', unlabelled),
  found: contentTypes('no content-type'),
  order: 'plain a a plain a b b plain b c c plain c d e',
})
it('a finding of an implied rule is not confirmed again if its difference is the same', fiveEndpoints, {
  service: each('a b c d e', labelled),
  found: contentTypes('another content-type'),
})

const alone = 'authentication/not-cached'
const afterwards = 'authentication/stays-refused'
const ofScenario = `${afterwards}: s, 3 of 3: another answer`

const both = { found: [seen('3 of 3'), ofScenario] }

/** A case, and a scenario that gets the same or different answers. */
const withScenario = (a: readonly Meets[], s = a, id: SpecRuleId = afterwards): Partial<Play> => ({
  rules: [noKey('a'), scenarioOf(id)],
  service: { a, s },
})

/** A scene that shares its request with a case and is answered wrongly once. */
const shared: Partial<Play> = {
  rules: [keyless(alone, (named) => [inScene('s', [[{ request: named('a'), check: missing }]])]), noKey('a')],
  service: { a: [wrong, right] },
}

describe('a scenario', () => {
  for (const id of [alone, afterwards] as const)
    it(`of ${id} leaves its breach to a rule that always saw it`, thrice, {
      ...withScenario([wrong], [wrong], id),
      count: { plain: 2, a: 3, s: 1 },
    })
  it('reports a different breach itself', withScenario([locked], [wrong]), both)
  it('reports a breach that is intermittent elsewhere', withScenario([wrong, right, wrong], [wrong]), {
    found: [seen('2 of 3'), ofScenario],
  })
  it('reports an accepted request itself', withScenario([served]), both)
  it('reports its silence', withScenario(['closed']), { found: among(`${afterwards}: s, 2 of 2: no answer`) })
  it('with a wrong answer provides no answer for a case', shared, 'plain a a a a', {
    found: [`${alone}: s, 1 of 3: another answer`],
  })
  it('with a wrong answer provides the answer for a case if no request is left', shared, budget(3), {
    service: { a: [wrong, right], plain: ['closed', null] },
    found: expect.arrayContaining([seen('1 of 1')]),
    order: 'plain plain a',
    left: [],
  })
})

const optional = 'conventions/accept-optional'
const withoutAccept = (check: Check): Partial<Play> => {
  return { rules: [asking(optional, 'a', (one) => one.without('accept'), check)] }
}
const plainOfSecond = (id: SpecRuleId): Partial<Play> => {
  const service = { second: [wrong], plain: [null, failure] }
  return { fixtures: ['FIXTURE_SECOND'], rules: [ofSecond(id)], service }
}
const fingerprint = '36aaf96ada2b9ff8'
const isWrong = { service: { a: [wrong] } }
const notServed = { service: { a: [wrong], plain: [null, failure] } }
const orMissing = answersOneOf([success, { status: 400, errorCode: '1001' }])
const found = { found: [finding(optional)] }

describe('a missing success', () => {
  it('is a breach if a plain valid request is served', withoutAccept(succeeds()), found, isWrong)
  it('is not a breach if a plain valid request also fails', withoutAccept(succeeds()), notServed, {
    left: [neither],
    follows: [`${optional}: endpoints/list-succeeds 466e08d969737b8e`],
  })
  it('is still a breach if a refusal is also allowed', withoutAccept(orMissing), notServed, found)
  it('is still a breach if undocumented', withoutAccept({ ...orMissing, allowed: [] }), notServed, found)
  it('is not the same as a success with a wrong body', withoutAccept(succeedsWith(() => 'it is empty')), {
    service: { plain: [null, failure] },
    found: [finding(optional, 'a', 'it is empty')],
  })
  it('of a plain valid request is left to the rules about it', plainOfSecond(optional), {
    left: [neither],
    found: [finding('endpoints/list-succeeds', 'second')],
    follows: [`${optional}: endpoints/list-succeeds ${fingerprint}`],
    verdict: findingOf('endpoints/list-succeeds', { fingerprint }),
  })
  it('of a plain valid request breaks the rules about it, whatever is served in between', {
    ...plainOfSecond('versioning/default-version'),
    found: [finding('endpoints/list-succeeds', 'second'), finding('versioning/default-version', 'second')],
  })
})

const { apiKey, secretKey } = clients.permitted

/** Holds if the answer was cut. */
const whole: Judgement = { kind: 'unclear', because: 'all came' }
const beginning: Check = { allowed: [], judge: (one) => (one.response.cutFrom === undefined ? whole : holds) }

const bypass = { brokenIfServed: 'authentication/no-bypass' } as const
const unlessBypassed = asking(ruleId, 'a', withoutKey, missing, bypass)
const mustNotServe = (met: Meets): Partial<Play> => ({ rules: [unlessBypassed], service: { a: [met] } })
const onlyObserved = asking(ruleId, 'a', (one) => withoutKey(one).trait({ observed: true }), anything)
/** A case that is only observed, with this answer. */
const observed = (met: Meets): Partial<Play> => ({ rules: [onlyObserved], service: { a: [met] } })

const twoTypes = typed('application/json', 'application/json')
const page = answer(500, '<html>oops', typed('text/html'))
const coded = (status: number, code: string) => answer(status, errorBody(code), typed('text/x'))
const notDocumented = { found: [finding('errors/documented-pairs', 'a', 'not a documented pair')] }
const twice = '{"error_code":"1001","error_code":"1001","error_message":"a","x":{"b":1,"b":2}}'

const near = new Secret('TARGET_API_KEY with character 7 changed', `${apiKey.slice(0, 7)}#${apiKey.slice(8)}`)
/** A request whose credential comes back as the error code, and what is reported instead. */
const echoing = (change: (one: TestRequest) => TestRequest, status: number, key: string): Partial<Play> => {
  const fields = [...typed('application/json').fields, ['location', `/?key=${key}`] as const]
  const met = answer(status, { error_code: key, error_message: `invalid: ${key}` }, { fields })
  return { rules: [asking(ruleId, 'a', change, missing)], service: { a: [met] } }
}
const echoed = (name: string, status: number): Came => {
  const answered = { status, errorCode: `<${name}>` }
  const response = expect.objectContaining({ body: saying(`invalid: <${name}>`) })
  const told = { answered, summary: saying(`<${name}>`), exchange: expect.objectContaining({ response }) }
  const id = 'errors/documented-pairs'
  return { found: among(`${id}: a, 3 of 3`), verdict: findingOf(id, told) }
}
const documentedAsJson = 'although every body is documented as JSON'
const marked: Partial<Play> & Came = {
  ...oneCase([answer(400, `\uFEFF${JSON.stringify(body)}`)]),
  found: [finding('conventions/json-response', 'a', 'byte order mark')],
}
const refuses = 'may not use the endpoint'
const ofUser = { id: 'mine/long', level: 'documented', section: 'Mine', says: 'it is long' } as const

describe('a request', () => {
  it('answered with a page breaks several rules, which are confirmed together', oneCase([page]), {
    found: [
      finding('conventions/json-response', 'a', 'body is not JSON'),
      finding('conventions/json-content-type', 'a', 'another content-type'),
      finding(ruleId, 'a', 'body is not JSON'),
      finding('errors/body-shape', 'a', 'body is not JSON'),
      ...notDocumented.found,
    ],
    order: 'plain a a plain a',
  })
  for (const status of [404, 501])
    it(`that is only observed may be answered ${status}`, observed(coded(status, '9')))
  it('that is only observed may not be answered 500', observed(coded(500, '9')), notDocumented)
  it('that is only observed may not be answered 503 with a code', observed(coded(503, '1001')), notDocumented)
  it('that is only observed may not be answered with the secret', observed(answer(400, secretKey)), {
    found: [finding('security/no-secret-echo', 'a', 'secret in the body')],
  })
  it('whose answer repeats its key as the code is reported without the key', {
    ...echoing((one) => one.without('x-version'), 400, apiKey),
    ...echoed('TARGET_API_KEY', 400),
  })
  it('whose answer repeats its near miss of the key as the code is reported without that value', {
    ...echoing((one) => one.with('x-api-key', near), 401, near.reveal()),
    ...echoed(near.name, 401),
  })
  it('of another client that does not succeed is reported with another possible explanation', {
    fixtures: ['FIXTURE_SECOND'],
    rules: [ofSecond('versioning/default-version')],
    service: { second: [refused(401, '1013')] },
    found: among('endpoints/list-succeeds: second'),
    verdict: findingOf('endpoints/list-succeeds', {
      summary: `answered 401 / 1013 where success is documented, or the client of FIXTURE_SECOND_API_KEY ${refuses}`,
    }),
  })
  it('answered without JSON during start-up or rate limiting leaves only an observation', {
    service: { plain: [{ ...page, status: 503 }, answer(429, ''), null] },
    trouble: '429 1, 503 1',
    verdict: noting('not-json', {
      '429 without 1020': `an empty body, ${documentedAsJson}`,
      '503 before the first answer': `a body that is not JSON (text/html), ${documentedAsJson}`,
    }),
  })
  it('that is served also breaks authentication/no-bypass', mustNotServe(served), {
    found: [seen('3 of 3'), finding('authentication/no-bypass')],
  })
  it('that gets a wrong refusal breaks only its own rule', mustNotServe(wrong), thrice)
  it('whose answer fails only after a tolerated change is not sent again: the suite is at fault', {
    ...withoutAccept(succeedsWith((all) => (Object.keys(Object(all)).length > 2 ? 'it holds more' : null))),
    found: ['tolerance/added-properties: a, 1 of 1: not tolerated: it holds more'],
    order: 'plain a',
    exitCode: 4,
  })
  for (const [how, id, left] of [
    ['by its beginning', optional, []],
    ['as a whole by rules of users', ofUser, ['all came']],
  ] as const)
    it(`whose answer is long is judged ${how}`, {
      rules: [rule(id, ({ list }) => [example('a', list.request.with('x-case', 'a'), beginning)])],
      service: { a: [answer(200, 'x'.repeat(1_000_000))] },
      left,
      found: among('conventions/json-response: a'),
    })
  it('with equal types breaks no rule', oneCase([answer(400, body, twoTypes)]))
  it('whose answer has duplicate members leaves an observation', oneCase([answer(400, twice)]), {
    verdict: noting('duplicate-members', { b: '400 / 1001', error_code: '400 / 1001' }),
  })
  it('whose answer begins with a byte order mark gets a warning', marked, {
    verdict: findingOf('conventions/json-response', { summary: saying('U+FEFF'), warning: true }),
    exitCode: 0,
  })
  it('whose answer begins with a byte order mark is a breach in a strict run', marked, {
    env: { RUN_STRICT: 'true' },
    exitCode: 1,
  })
  it('adds to the duration of its rule and is reported with the number of requests sent', {
    verdict: ruled({ [ruleId]: { durationMs: 3 } }),
    events: expect.arrayContaining([{ kind: 'request-done', sent: 4 }]),
  })
})
