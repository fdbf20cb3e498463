import { expect, test } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { isExempt, orExcused, orRefusedByTransport, type Exemptions } from './excuses.ts'
import { answers } from './judge.ts'
import { answer, exchange, refused, requestWith, served } from './testing/exchanges.ts'

const list = '/cards/api/customizations/list'
const known = { baseUrl: 'https://staging.example/cards', paths: ['/api/customizations/list'] }

const judged = { observed: false, transportMayRefuse: false, mayRedirect: false }
const nearMiss = { ...judged, mayRedirect: true }
const mayRefuse = { ...judged, transportMayRefuse: true }
const malformed = { ...judged, fieldMayBeRefused: true }
const isPart = { ...judged, mayBePartial: true }

function answeredTo(method: string, response = served): Exchange {
  return exchange(response, requestWith({ method }))
}

function empty(status: number): Exchange {
  return exchange(answer(status, ''))
}

function page(status: number): Exchange {
  return exchange(answer(status, '<html>'))
}

function redirect(status: number, ...locations: readonly string[]): Exchange {
  return exchange(answer(status, '', { fields: locations.map((location) => ['Location', location]) }))
}

const missing = answers({ status: 400, errorCode: '1001' })

test.each<[about: string, one: Exchange, exemptions: Exemptions, isExempt: boolean]>([
  ['that is only observed', exchange(served), { ...judged, observed: true }, true],
  ['whose method has no body', answeredTo('HEAD', answer(404, '')), judged, true],
  ['that is ordinary', exchange(served), judged, false],
  ['that is ordinary and fails', empty(500), judged, false],
  ['for a near miss that is served', exchange(served), nearMiss, false],
  ['for a near miss that is refused', exchange(refused(404, '1')), nearMiss, false],
  ['with OPTIONS', answeredTo('OPTIONS'), judged, false],
  ['that the transport refused', page(400), mayRefuse, true],
  ['that the transport refused as too large', empty(431), mayRefuse, true],
  ['that the transport refused without permission', page(400), judged, false],
  ['that the service refused', exchange(refused(400, '1001')), mayRefuse, false],
  ['that failed', page(500), mayRefuse, false],
  ['that was served although it may be refused', exchange(served), mayRefuse, false],
  ['for a near miss, redirected to nowhere', redirect(302), nearMiss, false],
  ['for a near miss, redirected to two places', redirect(302, list, '/b'), nearMiss, false],
])('isExempt decides correctly for an exchange %s', (_, one, exemptions, expected) => {
  expect(isExempt(one, exemptions, known)).toBe(expected)
})

test.each<[about: string, of: (status: number) => Exchange, Exemptions, exempt: number[], not: number[]]>([
  ['a redirected near miss', (one) => redirect(one, list), nearMiss, [301, 302, 303, 307, 308], [200, 304]],
  ['a malformed field', empty, malformed, [304, 400, 431, 499], [200, 303, 305, 399, 500]],
  ['a partial answer', empty, isPart, [206, 304, 416], [200, 207, 400, 500]],
])(
  '%s is exempt only with certain statuses, and only if the case allows it',
  (_, of, exemptions, exempt, not) => {
    const isFree = (status: number): boolean => isExempt(of(status), exemptions, known)

    expect([exempt.filter(isFree), not.filter(isFree)]).toEqual([exempt, []])
    for (const status of exempt) expect(isExempt(of(status), judged, known)).toBe(false)
    expect(isExempt(empty(400), { ...judged, fieldMayBeRefused: false }, known)).toBe(false)
  },
)

test.each<[leadsToKnown: boolean, locations: readonly string[]]>([
  [true, [`https://staging.example${list}`, `http://staging.example:8080${list}?page=1`, list]],
  [false, [`https://staging.example.evil.example${list}`, `https://staging.example@evil.example${list}`]],
  [false, [`//evil.example${list}`, String.raw`/\evil.example${list}`, 'https://']],
  [false, ['/login', '/cards/login', '/cards/api/customizations', '/api/customizations/list', '/']],
  // "a redirect to the known path on the same host": no other check judges the destination.
  [
    false,
    ['https://elsewhere.example/api/customizations/list', '//elsewhere.example/api/customizations/list'],
  ],
])(
  "a redirect is exempt only if it leads to a known path on the target's host: %s, %j",
  (leads, locations) => {
    const exempt = (location: string): boolean => isExempt(redirect(302, location), nearMiss, known)
    expect(locations.filter(exempt)).toEqual(leads ? locations : [])
  },
)

test.each([
  ['https://staging.example', '/api/customizations/list'],
  ['https://staging.example/', '/api/cards/list'],
  ['https://staging.example/cards/', '/cards/api/cards/list'],
])('a redirect to any known path below the base URL %s is exempt', (baseUrl, location) => {
  const several = { baseUrl, paths: ['/api/customizations/list', '/api/cards/list'] }

  expect(isExempt(redirect(302, location), nearMiss, several)).toBe(true)
  expect(isExempt(redirect(302, `/other${location}`), nearMiss, several)).toBe(false)
})

test.each<[about: string, response: Exchange, Omit<Exemptions, 'observed'>]>([
  ['by the transport', page(400), mayRefuse],
  ['for a redirect', redirect(301, list), nearMiss],
  ['for a malformed field', empty(304), malformed],
  ['for a partial answer', empty(206), isPart],
])('a check accepts an answer that is excused %s, and the documented answer', (_, excused, exemptions) => {
  const check = orExcused(missing, exemptions, known)
  const kindOf = (one: Exchange): string => check.judge(one).kind

  expect(check.allowed).toEqual(missing.allowed)
  expect([excused, exchange(refused(400, '1001')), exchange(served), empty(500)].map(kindOf)).toEqual([
    'holds',
    'holds',
    'violates',
    'violates',
  ])
  expect(orExcused(missing, judged, known).judge(excused).kind).toBe('violates')
  expect(orRefusedByTransport(missing).judge(excused).kind).toBe(
    exemptions === mayRefuse ? 'holds' : 'violates',
  )
})
