import { expect, test } from 'vitest'
import { plainQuery } from './plain-query.ts'

test.each([
  [null, null],
  [{}, null],
  [{ properties: { page: { type: 'integer' } } }, null],
  [{ required: ['page'], properties: { page: { type: 'integer' } } }, 'page=1'],
  [{ required: ['page'], properties: { page: { type: 'integer', minimum: 3 } } }, 'page=3'],
  [
    { required: ['from', 'deep'], properties: { from: { default: 'a b&c' }, deep: { type: 'boolean' } } },
    'from=a%20b%26c&deep=true',
  ],
  [{ required: ['sort'], properties: { sort: { enum: ['name', 'date'] } } }, 'sort=name'],
  [{ required: ['kind'], properties: { kind: { const: 'x' } } }, 'kind=x'],
  [{ required: ['a[]'] }, 'a%5B%5D=a'],
])('%j: %s', (schema, query) => {
  expect(plainQuery(schema)).toBe(query)
})
