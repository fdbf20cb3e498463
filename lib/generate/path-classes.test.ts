import { describe, expect, it } from 'vitest'
import { allowed } from '../judge/allowed.ts'
import type { MutatedRequest } from './case-class.ts'
import { caseClasses } from './case-classes.ts'
import { casesOf, inputOf, inputs, knownOf, requestOf, simplest } from './testing/requests.ts'
import { doubledSlash, nearPaths } from './path-classes.ts'

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')
const classList = caseClasses['fuzz/path'](input)

describe.each(Object.entries(inputs))('paths for %s', (_, of) => {
  const all = casesOf(caseClasses['fuzz/path'](of), 2_000).map(({ name, mutated }) => ({
    name,
    mutated,
    request: requestOf(of, mutated),
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
      // An unknown query adds another flaw.
      expect(codes).toEqual(request.target.includes('?') ? ['1010', '1030'] : ['1010'])
    }
    const segments = unknown.map(({ request }) => request.target.split(/[/?]/)[2])
    expect(new Set(segments).size).toBe(unknown.length)
  })

  it('do not ask for the folder of the known one, which gateways redirect, but as strangers, who must not get in', () => {
    const folder = of.path.slice(0, of.path.lastIndexOf('/'))
    const asked = all.filter(({ request }) => request.target.split('?')[0] === folder)

    expect(asked.filter(({ mutated }) => mutated.treatment !== 'refused')).toEqual([])
    expect(asked.length > 0).toBe(folder !== '/api')
  })

  it('may be refused by the transport where a segment is longer than some servers take', () => {
    const long = all.filter(({ name }) => name.startsWith('unknown-path-long.'))
    const isTooLong = (target: string): boolean => target.split('/').some((segment) => segment.length > 255)

    expect(new Set(long.map(({ mutated }) => mutated.transportMayRefuse))).toEqual(new Set([true, false]))
    for (const { request, mutated } of long)
      expect(mutated.transportMayRefuse).toBe(isTooLong(request.target))
  })

  it('that nearly are the known one may exist, for all that the oracle knows', () => {
    const misses = all.filter(({ name }) => name.startsWith('near-path'))
    for (const { request, mutated } of misses) {
      expect(knownOf(request, of).endpoint).toBe('uncertain')
      expect(mutated.mayRedirect).toBe(true)
    }
  })

  it('hold nothing that firewalls and frameworks refuse by themselves', () => {
    for (const { request, mutated } of all) {
      const [path = ''] = request.target.split('?')
      expect(path).not.toMatch(/%2f|%00|%0[ad]|;|\/\.|\.\.|~|\\|\.(?:php|git|env)/i)
      if (!mutated.transportMayRefuse) expect(path).not.toMatch(/%5c/i)
      if (mutated.treatment === 'oracle') expect(path).not.toContain('//')
    }
  })
})

describe('a finding', () => {
  it('names a path with the fewest segments', () => {
    const holds = ({ says }: MutatedRequest): boolean => says.includes('/9f8e7d')
    const some = classList.filter(({ name }) => name === 'unknown-path-with-segments')
    const first = casesOf(some, 100).find(({ mutated }) => holds(mutated) && mutated.says.length > 50)
    expect(first === undefined ? null : simplest(first, holds).says).toBe('the unknown path /api/zz…/9f8e7d')
  })

  it('of a near miss is on a request without credentials, where that shows it', () => {
    const some = classList.filter(({ name }) => name === 'near-path-of-strangers')
    const bases = casesOf(some, 20).map((one) => simplest(one, () => true).base)
    expect(new Set(bases)).toEqual(new Set(['api-key-absent']))
  })
})

it('a path without near misses that gateways let through still has classes', () => {
  const names = caseClasses['fuzz/path']({ ...input, path: '/api/~x' }).map(({ name }) => name)
  expect(names).not.toContain('near-path')
  expect(names).toContain('near-path-of-strangers')
})

describe('near misses of a path', () => {
  it('begin with those that services are most likely to serve', () => {
    expect(nearPaths('/api/customizations/list').slice(0, 5)).toEqual([
      { path: '/api/customizations/list/', how: 'with a slash at its end' },
      { path: '/api/customizations/LIST', how: 'with its last segment in upper case' },
      { path: '/api/customizations/lis', how: 'without its last character' },
      { path: '/api/customizations/list.json', how: 'with .json at its end' },
      { path: '/api/customizations/list/1', how: 'with a further segment 1' },
    ])
  })

  it('come to every letter below /api/', () => {
    const changed = nearPaths('/api/ab/c1').filter(({ how }) => how.endsWith('changed'))
    expect(changed).toEqual([
      { path: '/api/xb/c1', how: 'with its character 6 changed' },
      { path: '/api/ax/c1', how: 'with its character 7 changed' },
      { path: '/api/ab/x1', how: 'with its character 9 changed' },
    ])
  })

  it.each([
    '/api/customizations/list',
    '/api/x',
    '/api/cards/',
    '/api/%C3%A9/a%20b',
    '/api/x/%2E%2Ea',
    '/api/cards/.',
  ])('of %s are others, below /api/, and whole', (path) => {
    const paths = nearPaths(path).map((one) => one.path)
    expect(new Set([path, ...paths]).size).toBe(paths.length + 1)
    for (const one of paths) {
      expect(one).toMatch(/^\/api\/./)
      expect(one).not.toMatch(/\/\/|\/\.|\.\.|%(?![0-9a-f]{2})/i)
    }
  })

  it('leave percent-encodings whole', () => {
    const paths = nearPaths('/api/a%C3').map((one) => one.path)
    expect(paths).toContain('/api/x%C3')
    expect(paths).not.toContain('/api/a%x3')
  })

  it('do not take a hidden file or a program for a near miss', () => {
    expect(nearPaths('/api/a.enx').map((one) => one.path)).not.toContain('/api/a.env')
    expect(nearPaths('/api/a.phpx').map((one) => one.path)).not.toContain('/api/a.php')
  })
})

it('the slash before the last segment is doubled', () => {
  expect(doubledSlash('/api/a/b').path).toBe('/api/a//b')
})
