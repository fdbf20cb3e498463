import { Session } from 'node:inspector/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { caseClass, type CaseClass } from '../../fuzz/case-class.ts'
import type { Exchange } from '../../http/exchange.ts'
import { answers } from '../../judge/judge.ts'
import { answer, exchange, served } from '../../judge/testing/exchanges.ts'
import type { ProfileName } from '../../settings/profiles.ts'
import type { Settings } from '../../settings/settings.ts'
import { read, settingsOf, target, temporaryFolder } from '../../settings/testing/read.ts'
import { isRuleId, ruleIds, ruleOf, type RuleId, type SpecRuleId } from '../../specification/rules.ts'
import { forAll } from '../../text/properties.testing.ts'
import { judgedAnswers } from '../record/answers.ts'
import { openBudget } from '../send/sender.ts'
import { requestOf } from '../testing/contexts.ts'
import { area, type Case, example, NoAnswer, rule as declared, scenario } from './cases.ts'
import { SharedRequests } from './plan.ts'
import { allot, endpointRecords, openingControl, plan as planOf } from './plan.ts'
import { rejectionsBetween, unplannedEndpoints, type PlannedRule } from './plan.ts'
import { only, profileChoice, settingsForMore, suiteContext } from './suite-context.ts'
import type { ProfileChoice, TestRequest } from './suite-context.ts'

const [one, other] = ['authentication/api-key-missing', 'authentication/no-bypass'] as const
const [firstRule, secondRule, third] = ruleIds
if (firstRule === undefined || secondRule === undefined || third === undefined)
  throw new Error('too few rules')

function planned(id: RuleId, least: number, requests = least, begin = Math.min(least, 1)): PlannedRule {
  const cost = { least, requests, first: begin }
  return { id, cases: 1, ...cost, allotted: 0, byClient: {}, endpoints: [], untested: null }
}

const check = answers({ status: 400, errorCode: '1001' })

const smallNumber = fc.nat({ max: 60 })
const anyRule = fc.tuple(fc.constantFrom(...ruleIds), smallNumber, smallNumber)
const plans = fc
  .uniqueArray(anyRule, { minLength: 1, maxLength: 12, selector: ([id]) => id })
  .map((all) => all.map(([id, least, more]) => planned(id, least, least + more)))
const limits = fc.integer({ min: 1, max: 3_000 })

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

it('allotting the budget never exceeds the limit, gives minimums before anything else, and leaves a tenth for confirmations', () => {
  forAll(plans, limits, (plan, limit) => {
    const allotment = allot(plan, limit)
    const rows = plan.map((rule) => ({ ...rule, given: allotment[rule.id] ?? -1 }))
    // These sums include the opening control.
    const least = sum(plan.map((rule) => rule.least)) + openingControl
    const useful = sum(plan.map(({ requests }) => requests)) + openingControl
    const common = limit - sum(Object.values(allotment))
    const isShort = rows.some((rule) => rule.given < rule.least)
    const isScarce = useful + Math.ceil(limit / rejectionsBetween) > limit && least <= limit
    const kept = isScarce ? Math.min(limit - least, Math.ceil(limit / 10)) : 0

    expect(() => openBudget(limit, allotment)).not.toThrow()
    expect(Object.keys(allotment)).toHaveLength(plan.length)
    for (const { given, requests } of rows) expect(given >= 0 && given <= requests).toBe(true)
    expect(isShort && least <= limit).toBe(false)
    expect(isShort && rows.some((rule) => rule.given > rule.least)).toBe(false)
    expect(common - openingControl).toBeGreaterThanOrEqual(kept)
  })
})

const alike = [planned(firstRule, 10), planned(secondRule, 10), planned(third, 10)]
const unlike = [planned(firstRule, 10, 20, 2), planned(secondRule, 10, 10, 3), planned(third, 4, 4, 4)]

it.each<[string, number, readonly PlannedRule[], readonly number[]]>([
  ['gives minimums that fit exactly', 20, [planned(firstRule, 10, 20), planned(secondRule, 9)], [10, 9]],
  ['serves the rules in their order', 20, alike, [10, 6, 1]],
  ['gives each rule its first case before any rule gets its rest', 11, unlike, [2, 3, 4]],
  ['gives first cases in order', 7, unlike, [2, 3, 1]],
  ['leaves a reserve to confirm', 100, [planned(firstRule, 10, 40), planned(secondRule, 20, 55)], [40, 55]],
  ['leaves a tenth unallotted even if the minimums do not fit', 100, [planned(firstRule, 500)], [89]],
  ['gives nothing if only the first request fits', 1, [planned(firstRule, 1)], [0]],
  ['gives what is left after the first request', 2, [planned(firstRule, 1)], [1]],
])('allotting the budget %s', (_, limit, plan, expected) => {
  expect(plan.map(({ id }) => allot(plan, limit)[id])).toEqual(expected)
})

it.each([
  ['2', [third]],
  ['3', [secondRule, third]],
  ['4', [firstRule, secondRule, third]],
])('allotting the budget with a limit of %s serves ranked rules first', async (RUN_MAX_REQUESTS, ids) => {
  const ranks = new Map([third, secondRule].map((id, rank) => [id, { rank }]))
  const exampleOf = (to: TestRequest, id: RuleId) => [example('a', to.with('x-a', id), check)]
  const ofOne = (id: SpecRuleId) => declared(id, ({ list }) => exampleOf(list.request, id))
  const rules = [firstRule, secondRule, third].map((id) => ({ ...ofOne(id), ...ranks.get(id) }))
  const made = planOf(await settingsWith({ RUN_MAX_REQUESTS }), [area('Ranked', rules)])

  expect(made.flatMap(({ id, allotted }) => (allotted > 0 ? [id] : []))).toEqual(ids)
})

const file = [
  { method: 'GET', path: '/api/cards' },
  { method: 'POST', path: '/api/cards' },
  { method: 'GET', path: '/api/cards/{id}', pathParameters: { id: { schema: {}, example: 'c 1' } } },
  { method: 'PUT', path: '/api/cards', versions: [1, 2], fuzz: true },
]
const folder = temporaryFolder({ 'endpoints.json': JSON.stringify(file) })

const settingsWith = async (env: Readonly<Record<string, string>> = {}): Promise<Settings> =>
  settingsOf(await read({ ...target, TARGET_ENDPOINTS: 'endpoints.json', ...env }, { cwd: folder }))

const others = ['/api/cards', '/api/cards/{id}', 'PUT /api/cards', 'PUT /api/cards (version 2)']
const post = 'POST /api/cards: POST is sent only if the endpoints file says "fuzz": true'

const because = (text: string, ...names: readonly string[]) => names.map((name) => `${name}: ${text}`)
const unused = 'no selected rule sends requests to it'
const onlyOne = 'only one case per rule was selected, and no case goes to it'

it.each([
  [{ RUN_PROFILE: 'gate' }, []],
  [{ RUN_PROFILE: 'acceptance' }, []],
  [{ RUN_PROFILE: 'nightly' }, []],
  [{ RUN_ESSENTIAL: 'true' }, because(onlyOne, ...others)],
  [{ RUN_ONLY: 'versioning/unknown-endpoint' }, because(unused, ...others)],
  [{ RUN_ONLY: 'errors/*' }, because(unused, ...others)],
  [{ RUN_ONLY: 'fuzz/query' }, []],
  [{ RUN_ONLY: 'conventions/accept-optional' }, because(unused, ...others)],
  [{ RUN_ONLY: 'quota/exhausted' }, because(unused, '/api/customizations/list', ...others)],
])('a plan leaves out endpoints that it may not or does not need to use: %o', async (env, expected) => {
  const settings = await settingsWith(env)
  const left = unplannedEndpoints(settings, planOf(settings, suites))
  const texts = left.map(({ endpoint, because: reason }) => `${endpoint}: ${reason}`)

  expect(texts.toSorted()).toEqual([...expected, post].toSorted())
})

/** The endpoints that a rule judged by the answers to these requests. */
async function judged(...requests: readonly TestRequest[]): Promise<readonly string[]> {
  const settings = await settingsWith()
  const counted = judgedAnswers(suiteContext(settings))
  for (const request of requests) counted.countAnswer(one, request, exchange(answer(200, {})))
  const judgedBy = () => counted.of(one).endpoints
  const records = endpointRecords(settings, [{ id: one, endpoints: [] }], { hasEnded: false, judgedBy })
  return records.filter(({ judgedBy: by }) => by.length > 0).map(({ name }) => name)
}
const cards = requestOf({ endpoint: 'GET /api/cards' }, { target: '/api/cards' })
const card = requestOf({ endpoint: 'GET /api/cards/{id}' }, { target: '/api/cards/c%201' })

const put = cards.trait({ endpoint: 'PUT /api/cards (version 2)' }).method('PUT')

it.each<[string, readonly TestRequest[], readonly string[]]>([
  ['recognized by its path with a query', [cards.withQuery('a=b')], ['/api/cards']],
  ['recognized by its method and version', [put, card], ['/api/cards/{id}', 'PUT /api/cards (version 2)']],
  ['recognized by its template', [card.to('/api/cards/7').trait({ described: true })], ['/api/cards/{id}']],
  ['not recognized by a near miss of its path', [cards.to('/api/cards/')], []],
  ['not recognized by another method', [cards.method('HEAD')], []],
  ['not recognized by an answer that is only observed', [cards.trait({ observed: true })], []],
  ['not seen at another path', [cards.to('/api/zzabcdefghijklmn', 'an unknown path under /api/')], []],
])('an endpoint with a judged answer is %s', async (_, requests, names) => {
  expect(await judged(...requests)).toEqual(names)
})

it('an unjudged endpoint has a different reason if the run ended early', async () => {
  const settings = await settingsWith()
  const rules = planOf(settings, suites)
  const reasons = (hasEnded: boolean): readonly string[] => {
    const records = endpointRecords(settings, rules, { hasEnded, judgedBy: () => new Set() })
    return records.map(({ otherwise: { kind, text } }) => `${kind}: ${text}`)
  }
  const never = 'untested: POST is sent only if the endpoints file says "fuzz": true'
  const ended = 'ended: the run ended before'
  const unjudged = 'untested: no rule judged an answer from exactly this endpoint'

  expect(reasons(true)).toEqual([ended, ended, never, ended, ended, ended])
  expect(reasons(false)).toEqual([unjudged, unjudged, never, unjudged, unjudged, unjudged])
})

const limit = { type: 'integer', minimum: 1, maximum: 100 }
const listing = { method: 'GET', query: { type: 'object', properties: { limit } }, invalidQuery: 'limit=abc' }
/** An endpoints file of this many endpoints. */
const cardsAt = (at: number) => ({ ...listing, path: `/api/cards-${at}/list` })
const fileOf = (length: number) => JSON.stringify(Array.from({ length }, (_, at) => cardsAt(at)))
const manyEndpoints = temporaryFolder({ '12.json': fileOf(12), '24.json': fileOf(24) })

/** The requests planned and the function calls made to plan this many endpoints. */
async function workFor(count: number, profile: ProfileName) {
  const env = { ...target, TARGET_ENDPOINTS: `${count}.json`, RUN_PROFILE: profile }
  const settings = settingsOf(await read(env, { cwd: manyEndpoints }))
  const run = new Session()
  run.connect()
  await run.post('Profiler.enable')
  await run.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const rules = planOf(settings, suites)
  const { result } = await run.post('Profiler.takePreciseCoverage')
  run.disconnect()
  const called = result.flatMap(({ functions }) => functions.map(({ ranges: [whole] }) => whole?.count ?? 0))
  return { requests: sum(rules.map(({ requests }) => requests)), calls: sum(called) }
}

/** The maximum numbers of function calls and requests for each further endpoint. */
type Most = Readonly<Record<'calls' | 'requests', number>>

// Measured: 31,000 and 111,000 calls for each further endpoint; far more if every case makes new wrong credentials.
it.each<[ProfileName, Most]>([
  ['gate', { calls: 70_000, requests: 20 }],
  ['acceptance', { calls: 120_000, requests: Infinity }],
])('the work of planning in %s grows no faster than the number of endpoints', async (profile, most) => {
  const [some, twice] = [await workFor(12, profile), await workFor(24, profile)]

  expect(twice.calls / some.calls).toBeLessThan(2.5)
  expect((twice.calls - some.calls) / 12).toBeLessThan(most.calls)
  expect((twice.requests - some.requests) / 12).toBeLessThanOrEqual(most.requests)
})

const choiceOf = (profile: ProfileName, essential = false, isReplay = false): ProfileChoice =>
  profileChoice({ profile, essential }, isReplay)

const gate = choiceOf('gate')
const acceptance = choiceOf('acceptance')
const essential = choiceOf('acceptance', true)

const namesOf = (all: readonly { readonly name: string }[]): readonly string[] => all.map(({ name }) => name)

const few = { all: 'all', gate: 'few', because: 'a gate runs often' }
const four = { ...few, essential: 'one', acceptance: 'most' }

it.each<[string, ProfileChoice, ofFew: string, ofFour: string]>([
  ['a gate', gate, 'few', 'few'],
  ['acceptance', acceptance, 'all', 'most'],
  ['nightly', choiceOf('nightly'), 'all', 'all'],
  ['a gate with one case per rule', choiceOf('gate', true), 'few', 'one'],
  ['acceptance with one case per rule', essential, 'few', 'one'],
  ['a replayed case of a gate', choiceOf('gate', false, true), 'all', 'most'],
])('the choice of a run in %s depends on profile and replay', (_, { byProfile }, ofFew, ofFour) => {
  expect([byProfile(few), byProfile(four)]).toEqual([ofFew, ofFour])
})

it('the choice of a run leaves out listed cases for further endpoints only in a gate, and divides generated ones', () => {
  const made = [{ name: 'a' }, { name: 'a@x' }]
  const sent = [acceptance, gate].map(({ listed }) => namesOf(listed(made, { further: [] })))

  expect(sent).toEqual([['a', 'a@x'], ['a']])
  expect(gate.shares([...'abc'], 8).map(({ count }) => count)).toEqual([3, 3, 2])
})

it('the choice of a run may be limited to some names, in the order of the list', () => {
  expect(namesOf(only([{ name: 'a' }, { name: 'b' }, { name: 'c' }], 'c', 'a'))).toEqual(['a', 'c'])
})

describe('the generated cases of a rule', () => {
  const listed = { always: 3, weight: 0 }

  function classNamed(name: string, count: number, more: Partial<CaseClass> = {}): CaseClass {
    return { ...caseClass(name, { weight: 2 }, []), count, ...more }
  }

  const odd = classNamed('odd', 17, listed)
  const large = classNamed('large', 2, { because: 'firewalls ban it' })
  const described = classNamed('described', 7, { weight: 30, always: 40, everywhere: true })
  const many = { ...described, count: 90 }

  // How many cases of a class are always sent, its weight, and how many more are drawn. Listed cases count,
  // but at least eight of ten requested cases are drawn; a gate sends eight of ten.
  it.each<[string, ProfileChoice, CaseClass, boolean, readonly (number | undefined)[]]>([
    ['all listed ones, then as many as are left', acceptance, odd, true, [17, 0, 8]],
    ['all drawn ones', acceptance, large, true, [undefined, 2, 10]],
    ['the first few of a class in a gate, then as many as are left', gate, odd, true, [3, 0, 5]],
    ['drawn for further endpoints in a gate', gate, odd, false, [0, 0, 8]],
    ['drawn in a run with one case per rule', essential, odd, true, [0, 0, 10]],
    ['at most as many as exist', gate, described, true, [7, 30, 5]],
    ['as many for further endpoints if each tests another bound', gate, described, false, [7, 30, 5]],
    ['as many as the class says', gate, many, true, [40, 30, 5]],
    ['left out of a gate if the class says so', gate, large, true, [0, 0, 8]],
    ['drawn by weight by default', gate, classNamed('numbers', 2), true, [0, 2, 8]],
    ['drawn by weight from endless cases', gate, classNamed('endless', 0, { always: 2 }), true, [0, 2, 8]],
  ])('are %s', (_, choice, made, isList, expected) => {
    const { classes, more } = choice.draws([made], { count: 10, isList, share: 0.75 })

    expect(classes.map(({ always, weight }) => [always, weight, more])).toEqual([expected])
  })
})

it.each([
  [{ profile: 'gate', essential: false, only: null }, '--profile acceptance', '--profile acceptance'],
  [{ profile: 'acceptance', essential: false, only: null }, '--fuzz-cases', '--seed'],
  [{ profile: 'acceptance', essential: true, only: null }, 'a run of all rules', 'a run of all rules'],
  [{ profile: 'gate', essential: false, only: ['quota/*'] }, 'a run of all rules', 'a run of all rules'],
] as const)('more is covered than with %o by %s for cases and %s for rows', (asked, cases, rows) => {
  expect(settingsForMore(asked)).toEqual({ cases, rows })
})

const requestTo = (to = '/api/a'): TestRequest => requestOf({}, { target: to })

const exampleTo = (to?: string): Case => example('a', requestTo(to), check)

/** The requests shared by planned cases, one per rule. A user's rule has the entry of another rule. */
function planTogether(...cases: readonly (readonly [RuleId, Case])[]): SharedRequests {
  const shared = new SharedRequests(cases.map(([, made]) => made))
  for (const [id, made] of cases) shared.plan({ id, entry: ruleOf(isRuleId(id) ? id : one) }, made, true)
  return shared
}

it('the answer that rules share is forgotten after all have it, or if it failed', async () => {
  const [a, b] = [exampleTo('/api/a'), exampleTo('/api/b')]
  const shared = planTogether([one, a], [other, a], [one, b], [other, b])
  const [met, again] = [exchange(served), exchange(served)]
  const spent = new NoAnswer('budget', 'used up')
  const ask = (to: string, send: () => Promise<Exchange>) => shared.once(requestTo(to), send, false)
  const asAgain = (): Promise<Exchange> => Promise.resolve(again)

  expect(await ask('/api/a', () => Promise.resolve(met))).toBe(met)
  await expect(ask('/api/b', () => Promise.reject(spent))).rejects.toThrow('used up')
  expect(await ask('/api/a', asAgain)).toBe(met)
  for (const to of ['/api/a', '/api/b']) expect(await ask(to, asAgain)).toBe(again)
})

const own = 'mine/long'
const wantingOther = scenario('w', 1, () => Promise.resolve([]), { wants: [requestTo('/api/b')] })

/** Which of the requests to /api/a and /api/b are read whole by a rule of the specification. */
function readWhole(rule: RuleId, made: Case): readonly boolean[] {
  const shared = planTogether([rule, made], [one, exampleTo()])
  expect(shared.isReadWhole(requestTo(), { rule: own })).toBe(true)
  return ['/api/a', '/api/b'].map((to) => shared.isReadWhole(requestTo(to), { rule: one }))
}

it.each<[string, RuleId, Case, readonly boolean[]]>([
  ["an example of a user's rule", own, exampleTo(), [true, false]],
  ["an answer that a scenario of a user's rule takes from other cases", own, wantingOther, [false, true]],
  ['no example of the specification', other, exampleTo(), [false, false]],
])('the whole body of an answer is read for %s', (_, rule, made, expected) => {
  expect(readWhole(rule, made)).toEqual(expected)
})
