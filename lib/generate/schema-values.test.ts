import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { schemaValues, type Carrier, type SchemaValue } from './schema-values.ts'

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
      { numRuns: 400, seed: 20_261_122 },
    )

    expect([seen.outside > 500, seen.inside > 150, seen.open > 15]).toEqual([true, true, true])
  })
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
    { numRuns: 300, seed: 20_261_122 },
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
      expect.arrayContaining(['101, above its maximum 100', '0, below its minimum 1', 'zz, no integer']),
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
      'an item an object, no string',
      'an object, no array',
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
