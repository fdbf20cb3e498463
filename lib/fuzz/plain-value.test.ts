import { expect, test } from 'vitest'
import { fittingValue, plainValue, queryOf } from './plain-value.ts'

const Node = { type: 'object', required: ['a', 'b'], properties: { a: { $ref: '#/definitions/Node' } } }

test.each([
  [{ type: ['null', 'integer'], exclusiveMinimum: 3, multipleOf: 5 }, 5],
  [{ type: 'number', maximum: -0.5 }, -0.5],
  [{ type: 'string', minLength: 3 }, 'aaa'],
  [{ type: 'null' }, null],
  [{ type: 'array', minItems: 2, items: { type: 'boolean' } }, [true, true]],
  [
    { required: ['a', 'b'], properties: { a: { oneOf: [{ const: 1 }, {}] } } },
    { a: 1, b: 'a' },
  ],
  [{ allOf: [{ type: ['string', 'integer'] }, { type: 'integer' }] }, 1],
  [{ $ref: '#/definitions/Node', definitions: { Node } }, undefined],
])('the plainest value for the schema %j is %j', (schema, value) => {
  expect(plainValue(schema)).toEqual(value)
})

test('each position gets its possible values in turn, and a position that no value fits is named', () => {
  const schema = {
    required: ['a/b', 'c'],
    properties: { 'a/b': { enum: [1, 2] }, c: { enum: ['x', 'y', 'z'] } },
  }
  const tried: unknown[] = []

  expect(
    fittingValue(schema, 'text', (value) => {
      tried.push(Object.values(Object(value)).join(''))
      return tried.length === 1 ? '/a~1b' : '/c'
    }),
  ).toEqual({ wrong: '/c' })
  expect(tried).toEqual(['1x', '2x', '2y', '2z'])
})

test.each([
  [{}, null],
  [{ from: 'a b&c', deep: true }, 'from=a%20b%26c&deep=true'],
  [{ 'a[]': ['x', 1] }, 'a%5B%5D=x&a%5B%5D=1'],
])('%j is sent as %s', (parameters, query) => {
  expect(queryOf(parameters)).toBe(query)
})
