import { expect, test } from 'vitest'

import { intolerances } from './success-schema.ts'

test.each([
  [{ additionalProperties: false }, [['additionalProperties']]],
  [{ unevaluatedProperties: false }, [['unevaluatedProperties']]],
  [{ propertyNames: { type: 'string' } }, [['propertyNames']]],
  [{ maxProperties: 3 }, [['maxProperties']]],
  [{ type: 'string', pattern: 'x' }, [['pattern']]],
  [{ type: 'string', format: 'uuid' }, [['format']]],
  [{ type: 'string', minLength: 1, maxLength: 3 }, [['minLength'], ['maxLength']]],
  [{ const: 'x' }, [['const']]],
  [{ const: { a: 1 } }, [['const']]],
  [{ const: [1, 2] }, [['const']]],
  [{ enum: ['x', 1] }, [['enum']]],
  [{ items: [{ type: 'string' }, { pattern: 'x' }] }, [['items'], ['items', 1, 'pattern']]],
  [{ prefixItems: [{}] }, [['prefixItems']]],
  [{ properties: { a: { items: { const: 'x' } } } }, [['properties', 'a', 'items', 'const']]],
  [{ propertyNames: { pattern: '^[a-z]+$' } }, [['propertyNames']]],
  [{ patternProperties: { '^a': { type: 'number' } } }, [['patternProperties']]],
  [
    { properties: { a: { patternProperties: { '^a': { format: 'date' } } } } },
    [
      ['properties', 'a', 'patternProperties'],
      ['properties', 'a', 'patternProperties', '^a', 'format'],
    ],
  ],
  [{ additionalProperties: { maxLength: 1 } }, [['additionalProperties', 'maxLength']]],
  [{ allOf: [{}, { anyOf: [{ const: 'x' }] }] }, [['allOf', 1, 'anyOf', 0, 'const']]],
  [{ not: { pattern: 'x' } }, [['not', 'pattern']]],
  [
    // oxlint-disable-next-line no-thenable -- `then` is a word of JSON Schema
    { if: {}, then: { maxLength: 1 }, else: { enum: ['a'] } },
    [
      ['then', 'maxLength'],
      ['else', 'enum'],
    ],
  ],
  [{ definitions: { id: { pattern: 'x' } } }, [['definitions', 'id', 'pattern']]],
  [{ $defs: { id: { pattern: 'x' } } }, [['$defs', 'id', 'pattern']]],
  [{ dependencies: { a: ['b'], c: { maxProperties: 1 } } }, [['dependencies', 'c', 'maxProperties']]],
  [{ contains: { const: 'x' } }, [['contains', 'const']]],
])('%j forbids what must be tolerated', (schema, paths) => {
  expect(intolerances(schema).map(({ path }) => path)).toEqual(paths)
})

test.each([
  [{}],
  [true],
  [{ type: 'object', required: ['id'], additionalProperties: true, properties: { id: { type: 'string' } } }],
  [{ additionalProperties: { type: 'number' } }],
  [{ const: 1 }],
  [{ const: null }],
  [{ enum: [1, 2.5, true, null] }],
  [{ items: { type: 'integer', minimum: 0 }, minItems: 1, maxItems: 5, uniqueItems: true }],
  [
    {
      properties: {
        pattern: { type: 'string' },
        format: {},
        const: {},
        items: {},
        maxLength: { type: 'integer' },
        patternProperties: {},
        propertyNames: {},
      },
    },
  ],
  [{ default: { pattern: 'x' }, examples: [{ const: 'x' }] }],
  [{ required: ['pattern'] }],
])('%j does not', (schema) => {
  expect(intolerances(schema)).toEqual([])
})
