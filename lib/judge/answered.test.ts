import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Response } from '../http/exchange.ts'
import type { Request } from '../http/request.ts'
import { documentedPairs } from '../specification/answers.ts'
import {
  answeredBy,
  errorObjectFlaw,
  isQuotaRefusal,
  isSuccess,
  isTransportRefusal,
  type AnswerFlaw,
} from './answered.ts'
import { answer, damaged, exchange, refused, requestWith } from './testing/exchanges.ts'

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

describe('reading an answer', () => {
  it('works for every JSON value under every status, and agrees with the schema of the error object', () => {
    fc.assert(
      fc.property(statuses, values, (status, value) => {
        const response = answer(status, JSON.stringify(value))
        const answered = answeredBy(response)
        const parsed: unknown = JSON.parse(response.text)
        const isObject = isErrorObject(parsed)
        const isDocumented =
          isObject && codes.some((code) => Reflect.get(Object(parsed), 'error_code') === code)
        const is2xx = Math.floor(status / 100) === 2

        expect(answered.status).toBe(status)
        expect(isSuccess(answered)).toBe(is2xx && !isDocumented)
        if (is2xx) expect(answered.flaw).toBe(isDocumented ? 'documented error under success' : null)
        else expect(answered.flaw === null).toBe(isObject)
        expect(errorObjectFlaw(parsed) === null).toBe(isObject)
      }),
    )
  })

  it('returns the code if and only if it is a string', () => {
    fc.assert(
      fc.property(statuses, values, (status, value) => {
        const response = answer(status, JSON.stringify(value))
        const parsed: unknown = JSON.parse(response.text)
        const isRecord = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
        const own = isRecord ? Object.entries(parsed).find(([name]) => name === 'error_code')?.[1] : undefined

        expect(answeredBy(response).errorCode).toBe(typeof own === 'string' ? own : null)
      }),
    )
  })
})

const both = '"error_code":"1001","error_message":"a"'
test.each<[flaw: AnswerFlaw | null, bodies: readonly string[]]>([
  ['empty body', ['']],
  ['body is not JSON', ['<html></html>', '{"error_code":"1001"', ' ']],
  ['body is not an object', ['[]', 'null', '"1001"', '1001', `[{${both}}]`]],
  ['error_code is missing', ['{}', '{"error_message":"a"}', '{"code":"1001","message":"a"}']],
  ['error_code is missing', ['{"Error_Code":"1001","error_message":"a"}', `{"error":{${both}}}`]],
  ['error_code is missing', [`{"__proto__":{${both}}}`]],
  ['error_code is not a string', [1001, null, ['1001']].map((code) => body(code, 'a'))],
  ['error_message is missing', ['{"error_code":"1001"}']],
  ['error_message is not a string', [null, { en: 'a' }].map((message) => body('1001', message))],
  [null, [body('1001', ''), body('', 'a'), `{"status":400,"trace":null,${both}}`]],
])('the flaw of an error is %s for the bodies %j', (flaw, bodies) => {
  for (const one of bodies) expect(answeredBy(answer(400, one)).flaw, one).toBe(flaw)
})

function body(code: unknown, message: unknown): string {
  return JSON.stringify({ error_code: code, error_message: message })
}

test.each<[flaw: AnswerFlaw | null, bodies: readonly string[]]>([
  ['documented error under success', [body('1006', 'a'), `{"data":[],${both}}`]],
  [null, [body('0', 'a'), '{"error_code":"1006"}', body(1006, 'a'), 'null', '[]', '""']],
  ['empty body', ['']],
  ['body is not JSON', ['OK']],
])('the flaw of a success is %s for the bodies %j', (flaw, bodies) => {
  for (const answered of bodies.map((one) => answeredBy(answer(200, one)))) {
    expect(answered.flaw).toBe(flaw)
    expect(isSuccess(answered)).toBe(flaw === null)
  }
})

test.each([200, 400, 502])(
  'content that cannot be decoded is reported with its reason under status %i',
  (status) => {
    const because = 'labelled gzip and is cut short'
    const answered = answeredBy(damaged(status, because))

    expect(answered).toEqual({ status, errorCode: null, flaw: 'body is not in its content coding', because })
    expect(isSuccess(answered)).toBe(false)
  },
)

test.each([199, 300, 304, 400, 500])('status %i is never a success, whatever the body', (status) => {
  expect(isSuccess(answeredBy(answer(status, { customizations: [] })))).toBe(false)
  expect(isSuccess(answeredBy(refused(status, '1001')))).toBe(false)
})

test.each([
  [true, refused(429, '1020')],
  [false, refused(429, '1006')],
  [false, refused(401, '1020')],
  [false, answer(429, '')],
])('a refusal for the quota needs the right status and code: %s, %#', (isOne, response) => {
  expect(isQuotaRefusal(answeredBy(response))).toBe(isOne)
})

const page = '<html><head><title>Request Rejected</title></head><body>Your support ID is: 1</body></html>'
const html = { fields: [['Content-Type', 'text/html; charset=utf-8']] } as const
const inHttp10 = requestWith({ form: { version: '1.0' } })
const uncoded = 'labelled gzip and is not gzip'

test.each<[about: string, response: Response, isOne: boolean, request?: Request]>([
  ['a 4xx with a page', answer(403, page, html), true],
  ['a 4xx with unrelated JSON', answer(400, { message: 'Bad Request' }), true],
  ['a page with status 200', answer(200, page, html), true],
  ['a page with status 200 and no label', answer(200, page, { fields: [] }), true],
  ['a 4xx that is not in its coding', damaged(403, uncoded, html), true],
  ['a 2xx that is not in its coding', damaged(200, uncoded, html), false],
  ['a 5xx that is not in its coding', damaged(500, uncoded, html), false],
  ['the documented error', refused(400, '1030'), false],
  ['a 5xx with a page', answer(500, page, html), false],
  ['a redirect', answer(302, page, html), false],
  ['a list', answer(200, []), false],
  ['an object labelled as a page', answer(200, '{"customizations":[]}', html), false],
  ['broken JSON labelled as JSON', answer(200, '{"customizations":['), false],
  ['an empty 204', answer(204, '', { fields: [] }), false],
  ['a 505', answer(505, page, html), false],
  ['a 505 to HTTP/1.0', answer(505, page, html), true, inHttp10],
  ['the documented error to HTTP/1.0', refused(505, '1010'), false, inHttp10],
  ['a 500 to HTTP/1.0', answer(500, page, html), false, inHttp10],
])('isTransportRefusal classifies %s correctly', (_, response, isOne, request) => {
  expect(isTransportRefusal(exchange(response, request))).toBe(isOne)
})
