import { describe, expect, it } from 'vitest'
import { observedExemption } from './observed.ts'
import { answer, exchange, refused, requestWith, served } from './testing/exchanges.ts'

const judged = { observed: false, mayRedirect: false }
const nearMiss = { observed: false, mayRedirect: true }

function redirect(status: number, ...locations: readonly string[]): ReturnType<typeof exchange> {
  return exchange(answer(status, '', { fields: locations.map((location) => ['Location', location]) }))
}

describe('an exchange that the run-wide rules say nothing of', () => {
  it('is one that is only observed, or one without a body by its method', () => {
    expect(observedExemption(exchange(served), { ...judged, observed: true })).toBe(true)
    expect(observedExemption(exchange(answer(404, ''), requestWith({ method: 'HEAD' })), judged)).toBe(true)
  })

  it('is no ordinary one, whatever it is answered', () => {
    expect(observedExemption(exchange(served), judged)).toBe(false)
    expect(observedExemption(exchange(answer(500, '')), judged)).toBe(false)
    expect(observedExemption(exchange(served), nearMiss)).toBe(false)
    expect(observedExemption(exchange(refused(404, '1')), nearMiss)).toBe(false)
    expect(observedExemption(exchange(served, requestWith({ method: 'OPTIONS' })), judged)).toBe(false)
  })

  it.each([301, 302, 303, 307, 308])('is a near miss of a path that is redirected by %i', (status) => {
    expect(observedExemption(redirect(status, '/api/customizations/list'), nearMiss)).toBe(true)
    expect(observedExemption(redirect(status, '/api/customizations/list'), judged)).toBe(false)
  })

  it('is no redirect that leads nowhere, or to two places', () => {
    expect(observedExemption(redirect(302), nearMiss)).toBe(false)
    expect(observedExemption(redirect(302, '/a', '/b'), nearMiss)).toBe(false)
    expect(observedExemption(redirect(304, '/a'), nearMiss)).toBe(false)
    expect(observedExemption(redirect(200, '/a'), nearMiss)).toBe(false)
  })

  it('is a redirect to an absolute address only on the host of the target, port included', () => {
    const exempt = (location: string, host: string): boolean =>
      observedExemption(redirect(302, location), nearMiss, host)

    expect(exempt('https://staging.example/api/customizations/list', 'staging.example')).toBe(true)
    expect(exempt('http://127.0.0.1:8080/api/customizations/list', '127.0.0.1:8080')).toBe(true)
    expect(exempt('http://127.0.0.1:9090/api/customizations/list', '127.0.0.1:8080')).toBe(false)
    expect(exempt('https://staging.example.evil.example/api', 'staging.example')).toBe(false)
    expect(exempt('https://staging.example@evil.example/api', 'staging.example')).toBe(false)
    expect(exempt('//evil.example/api', 'staging.example')).toBe(false)
    expect(exempt(String.raw`/\evil.example/api`, 'staging.example')).toBe(false)
    expect(exempt('https://', 'staging.example')).toBe(false)
  })

  // "a redirect to the known path on the same host": nothing else judges where a near miss is sent to.
  it.each([
    'https://elsewhere.example/api/customizations/list',
    '//elsewhere.example/api/customizations/list',
  ])('is no redirect to another host: %s', (location) => {
    expect(observedExemption(redirect(302, location), nearMiss)).toBe(false)
  })
})
