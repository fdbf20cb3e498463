import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { forAll } from '../text/properties.testing.ts'
import { baselineFormat as format, baselineText, emptyBaseline, mergeBaselines } from './baseline.ts'
import { observe, requestNameOf, type Baseline, type ObservedAnswer } from './baseline.ts'
import { compareBaselines } from './compare-baselines.ts'
import { json } from './json.testing.ts'
import { parseBaseline } from './parse-baseline.ts'

/** Answers with few request names, so that some names repeat. */
const observations = fc.array(
  fc.record({
    requestName: fc.constantFrom('GET /a | none', 'GET /a | no api key', '__proto__', ''),
    status: fc.constantFrom(200, 400, 401),
    errorCode: fc.constantFrom(null, '1001', '1006', 'E17'),
    body: fc.option(json.map((value) => ({ value }))),
  }),
  { maxLength: 10 },
)
const baselines = observations.map((all) => baselineOf(...all))

function baselineOf(...all: readonly ObservedAnswer[]): Baseline {
  return all.reduce(observe, emptyBaseline)
}

const requestName = 'GET /a | no api key'
function refused(status: number, errorCode: string | null): ObservedAnswer {
  return { requestName, status, errorCode, body: { value: { error_code: errorCode } } }
}

function listed(value: unknown): ObservedAnswer {
  return { requestName: 'GET /a | none', status: 200, errorCode: null, body: { value } }
}

const once = baselineOf(refused(400, '1001'))
const several = baselineOf(refused(400, '1001'), refused(401, '1006'))
test("a baseline counts how often each request got each answer, and holds the answer's shape", () => {
  const ofKey = { requestName: requestNameOf('GET /a', 'no api key'), errorCode: null, body: null }
  const error = { ...ofKey, status: 400, errorCode: '1001', body: { value: { error_code: '1001' } } }
  const unnamed = { ...ofKey, requestName: '__proto__', status: 200 }
  const all = [listed({ list: [] }), listed({ list: [1] }), error, { ...ofKey, status: 500 }, unnamed]
  const shape = { $: { object: 2 }, '$.list': { array: 2 }, '$.list[]': { number: 1 } }
  const ofError = { $: { object: 1 }, '$.error_code': { string: 1 } }
  const refusals = { '400/1001': { seen: 1, shape: ofError }, '500/': { seen: 1, shape: {} } }

  expect(Object.entries(baselineOf(...all).stimuli)).toEqual([
    [requestNameOf('GET /a', null), { '200/': { seen: 2, shape } }],
    ['GET /a | no api key', refusals],
    ['__proto__', { '200/': { seen: 1, shape: {} } }],
  ])
  expect(Reflect.get({}, '200/')).toBeUndefined()
})

test('a baseline treats all undocumented codes as the same', () => {
  const codes = ['1001', '1004', 'sec-1b6e0d4f', '', null]
  const { stimuli } = baselineOf(...codes.map((code) => refused(400, code)))

  expect(Object.keys(stimuli[requestName] ?? {}).toSorted()).toEqual(['400/', '400/1001', '400/other'])
})

test('merging baselines gives the same result as observing the answers of both', () => {
  forAll(observations, observations, (one, other) => {
    expect(mergeBaselines(baselineOf(...one), baselineOf(...other))).toEqual(baselineOf(...one, ...other))
  })
})

const withoutBody = { ...refused(200, null), body: null }
const either = '400 / 1001 or 401 / 1006'

test.each<[kind: string, after: string, before: string, baseline: Baseline, now: readonly ObservedAnswer[]]>([
  ['status', '401 / 1001', '400 / 1001', once, [refused(401, '1001')]],
  ['code', '400 / 1002', '400 / 1001', once, [refused(400, '1002')]],
  ['code', '400 without a code', '400 / 1001', once, [refused(400, null)]],
  ['code', '400 with a code that is not documented', '400 / 1001', once, [refused(400, 'E1')]],
  ['status', '200', either, several, [refused(400, '1001'), withoutBody]],
  // Only one of the earlier answers had this status.
  ['code', '401 / 1001', either, several, [refused(401, '1001')]],
  ['code', '400 / 1006', either, several, [refused(400, '1006')]],
])('a different %s departs from the baseline: %s, after %s', (kind, after, before, baseline, now) => {
  const says = `the answer changed from ${before} to ${after}`
  const departure = { requestName, path: null, severity: 'breaking', shapes: { before, after } }
  const found = compareBaselines(baseline, baselineOf(...now))
  expect(found).toMatchObject([{ ...departure, says, kind: `${kind}-changed` }])
})

test('departures are sorted by request and answer', () => {
  const ofAll = (names: string, ...all: readonly ObservedAnswer[]): Baseline =>
    baselineOf(...names.split(' ').flatMap((name) => all.map((one) => ({ ...one, requestName: name }))))
  const now = ofAll('b c a', refused(401, '1006'), refused(400, '1001'))
  const found = compareBaselines(ofAll('a b c', refused(500, null)), now)

  const inOrder = ['a', 'b', 'c'].flatMap((name) => [`${name} 400/1001`, `${name} 401/1006`])
  expect(found.map((one) => `${one.requestName} ${one.answer}`)).toEqual(inOrder)
})

test('a difference in the shape of the same answer is a departure', () => {
  const often = baselineOf(...Array.from({ length: 5 }, () => listed({ total: 1, list: [{ id: 'x' }] })))
  const ofId = { before: '$.list[] { id: string }', after: '$.list[] { id: number }' }
  const ofTotal = { before: '$ { total: number, list: array }', after: '$ { list: array }' }
  const of = { requestName: 'GET /a | none', answer: '200/' }
  expect(compareBaselines(often, baselineOf(listed({ list: [{ id: 7 }] })))).toMatchObject([
    { ...of, says: '$.list[].id is number, and was string', shapes: ofId },
    { says: '$.total was removed', shapes: ofTotal },
  ])
})

const withoutAnswer: Baseline = { ...emptyBaseline, stimuli: { 'GET /a | none': {} } }
test.each<[about: string, before: Baseline, now: Baseline]>([
  ['a request that the baseline does not contain', once, baselineOf(listed([]))],
  ['a request when the baseline is empty', emptyBaseline, baselineOf(listed([]))],
  ['a request of the baseline that was not sent again', baselineOf(listed([])), emptyBaseline],
  ['a request called toString', emptyBaseline, baselineOf({ ...listed([]), requestName: 'toString' })],
  ['a request for which the baseline holds no answer', withoutAnswer, baselineOf(listed([]))],
  ['a missing answer while other answers still occur', several, baselineOf(refused(401, '1006'))],
])('%s is not a departure', (_, baseline, now) => {
  expect(compareBaselines(baseline, now)).toEqual([])
})

it('the text of a baseline has one line per path, and everything is sorted', async () => {
  const served = [listed({ b: [null, 1], a: 'x' }), listed({ 'c d': true })]
  const text = baselineText(baselineOf(...served, { ...refused(400, '1001'), body: null }))

  await expect(text).toMatchFileSnapshot('../../tests/golden/forms/baseline.txt')
})

it('the text of a baseline parses to the same baseline, and does not depend on the order of its parts', () => {
  forAll(baselines, (baseline) => {
    const text = baselineText(baseline)
    const stimuli = Object.fromEntries(Object.entries(baseline.stimuli).toReversed())
    expect(parseBaseline(text)).toEqual({ kind: 'baseline', baseline })
    expect(parseBaseline(`\uFEFF${text}`).kind).toBe('baseline')
    expect(baselineText({ ...baseline, stimuli })).toBe(text)
  })
})

it('the text of a baseline includes marks for omitted parts', () => {
  const shape = { $: { object: 1, cut: true } } as const
  const text = baselineText({ format, stimuli: { one: { '200/': { seen: 1, shape } } } })

  expect(text).toContain('"$": { "object": 1, "cut": true }')
  expect(parseBaseline(text).kind).toBe('baseline')
})

function wrong(value: unknown): string {
  const parsed = parseBaseline(typeof value === 'string' ? value : JSON.stringify(value))
  return parsed.kind === 'wrong' ? parsed.wrong : 'nothing'
}

function answered(answer: unknown): unknown {
  return { format, stimuli: { one: { '200/': answer } } }
}

function answers(shape: unknown, seen: unknown = 1): unknown {
  return answered({ seen, shape })
}

const unnamed = `it does not name the format ${format}`
const other = `its format is not ${format}`
const [next, twelfth] = ['card-switch-conformance/baseline/2', 'card-switch-conformance/baseline/12']
const later = (its: string): string => `its format is ${its}, but this suite version reads ${format}`
const missing = 'must have required property'
const beside = 'must NOT have additional properties'
const answer = '/stimuli/one/200~1'
const broken = (says: string): string => `it is a broken baseline: ${says}`

test.each<[says: string, ...values: readonly unknown[]]>([
  ['it is empty', '', ' \n'],
  ['it is not JSON', '{"format":', '{}\uFEFF', '{"password": secret-text}'],
  [other, { format: 'card-switch-conformance/verdict/1' }, { format: 'card-switch-conformance/baseline/' }],
  [other, { format: 'card-switch-conformance/baseline/1x' }, { format: 'secret-text' }],
  [other, { format: 'my-card-switch-conformance/baseline/2' }],
  [later(next), { format: next, stimuli: {} }],
  [later(twelfth), { format: twelfth }],
  [unnamed, '"format"', '7', 'null', '[]', { format: 1 }, { name: 'package' }],
  [broken(`the whole file ${missing} 'stimuli'`), { format }],
  [broken(`the whole file ${beside}`), { format, stimuli: {}, more: 1 }],
  [broken('/stimuli must be object'), { format, stimuli: [] }, { format, stimuli: 'secret-text' }],
  [broken('/stimuli/one must be object'), { format, stimuli: { one: [] } }],
  [broken(`${answer} must be object`), answered([])],
  [broken(`${answer} ${missing} 'seen'`), answered({ shape: {} })],
  [broken(`${answer} ${beside}`), answered({ seen: 1, shape: {}, more: 1 })],
  [broken(`${answer}/seen must be >= 1`), answers({}, 0)],
  [broken(`${answer}/seen must be <= 9007199254740991`), answers({}, 2 ** 53)],
  [broken(`${answer} ${missing} 'shape'`), answers(undefined)],
  [broken(`${answer}/shape must be object`), answers([])],
  [broken(`${answer}/shape/$ must be object`), answers({ $: [1] })],
  [broken(`${answer}/shape/$ must NOT have fewer than 1 properties`), answers({ $: {} })],
  [broken(`${answer}/shape/$ ${beside}`), answers({ $: { text: 1 } })],
  [broken(`${answer}/shape/$/object must be >= 1`), answers({ $: { object: -1 } })],
  [broken(`${answer}/shape/$/object must be integer`), answers({ $: { object: 1.5 } })],
  [broken(`${answer}/shape/$/cut must be equal to constant`), answers({ $: { cut: false } })],
])('the message "%s" is given for %j', (says, ...values) => {
  for (const value of values) expect(wrong(value)).toBe(says)
})

const keys = ['ok', '', '/', '200', '99/', '099/', '2000/', 'x200/', '200/123', '200/12345', '200/others']
const ofPath = (path: string): unknown => answers(JSON.parse(`{${JSON.stringify(path)}:{"object":1}}`))

test.each([
  ...[...keys, '200/xother'].map((key): [string, unknown] => {
    return ['/stimuli/one ', { format, stimuli: { one: { [key]: { seen: 1, shape: {} } } } }]
  }),
  ...['', 'a', 'a$', ' $', '__proto__'].map((path) => [`${answer}/shape `, ofPath(path)] as const),
])('a key or path is broken at %s in %j', (place, value) => {
  expect(wrong(value)).toContain(broken(place))
})
