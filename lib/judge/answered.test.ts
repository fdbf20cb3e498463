import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Response } from '../http/exchange.ts'
import { documentedPairs } from '../specification/answers.ts'
import { answeredBy, errorObjectFlaw, isQuotaRefusal, isSuccess, isTransportRefusal } from './answered.ts'
import { answer, damaged, exchange, refused, requestWith } from './testing/exchanges.ts'

/** The documented error object; further properties are allowed. */
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
  it('is total over every JSON value under every status, and fits the schema of the error object', () => {
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

  it('gives the code whenever it is a string, and only then', () => {
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

  it.each([
    ['', 'empty body'],
    ['<html></html>', 'body is not JSON'],
    ['{"error_code":"1001"', 'body is not JSON'],
    [' ', 'body is not JSON'],
    ['[]', 'body is not an object'],
    ['null', 'body is not an object'],
    ['"1001"', 'body is not an object'],
    ['1001', 'body is not an object'],
    ['[{"error_code":"1001","error_message":"a"}]', 'body is not an object'],
    ['{}', 'error_code is missing'],
    ['{"error_message":"a"}', 'error_code is missing'],
    ['{"code":"1001","message":"a"}', 'error_code is missing'],
    ['{"Error_Code":"1001","error_message":"a"}', 'error_code is missing'],
    ['{"error":{"error_code":"1001","error_message":"a"}}', 'error_code is missing'],
    ['{"__proto__":{"error_code":"1001","error_message":"a"}}', 'error_code is missing'],
    ['{"error_code":1001,"error_message":"a"}', 'error_code is not a string'],
    ['{"error_code":null,"error_message":"a"}', 'error_code is not a string'],
    ['{"error_code":["1001"],"error_message":"a"}', 'error_code is not a string'],
    ['{"error_code":"1001"}', 'error_message is missing'],
    ['{"error_code":"1001","error_message":null}', 'error_message is not a string'],
    ['{"error_code":"1001","error_message":{"en":"a"}}', 'error_message is not a string'],
    ['{"error_code":"1001","error_message":""}', null],
    ['{"error_code":"","error_message":"a"}', null],
    ['{"status":400,"error_message":"a","trace":null,"error_code":"1001"}', null],
  ] as const)('of an error finds in %s: %s', (body, flaw) => {
    expect(answeredBy(answer(400, body)).flaw).toBe(flaw)
  })

  it.each([
    ['{"error_code":"1006","error_message":"a"}', 'documented error under success'],
    ['{"error_code":"1006","error_message":"a","data":[]}', 'documented error under success'],
    ['{"error_code":"0","error_message":"a"}', null],
    ['{"error_code":"1006"}', null],
    ['{"error_code":1006,"error_message":"a"}', null],
    ['null', null],
    ['[]', null],
    ['""', null],
    ['', 'empty body'],
    ['OK', 'body is not JSON'],
  ] as const)('of a success finds in %s: %s', (body, flaw) => {
    const answered = answeredBy(answer(200, body))

    expect(answered.flaw).toBe(flaw)
    expect(isSuccess(answered)).toBe(flaw === null)
  })

  it.each([200, 400, 502])('finds that content is not in its coding under %i, and which', (status) => {
    const answered = answeredBy(damaged(status, 'labelled gzip and is cut short'))

    expect(answered).toEqual({
      status,
      errorCode: null,
      flaw: 'body is not in its content coding',
      because: 'labelled gzip and is cut short',
    })
    expect(isSuccess(answered)).toBe(false)
  })

  it.each([199, 300, 304, 400, 500])('calls %i no success, whatever it says', (status) => {
    expect(isSuccess(answeredBy(answer(status, { customizations: [] })))).toBe(false)
    expect(isSuccess(answeredBy(refused(status, '1001')))).toBe(false)
  })
})

describe('a refusal for a quota', () => {
  it.each([
    [429, '1020', true],
    [429, '1006', false],
    [401, '1020', false],
  ])('with %i / %s: %o', (status, errorCode, expected) => {
    expect(isQuotaRefusal(answeredBy(refused(status, errorCode)))).toBe(expected)
  })

  it('needs a code', () => {
    expect(isQuotaRefusal(answeredBy(answer(429, '')))).toBe(false)
  })
})

describe('a refusal by a transport, a gateway or a firewall', () => {
  const page = '<html><head><title>Request Rejected</title></head><body>Your support ID is: 1</body></html>'
  const html = { fields: [['Content-Type', 'text/html; charset=utf-8']] } as const

  it.each([
    ['a 4xx with a page', answer(403, page, html), true],
    ['a 4xx with JSON of its own', answer(400, { message: 'Bad Request' }), true],
    ['a page under 200', answer(200, page, html), true],
    ['a page under 200 without a label', answer(200, page, { fields: [] }), true],
    ['a 4xx that is not in its coding', damaged(403, 'labelled gzip and is not gzip', html), true],
    ['a 2xx that is not in its coding', damaged(200, 'labelled gzip and is not gzip', html), false],
    ['a 5xx that is not in its coding', damaged(500, 'labelled gzip and is not gzip', html), false],
    ['the documented error', refused(400, '1030'), false],
    ['a 5xx with a page', answer(500, page, html), false],
    ['a redirect', answer(302, page, html), false],
    ['a list', answer(200, []), false],
    ['an object that is called a page', answer(200, '{"customizations":[]}', html), false],
    ['what is broken, and called JSON', answer(200, '{"customizations":['), false],
    ['nothing at all under 204', answer(204, '', { fields: [] }), false],
  ])('%s', (_, response, isOne) => {
    expect(isTransportRefusal(exchange(response))).toBe(isOne)
  })

  it('a 505 to HTTP/1.0, and to nothing else, if it is without the documented error', () => {
    const to = (response: Response, version?: '1.0'): boolean =>
      isTransportRefusal(exchange(response, requestWith(version === undefined ? {} : { form: { version } })))

    expect(to(answer(505, page, html), '1.0')).toBe(true)
    expect(to(answer(505, page, html))).toBe(false)
    expect(to(refused(505, '1010'), '1.0')).toBe(false)
    expect(to(answer(500, page, html), '1.0')).toBe(false)
  })
})
