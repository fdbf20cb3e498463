import { Ajv } from 'ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Exchange, Response, Request } from '../http/exchange.ts'
import { documentedPairs } from '../specification/answers.ts'
import { forAll } from '../text/properties.testing.ts'
import type { AnswerFlaw } from './answered.ts'
import { answeredBy, errorObjectFlaw, isQuotaRefusal, isSuccess, isTransportRefusal } from './answered.ts'
import { type Exemptions, isExempt, orExcused, orRefusedByTransport, answers } from './judge.ts'
import { answer, damaged, exchange, refused, requestWith, served } from './testing/exchanges.ts'

/** The documented error object. Further properties are allowed. */
const isErrorObject = new Ajv().compile({
  type: 'object',
  required: ['error_code', 'error_message'],
  properties: { error_code: { type: 'string' }, error_message: { type: 'string' } },
})
const codes = documentedPairs.map(({ errorCode }) => errorCode)

/** Values of all JSON shapes, often near the error object. */
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.record(
    {
      error_code: fc.oneof(fc.constantFrom(...codes), fc.string(), fc.jsonValue({ maxDepth: 1 })),
      error_message: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 })),
      more: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  ),
)
const statuses = fc.oneof(fc.integer({ min: 100, max: 999 }), fc.constantFrom(199, 200, 204, 299, 300, 400))

test('any JSON under any status is read as the schema of the error object says, with its code', () => {
  forAll(statuses, values, (status, value) => {
    const response = answer(status, JSON.stringify(value))
    const answered = answeredBy(response)
    const parsed: unknown = JSON.parse(response.text)
    const isObject = isErrorObject(parsed)
    const isRecord = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    const own = isRecord ? Object.entries(parsed).find(([name]) => name === 'error_code')?.[1] : undefined
    const isDocumented = isObject && codes.some((code) => own === code)
    const is2xx = Math.floor(status / 100) === 2

    expect(answered.status).toBe(status)
    expect(answered.errorCode).toBe(typeof own === 'string' ? own : null)
    expect(isSuccess(answered)).toBe(is2xx && !isDocumented)
    if (is2xx) expect(answered.flaw).toBe(isDocumented ? 'documented error under success' : null)
    else expect(answered.flaw === null).toBe(isObject)
    expect(errorObjectFlaw(parsed) === null).toBe(isObject)
  })
})

const both = '"error_code":"1001","error_message":"a"'
test.each<[status: number, flaw: AnswerFlaw | null, bodies: readonly string[]]>([
  [400, 'body is not JSON', ['<html></html>', '{"error_code":"1001"', ' ']],
  [400, 'body is not an object', ['[]', 'null', '"1001"', '1001', `[{${both}}]`]],
  [400, 'error_code is missing', ['{"Error_Code":"1001","error_message":"a"}', `{"error":{${both}}}`]],
  [400, 'error_code is missing', [`{"__proto__":{${both}}}`]],
  [400, 'error_code is not a string', [1001, null, ['1001']].map((code) => body(code, 'a'))],
  [400, 'error_message is not a string', [null, { en: 'a' }].map((message) => body('1001', message))],
  [400, null, [body('1001', ''), body('', 'a'), `{"status":400,"trace":null,${both}}`]],
  [200, 'documented error under success', [body('1006', 'a'), `{"data":[],${both}}`]],
  [200, null, [body('0', 'a'), '{"error_code":"1006"}', body(1006, 'a'), 'null', '[]', '""']],
  [200, 'empty body', ['']],
  [200, 'body is not JSON', ['OK']],
])('the flaw of an answer with %i is %s for the bodies %j', (status, flaw, bodies) => {
  for (const one of bodies) {
    const answered = answeredBy(answer(status, one))
    expect(answered.flaw, one).toBe(flaw)
    expect(isSuccess(answered)).toBe(status === 200 && flaw === null)
  }
})

function body(error_code: unknown, error_message: unknown): string {
  return JSON.stringify({ error_code, error_message })
}

test('content that cannot be decoded is reported with its reason', () => {
  const because = 'labelled gzip and is cut short'
  const answered = answeredBy(damaged(200, because))

  expect(answered).toMatchObject({ errorCode: null, flaw: 'body is not in its content coding', because })
  expect(isSuccess(answered)).toBe(false)
})

test('a refusal for the quota needs the right status and code', () => {
  const all = [refused(429, '1020'), refused(429, '1006'), refused(401, '1020')]

  expect(all.map((one) => isQuotaRefusal(answeredBy(one)))).toEqual([true, false, false])
})

const page = '<html><head><title>Request Rejected</title></head><body>Your support ID is: 1</body></html>'
const html = { fields: [['Content-Type', 'text/html; charset=utf-8']] } as const
const inHttp10 = requestWith({ form: { version: '1.0' } })
const uncoded = 'labelled gzip and is not gzip'

test.each<[isOne: boolean, about: string, responses: readonly Response[], request?: Request]>([
  [true, 'a 4xx without the error object', [answer(403, page, html), answer(400, { message: 'Bad' })]],
  [true, 'a 4xx that is not in its coding', [damaged(403, uncoded, html)]],
  [true, 'a page with status 200', [answer(200, page, html), answer(200, page, { fields: [] })]],
  [false, 'a 2xx or 5xx that is not in its coding', [200, 500].map((one) => damaged(one, uncoded, html))],
  [false, 'the documented error', [refused(400, '1030')]],
  [false, 'a page with another status', [302, 500, 505].map((status) => answer(status, page, html))],
  [false, 'JSON with status 200', [answer(200, []), answer(200, '{"customizations":[]}', html)]],
  [false, 'broken JSON labelled as JSON', [answer(200, '{"customizations":[')]],
  [false, 'an empty 204', [answer(204, '', { fields: [] })]],
  [true, 'a 505 to HTTP/1.0', [answer(505, page, html)], inHttp10],
  [false, 'the documented error to HTTP/1.0', [refused(505, '1010')], inHttp10],
  [false, 'a 500 to HTTP/1.0', [answer(500, page, html)], inHttp10],
])('isTransportRefusal returns %s for %s', (isOne, _, responses, request) => {
  for (const one of responses) expect(isTransportRefusal(exchange(one, request)), one.text).toBe(isOne)
})

const list = '/cards/api/customizations/list'
const known = { baseUrl: 'https://staging.example/cards', paths: ['/api/customizations/list'] }

const judged = { transportMayRefuse: false }
const nearMiss = { ...judged, mayRedirect: true }
const mayRefuse = { ...judged, transportMayRefuse: true }
const malformed = { ...judged, fieldMayBeRefused: true }
const isPart = { ...judged, mayBePartial: true }

const answeredTo = (method: string, met = served): Exchange => exchange(met, requestWith({ method }))
const empty = (status: number): Exchange => exchange(answer(status, ''))
const pageWith = (status: number): Exchange => exchange(answer(status, '<html>'))
const redirect = (status: number, ...locations: readonly string[]): Exchange =>
  exchange(answer(status, '', { fields: locations.map((location) => ['Location', location]) }))

const missing = answers({ status: 400, errorCode: '1001' })

test.each<[about: string, one: Exchange, exemptions: Exemptions, isExempt: boolean]>([
  ['that is only observed', exchange(served), { ...judged, observed: true }, true],
  ['whose method has no body', answeredTo('HEAD', answer(404, '')), judged, true],
  ['that is ordinary and fails', empty(500), judged, false],
  ['for a near miss that is served', exchange(served), nearMiss, false],
  ['for a near miss that is refused', exchange(refused(404, '1')), nearMiss, false],
  ['with OPTIONS', answeredTo('OPTIONS'), judged, false],
  ['that the transport refused', pageWith(400), mayRefuse, true],
  ['that the transport refused without permission', pageWith(400), judged, false],
  ['that the service refused', exchange(refused(400, '1001')), mayRefuse, false],
  ['for a near miss, redirected to nowhere', redirect(302), nearMiss, false],
  ['for a near miss, redirected to two places', redirect(302, list, '/b'), nearMiss, false],
])('isExempt decides correctly for an exchange %s', (_, one, exemptions, expected) => {
  expect(isExempt(one, exemptions, known)).toBe(expected)
})

test.each<[about: string, of: (status: number) => Exchange, Exemptions, exempt: number[], not: number[]]>([
  ['a redirected near miss', (one) => redirect(one, list), nearMiss, [301, 302, 303, 307, 308], [200, 304]],
  ['a malformed field', empty, malformed, [304, 400, 431, 499], [200, 303, 305, 399, 500]],
  ['a partial answer', empty, isPart, [206, 304, 416], [200, 207, 400, 500]],
])('%s is exempt with certain statuses, if the case allows it', (_, of, exemptions, exempt, not) => {
  const isFree = (status: number): boolean => isExempt(of(status), exemptions, known)

  expect([exempt.filter(isFree), not.filter(isFree)]).toEqual([exempt, []])
  for (const status of exempt) expect(isExempt(of(status), judged, known)).toBe(false)
  expect(isExempt(empty(400), { ...judged, fieldMayBeRefused: false }, known)).toBe(false)
})

test.each<[leadsToKnown: boolean, locations: readonly string[]]>([
  [true, [`https://staging.example${list}`, `http://staging.example:8080${list}?pageWith=1`, list]],
  [false, [`https://staging.example.evil.example${list}`, `https://staging.example@evil.example${list}`]],
  [false, [`//evil.example${list}`, String.raw`/\evil.example${list}`, 'https://']],
  [false, ['/login', '/cards/login', '/cards/api/customizations', '/api/customizations/list', '/']],
  // "a redirect to the known path on the same host": no other check judges the destination.
  [false, ['https://elsewhere.example/api/customizations/list']],
  [false, ['//elsewhere.example/api/customizations/list']],
])("a redirect is exempt only to a known path on the target's host: %s, %j", (leads, locations) => {
  const exempt = (location: string): boolean => isExempt(redirect(302, location), nearMiss, known)
  expect(locations.filter(exempt)).toEqual(leads ? locations : [])
})

test.each(['', '/', '/cards/'])('a redirect to any known path below the base %s is exempt', (base) => {
  const several = { baseUrl: `https://staging.example${base}`, paths: [...known.paths, '/api/cards/list'] }
  const location = `${base.replace(/\/$/, '')}/api/cards/list`

  expect(isExempt(redirect(302, location), nearMiss, several)).toBe(true)
  expect(isExempt(redirect(302, `/other${location}`), nearMiss, several)).toBe(false)
})

test.each<[about: string, response: Exchange, Omit<Exemptions, 'observed'>]>([
  ['by the transport', pageWith(400), mayRefuse],
  ['for a redirect', redirect(301, list), nearMiss],
  ['for a malformed field', empty(304), malformed],
  ['for a partial answer', empty(206), isPart],
])('a check accepts an answer that is excused %s, and the documented answer', (_, excused, exemptions) => {
  const check = orExcused(missing, exemptions, known)
  const given = [excused, exchange(refused(400, '1001')), exchange(served), empty(500)]
  const kinds = given.map((one) => check.judge(one).kind)

  expect(check.allowed).toEqual(missing.allowed)
  expect(kinds).toEqual(['holds', 'holds', 'violates', 'violates'])
  expect(orExcused(missing, judged, known).judge(excused).kind).toBe('violates')
  const kind = exemptions === mayRefuse ? 'holds' : 'violates'
  expect(orRefusedByTransport(missing).judge(excused).kind).toBe(kind)
})
