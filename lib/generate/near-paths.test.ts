import { describe, expect, it } from 'vitest'
import { doubledSlash, nearPaths } from './near-paths.ts'

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
    const paths = nearPaths(path).map((near) => near.path)
    expect(new Set([path, ...paths]).size).toBe(paths.length + 1)
    for (const near of paths) {
      expect(near).toMatch(/^\/api\/./)
      expect(near).not.toMatch(/\/\/|\/\.|\.\.|%(?![0-9a-f]{2})/i)
    }
  })

  it('leave percent-encodings whole', () => {
    const paths = nearPaths('/api/a%C3').map((near) => near.path)
    expect(paths).toContain('/api/x%C3')
    expect(paths).not.toContain('/api/a%x3')
  })

  it('do not take a hidden file or a program for a near miss', () => {
    expect(nearPaths('/api/a.enx').map((near) => near.path)).not.toContain('/api/a.env')
    expect(nearPaths('/api/a.phpx').map((near) => near.path)).not.toContain('/api/a.php')
  })
})

it('the slash before the last segment is doubled', () => {
  expect(doubledSlash('/api/a/b').path).toBe('/api/a//b')
})
