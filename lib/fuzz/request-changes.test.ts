import { describe, expect, it, test } from 'vitest'
import { valueOf, type Request } from '../http/request.ts'
import {
  adding,
  inTurn,
  ordered,
  raw,
  renamed,
  renaming,
  replacing,
  setting,
  to,
  withPath,
  without,
  withQuery,
  withQueryFrom,
  type RequestChange,
} from './request-changes.ts'

const request: Request = {
  method: 'GET',
  target: '/api/list?page=1',
  fields: [
    { name: 'x-api-key', value: 'k' },
    { name: 'accept', value: 'a' },
    { name: 'X-Secret-Key', value: 's' },
    { name: 'x-version', value: '1' },
  ],
}

function linesAfter(change: RequestChange): string {
  return change(request)
    .fields.map((field) => `${field.name}=${valueOf(field)}`)
    .join(' ')
}

describe('a change to the fields', () => {
  const added = [
    { name: 'b', value: '1' },
    { name: 'c', value: '2' },
  ]
  const turned = ordered(['x-version', 'x-secret-key', 'x-api-key'])
  const capitals = renaming((name) => name.toUpperCase())
  const end = 'X-Secret-Key=s x-version=1'

  test.each<readonly [string, RequestChange, string]>([
    ['removes fields', without('x-secret-key', 'accept'), 'x-api-key=k x-version=1'],
    ['sets a field', setting('x-secret-key', 't'), 'x-api-key=k accept=a X-Secret-Key=t x-version=1'],
    ['sets a new field at the end', setting('b', 'c'), `x-api-key=k accept=a ${end} b=c`],
    ['replaces a field by two fields', replacing('accept', ...added), `x-api-key=k b=1 c=2 ${end}`],
    ['adds a field', adding({ name: 'accept', value: 'b' }), `x-api-key=k accept=a ${end} accept=b`],
    ['renames a field', renamed('x-secret-key', 'y'), 'x-api-key=k accept=a y=s x-version=1'],
    ['renames every field', capitals, 'X-API-KEY=k ACCEPT=a X-SECRET-KEY=s X-VERSION=1'],
    ['reorders fields', turned, 'x-version=1 accept=a X-Secret-Key=s x-api-key=k'],
    ['reorders present fields', inTurn(without('x-secret-key'), turned), 'x-version=1 accept=a x-api-key=k'],
  ])('%s', (_, change, lines) => {
    expect(linesAfter(change)).toBe(lines)
  })
})

describe('a change to the target', () => {
  test.each<readonly [string, RequestChange, string, string]>([
    ['replaces the path and the query', to('/api/x'), '/api/x', '/api/x'],
    ['replaces only the path', withPath('/api/x'), '/api/x?page=1', '/api/x'],
    ['adds a parameter', withQuery('a=1'), '/api/list?page=1&a=1', '/api/list?a=1'],
    [
      'transforms the query',
      withQueryFrom((query) => `(${query})`),
      '/api/list?(page=1)',
      '/api/list?(null)',
    ],
  ])('%s', (_, change, withOne, without_) => {
    expect(change(request).target).toBe(withOne)
    expect(change({ ...request, target: '/api/list' }).target).toBe(without_)
  })

  it('keeps a question mark in the query', () => {
    expect(withQuery('b')({ ...request, target: '/api/list?a=?' }).target).toBe('/api/list?a=?&b')
  })
})

test('a request for the raw socket differs only in its route', () => {
  expect(raw(request)).toEqual({ ...request, route: 'raw' })
})
