import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentedPairs, success, type Refusal } from '../specification/answers.ts'
import type { Request } from '../http/request.ts'
import { fingerprintOf } from './record.ts'
import {
  answers,
  answersOneOf,
  neverSucceeds,
  orRedirected,
  orFieldRefused,
  orRefusedByTransport,
  succeeds,
  withHint,
  type Check,
  sameOutcome,
  isRefused,
} from './judge.ts'
import { answer, exchange, refused, requestWith, served } from './testing/exchanges.ts'

const missing: Refusal = { status: 400, errorCode: '1001' }
const invalid: Refusal = { status: 401, errorCode: '1006' }

describe('one documented answer', () => {
  it('is the whole of it: status, code and the form of the object', () => {
    const check = answers(missing)

    expect(check.allowed).toEqual([missing])
    expect(check.judge(exchange(refused(400, '1001')))).toEqual({ kind: 'holds' })
    for (const response of [
      served,
      refused(401, '1001'),
      refused(400, '1002'),
      refused(200, '1001'),
      answer(400, { error_code: 1001, error_message: 'a' }),
      answer(400, { error_code: '1001' }),
      answer(400, [{ error_code: '1001', error_message: 'a' }]),
      answer(400, ''),
      answer(400, '1001'),
    ]) {
      expect(check.judge(exchange(response)).kind, response.text).toBe('violates')
    }
  })

  it('does not depend on the message, the content type or properties beside', () => {
    const odd = answer(400, { error_message: '', extra: [1], error_code: '1001' }, { fields: [] })

    expect(answers(missing).judge(exchange(odd))).toEqual({ kind: 'holds' })
  })

  it('tells what was answered in its place', () => {
    expect(answers(missing).judge(exchange(refused(401, '1006')))).toEqual({
      kind: 'violates',
      breach: {
        allowed: [missing],
        answered: { status: 401, errorCode: '1006', flaw: null },
        difference: 'another answer',
        summary: 'answered 401 / 1006 where 400 / 1001 is documented',
      },
    })
  })

  it('is told from every other documented pair', () => {
    for (const wanted of documentedPairs) {
      for (const { status, errorCode } of documentedPairs) {
        const judged = answers(wanted).judge(exchange(refused(status, errorCode)))
        expect(judged.kind).toBe(wanted.errorCode === errorCode ? 'holds' : 'violates')
      }
    }
  })
})

describe('one of several answers', () => {
  it('is any of them and nothing else, for every set of answers', () => {
    const pairs = documentedPairs.map(({ status, errorCode }): Refusal => ({ status, errorCode }))
    fc.assert(
      fc.property(fc.subarray([success, ...pairs], { minLength: 1 }), (allowed) => {
        const check = answersOneOf(allowed)
        expect(check.allowed).toEqual(allowed)
        expect(check.judge(exchange(served)).kind).toBe(allowed.includes(success) ? 'holds' : 'violates')
        for (const pair of pairs) {
          const judged = check.judge(exchange(refused(pair.status, pair.errorCode)))
          expect(judged.kind).toBe(allowed.includes(pair) ? 'holds' : 'violates')
        }
      }),
    )
  })

  it('is named in full', () => {
    const judged = answersOneOf([missing, invalid]).judge(exchange(answer(500, { oops: true })))

    expect(judged).toMatchObject({
      breach: {
        difference: 'error_code is missing',
        summary: 'answered 500, without error_code, where 400 / 1001 or 401 / 1006 is documented',
      },
    })
  })
})

describe('a demanded success', () => {
  it.each([200, 201, 299])('is a %i with any JSON', (status) => {
    expect(succeeds().judge(exchange(answer(status, []))).kind).toBe('holds')
    expect(succeeds().judge(exchange(answer(status, 'null'))).kind).toBe('holds')
    expect(succeeds().judge(exchange(answer(status, { error_code: '7' }))).kind).toBe('holds')
  })

  it.each([
    ['a documented error under 200', refused(200, '1006')],
    ['an empty body', answer(204, '')],
    ['a page', answer(200, '<html>')],
    ['a redirect', answer(302, {})],
    ['an error', refused(401, '1006')],
  ])('is not %s', (_, response) => {
    expect(succeeds().allowed).toEqual([success])
    expect(succeeds().judge(exchange(response)).kind).toBe('violates')
  })
})

describe('a forbidden success', () => {
  const check = neverSucceeds([invalid])

  it.each([
    ['an error', refused(401, '1006')],
    ['another error', refused(404, '9')],
    ['a redirect', answer(302, '')],
    ['a page', answer(200, '<html>welcome</html>')],
    ['an empty body', answer(204, '')],
    ['a documented error under 200', refused(200, '1006')],
  ])('is not %s', (_, response) => {
    expect(check.judge(exchange(response))).toEqual({ kind: 'holds' })
  })

  it('is a 2xx with JSON', () => {
    expect(check.allowed).toEqual([invalid])
    expect(check.judge(exchange(served))).toMatchObject({
      kind: 'violates',
      breach: { summary: 'answered 200 with JSON where 401 / 1006 is documented' },
    })
  })

  it('is, for HEAD, a 2xx that is labelled as JSON', () => {
    const head = requestWith({ method: 'HEAD' })
    const kindOf = (status: number, type: string | null, one: Check = check): string =>
      one.judge(exchange(answer(status, '', { fields: type === null ? [] : [['CONTENT-TYPE', type]] }), head))
        .kind

    expect(kindOf(200, 'application/json')).toBe('violates')
    expect(kindOf(204, 'application/problem+json; charset=utf-8')).toBe('violates')
    expect(kindOf(200, 'Application/JSON')).toBe('violates')
    expect(kindOf(200, 'text/html')).toBe('holds')
    expect(kindOf(200, null)).toBe('holds')
    expect(kindOf(299, 'application/json')).toBe('violates')
    expect(kindOf(199, 'application/json')).toBe('holds')
    expect(kindOf(401, 'application/json')).toBe('holds')
    expect(kindOf(302, 'application/json')).toBe('holds')
    expect(
      check.judge(exchange(answer(200, '', { fields: [['x-format', 'application/json']] }), head)).kind,
    ).toBe('holds')
  })
})

describe('a check that holds, too, where the transport refused', () => {
  const check = orRefusedByTransport(answers(missing))

  it.each([
    ['the documented answer', refused(400, '1001'), 'holds'],
    ['a page under 400', answer(400, '<html>'), 'holds'],
    ['an empty 499', answer(499, ''), 'holds'],
    ['JSON of its own under 431', answer(431, { message: 'too large' }), 'holds'],
    ['an error object without a message', answer(400, { error_code: '1002' }), 'holds'],
    ['another documented error', refused(400, '1002'), 'violates'],
    ['a code of its own in the documented form', refused(404, '9999'), 'violates'],
    ['a page under 399', answer(399, '<html>'), 'violates'],
    ['a page under 500', answer(500, '<html>'), 'violates'],
    ['a page under 200', answer(200, '<html>'), 'violates'],
    ['a success', served, 'violates'],
  ])('%s: %#', (_, response, kind) => {
    expect(check.allowed).toEqual([missing])
    expect(check.judge(exchange(response)).kind).toBe(kind)
  })
})

describe('a check that holds, too, where a near miss is redirected', () => {
  const known = { baseUrl: 'https://staging.example/cards', paths: ['/api/customizations/list'] }
  const check = orRedirected(answers(missing), known)
  const redirect = (location: string): ReturnType<typeof exchange> =>
    exchange(answer(301, '', { fields: [['location', location]] }))

  it('holds where it leads to a known path, and judges every other answer', () => {
    expect(check.allowed).toEqual([missing])
    expect(check.judge(redirect('/cards/api/customizations/list')).kind).toBe('holds')
    expect(check.judge(redirect('/login')).kind).toBe('violates')
    expect(check.judge(exchange(refused(400, '1001'))).kind).toBe('holds')
    expect(check.judge(exchange(served)).kind).toBe('violates')
  })
})

describe('a breach with a hint', () => {
  it('is told with it, and known by the same fingerprint', () => {
    const judged = answers(missing).judge(exchange(served))
    const breach = judged.kind === 'violates' ? judged.breach : expect.fail('it is allowed')
    const hinted = withHint(breach, 'FIXTURE_INVALID_QUERY is a valid query')

    expect(hinted).toEqual({
      ...breach,
      summary:
        'answered 200 with JSON where 400 / 1001 is documented, or FIXTURE_INVALID_QUERY is a valid query',
    })
    expect(fingerprintOf('GET /a', hinted)).toBe(fingerprintOf('GET /a', breach))
  })
})

describe('a check of a request with a malformed field', () => {
  const check = orFieldRefused(succeeds())

  it('holds where the field was refused, or the answer is what is asked for', () => {
    expect(check.allowed).toEqual([success])
    expect(check.judge(exchange(served)).kind).toBe('holds')
    expect(check.judge(exchange(answer(304, ''))).kind).toBe('holds')
    expect(check.judge(exchange(answer(400, '<html>'))).kind).toBe('holds')
    expect(check.judge(exchange(answer(500, ''))).kind).toBe('violates')
  })
})

describe('the same outcome', () => {
  it.each([
    ['two successes, whatever they hold', served, answer(201, [])],
    ['one code under one status, whatever the message', refused(401, '1006'), refused(401, '1006')],
    ['the same wrong answer', answer(500, '<html>a'), answer(500, '<html>b')],
    [
      'one code with more beside it',
      refused(400, '1001'),
      answer(400, { error_code: '1001', error_message: 'b', x: 1 }),
    ],
  ])('is %s', (_, one, other) => {
    expect(sameOutcome(exchange(one), exchange(other))).toEqual({ kind: 'holds' })
    expect(sameOutcome(exchange(other), exchange(one))).toEqual({ kind: 'holds' })
  })

  it.each([
    ['a success and an error', served, refused(401, '1006')],
    ['a success and an error under 200', served, refused(200, '1006')],
    ['two codes', refused(401, '1006'), refused(401, '1007')],
    ['two statuses', refused(401, '1006'), refused(400, '1006')],
    ['two forms', refused(400, '1001'), answer(400, { error_code: '1001' })],
    ['JSON and a page', answer(406, {}), answer(406, '<html>')],
  ])('is not %s', (_, one, other) => {
    expect(sameOutcome(exchange(one), exchange(other)).kind).toBe('violates')
    expect(sameOutcome(exchange(other), exchange(one)).kind).toBe('violates')
  })

  // A part of the fingerprint: waivers hold it.
  it.each([
    [served, 'success'],
    [answer(500, ''), '500//empty body'],
    [refused(401, '1006'), '401/1006/'],
    [answer(400, { error_code: '1001' }), '400/1001/error_message is missing'],
  ])('is called by status, code and flaw: %#', (first, outcome) => {
    expect(sameOutcome(exchange(first), exchange(answer(302, '')))).toMatchObject({
      breach: { difference: `another outcome than ${outcome}` },
    })
  })

  it('blames the second answer, and names both', () => {
    expect(sameOutcome(exchange(served), exchange(answer(406, '')))).toEqual({
      kind: 'violates',
      breach: {
        allowed: [],
        answered: { status: 406, errorCode: null, flaw: 'empty body' },
        against: 'outcome',
        difference: 'another outcome than success',
        summary:
          'answered 406, with an empty body, where the same request apart from the writing of its lines is answered 200 with JSON',
      },
    })
  })
})

describe('what a pair of requests differs in', () => {
  const plain = requestWith({})
  const sent = (...fields: readonly (readonly [string, string])[]): Request => ({
    ...plain,
    fields: fields.map(([name, value]) => ({ name, value })),
  })

  it.each([
    ['its accept', sent(['accept', 'text/html']), sent(['Accept', '*/*'])],
    ['its accept, te', sent(['accept', 'a/b']), sent(['te', 'trailers'])],
    ['its path or query', plain, { ...plain, target: `${plain.target}?a=b` }],
    ['its method and its x-api-key', sent(['x-api-key', 'first']), { ...sent(), method: 'HEAD' }],
    ['the writing of its lines', sent(['a', '1'], ['b', '2']), sent(['b', '2'], ['a', '1'])],
    ['its a, b, c, d and 1 more fields', sent(), sent(...[...'abcde'].map((name) => [name, '1'] as const))],
  ])('is named, without values: %s', (named, one, other) => {
    const judgement = sameOutcome(exchange(served, one), exchange(refused(401, '1006'), other))

    expect(judgement).toMatchObject({
      breach: {
        summary: `answered 401 / 1006 where the same request apart from ${named} is answered 200 with JSON`,
      },
    })
  })
})

describe('a refusal for the quota', () => {
  it.each([
    ['the whole documented answer', refused(429, '1020'), true],
    ['another status', refused(403, '1020'), false],
    ['no code', answer(429, { message: 'slow down' }), false],
    ['a numeric code', answer(429, { error_code: 1020, error_message: 'a' }), false],
    ['no message', answer(429, { error_code: '1020' }), false],
    ['a success', served, false],
  ])('%s', (_, response, isOne) => {
    expect(isRefused(exchange(response))).toBe(isOne)
  })
})
