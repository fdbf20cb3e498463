import fc from 'fast-check'
import { expect, it } from 'vitest'
import { growth, linear } from '../../../tests/support/processor-time.ts'
import { emptyBaseline } from '../../drift/baseline.ts'
import { changeText, toleratedChanges } from '../../drift/tolerated.ts'
import { wholeValue, truncateBody, type Exchange, type Response } from '../../http/exchange.ts'
import { answeredBy } from '../../judge/answered.ts'
import { factsOf } from '../../judge/facts.ts'
import { answers, answersOneOf, holds, succeeds, violates, type Judgement } from '../../judge/judge.ts'
import type { Situations } from '../../judge/power.ts'
import { runWideChecks } from '../../judge/run-wide.ts'
import { answer, credentials, exchange, refused, requestWith, served } from '../../judge/testing/exchanges.ts'
import { documentedPairs, success } from '../../specification/answers.ts'
import { listPath } from '../../specification/endpoints.ts'
import { flawless, type Facts } from '../../specification/flaws.ts'
import { underLimits } from '../../specification/within.testing.ts'
import { MachineTooBusy } from '../../specification/within.ts'
import { forAll } from '../../text/properties.testing.ts'
import { countBlamed } from '../../verdict/power.ts'
import { findingWith, ruleWith } from '../../verdict/verdict.testing.ts'
import type { TestRequest } from '../plan/suite-context.ts'
import { contextOf, listEndpoint, requestOf } from '../testing/contexts.ts'
import { intolerancesOf, openObservations, openPower, successChecks, watchBaseline } from './answers.ts'
import type { PowerRecord } from './answers.ts'
import { openRecord, sentOftenEnough } from './record.ts'

const item = (more: object = {}): object => ({ id: 'a', palette: { primary: 'x', secondary: 'y' }, ...more })
const listOf = (...items: readonly object[]): Response => answer(200, { customizations: items })

const secretOfSecond = 'secret-of-second'
const secondClient = { FIXTURE_SECOND_API_KEY: 'key-of-second', FIXTURE_SECOND_SECRET_KEY: secretOfSecond }
const firstCase = { rule: 'endpoints/list-succeeds', case: 'first' } as const
const shown = { request: { method: 'GET', url: '', headers: [] }, response: null, durationMs: 1 }
type Change = (plain: TestRequest) => TestRequest

/** A watch that learned from these answers to the plain request, or to a change of it. */
async function learned(responses: readonly Response[], change: Change = (plain) => plain) {
  const { list, model: known } = await contextOf(secondClient)
  const changed = change(list.request)
  const watch = watchBaseline(emptyBaseline, () => shown)
  for (const response of responses) {
    const observed = { request: changed, exchange: exchange(response, changed.request), context: firstCase }
    watch.note(observed, factsOf(changed.request, known))
  }
  return watch
}

const five = [listOf(item(), item(), item(), item(), item())]
const refusal = (code: string): readonly Response[] => [answer(400, { error_code: code, error_message: '' })]
const withoutKey: Change = (plain) => plain.without('x-api-key')

type Learned = Parameters<typeof learned>
const kindOf = (kind: string, severity = 'breaking') => ({ kind, severity })
const sometimesMissing = kindOf('sometimes-missing', 'warning')

it.each<[string, Learned, Learned, readonly object[]]>([
  ['a removed property', [five], [[listOf({ id: 'a', palette: { primary: 'x' } })]], [kindOf('removed')]],
  ['a property that is sometimes missing', [five], [[listOf(item(), { id: 'b' })]], [sometimesMissing]],
  ['another code', [refusal('1001'), withoutKey], [refusal('1002'), withoutKey], [kindOf('code-changed')]],
  ['nothing for requests with different flaws', [five], [refusal('1001'), withoutKey], []],
])('a comparison reports %s, with an exchange', async (_, before, after, drifts) => {
  const found = (await learned(...after)).compare((await learned(...before)).seen())

  expect(found).toMatchObject(drifts.map((drift) => ({ drift, shown, context: firstCase })))
})

it.each<[string, readonly string[], Change]>([
  ['one certain flaw', ['apiKey absent'], withoutKey],
  ["nobody's secret", ['secretKey nobodys'], (plain) => plain.with('x-secret-key', 'nobodys-secret')],
  // Several codes are documented, so the answer may change legitimately.
  ['a blank key', [], (plain) => plain.with('x-api-key', ' ')],
  ["another's secret", [], (plain) => plain.with('x-secret-key', secretOfSecond)],
  ['a malformed version', [], (plain) => plain.with('x-version', 'abc')],
  ['several flaws', [], (plain) => plain.without('x-api-key', 'x-version')],
  ['an uncertain flaw', [], (plain) => plain.with('x-version', '01')],
  ['a client with a quota', [], (plain) => plain.trait({ client: 'disposable' })],
  ['a request for a quota', [], (plain) => plain.trait({ asksForQuota: true })],
  ['a request that the transport may refuse', [], (plain) => plain.trait({ transportMayRefuse: true })],
])('the answer to %s is learned as %o', async (_, stimuli, change) => {
  const watch = await learned(refusal('1001'), change)

  const names = stimuli.map((flaw) => `GET /api/customizations/list | ${flaw}`)
  expect(Object.keys(watch.seen().stimuli)).toEqual(names)
})

it.each([
  ['its answer occurs only sometimes elsewhere', 500, 'line --times 20'],
  ['its answer occurs each time', 401, 'line'],
])('a replay line sends its case as often as needed if %s', (_, status, expected) => {
  const failed = { answered: { status: 500, errorCode: null }, reproduced: '2 of 3' }
  const steady = { answered: { status, errorCode: null }, reproduced: '3 of 3', replay: 'line' }
  const results = [failed, steady].map((one) => ruleWith('fuzz/path', { findings: [findingWith(one)] }))

  expect(sentOftenEnough(results)[1]?.findings[0]?.replay).toBe(expected)
})

const valuesOf = (change: (observations: ReturnType<typeof openObservations>) => void) => {
  const observations = openObservations()
  change(observations)
  return observations.all().filter(({ id }) => id !== 'flaw-order')
}

it('observations keep the last value for each id, in the order of ids', () => {
  const all = valuesOf((to) => {
    to.observe('order', ['1001'])
    for (const value of ['accepted', '401 / 1006']) to.observe('letter-case', value)
  })

  const texts = all.map(({ id, value }) => `${id}: ${String(value)}`)
  expect(texts).toEqual(['letter-case: 401 / 1006', 'order: 1001'])
})

it('observations hold at most five outcomes per subject and a hundred subjects', () => {
  const all = valuesOf((to) => {
    for (let outcome = 9; outcome > 0; outcome -= 1) to.note('seen', 'one', `${outcome}`)
    for (let subject = 0; subject < 200; subject += 1) to.note('seen', `${subject}`, 'same')
  })

  expect(all).toMatchObject([{ id: 'seen', value: { one: '5; 6; 7; 8; 9' } }])
  expect(Object.keys(Object(all[0]?.value))).toHaveLength(100)
})

const hundred = Array.from({ length: 100 }, (_, index) => index + 1)
const shares = (...[p50, p95, p99, max]: readonly number[]) => ({ p50, p95, p99, max })

it.each([
  [[], null],
  [hundred.toReversed(), shares(50, 95, 99, 100)],
  [[10, 9], shares(9, 10, 10, 10)],
  [[1.26, 1.24], shares(1.2, 1.3, 1.3, 1.3)],
])('observations of latencies %o are percentiles', (values, expected) => {
  const observations = openObservations()
  for (const value of values) observations.took('errors/body-shape', value)

  expect(observations.latencyMs()).toEqual(expected)
})

const [noKey, noSecret] = [{ apiKey: 'absent' }, { secretKey: 'absent' }]
const absent = { '1001': noKey, '1002': noSecret, '1003': { version: 'absent' } }
const flaws = new Map<string, object>(Object.entries({ ...absent, '1013': { permission: 'denied' } }))
const withFlaws = (...some: readonly string[]) =>
  some.reduce<Facts>((facts, code) => ({ ...facts, ...flaws.get(code) }), flawless)
/** A request with both flaws, of which the first is reported. */
const noted = (first: string, second: string): readonly [Facts, string] => [withFlaws(first, second), first]
const reversed = noted('1002', '1001')
const bothAbsent = withFlaws('1001', '1002')

// The expected codes, in order.
it.each<[string, readonly (readonly [Facts, string | null])[], readonly string[]]>([
  ['follows from chains of pairs', [noted('1013', '1003'), noted('1003', '1001')], ['1013', '1003', '1001']],
  ['follows the majority', [...Array(3).fill(reversed), noted('1001', '1002')], ['1002', '1001']],
  ['is not learned from one flaw', [[withFlaws('1001'), '1001']], []],
  ['is not learned from an uncertain flaw', [[{ ...bothAbsent, version: 'odd' }, '1001']], []],
  ['is not learned from a success', [[bothAbsent, null]], []],
  ['is not learned from the code of another flaw', [[bothAbsent, '1013']], []],
])('the order of flaws %s', (_, all, codesInOrder) => {
  const observations = openObservations()
  for (const [facts, code] of all)
    observations.met(exchange(code === null ? served : refused(400, code)), facts)

  expect(observations.all()).toEqual([{ id: 'flaw-order', value: codesInOrder }])
})

const clients = [{ name: 'target' as const, credentials }]
const model = { clients, endpoints: [listEndpoint], unsupportedVersion: '9' }
const another = (): Exchange => exchange(answer(200, {}))
const further = { cases: '--fuzz-cases', rows: '--seed' }
const situationsOf = (record: PowerRecord, kind: Situations['kind']): Situations =>
  record.power(further).situations.find((one) => one.kind === kind) ?? expect.fail(kind)

/** A request that was answered. */
type Reached = Partial<Exchange> & { facts: Partial<Facts>; traits?: Parameters<TestRequest['trait']>[0] }
const noVersion = { version: 'absent' } as const
const noKeyEither = { ...noVersion, apiKey: 'absent' } as const
const conditions = ['accept-language: de', 'connection: close']
const german = { conditions: ['accept-language: de', 'accept left out'] }
const close = { conditions: ['connection: close'] }
const wrongKey = { apiKey: 'invalid' } as const
const flawed = [{}, noVersion, noKeyEither, { ...noKeyEither, secretKey: 'absent' }] as const
const someFlaws: readonly Reached[] = flawed.map((facts) => ({ facts }))
const inTurn: readonly Reached[] = [
  { facts: wrongKey, reused: false, followsSuccess: true },
  { facts: wrongKey, reused: true, amidOthers: true },
  { facts: {}, reused: true, followsSuccess: true },
]
const underConditions: readonly Reached[] = [
  { facts: noVersion, traits: german },
  { facts: {}, traits: german },
  { facts: noVersion, traits: { ...close, excused: true } },
  { facts: noKeyEither, traits: close },
]

it.each<[string, Situations['kind'], readonly Reached[], object]>([
  ['each flaw alone', 'flaw', someFlaws, { 'no x-version': 1 }],
  ['each pair of flaws', 'pair', someFlaws, { 'no x-api-key + no x-version': 1 }],
  ['conditions if at most one flaw is sent', 'condition', underConditions, { 'accept-language: de': 2 }],
  ['connections', 'connection', inTurn, { 'a new connection': 1, 'a connection used before': 2 }],
  ['preceding requests', 'order', inTurn, { 'a flawed request right after a success': 1 }],
  ['requests in flight', 'load', inTurn, { 'several requests at once': 1 }],
])('the power of a run counts %s', (_, kind, all, reached) => {
  const record = openPower(model)
  record.planned({ conditions })
  record.planned({ conditions })
  for (const { facts, traits = {}, ...more } of all)
    record.met(requestOf(traits), { ...another(), ...more }, { ...flawless, ...facts })

  const found = situationsOf(record, kind)
  expect(found.reached).toEqual(reached)
  expect(Object.keys(found.missing).filter((name) => name in reached)).toEqual([])
})

it('the power of a run counts judged answers, not observed ones', async () => {
  const given = await contextOf()
  const { list } = given
  const record = await openRecord(given)
  for (const observed of [false, true, false])
    record.judge({ request: list.request.trait({ observed }), exchange: another(), context: firstCase })

  expect(record.power.power(further).answers).toBe(2)
})

it('the power of a run counts an exchange once, however many rules judge it and findings blame it', () => {
  const record = openPower(model)
  const [first, second, third] = [another(), another(), another()]
  for (const one of [first, second, first, truncateBody(second)]) record.answered(one)
  for (const finding of ['a', 'b', 'a']) record.blame(finding, first, first.request)
  record.blame('b', truncateBody(second), second.request)
  // An observed exchange that showed a breach.
  record.blame('d', third, third.request)
  for (const finding of ['c', 'b']) record.blame(finding, null, first.request)
  // The counts that remain if findings were dropped or belong to rules that were not selected.
  const countOf = (findings: string) => Object.values(countBlamed(record.blamed, new Set(findings))).join()

  expect(record.power(further).answers).toBe(3)
  expect(record.power(further).excludes).toBeCloseTo(1 - 0.05 ** (1 / 3))
  const counts = ['abc', 'a', 'b', 'c', 'd', ''].map(countOf)
  expect(counts).toEqual(['2,1', '1,0', '2,1', '0,1', '1,0', '0,0'])
})

it('the power of a run names the setting that would reach a missing situation', () => {
  const record = openPower(model)
  expect(record.power(further)).toMatchObject({ answers: 0, excludes: null })
  expect(situationsOf(record, 'condition')).toMatchObject({ reached: {}, missing: {} })
  record.planned({ conditions })
  const ofConditions = Object.fromEntries(conditions.map((one) => [one, '--seed']))
  expect(situationsOf(record, 'condition').missing).toEqual(ofConditions)
  const ofFlaws = { inactive: 'FIXTURE_INACTIVE_API_KEY', 'invalid input': 'FIXTURE_INVALID_QUERY' }
  expect(situationsOf(record, 'flaw').missing).toMatchObject({ ...ofFlaws, 'no x-api-key': '--fuzz-cases' })
  const ofClients = { 'client target': '--fuzz-cases', 'client noCustomer': 'FIXTURE_NO_CUSTOMER_API_KEY' }
  expect(situationsOf(record, 'client').missing).toMatchObject(ofClients)
  const given = openPower({ ...model, endpoints: [{ ...listEndpoint, invalidQuery: 'limit=abc' }] })
  expect(situationsOf(given, 'flaw').missing['invalid input']).toBe('--fuzz-cases')
  expect(situationsOf(given, 'pair').missing['near miss of a path + quota used up']).toBe('no setting')
})

const cards = { type: 'array', items: { type: 'object', required: ['id'] } }
const describedBy = { file: 'e.json', number: 3, template: '/api/x', pathParameters: {} }
const stopped = (): never => {
  throw new MachineTooBusy(50_000)
}
const busy = Object.defineProperty({}, 'properties', { get: stopped, enumerable: true })
const shapes = {
  none: null,
  cards: { type: 'object', required: ['cards'], properties: { cards } },
  unique: { properties: { list: { uniqueItems: true } } },
  nested: { properties: { next: { $ref: '#' } } },
  busy,
}
const described = { ...describedBy, query: null, body: null }
const endpointOf = (label: string, shape: object | null) => ({
  ...listEndpoint,
  label,
  success: shape,
  described,
})
const endpoints = Object.entries(shapes).map(([label, shape]) => endpointOf(label, shape))
const checks = await successChecks(endpoints)

const longList = Array.from({ length: 60_000 }, (_, a) => ({ a }))
const deepAnswer = answer(200, `${'{"next":'.repeat(100_000)}{}${'}'.repeat(100_000)}`)
const unchecked = 'could not be checked against its schema in e.json (entry 3)'
const held = { kind: 'holds' }
const unclear = (why: string) => {
  return { kind: 'unclear', because: expect.stringContaining(`${unchecked}: ${why}`) }
}
const allowed = [{ status: '2xx', errorCode: null }]
const breachAt = (place: string) => {
  const why = `(entry 3: ${place} must have required property 'id')`
  const summary = `cards answered 200, but not as e.json requires ${why}`
  const told = { summary, difference: 'not the success of the endpoints file: required' }
  return { kind: 'violates', breach: { allowed, answered: { status: 200, errorCode: null }, ...told } }
}
const noSuccess = { kind: 'violates', breach: { allowed, summary: expect.not.stringContaining('e.json') } }
const noSuccesses = [refused(401, '1006'), refused(200, '1006'), answer(200, '<html>'), answer(204, '')]
const fitting = [answer(200, { cards: [] }), answer(200, { more: 1, cards: [{ id: 'a', colour: 'red' }] })]

it.each<[string, string, readonly Response[], object]>([
  ['with any JSON is a success if no shape is given', 'none', [served, answer(200, [])], held],
  ['with an error is never a success', 'none', [refused(401, '1006')], { kind: 'violates' }],
  ['from an unknown endpoint is a success', 'unknown', [served], held],
  ['that fits the shape or has more is a success', 'cards', fitting, held],
  ['is unclear if it is deep', 'nested', [deepAnswer], unclear('it is too large or too deep')],
  ['is unclear under high load', 'busy', [served], unclear('this machine was too busy to do this within 50')],
  ['is a breach at its first item', 'cards', [answer(200, { cards: [{}] })], breachAt('/cards/0')],
  ['is a breach at a later item', 'cards', [answer(200, { cards: [{ id: 'a' }, {}] })], breachAt('/cards/1')],
  ['that is an error, a page or empty is no success, whatever the shape', 'cards', noSuccesses, noSuccess],
])('an answer %s', (_, label, responses, judgement) => {
  for (const response of responses) expect(checks(label).judge(exchange(response))).toMatchObject(judgement)
})

it('a success that takes too long to check is unclear, and is not checked again', () => {
  const { judge } = checks('unique')
  const late = { kind: 'unclear', because: `an answer of unique ${unchecked}: it takes longer than 0.1 s` }
  const judged = (list: readonly unknown[]): unknown => judge(exchange(answer(200, { list })))

  expect(judged([])).toEqual(held)
  // On a machine that is too busy to tell, it is judged again.
  let first = underLimits({ value: 100 }, () => judged(longList))
  while (/too busy/.test(JSON.stringify(first))) first = underLimits({ value: 100 }, () => judged(longList))
  expect(first).toEqual(late)
  expect(judged([])).toEqual(late)
  expect(judge(exchange(refused(401, '1006'))).kind).toBe('violates')
})

const json = fc.jsonValue({ maxDepth: 4 })
const otherName = fc.string().filter((name) => name !== 'error_code' && name !== 'error_message')
const beside = fc.dictionary(otherName, json)
const pair = fc.constantFrom(...documentedPairs)
const errorBody = fc.tuple(pair, fc.string(), beside).map(([{ status, errorCode }, text, more]) => {
  return { status, body: { ...more, error_code: errorCode, error_message: text } }
})
const statuses = fc.constantFrom(200, 201, 299, 400, 404, 500)
/** Any answer: successes, documented errors, and neither. */
const anyAnswer = fc.oneof(
  fc.tuple(statuses, json).map(([status, body]) => answer(status, JSON.stringify(body))),
  errorBody.map(({ status, body }) => answer(status, body)),
  errorBody.map(({ body }) => answer(200, body)),
)
const allowedSets = fc.subarray([success, ...documentedPairs], { minLength: 1 })

const ofBodies = ['conventions/json-response', 'errors/body-shape', 'errors/documented-pairs'] as const
const judges = ofBodies.map((id) => runWideChecks[id])

it('a judgement of the suite stays the same after a tolerated change, for any answer and any allowed set', () => {
  forAll(anyAnswer, allowedSets, fc.nat(), (response, some, seed) => {
    const one = exchange(response)
    const { judge: check } = answersOneOf(some)
    const kinds = (of: Exchange): unknown => [check, ...judges].map((judge) => judge(of)?.kind)
    for (const { name } of toleratedChanges) {
      const { text } = changeText(response.text, [name], seed)
      expect(kinds(exchange(answer(response.status, text)))).toEqual(kinds(one))
    }
    expect(intolerancesOf(seed)(one, check)).toEqual([])
  })
})

const listing = exchange(answer(200, { id: 'a', name: 'b', items: [{ id: 'c' }, { id: 'd' }] }))
type Expects = (one: Exchange) => Judgement
const unless =
  (meets: (value: unknown, text: string) => boolean): Expects =>
  ({ response }) =>
    meets(wholeValue(response), response.text) ? holds : violates([success], answeredBy(response))

/** Holds only for the unchanged listing. */
const onlyUnchanged = (difference: string): Expects => {
  const breach = { allowed: [], answered: null, difference, summary: 'x' }
  return (one) => (one === listing ? holds : { kind: 'violates', breach })
}
const changes = ['added-properties', 'property-order', 'opaque-strings']
const all = (blamed: string) => changes.map((name) => `${name} ${blamed}`)
const notOfFile = 'not the success of the endpoints file: type'
const countsThree = unless((value) => Object.keys(Object(value)).length === 3)
const failedBefore = answers({ status: 400, errorCode: '1001' }).judge

it.each<[string, Exchange, Expects, readonly string[]]>([
  ['counts properties', listing, countsThree, ['added-properties suite']],
  ['relies on positions', listing, unless((_, text) => /"id".*"name"/.test(text)), ['property-order suite']],
  ['relies on opaque strings', listing, unless((_, text) => text.includes('"a"')), ['opaque-strings suite']],
  ['relies on everything', listing, onlyUnchanged('whatever'), all('suite')],
  ['relies on the endpoints file', listing, onlyUnchanged(notOfFile), all('endpoints-file')],
  ['failed before the change', listing, failedBefore, []],
  ['is for an answer that is not JSON', exchange(answer(200, '<html>')), succeeds().judge, []],
])('an expectation that %s is blamed as far as it demands too much', (_, one, expects, blamed) => {
  const found = intolerancesOf(7)(one, expects)

  expect(found.map(({ rule, breach: { blames } }) => `${rule.slice(10)} ${blames}`)).toEqual(blamed)
})

const deep = (levels: number): string => `{"id":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

const long = (marker: number) =>
  JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, marker, name: 'a' })))
/** Whether a tolerance changes this answer to test an expectation that every changed answer fails. */
type Intolerances = ReturnType<typeof intolerancesOf>
const isChanged = (intolerances: Intolerances, text: string, target: string = listPath) => {
  const one = exchange(answer(200, text), requestWith({ target }))
  const failed = ({ response }: Exchange) => violates([success], answeredBy(response))
  const expects = (other: Exchange) => (other === one ? holds : failed(other))
  const found = intolerances(one, expects)
  // Again, from the cache.
  expect(intolerances(one, expects)).toHaveLength(found.length)
  return found.length > 0
}

it('an answer that is expensive to change is changed up to 200 levels', () => {
  expect([200, 201].map((levels) => isChanged(intolerancesOf(7), deep(levels)))).toEqual([true, false])
})

it('an answer that is expensive to change is skipped quickly if it is deep', async () => {
  const leave = (levels: number): void => {
    const response = answer(200, deep(levels))
    for (let times = 0; times < 10; times += 1) intolerancesOf(times)(exchange(response), succeeds().judge)
  }

  expect(await growth(leave, 100_000)).toBeLessThan(linear)
})

it('an answer that is expensive to change of thousands of values is changed twice for each of eight paths, whatever the query', () => {
  const intolerances = intolerancesOf(7)
  const list = '/api/customizations/list'
  const targets = [list, list, list, `${list}?page=2`, '/api/b', '/api/b', '/api/b', '/api/c']
  const changed = targets.map((target, marker) => isChanged(intolerances, long(marker), target))
  const more = [...'defghi'].map((path, at) => isChanged(intolerances, long(100 + at), `/api/${path}`))

  expect(changed).toEqual([true, true, false, false, true, true, false, true])
  expect(more).toEqual([...Array<boolean>(5).fill(true), false])
  expect(isChanged(intolerances, '{"id":1}')).toBe(true)
})
