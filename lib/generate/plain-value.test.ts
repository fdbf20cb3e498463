import { expect, test } from 'vitest'
import { plainQuery, plainValue } from './plain-value.ts'

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
  [{ required: ['id'], properties: { id: { type: 'string', pattern: '^c' } } }, 'id=a'],
  [{ required: ['tag'], properties: { tag: { type: 'array', items: { enum: ['x'] } } } }, 'tag=x'],
  [
    { required: ['k'], properties: { k: { $ref: '#/definitions/K' } }, definitions: { K: { enum: ['y'] } } },
    'k=y',
  ],
  [
    { allOf: [{ required: ['at'], properties: { at: { format: 'date', type: 'string' } } }] },
    'at=2026-01-31',
  ],
])('the shortest query of %j is %s', (schema, query) => {
  expect(plainQuery(schema)).toBe(query)
})

const Node = { type: 'object', required: ['a', 'b'], properties: { a: { $ref: '#/definitions/Node' } } }

test.each([
  [{ type: ['null', 'integer'], exclusiveMinimum: 3, multipleOf: 5 }, 5],
  [{ type: 'number', maximum: -0.5 }, -0.5],
  [{ type: 'string', minLength: 3 }, 'aaa'],
  [{ type: 'string', pattern: 'x' }, undefined],
  [{ type: 'null' }, null],
  [{ type: 'array', minItems: 2, items: { type: 'boolean' } }, [true, true]],
  [
    { required: ['a', 'b'], properties: { a: { oneOf: [{ const: 1 }, {}] } } },
    { a: 1, b: 'a' },
  ],
  [{ allOf: [{ type: ['string', 'integer'] }, { type: 'integer' }] }, 1],
  [{ $ref: '#/definitions/Node', definitions: { Node } }, undefined],
])('the plainest value of %j is %j', (schema, value) => {
  expect(plainValue(schema)).toEqual(value)
})
