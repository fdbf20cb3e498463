import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Response, Request } from '../http/exchange.ts'
import { type Answer, type Refusal, documentedPairs, success } from '../specification/answers.ts'
import { forAll } from '../text/properties.testing.ts'
import { answeredBy, describeAnswered, outcomeOf } from './answered.ts'
import type { Breach, Check, Judgement } from './judge.ts'
import { answers, answersOneOf, isRefused, neverSucceeds, sameOutcome, succeeds, withHint } from './judge.ts'
import { fingerprintOf, isIntermittent, isSteady } from './record.ts'
import { answer, exchange, refused, requestWith, served } from './testing/exchanges.ts'

const missing: Refusal = { status: 400, errorCode: '1001' }
const invalid: Refusal = { status: 401, errorCode: '1006' }

const page = '<html>'
const odd = answer(400, { error_message: '', extra: [1], error_code: '1001' }, { fields: [] })
const documented = documentedPairs.map(({ status, errorCode }): Refusal => ({ status, errorCode }))

const [noMessage, numeric] = [{ error_code: '1001' }, { error_code: 1001, error_message: 'a' }]
const list = [{ error_code: '1001', error_message: 'a' }]

const one = answers(missing)
const any = succeeds()
const never = neverSucceeds([invalid])

const breachIn = (of: Judgement) =>
  of.kind === 'violates' ? of.breach : expect.fail('the answer is allowed')
const apart = (named: string): string => `apart from ${named} is answered 200 with JSON`

test.each<[about: string, check: Check, kind: 'holds' | 'violates', responses: readonly Response[]]>([
  ['one documented answer', one, 'holds', [refused(400, '1001'), odd]],
  ['one documented answer', one, 'violates', [served, refused(401, '1001'), refused(400, '1002')]],
  ['one documented answer', one, 'violates', [refused(200, '1001'), answer(400, ''), answer(400, '1001')]],
  ['one documented answer', one, 'violates', [numeric, noMessage, list].map((body) => answer(400, body))],
  ['a success', any, 'holds', [answer(200, []), answer(201, 'null'), answer(299, { error_code: '7' })]],
  ['a success', any, 'violates', [refused(200, '1006'), answer(204, ''), answer(200, page), answer(302, {})]],
  ['no success', never, 'holds', [refused(401, '1006'), refused(404, '9'), refused(200, '1006')]],
  ['no success', never, 'holds', [answer(204, ''), answer(302, ''), answer(200, page)]],
  ['no success', never, 'violates', [served]],
])('a check for %s has the right result: %#', (_, { judge }, kind, responses) => {
  for (const response of responses) expect(judge(exchange(response)).kind, response.text).toBe(kind)
})

test('a breach names the actual and the documented answer', () => {
  expect(breachIn(one.judge(exchange(refused(401, '1006'))))).toEqual({
    allowed: [missing],
    answered: { status: 401, errorCode: '1006', flaw: null },
    difference: 'another answer',
    summary: 'answered 401 / 1006 where 400 / 1001 is documented',
  })
  expect(breachBy(answer(500, { oops: true }))).toMatchObject({
    difference: 'error_code is missing',
    summary: 'answered 500, without error_code, where 400 / 1001 or 401 / 1006 is documented',
  })
  const { summary } = breachIn(never.judge(exchange(served)))
  expect(summary).toBe('answered 200 with JSON where 401 / 1006 is documented')
})

test('a check for any set of answers accepts exactly those answers', () => {
  forAll(fc.subarray([success, ...documented], { minLength: 1 }), (allowed) => {
    const check = answersOneOf(allowed)
    expect(check.allowed).toEqual(allowed)
    expect(check.judge(exchange(served)).kind).toBe(allowed.includes(success) ? 'holds' : 'violates')
    for (const pair of documented) {
      const judged = check.judge(exchange(refused(pair.status, pair.errorCode)))
      expect(judged.kind).toBe(allowed.includes(pair) ? 'holds' : 'violates')
    }
  })
})

const asJson = 'application/json'

test.each<[kind: 'holds' | 'violates', name: string, type: string, statuses: readonly number[]]>([
  ['violates', 'CONTENT-TYPE', asJson, [200, 299]],
  ['violates', 'content-type', 'application/problem+json; charset=utf-8', [204]],
  ['holds', 'content-type', asJson, [199, 401, 302]],
  ['holds', 'content-type', 'text/html', [200]],
  ['holds', 'x-format', asJson, [200]],
])('an answer to HEAD succeeds only as a 2xx labelled as JSON: %s, %j', (kind, name, type, statuses) => {
  const all = statuses.map((status) => answer(status, '', { fields: [[name, type]] }))
  for (const met of all) expect(never.judge(exchange(met, requestWith({ method: 'HEAD' }))).kind).toBe(kind)
})

test('a hint appears in a breach without changing its fingerprint', () => {
  const breach = breachBy(served)
  const hinted = withHint(breach, 'FIXTURE_INVALID_QUERY is a valid query')
  const summary = `${breach.summary}, or FIXTURE_INVALID_QUERY is a valid query`

  expect(hinted).toEqual({ ...breach, summary })
  expect(fingerprintOf('GET /a', hinted)).toBe(fingerprintOf('GET /a', breach))
})

test.each([
  [true, served, answer(201, [])],
  [true, refused(401, '1006'), answer(401, { error_code: '1006', error_message: 'b', x: 1 })],
  [true, answer(500, '<html>a'), answer(500, '<html>b')],
  [false, served, refused(401, '1006')],
  [false, served, refused(200, '1006')],
  [false, refused(401, '1006'), refused(401, '1007')],
  [false, refused(401, '1006'), refused(400, '1006')],
  [false, refused(400, '1001'), answer(400, { error_code: '1001' })],
  [false, answer(406, {}), answer(406, '<html>')],
])('outcomes are the same (%s) if they have the same status, code and form: %#', (isSame, first, second) => {
  const kind = isSame ? 'holds' : 'violates'
  expect(sameOutcome(exchange(first), exchange(second)).kind).toBe(kind)
  expect(sameOutcome(exchange(second), exchange(first)).kind).toBe(kind)
})

// The name is part of the fingerprint, which waivers store.
test.each([
  [served, 'success'],
  [answer(500, ''), '500//empty body'],
  [refused(401, '1006'), '401/1006/'],
  [answer(400, { error_code: '1001' }), '400/1001/error_message is missing'],
])('an outcome is named by status, code and flaw: %#', (first, outcome) => {
  const { difference } = breachIn(sameOutcome(exchange(first), exchange(answer(302, ''))))
  expect(difference).toBe(`another outcome than ${outcome}`)
})

test('the breach for a different outcome blames the second answer, and names both', () => {
  expect(breachIn(sameOutcome(exchange(served), exchange(answer(406, ''))))).toMatchObject({
    allowed: [],
    answered: { status: 406, errorCode: null, flaw: 'empty body' },
    against: 'outcome',
    summary: `answered 406, with an empty body, where the same request ${apart('the writing of its lines')}`,
  })
})

const plain = requestWith({})
const sent = (...fields: readonly (readonly [string, string])[]): Request => ({
  ...plain,
  fields: fields.map(([name, value]) => ({ name, value })),
})

test.each([
  ['its accept', sent(['accept', 'text/html']), sent(['Accept', '*/*'])],
  ['its accept, te', sent(['accept', 'a/b']), sent(['te', 'trailers'])],
  ['its path or query', plain, { ...plain, target: `${plain.target}?a=b` }],
  ['its method and its x-api-key', sent(['x-api-key', 'first']), { ...sent(), method: 'HEAD' }],
  ['the writing of its lines', sent(['a', '1'], ['b', '2']), sent(['b', '2'], ['a', '1'])],
  ['its a, b, c, d and 1 more fields', sent(), sent(...[...'abcde'].map((name) => [name, '1'] as const))],
])('the difference between two requests is named without values: %s', (named, first, second) => {
  const { summary } = breachIn(sameOutcome(exchange(served, first), exchange(refused(401, '1006'), second)))
  expect(summary).toBe(`answered 401 / 1006 where the same request ${apart(named)}`)
})

test('a refusal for the quota must be the whole documented answer', () => {
  const all = [refused(429, '1020'), refused(403, '1020'), answer(429, { error_code: '1020' })]

  expect(all.map((met) => isRefused(exchange(met)))).toEqual([true, false, false])
})

const long = 'x'.repeat(40)
const numericMessage = answer(400, { ...noMessage, error_message: 1 })

test.each([
  [refused(500, '1006'), '500 / 1006'],
  [refused(200, '1006'), '200 / 1006, which is a documented error under a success status,'],
  [answer(502, '<html>'), '502, with a body that is not JSON,'],
  [answer(400, []), '400, with JSON that is not an object,'],
  [answer(400, { error_code: 1, error_message: 'a' }), '400, with an error_code that is not a string,'],
  [numericMessage, '400 / 1001, with an error_message that is not a string,'],
  [answer(200, { error_code: 'x' }), '200 / x'],
  // A made-up code stays short and on one line.
  [refused(400, 'é\n<b>'), String.raw`400 / "é\n<b>"`],
  [refused(400, ''), '400 / ""'],
  [refused(400, long), `400 / ${long}`],
  [refused(400, `${long}x`), `400 / "${long}…"`],
  [refused(400, 'E_17.b-2'), '400 / E_17.b-2'],
  [refused(400, '1006 '), '400 / "1006 "'],
  [refused(400, ' 1006'), '400 / " 1006"'],
])('an answer is described in words: %#', (response, words) => {
  expect(describeAnswered(answeredBy(response))).toBe(words)
})

test.each([
  [served, 'success'],
  [answer(200, '<html>'), '200'],
  [refused(200, '1006'), '200'],
  [answer(399, ''), '399'],
  [answer(400, ''), '400 without error_code'],
  [answer(414, '<html>'), '414 without error_code'],
  [answer(400, { error_code: 1001, error_message: 'a' }), '400 without error_code'],
  [refused(401, '1006'), '401 / 1006'],
  [refused(500, 'two words'), '500 / "two words"'],
])('an outcome has a short name: %#', (response, outcome) => {
  expect(outcomeOf(exchange(response))).toBe(outcome)
})

const endpoint = 'GET /api/customizations/list'
const allowed: readonly Answer[] = [missing, invalid]

const breachBy = (response: Response, request = requestWith(), wanted = allowed): Breach =>
  breachIn(answersOneOf(wanted).judge(exchange(response, request)))

const known = breachBy(refused(401, '1007'))

// Waivers store fingerprints, so these must never change, whatever was sent or said and in whatever order answers are listed.
test.each([
  ['874c4354178c976c', known],
  ['874c4354178c976c', breachBy(refused(401, '1007'), requestWith({ target: '/other', fields: [] }))],
  ['874c4354178c976c', breachBy(answer(401, { error_message: 'another', error_code: '1007', more: 1 }))],
  ['874c4354178c976c', breachBy(refused(401, '1007'), requestWith(), allowed.toReversed())],
  ['874c4354178c976c', { ...known, summary: 'with different words' }],
  ['5bfa8751a49341b4', breachBy(answer(404, ''), requestWith(), [success])],
  ['ea0518075eb3ccaf', { ...known, difference: 'no answer: timeout', answered: null }],
])('a fingerprint stays the same in every release: %s', (fingerprint, breach) => {
  expect(fingerprintOf(endpoint, breach)).toBe(fingerprint)
})

test('a finding is steady if it was seen every time in several tries, and intermittent if not every time', () => {
  const tries = ['3 of 3', '2 of 2', '1 of 1', '1 of 3', '12 of 13'].map((reproduced) => ({ reproduced }))

  expect(tries.map(isSteady)).toEqual([true, true, false, false, false])
  expect(tries.map(isIntermittent)).toEqual([false, false, false, true, true])
})
