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

describe('fields', () => {
  const added = [
    { name: 'b', value: '1' },
    { name: 'c', value: '2' },
  ]
  const turned = ordered(['x-version', 'x-secret-key', 'x-api-key'])
  const capitals = renaming((name) => name.toUpperCase())
  const end = 'X-Secret-Key=s x-version=1'

  test.each<readonly [string, RequestChange, string]>([
    ['without', without('x-secret-key', 'accept'), 'x-api-key=k x-version=1'],
    ['setting a field', setting('x-secret-key', 't'), 'x-api-key=k accept=a x-secret-key=t x-version=1'],
    ['setting a new field', setting('b', 'c'), `x-api-key=k accept=a ${end} b=c`],
    ['replacing by several', replacing('accept', ...added), `x-api-key=k b=1 c=2 ${end}`],
    ['adding', adding({ name: 'accept', value: 'b' }), `x-api-key=k accept=a ${end} accept=b`],
    ['renamed', renamed('x-secret-key', 'y'), 'x-api-key=k accept=a y=s x-version=1'],
    ['renaming', capitals, 'X-API-KEY=k ACCEPT=a X-SECRET-KEY=s X-VERSION=1'],
    ['ordered', turned, 'x-version=1 accept=a X-Secret-Key=s x-api-key=k'],
    ['ordered, one absent', inTurn(without('x-secret-key'), turned), 'x-version=1 accept=a x-api-key=k'],
  ])('%s', (_, change, lines) => {
    expect(linesAfter(change)).toBe(lines)
  })
})

describe('targets', () => {
  test.each<readonly [string, RequestChange, string, string]>([
    ['to', to('/api/x'), '/api/x', '/api/x'],
    ['withPath', withPath('/api/x'), '/api/x?page=1', '/api/x'],
    ['withQuery', withQuery('a=1'), '/api/list?page=1&a=1', '/api/list?a=1'],
    ['withQueryFrom', withQueryFrom((query) => `(${query})`), '/api/list?(page=1)', '/api/list?(null)'],
  ])('%s', (_, change, withOne, without_) => {
    expect(change(request).target).toBe(withOne)
    expect(change({ ...request, target: '/api/list' }).target).toBe(without_)
  })

  it('keep a question mark within the query', () => {
    expect(withQuery('b')({ ...request, target: '/api/list?a=?' }).target).toBe('/api/list?a=?&b')
  })
})

test('the raw socket changes nothing in the request', () => {
  expect(raw(request)).toEqual({ ...request, route: 'raw' })
})
