import fc from 'fast-check'
import { expect, test } from 'vitest'
import { documentedPairs, success, type Answer, type Refusal } from '../specification/answers.ts'
import type { Response } from '../http/exchange.ts'
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

const page = '<html>'
const known = { baseUrl: 'https://staging.example/cards', paths: ['/api/customizations/list'] }
const back = { fields: [['location', '/cards/api/customizations/list']] } as const
const away = { fields: [['location', '/login']] } as const
const odd = answer(400, { error_message: '', extra: [1], error_code: '1001' }, { fields: [] })
const documented = documentedPairs.map(({ status, errorCode }): Refusal => ({ status, errorCode }))

test.each<[about: string, check: Check, allowed: Answer, holds: Response[], violates: Response[]]>([
  [
    'one documented answer, status, code and form, whatever is beside them',
    answers(missing),
    missing,
    [refused(400, '1001'), odd],
    [
      ...[served, refused(401, '1001'), refused(400, '1002'), refused(200, '1001'), answer(400, '')],
      ...[answer(400, { error_code: 1001, error_message: 'a' }), answer(400, { error_code: '1001' })],
      ...[answer(400, [{ error_code: '1001', error_message: 'a' }]), answer(400, '1001')],
    ],
  ],
  [
    'a demanded success, any JSON',
    succeeds(),
    success,
    [200, 201, 299].flatMap((status) =>
      [[], 'null', { error_code: '7' }].map((body) => answer(status, body)),
    ),
    [refused(200, '1006'), answer(204, ''), answer(200, page), answer(302, {}), refused(401, '1006')],
  ],
  [
    'a forbidden success, any JSON',
    neverSucceeds([invalid]),
    invalid,
    [
      ...[refused(401, '1006'), refused(404, '9'), answer(302, ''), answer(200, '<html>welcome</html>')],
      ...[answer(204, ''), refused(200, '1006')],
    ],
    [served],
  ],
  [
    'a refusal, by the transport, too',
    orRefusedByTransport(answers(missing)),
    missing,
    [
      ...[refused(400, '1001'), answer(400, page), answer(499, ''), answer(431, { message: 'too large' })],
      answer(400, { error_code: '1002' }),
    ],
    [
      ...[refused(400, '1002'), refused(404, '9999'), answer(399, page), answer(500, page)],
      ...[answer(200, page), served],
    ],
  ],
  [
    'a refusal, or a redirect to a known path',
    orRedirected(answers(missing), known),
    missing,
    [answer(301, '', back), refused(400, '1001')],
    [answer(301, '', away), served],
  ],
  [
    'a success, or a refusal of a malformed field',
    orFieldRefused(succeeds()),
    success,
    [served, answer(304, ''), answer(400, page)],
    [answer(500, '')],
  ],
])('a check asks for %s', (_, check, allowed, good, bad) => {
  const kindsOf = (responses: readonly Response[]): readonly string[] =>
    responses.map((response) => check.judge(exchange(response)).kind)

  expect(check.allowed).toEqual([allowed])
  expect(kindsOf(good)).toEqual(good.map(() => 'holds'))
  expect(kindsOf(bad)).toEqual(bad.map(() => 'violates'))
})

test('a breach says what was answered in the place of what is documented', () => {
  expect(answers(missing).judge(exchange(refused(401, '1006')))).toEqual({
    kind: 'violates',
    breach: {
      allowed: [missing],
      answered: { status: 401, errorCode: '1006', flaw: null },
      difference: 'another answer',
      summary: 'answered 401 / 1006 where 400 / 1001 is documented',
    },
  })
  expect(answersOneOf([missing, invalid]).judge(exchange(answer(500, { oops: true })))).toMatchObject({
    breach: {
      difference: 'error_code is missing',
      summary: 'answered 500, without error_code, where 400 / 1001 or 401 / 1006 is documented',
    },
  })
  expect(neverSucceeds([invalid]).judge(exchange(served))).toMatchObject({
    breach: { summary: 'answered 200 with JSON where 401 / 1006 is documented' },
  })
})

test('one of several answers is any of them and nothing else, for every set of answers', () => {
  fc.assert(
    fc.property(fc.subarray([success, ...documented], { minLength: 1 }), (allowed) => {
      const check = answersOneOf(allowed)
      expect(check.allowed).toEqual(allowed)
      expect(check.judge(exchange(served)).kind).toBe(allowed.includes(success) ? 'holds' : 'violates')
      for (const pair of documented) {
        const judged = check.judge(exchange(refused(pair.status, pair.errorCode)))
        expect(judged.kind).toBe(allowed.includes(pair) ? 'holds' : 'violates')
      }
    }),
  )
})

test.each<[violates: boolean, status: number, label: readonly [string, string] | null]>([
  [true, 200, ['CONTENT-TYPE', 'application/json']],
  [true, 204, ['content-type', 'application/problem+json; charset=utf-8']],
  [true, 200, ['content-type', 'Application/JSON']],
  [true, 299, ['content-type', 'application/json']],
  [false, 200, ['content-type', 'text/html']],
  [false, 200, null],
  [false, 199, ['content-type', 'application/json']],
  [false, 401, ['content-type', 'application/json']],
  [false, 302, ['content-type', 'application/json']],
  [false, 200, ['x-format', 'application/json']],
])(
  'a forbidden success of HEAD is a 2xx that is labelled as JSON: %s, %i with %j',
  (violates, status, label) => {
    const response = answer(status, '', { fields: label === null ? [] : [label] })
    const judged = neverSucceeds([invalid]).judge(exchange(response, requestWith({ method: 'HEAD' })))

    expect(judged.kind).toBe(violates ? 'violates' : 'holds')
  },
)

test('a breach with a hint is told with it, and known by the same fingerprint', () => {
  const judged = answers(missing).judge(exchange(served))
  const breach = judged.kind === 'violates' ? judged.breach : expect.fail('it is allowed')
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
])('an outcome is the same (%s) by success, or by status, code and form: %#', (isSame, one, other) => {
  const kind = isSame ? 'holds' : 'violates'
  expect(sameOutcome(exchange(one), exchange(other)).kind).toBe(kind)
  expect(sameOutcome(exchange(other), exchange(one)).kind).toBe(kind)
})

// A part of the fingerprint: waivers hold it.
test.each([
  [served, 'success'],
  [answer(500, ''), '500//empty body'],
  [refused(401, '1006'), '401/1006/'],
  [answer(400, { error_code: '1001' }), '400/1001/error_message is missing'],
])('an outcome is called by status, code and flaw: %#', (first, outcome) => {
  expect(sameOutcome(exchange(first), exchange(answer(302, '')))).toMatchObject({
    breach: { difference: `another outcome than ${outcome}` },
  })
})

test('another outcome blames the second answer, and names both', () => {
  expect(sameOutcome(exchange(served), exchange(answer(406, '')))).toMatchObject({
    breach: {
      allowed: [],
      answered: { status: 406, errorCode: null, flaw: 'empty body' },
      against: 'outcome',
      summary: `answered 406, with an empty body, where the same request ${apart('the writing of its lines')}`,
    },
  })
})

function apart(named: string): string {
  return `apart from ${named} is answered 200 with JSON`
}

const plain = requestWith({})
function sent(...fields: readonly (readonly [string, string])[]): Request {
  return { ...plain, fields: fields.map(([name, value]) => ({ name, value })) }
}

test.each([
  ['its accept', sent(['accept', 'text/html']), sent(['Accept', '*/*'])],
  ['its accept, te', sent(['accept', 'a/b']), sent(['te', 'trailers'])],
  ['its path or query', plain, { ...plain, target: `${plain.target}?a=b` }],
  ['its method and its x-api-key', sent(['x-api-key', 'first']), { ...sent(), method: 'HEAD' }],
  ['the writing of its lines', sent(['a', '1'], ['b', '2']), sent(['b', '2'], ['a', '1'])],
  ['its a, b, c, d and 1 more fields', sent(), sent(...[...'abcde'].map((name) => [name, '1'] as const))],
])('what a pair of requests differs in is named, without values: %s', (named, one, other) => {
  expect(sameOutcome(exchange(served, one), exchange(refused(401, '1006'), other))).toMatchObject({
    breach: { summary: `answered 401 / 1006 where the same request ${apart(named)}` },
  })
})

test.each([
  [true, refused(429, '1020')],
  [false, refused(403, '1020')],
  [false, answer(429, { message: 'slow down' })],
  [false, answer(429, { error_code: 1020, error_message: 'a' })],
  [false, answer(429, { error_code: '1020' })],
  [false, served],
])('a refusal for the quota is the whole documented answer: %s, %#', (isOne, response) => {
  expect(isRefused(exchange(response))).toBe(isOne)
})
