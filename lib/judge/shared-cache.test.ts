import { describe, expect, it } from 'vitest'
import type { Request } from '../http/request.ts'
import { noSharedCache } from './shared-cache.ts'
import { answer, exchange, fieldsWith, refused, requestWith } from './testing/exchanges.ts'

type Fields = readonly (readonly [string, string])[]

/** What a success with these fields comes to: `says nothing`, `holds`, or the directive that is blamed. */
function judged(fields: Fields, request: Request = requestWith()): string {
  const judgement = noSharedCache(exchange(answer(200, {}, { fields }), request))
  if (judgement === null) return 'says nothing'
  if (judgement.kind !== 'violates') return judgement.kind
  expect(judgement.breach.difference).toBe('offered to shared caches')
  return /cache-control: (\S+),/.exec(judgement.breach.summary)?.[1] ?? ''
}

describe('a success that is offered to shared caches', () => {
  it.each([
    ['public, max-age=3600', 'max-age=3600'],
    ['max-age=1', 'max-age=1'],
    ['MAX-AGE=60', 'max-age=60'],
    ['max-age="60"', 'max-age=60'],
    ['max-age=060', 'max-age=60'],
    ['s-maxage=5', 's-maxage=5'],
    ['max-age=0, s-maxage=5', 's-maxage=5'],
    ['max-age=60,max-age=60', 'max-age=60'],
    [',, max-age=60 ,\tmust-revalidate', 'max-age=60'],
    ['community="private", max-age=60', 'max-age=60'],
    ['x="a, \\" no-store", max-age=60', 'max-age=60'],
    ['max-age=60, stale-while-revalidate=86400, immutable', 'max-age=60'],
    [`max-age=${'9'.repeat(30)}`, 'max-age=1e+30'],
  ])('is blamed with %s', (value, blamed) => {
    expect(judged([['Cache-Control', value]])).toBe(blamed)
  })

  it('is blamed in several field lines, and with Vary on what is no credential', () => {
    expect(
      judged([
        ['cache-control', 'public'],
        ['CACHE-CONTROL', 'max-age=60'],
        ['vary', 'x-version, accept-encoding'],
        ['vary', 'x-api-key-hint, authorization'],
      ]),
    ).toBe('max-age=60')
  })
})

describe('a success that is not offered to shared caches', () => {
  it.each([
    '',
    'public',
    'must-revalidate',
    'private, max-age=60',
    'max-age=60, PRIVATE',
    'private="set-cookie", max-age=60',
    'max-age=60, no-cache',
    'no-store, s-maxage=60',
    's-maxage=0',
    'max-age=60, s-maxage=0',
    'max-age=0',
  ])('is not blamed with %j', (value) => {
    expect(judged([['cache-control', value]])).toBe('holds')
  })

  it.each([
    'max-age',
    'max-age=',
    'max-age=-60',
    'max-age=60s',
    'max-age=1.5',
    'max-age=0x60',
    'max-age=1e3',
    'max-age="60',
    "max-age='60'",
    'max-age = 60',
    'max-age= 60',
    'max-age:60',
    'public; max-age=60',
    'public max-age=60',
    'max-age=60, max-age=0',
    'max-age=60, s-maxage=soon',
    'private="a, max-age=60',
    'max-age=\u0661',
  ])('is not blamed with %j, which is malformed or says two things', (value) => {
    expect(judged([['cache-control', value]])).toBe('holds')
  })

  it.each(['*', 'accept, *', 'X-Api-Key', 'accept-encoding,x-secret-key', '"x-api-key"'])(
    'is not blamed with Vary on %s',
    (vary) => {
      expect(
        judged([
          ['cache-control', 'public, max-age=60'],
          ['vary', 'origin'],
          ['Vary', vary],
        ]),
      ).toBe('holds')
    },
  )

  it('is not blamed without cache-control, whatever else caches read', () => {
    expect(judged([['expires', 'Sat, 21 Nov 2099 00:00:00 GMT']])).toBe('holds')
  })
})

describe('what no shared cache gives to others', () => {
  const offered: Fields = [['cache-control', 'public, max-age=60']]

  it.each([
    ['an error', refused(401, '1006', { fields: offered })],
    ['an error under 2xx', refused(200, '1006', { fields: offered })],
    ['no JSON', answer(200, '<html>', { fields: offered })],
    ['nothing', answer(204, '', { fields: offered })],
    ['a redirect', answer(301, '', { fields: offered })],
  ])('is %s', (_, response) => {
    expect(noSharedCache(exchange(response))).toBeNull()
  })

  it('is an answer to another method, or to a request without credentials', () => {
    expect(judged(offered, requestWith({ method: 'POST' }))).toBe('says nothing')
    const without = fieldsWith({ 'x-api-key': null, 'x-secret-key': null })
    expect(judged(offered, requestWith({ fields: without }))).toBe('says nothing')
    expect(judged(offered, requestWith({ fields: fieldsWith({ 'x-api-key': null }) }))).toBe('max-age=60')
  })
})
