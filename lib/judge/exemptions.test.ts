import { describe, expect, it } from 'vitest'
import { observedExemption, type Exemptions } from './run-wide.ts'
import { answer, exchange, refused, requestWith, served } from './testing/exchanges.ts'

const known = { baseUrl: 'https://staging.example/cards', paths: ['/api/customizations/list'] }

/** With the target that the tests know. */
function exemption(...[one, exemptions]: readonly [ReturnType<typeof exchange>, Exemptions]): boolean {
  return observedExemption(one, exemptions, known)
}

const judged = { observed: false, transportMayRefuse: false, mayRedirect: false }
const nearMiss = { ...judged, mayRedirect: true }

function redirect(status: number, ...locations: readonly string[]): ReturnType<typeof exchange> {
  return exchange(answer(status, '', { fields: locations.map((location) => ['Location', location]) }))
}

describe('an exchange that the run-wide rules say nothing of', () => {
  it('is one that is only observed, or one without a body by its method', () => {
    expect(exemption(exchange(served), { ...judged, observed: true })).toBe(true)
    expect(exemption(exchange(answer(404, ''), requestWith({ method: 'HEAD' })), judged)).toBe(true)
  })

  it('is no ordinary one, whatever it is answered', () => {
    expect(exemption(exchange(served), judged)).toBe(false)
    expect(exemption(exchange(answer(500, '')), judged)).toBe(false)
    expect(exemption(exchange(served), nearMiss)).toBe(false)
    expect(exemption(exchange(refused(404, '1')), nearMiss)).toBe(false)
    expect(exemption(exchange(served, requestWith({ method: 'OPTIONS' })), judged)).toBe(false)
  })

  it.each([301, 302, 303, 307, 308])('is a near miss of a path that is redirected by %i', (status) => {
    expect(exemption(redirect(status, '/cards/api/customizations/list'), nearMiss)).toBe(true)
    expect(exemption(redirect(status, '/api/customizations/list'), judged)).toBe(false)
  })

  it.each([
    [200, false],
    [303, false],
    [304, true],
    [305, false],
    [399, false],
    [400, true],
    [431, true],
    [499, true],
    [500, false],
  ])('is one with a malformed field that is answered %i: %s', (status, isExempt) => {
    const malformed = exchange(answer(status, ''))

    expect(exemption(malformed, { ...judged, fieldMayBeRefused: true })).toBe(isExempt)
    expect(exemption(malformed, { ...judged, fieldMayBeRefused: false })).toBe(false)
    expect(exemption(malformed, judged)).toBe(false)
  })

  it.each([
    [200, false],
    [206, true],
    [207, false],
    [304, true],
    [400, false],
    [416, true],
    [500, false],
  ])('is one of which a part is enough, that is answered %i: %s', (status, isExempt) => {
    const part = exchange(answer(status, '{"cu'))

    expect(exemption(part, { ...judged, mayBePartial: true })).toBe(isExempt)
    expect(exemption(part, judged)).toBe(false)
  })

  it('is one that the transport refused by itself, where it may', () => {
    const mayRefuse = { ...judged, transportMayRefuse: true }

    expect(exemption(exchange(answer(400, '<html>')), mayRefuse)).toBe(true)
    expect(exemption(exchange(answer(431, '')), mayRefuse)).toBe(true)
    expect(exemption(exchange(answer(400, '<html>')), judged)).toBe(false)
    expect(exemption(exchange(refused(400, '1001')), mayRefuse)).toBe(false)
    expect(exemption(exchange(answer(500, '<html>')), mayRefuse)).toBe(false)
    expect(exemption(exchange(served), mayRefuse)).toBe(false)
  })

  it.each([
    ['https://staging.example', '/api/customizations/list'],
    ['https://staging.example/', '/api/cards/list'],
    ['https://staging.example/cards/', '/cards/api/cards/list'],
  ])('is a redirect to any known path below the base URL %s', (baseUrl, location) => {
    const several = { baseUrl, paths: ['/api/customizations/list', '/api/cards/list'] }

    expect(observedExemption(redirect(302, location), nearMiss, several)).toBe(true)
    expect(observedExemption(redirect(302, `/other${location}`), nearMiss, several)).toBe(false)
  })

  it('is no redirect that leads nowhere, or to two places', () => {
    expect(exemption(redirect(302), nearMiss)).toBe(false)
    expect(exemption(redirect(302, '/cards/api/customizations/list', '/b'), nearMiss)).toBe(false)
    expect(exemption(redirect(304, '/cards/api/customizations/list'), nearMiss)).toBe(false)
    expect(exemption(redirect(200, '/cards/api/customizations/list'), nearMiss)).toBe(false)
  })

  it('is a redirect to an absolute address only on the host of the target, whatever its scheme and port', () => {
    const exempt = (location: string): boolean => exemption(redirect(302, location), nearMiss)

    expect(exempt('https://staging.example/cards/api/customizations/list')).toBe(true)
    expect(exempt('http://staging.example:8080/cards/api/customizations/list?page=1')).toBe(true)
    expect(exempt('https://staging.example.evil.example/cards/api/customizations/list')).toBe(false)
    expect(exempt('https://staging.example@evil.example/cards/api/customizations/list')).toBe(false)
    expect(exempt('//evil.example/cards/api/customizations/list')).toBe(false)
    expect(exempt(String.raw`/\evil.example/cards/api/customizations/list`)).toBe(false)
    expect(exempt('https://')).toBe(false)
  })

  it.each(['/login', '/cards/login', '/cards/api/customizations', '/api/customizations/list', '/'])(
    'is no redirect to another place than a known path: %s',
    (location) => {
      expect(exemption(redirect(302, location), nearMiss)).toBe(false)
    },
  )

  // "a redirect to the known path on the same host": no other check judges the destination.
  it.each([
    'https://elsewhere.example/api/customizations/list',
    '//elsewhere.example/api/customizations/list',
  ])('is no redirect to another host: %s', (location) => {
    expect(exemption(redirect(302, location), nearMiss)).toBe(false)
  })
})
