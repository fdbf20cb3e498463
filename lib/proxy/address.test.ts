import { describe, expect, it } from 'vitest'
import { originForm, pathOf, throughProxy } from './address.ts'

describe('the target of a request', () => {
  it.each([
    ['/api/a?b=c', '/api/a?b=c'],
    ['//a//b', '//a//b'],
    ['*', '*'],
    ['http://service.example:80/api?x', '/api?x'],
    ['HTTP://user:word@service.example', '/'],
    ['http://service.example?x', '/?x'],
    ['/http://inside/', '/http://inside/'],
  ])('%s is asked for as %s', (target, asked) => {
    expect(originForm(target)).toBe(asked)
  })

  it.each([
    ['/api/a?key=secret', '/api/a'],
    ['/a#b', '/a'],
    ['http://user:word@service.example/a?b', '/a'],
  ])('%s is shown as %s', (target, shown) => {
    expect(pathOf(target)).toBe(shown)
  })
})

describe('a location', () => {
  const target = { origin: 'https://service.example', prefix: '/v1' }
  const proxy = 'http://127.0.0.1:4000'

  it.each([
    ['https://service.example/v1/api/a?b#c', 'http://127.0.0.1:4000/api/a?b#c'],
    ['https://service.example:443/v1/a', 'http://127.0.0.1:4000/a'],
    ['HTTPS://SERVICE.example/v1', 'http://127.0.0.1:4000'],
    ['//service.example/v1/a', 'http://127.0.0.1:4000/a'],
    ['/v1/a%2fb', '/a%2fb'],
    ['/v1', '/'],
    ['/v1?a', '?a'],
  ])('%s below the base URL becomes %s', (location, expected) => {
    expect(throughProxy(location, target, proxy)).toBe(expected)
  })

  it.each([
    'https://service.example/v10/a',
    'https://service.example/other',
    'http://service.example/v1/a',
    'https://service.example:444/v1/a',
    'https://service.example.evil/v1/a',
    'https://user@/v1',
    'https://elsewhere.example/v1/a',
    'mailto:a@b',
    'a/b',
    '../a',
    '?page=2',
    '/elsewhere',
    '',
  ])('%s stays as it is', (location) => {
    expect(throughProxy(location, target, proxy)).toBe(location)
  })

  it('keeps its path where the base URL has none', () => {
    const bare = { ...target, prefix: '' }

    expect(throughProxy('https://service.example/a', bare, proxy)).toBe('http://127.0.0.1:4000/a')
    expect(throughProxy('/a', bare, proxy)).toBe('/a')
  })
})
