import { describe, expect, it } from 'vitest'
import { allowed } from '../judge/allowed.ts'
import { unknownSegment } from '../spec/endpoints.ts'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { pathKinds } from './path-kinds.ts'
import { casesOf, knownOf, materialOf, materials, requestOf, simplest } from './testing/requests.ts'

const material = materialOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')
const kinds = pathKinds(material)
const known = material.path

interface Sent {
  readonly fuzzed: Fuzzed
  readonly target: string
}

function sentBy(some: readonly Kind[], count: number): readonly Sent[] {
  return casesOf(some, count).map(({ fuzzed }) => ({ fuzzed, target: requestOf(material, fuzzed).target }))
}

function isUnknown({ target }: Sent): boolean {
  return unknownSegment.test(target.split('/')[2] ?? '')
}

function near(target: string): (one: Sent) => boolean {
  return (one) =>
    one.target === target && one.fuzzed.treatment === 'oracle' && one.fuzzed.mayRedirect === true
}

const classes: Readonly<Record<string, (one: Sent) => boolean>> = {
  'a random first segment': ({ target }) => /^\/api\/zz[a-z]{14}$/.test(target),
  'more segments': (one) => isUnknown(one) && one.target.split('/').length > 5,
  'a suffix': (one) => isUnknown(one) && one.target.endsWith('/list.json'),
  'percent-encoded UTF-8': (one) => isUnknown(one) && /%E4%BD%A0|%F0%9F%8E%A8/.test(one.target),
  'a long segment': (one) => isUnknown(one) && one.target.length > 1_000,
  'no byte of UTF-8': ({ target, fuzzed }) => target.endsWith('/%ff') && fuzzed.transportMayRefuse,
  'a truncated %': ({ target, fuzzed }) => target.endsWith('/%') && fuzzed.transportMayRefuse,
  'a trailing slash': near(`${known}/`),
  'another case': near('/api/customizations/LIST'),
  'a letter off': near('/api/customizations/lis'),
  'the suffix .json': near(`${known}.json`),
  'an extra segment': near(`${known}/1`),
  'a doubled slash': ({ target, fuzzed }) =>
    target === '/api/customizations//list' && fuzzed.treatment === 'observed',
  'a trailing slash of a stranger': ({ target, fuzzed }) =>
    target === `${known}/` && fuzzed.treatment === 'refused',
  'a doubled slash of a stranger': ({ target, fuzzed }) =>
    target === '/api/customizations//list' && fuzzed.treatment === 'refused',
  'without credentials': ({ fuzzed }) => fuzzed.says.endsWith(', without x-secret-key'),
  'with a wrong secret': ({ fuzzed }) => fuzzed.base === 'secret-key-wrong',
  'with a wrong key': ({ fuzzed }) => fuzzed.base === 'api-key-wrong',
}

describe('the classes of the catalogue', () => {
  const first = sentBy(kinds, 200)

  it.each(Object.entries(classes))('%s comes within 200 cases', (_, belongs) => {
    expect(first.some(belongs)).toBe(true)
  })
})

describe.each(Object.entries(materials))('paths for %s', (_, of) => {
  const all = casesOf(pathKinds(of), 2_000).map(({ name, fuzzed }) => ({
    name,
    fuzzed,
    request: requestOf(of, fuzzed),
  }))

  it('stay below /api/, unlike the known one', () => {
    for (const { request } of all) {
      expect(request.target.startsWith('/api/')).toBe(true)
      expect(request.target.split('?')[0]).not.toBe(of.path)
    }
  })

  it('that no service has are refused with 1010 alone', () => {
    const unknown = all.filter(({ name }) => name.startsWith('unknown'))
    for (const { request } of unknown) {
      const codes = allowed(knownOf(request, of)).map(({ errorCode }) => errorCode)
      // A query that the service may not know is one flaw more.
      expect(codes).toEqual(request.target.includes('?') ? ['1010', '1030'] : ['1010'])
    }
    const segments = unknown.map(({ request }) => request.target.split(/[/?]/)[2])
    expect(new Set(segments).size).toBe(unknown.length)
  })

  it('do not ask for the folder of the known one, which gateways redirect, but as strangers, who must not get in', () => {
    const folder = of.path.slice(0, of.path.lastIndexOf('/'))
    const asked = all.filter(({ request }) => request.target.split('?')[0] === folder)

    expect(asked.filter(({ fuzzed }) => fuzzed.treatment !== 'refused')).toEqual([])
    expect(asked.length > 0).toBe(folder !== '/api')
  })

  it('may be refused by the transport where a segment is longer than some servers take', () => {
    const long = all.filter(({ name }) => name.startsWith('unknown-path-long.'))
    const isTooLong = (target: string): boolean => target.split('/').some((segment) => segment.length > 255)

    expect(new Set(long.map(({ fuzzed }) => fuzzed.transportMayRefuse))).toEqual(new Set([true, false]))
    for (const { request, fuzzed } of long) expect(fuzzed.transportMayRefuse).toBe(isTooLong(request.target))
  })

  it('that nearly are the known one may exist, for all that the oracle knows', () => {
    const misses = all.filter(({ name }) => name.startsWith('near-path'))
    for (const { request, fuzzed } of misses) {
      expect(knownOf(request, of).endpoint).toBe('uncertain')
      expect(fuzzed.mayRedirect).toBe(true)
    }
  })

  it('hold nothing that firewalls and frameworks refuse by themselves', () => {
    for (const { request, fuzzed } of all) {
      const [path = ''] = request.target.split('?')
      expect(path).not.toMatch(/%2f|%00|%0[ad]|;|\/\.|\.\.|~|\\|\.(?:php|git|env)/i)
      if (!fuzzed.transportMayRefuse) expect(path).not.toMatch(/%5c/i)
      if (fuzzed.treatment === 'oracle') expect(path).not.toContain('//')
    }
  })
})

describe('a finding', () => {
  it('names a path with the fewest segments', () => {
    const holds = ({ says }: Fuzzed): boolean => says.includes('/9f8e7d')
    const some = kinds.filter(({ name }) => name === 'unknown-path-with-segments')
    const first = casesOf(some, 100).find(({ fuzzed }) => holds(fuzzed) && fuzzed.says.length > 50)
    expect(first === undefined ? null : simplest(first, holds).says).toBe('the unknown path /api/zz…/9f8e7d')
  })

  it('of a near miss is on a request without credentials, where that shows it', () => {
    const some = kinds.filter(({ name }) => name === 'near-path-of-strangers')
    const bases = casesOf(some, 20).map((one) => simplest(one, () => true).base)
    expect(new Set(bases)).toEqual(new Set(['api-key-absent']))
  })
})

it('a path without near misses that gateways let through still has kinds', () => {
  const names = pathKinds({ ...material, path: '/api/~x' }).map(({ name }) => name)
  expect(names).not.toContain('near-path')
  expect(names).toContain('near-path-of-strangers')
})
