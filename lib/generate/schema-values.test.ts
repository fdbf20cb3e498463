import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Carrier, SchemaValue } from './schema-value.ts'
import { plainValue } from './plain-value.ts'
import { schemaValues } from './schema-values.ts'

const ajv = formats.default(new Ajv({ strict: false }))

/** Schemas of parameters as documents have them, some of them odd or contradictory. */
const numeric = fc.record(
  {
    type: fc.constantFrom('integer', 'number', ['integer', 'null']),
    minimum: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constantFrom(-0.5, 2.25)),
    maximum: fc.oneof(fc.integer({ min: -20, max: 120 }), fc.constantFrom(0.5, 99.75)),
    exclusiveMinimum: fc.integer({ min: -50, max: 50 }),
    exclusiveMaximum: fc.integer({ min: -20, max: 120 }),
    multipleOf: fc.constantFrom(1, 2, 5, 0.5),
  },
  { requiredKeys: ['type'] },
)
const textual = fc.record(
  {
    type: fc.constant('string'),
    minLength: fc.nat(5),
    maxLength: fc.nat(40),
    pattern: fc.constantFrom('^c-[0-9]+$', '.', '[a-z]', '^$|!'),
    format: fc.constantFrom('date', 'uuid', 'email', 'date-time', 'ipv4'),
  },
  { requiredKeys: ['type'] },
)
const named = fc.record(
  {
    enum: fc.uniqueArray(fc.oneof(fc.constantFrom('a', 'azz', 'b'), fc.integer(), fc.constant(null)), {
      minLength: 1,
    }),
    type: fc.constantFrom('string', 'integer', 'number'),
  },
  { requiredKeys: ['enum'] },
)
const free = fc.record(
  { type: fc.constant('string'), minLength: fc.nat(5), maxLength: fc.integer({ min: 3, max: 40 }) },
  { requiredKeys: ['type'] },
)
const scalar = fc.oneof(
  numeric,
  textual,
  free,
  named,
  fc.constant({ type: 'boolean' }),
  fc.constant({ const: 'a' }),
)
const listed = fc.record(
  {
    type: fc.constant('array'),
    items: scalar,
    minItems: fc.nat(3),
    maxItems: fc.nat(4),
    uniqueItems: fc.boolean(),
  },
  { requiredKeys: ['type', 'items'] },
)
/** Objects as bodies have them: nested, open and closed, with what contradicts itself. */
const { tree } = fc.letrec<{ readonly tree: object; readonly object: object }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'tree' },
    scalar,
    listed,
    tie('object'),
    list(tie('object')),
  ),
  object: fc
    .tuple(
      fc.record(
        {
          type: fc.constantFrom('object', ['object', 'null']),
          required: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'zz', 'a, b: c'), tie('tree'), {
            noNullPrototype: true,
          }),
        },
        { requiredKeys: ['type', 'properties'] },
      ),
      fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        fc.record(
          {
            additionalProperties: fc.constantFrom<unknown>(true, false, { type: 'integer', minimum: 3 }),
            minProperties: fc.constantFrom(0, 1, 9),
            allOf: fc.tuple(tie('object')),
            examples: fc.constant([{ a: 1 }]),
          },
          { requiredKeys: [] },
        ),
      ),
    )
    .map(([common, odd]) => ({ ...common, ...odd })),
}))
function list(items: Arbitrary<object>): Arbitrary<object> {
  return fc.record(
    {
      type: fc.constant('array'),
      items,
      minItems: fc.nat(2),
      maxItems: fc.nat(3),
      uniqueItems: fc.boolean(),
    },
    { requiredKeys: ['type', 'items'] },
  )
}
const anyOne = fc.oneof(
  scalar,
  listed,
  fc.tuple(scalar, scalar).map((allOf) => ({ allOf })),
  fc.tuple(scalar, scalar).map(([a, b]) => ({ ...a, anyOf: [b] })),
  scalar.map((a) => ({ $ref: '#/definitions/A', definitions: { A: a } })),
)

function drawn(values: readonly Arbitrary<SchemaValue>[]): readonly SchemaValue[] {
  return values.flatMap((one) => fc.sample(one, { numRuns: 4, seed: 7 }))
}

describe.each(['text', 'json'] as const)('values that are sent as %s', (carrier: Carrier) => {
  it('are allowed or forbidden by their schema, as they say', () => {
    const seen = { outside: 0, inside: 0, open: 0 }
    fc.assert(
      fc.property(anyOne, (schema) => {
        const validate = ajv.compile(schema)
        const { outside, inside, open } = schemaValues(schema, schema, carrier)

        for (const { value, says } of drawn(outside)) expect([says, validate(value)]).toEqual([says, false])
        for (const { value, says } of drawn([...inside, ...open])) {
          expect([says, validate(value)]).toEqual([says, true])
        }
        seen.outside += outside.length
        seen.inside += inside.length
        seen.open += open.length
      }),
      { numRuns: 100, seed: 20_261_122 },
    )

    expect([seen.outside > 100, seen.inside > 30, seen.open > 3]).toEqual([true, true, true])
  })
})

it('bodies are allowed or forbidden by their schema, as they say, each by one change of a valid one', () => {
  const seen = { outside: 0, inside: 0, open: 0, bases: 0 }
  fc.assert(
    fc.property(tree, (schema) => {
      const validate = ajv.compile(schema)
      const base = [plainValue(schema, schema, { takesSuggested: true })].find((one) => validate(one))
      const { outside, inside, open } = schemaValues(schema, schema, 'json', { base })
      const sent = (values: readonly Arbitrary<SchemaValue>[]): readonly SchemaValue[] =>
        drawn(values).map(({ value, says }) => ({ value: JSON.parse(JSON.stringify(value)), says }))

      for (const { value, says } of sent(outside))
        expect([says, value, validate(value)]).toEqual([says, value, false])
      for (const { value, says } of sent([...inside, ...open])) {
        expect([says, value, validate(value)]).toEqual([says, value, true])
      }
      seen.outside += outside.length
      seen.inside += inside.length
      seen.open += open.length
      seen.bases += base === undefined ? 0 : 1
    }),
    { numRuns: 50, seed: 20_261_122 },
  )

  expect([seen.outside > 300, seen.inside > 30, seen.open > 8, seen.bases > 15]).toEqual([
    true,
    true,
    true,
    true,
  ])
})

it('a plain value is allowed by its schema', () => {
  let known = 0
  fc.assert(
    fc.property(fc.oneof(tree, anyOne), (schema) => {
      const value = plainValue(schema, schema)
      if (value === undefined) return
      known += 1
      expect([value, ajv.compile(schema)(value)]).toEqual([value, true])
    }),
    { numRuns: 60, seed: 20_261_122 },
  )

  expect(known).toBeGreaterThan(20)
})

it('values in a text are written so that every program reads them in one way', () => {
  fc.assert(
    fc.property(anyOne, (schema) => {
      const { outside, inside, open } = schemaValues(schema, schema, 'text')
      const scalars = drawn([...outside, ...inside, ...open]).flatMap(({ value }) => [value].flat())

      for (const one of scalars)
        expect(String(one)).toMatch(
          /^(?:-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?|true|false|[a-z~!]*|-?\d+zz|nullzz)$/,
        )
    }),
    { numRuns: 60, seed: 20_261_122 },
  )
})

describe('a bound', () => {
  const said = (schema: object, which: 'outside' | 'inside' | 'open', carrier: Carrier = 'text') =>
    schemaValues(schema, schema, carrier)[which].map(
      (one) => fc.sample(one, { numRuns: 1, seed: 1 })[0]?.says,
    )

  it('is tried at, inside and beyond', () => {
    const schema = { type: 'integer', minimum: 1, maximum: 100 }

    expect(said(schema, 'inside').slice(0, 2)).toEqual(['100, at its maximum', '1, at its minimum'])
    expect(said(schema, 'inside')[2]).toMatch(/^\d+, within its bounds$/)
    expect(said(schema, 'outside')).toEqual(
      expect.arrayContaining([
        '101, above its maximum 100',
        '0, below its minimum 1',
        'zz, no integer',
        '100zz, no integer',
        '1.5, no integer',
      ]),
    )
  })

  it('of a text is tried at and beyond', () => {
    const schema = { type: 'string', minLength: 2, maxLength: 3 }

    expect(said(schema, 'open')).toEqual(['3 characters', '2 characters'])
    expect(said(schema, 'outside')).toContain('4 characters, longer than its maxLength 3')
    expect(said(schema, 'outside')).toContain('1 character, shorter than its minLength 2')
  })

  it('of a list is tried beyond', () => {
    const schema = { type: 'array', maxItems: 2, items: { enum: ['a'] } }

    expect(said(schema, 'outside')).toEqual([
      '3 items, more than its maxItems 2',
      'an item azz, not one of its enum',
    ])
    expect(said({ type: 'array', items: { type: 'string' } }, 'outside', 'json')).toEqual([
      'an item 1, no string',
      'an item an object, no string',
      'an item a list, no string',
      'an item null',
      'an object, no array',
      'null',
    ])
  })

  it('is simplified to the nearest value beyond it', () => {
    const far = schemaValues({ type: 'integer', maximum: 100 }, {}, 'text').outside[1]
    const met = fc.check(
      fc.property(far ?? fc.constant({ value: 0, says: '' }), () => false),
      { seed: 3 },
    )

    expect(met.counterexample).toEqual([{ value: 101, says: '101, above its maximum 100' }])
  })
})
