import { expect, test } from 'vitest'
import type { Request } from '../http/request.ts'
import { noSharedCache } from './run-wide.ts'
import { answer, exchange, fieldsWith, refused, requestWith } from './testing/exchanges.ts'

type Fields = readonly (readonly [string, string])[]

/** The result for a success with these fields: `says nothing`, `holds`, or the directive to blame. */
function judged(fields: Fields, request: Request = requestWith()): string {
  const judgement = noSharedCache(exchange(answer(200, {}, { fields }), request))
  if (judgement === null) return 'says nothing'
  if (judgement.kind !== 'violates') return judgement.kind
  expect(judgement.breach.difference).toBe('offered to shared caches')
  return /cache-control: (\S+),/.exec(judgement.breach.summary)?.[1] ?? ''
}

const offered: Fields = [['cache-control', 'public, max-age=60']]

test.each<[result: string, values: readonly string[]]>([
  ['max-age=60', ['MAX-AGE=60', 'max-age="60"', 'max-age=060', 'max-age=60,max-age=60']],
  ['max-age=60', [',, max-age=60 ,\tmust-revalidate', 'community="private", max-age=60']],
  ['max-age=60', ['x="a, \\" no-store", max-age=60', 'max-age=60, stale-while-revalidate=86400, immutable']],
  ['max-age=3600', ['public, max-age=3600']],
  ['max-age=1', ['max-age=1']],
  ['max-age=1e+30', [`max-age=${'9'.repeat(30)}`]],
  ['s-maxage=5', ['s-maxage=5', 'max-age=0, s-maxage=5']],
  ['holds', ['', 'public', 'must-revalidate', 'private, max-age=60', 'max-age=60, PRIVATE', 'max-age=0']],
  ['holds', ['private="set-cookie", max-age=60', 'max-age=60, no-cache', 'no-store, s-maxage=60']],
  ['holds', ['s-maxage=0', 'max-age=60, s-maxage=0']],
  // Malformed, or contradictory.
  [
    'holds',
    ['max-age', 'max-age=', 'max-age=-60', 'max-age=60s', 'max-age=1.5', 'max-age=0x60', 'max-age=1e3'],
  ],
  [
    'holds',
    ['max-age="60', "max-age='60'", 'max-age = 60', 'max-age= 60', 'max-age:60', 'public; max-age=60'],
  ],
  ['holds', ['public max-age=60', 'max-age=60, max-age=0', 'max-age=60, s-maxage=soon', 'max-age=\u0661']],
  ['holds', ['private="a, max-age=60']],
])('the result for a success is %s with any cache-control of %j', (result, values) => {
  for (const value of values) expect(judged([['Cache-Control', value]]), value).toBe(result)
})

test('a success is blamed for directives in several field lines, even if Vary names other fields', () => {
  const fields: Fields = [
    ['cache-control', 'public'],
    ['CACHE-CONTROL', 'max-age=60'],
    ['vary', 'x-version, accept-encoding'],
    ['vary', 'x-api-key-hint, authorization'],
  ]
  expect(judged(fields)).toBe('max-age=60')
})

test.each(['*', 'accept, *', 'X-Api-Key', 'accept-encoding,x-secret-key', '"x-api-key"'])(
  'a success is not blamed if Vary is %s',
  (vary) => {
    expect(judged([...offered, ['vary', 'origin'], ['Vary', vary]])).toBe('holds')
  },
)

test('a success without cache-control is not blamed, regardless of other cache fields', () => {
  expect(judged([['expires', 'Sat, 21 Nov 2099 00:00:00 GMT']])).toBe('holds')
})

test.each([
  ['an error', refused(401, '1006', { fields: offered })],
  ['an error with a 2xx status', refused(200, '1006', { fields: offered })],
  ['a body that is not JSON', answer(200, '<html>', { fields: offered })],
  ['nothing', answer(204, '', { fields: offered })],
  ['a redirect', answer(301, '', { fields: offered })],
])('the rule does not apply to %s', (_, response) => {
  expect(noSharedCache(exchange(response))).toBeNull()
})

test.each([
  ['says nothing', requestWith({ method: 'POST' })],
  ['says nothing', requestWith({ fields: fieldsWith({ 'x-api-key': null, 'x-secret-key': null }) })],
  ['max-age=60', requestWith({ fields: fieldsWith({ 'x-api-key': null }) })],
])('the result for another method, or for missing credentials, is %s: %#', (result, request) => {
  expect(judged(offered, request)).toBe(result)
})
