import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import fc, { type Arbitrary } from 'fast-check'
import { expect, it, test } from 'vitest'
import { underLimits } from '../specification/within.testing.ts'
import { type MutatedRequest, draw, drawNamed } from './case-class.ts'
import { describedClasses, type InputSource, type Kind, schemaInputs } from './described-input.ts'
import { allowanceOf, fittingValue, plainValue, queryOf } from './plain-value.ts'
import { inputOf, plain } from './testing/requests.ts'

type Carrier = InputSource['carrier']
type Values = readonly unknown[]

const plainest = (root: object) => plainValue(root, { root, allowance: allowanceOf() })
const inputsOf = (root: object, carrier: Carrier, base: unknown = plainest(root)) =>
  schemaInputs({ root, carrier, base, allowance: allowanceOf() })

const listed = (candidates: ReturnType<typeof schemaInputs>, kind: Kind): readonly unknown[] =>
  candidates.filter(({ one }) => one.kind === kind).map(({ one }) => one.value)

const ofLength = { type: 'string', minLength: 2, maxLength: 3 }
const ofInt32 = { type: 'integer', format: 'int32', enum: [1, 2 ** 31] }
const ofOneOrTwo = { type: 'array', minItems: 1, maxItems: 2, items: { enum: ['x'] } }
const unique = { type: 'array', uniqueItems: true, items: { const: 1 } }
const closed = { required: ['a'], additionalProperties: false, properties: { a: { const: 1 } } }
const open = { required: ['a'], properties: { a: { const: 1 }, b: { type: 'boolean' } } }
const allowedByOpen = [{ a: 1 }, { a: 1, b: true }, { a: 1, b: false }]

it.each<[Carrier, object, outside: Values, inside: Values, open: Values]>([
  ['text', { type: 'integer', minimum: 1, maximum: 100 }, [101, 0, 'zz', '100zz', 1.5], [100, 1], []],
  ['json', { type: 'integer', exclusiveMinimum: 0 }, [0, '1', 1.5, 'zz', {}, null], [1], []],
  ['json', { type: 'integer', minimum: 0, multipleOf: 5 }, [1, -1, '0', 1.5, 'zz', {}, null], [0], []],
  ['text', { type: 'number', maximum: 0.5 }, [1, 'zz', '0.5zz'], [0.5], []],
  ['text', ofLength, ['aaaa', 'a'], [], ['aaa', 'aa']],
  ['json', ofLength, ['aaaa', 'a', 'é', 1, {}, [], null], [], ['aaa', 'aa', '😀😀😀']],
  ['text', { type: 'string', pattern: '^c-', default: 'c-' }, ['~!~'], [], ['c-zz']],
  ['text', { type: 'string', pattern: '^c-$', default: 'c-' }, ['~!~', 'c-zz'], [], []],
  ['text', { type: 'string', format: 'uuid' }, ['zz'], [], []],
  // A service that checks addresses refuses the value that the enum allows.
  ['text', { format: 'email', enum: ['a'] }, ['azz', 'zz'], [], ['a']],
  ['text', { format: 'date', enum: ['2026-01-31'] }, ['2026-01-31zz', 'zz'], ['2026-01-31'], []],
  ['json', ofInt32, ['1zz', '1', 1.5, 'zz', {}, null], [1], [2 ** 31]],
  ['text', { enum: ['a b', 'c', null] }, ['a bzz'], ['a b', 'c'], []],
  ['text', { enum: [1, 2] }, ['1zz'], [1, 2], []],
  ['text', { type: 'boolean' }, ['zz'], [true, false], []],
  ['json', ofOneOrTwo, [[], ['x', 'x', 'x'], {}, 'zz', null, ['xzz'], [null]], [['x']], []],
  ['json', unique, [[1, 1], {}, 'zz', null, ['1zz'], [null]], [[], [1]], []],
  ['json', closed, [{ a: '1zz' }, { a: null }, {}, { a: 1, zz: 'zz' }], [{ a: 1 }], [null]],
  ['text', ofOneOrTwo, [['xzz']], [['x']], []],
  ['text', { type: 'array', minItems: 2, maxItems: 3, items: { enum: ['x'] } }, [['xzz']], [], []],
  ['text', open, [{ a: '1zz' }, { a: 1, b: 'zz' }, {}], allowedByOpen, []],
])('inputs as %s for the schema %j are as expected', (carrier, schema, ...expected) => {
  const inputs = inputsOf(schema, carrier)
  const kinds = ['outside', 'inside', 'open'] as const

  expect(kinds.map((kind) => new Set(listed(inputs, kind)))).toEqual(expected.map((one) => new Set(one)))
})

test.each<[string, Carrier, object, unknown]>([
  ['about a schema that forbids the base', 'json', { type: 'integer', minimum: 5 }, 4],
  ['about a slow pattern', 'text', { type: 'string', pattern: '^(a+)+b$', maxLength: 99 }, 'ab'],
  ['about formats that services read differently', 'text', { type: 'string', format: 'email' }, 'a@b.cd'],
  ['about equal items', 'text', { type: 'array', minItems: 2, uniqueItems: true, items: {} }, ['x', 'y']],
  ['about the number of items in text', 'text', { type: 'array', maxItems: 1, items: {} }, ['x']],
  ['about numbers that few programs can read', 'text', { minimum: 1e15, maximum: 1e21 }, 1e15],
  ['about texts that are too long to send', 'text', { maxLength: 1_001 }, 'a'],
  ['about a parameter without a value', 'text', { enum: [''] }, 'a'],
  ['about parameters that no query names', 'text', { additionalProperties: false, properties: {} }, {}],
])('nothing is claimed %s', (_, carrier, schema, base) => {
  const inputs = underLimits({ value: 100 }, () => inputsOf(schema, carrier, base))
  const found = inputs.filter(({ one }) => one.kind !== 'open')

  expect(found.filter(({ one }) => one.leaf !== 'zz')).toEqual([])
})

test.each<[string, object, unknown, unknown]>([
  ['a single value for a list of one', { type: 'array', items: { type: 'string' } }, ['a'], 'zz'],
  ['a character of two UTF-16 units', { type: 'string', minLength: 2, maxLength: 2 }, 'aa', '😀'],
  ['characters of two UTF-16 units', { type: 'string', minLength: 2, maxLength: 2 }, 'aa', '😀😀😀'],
  ['a missing member with a default', { required: ['a'], properties: { a: { default: 1 } } }, { a: 1 }, {}],
  ['a value that matches one of several types', { type: ['string', 'integer'] }, 'a', '1'],
])('nothing is claimed about %s', (_, schema, base, value) => {
  expect(listed(inputsOf(schema, 'json', base), 'outside')).not.toContainEqual(value)
})

/** Schemas as found in real documents, some of them odd or contradictory. */
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
const anyName = fc.oneof(fc.constantFrom('a', 'azz', 'b'), fc.integer(), fc.constant(null))
const anyType = fc.constantFrom('string', 'integer', 'number')
const someNames = fc.uniqueArray(anyName, { minLength: 1 })
const named = fc.record({ enum: someNames, type: anyType }, { requiredKeys: ['enum'] })
const itemCounts = { minItems: fc.nat(2), maxItems: fc.nat(3), uniqueItems: fc.boolean() }
const anyMember = fc.constantFrom('a', 'b', 'zz', 'a, b: c')
const scalar = fc.oneof(numeric, textual, named, fc.constant({ type: 'boolean' }))
const { tree } = fc.letrec<{ readonly tree: object }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'tree' },
    scalar,
    fc.tuple(scalar, scalar).map(([a, b]) => ({ ...a, anyOf: [b] })),
    scalar.map((a) => ({ allOf: [a, { description: 'a' }] })),
    fc.record({ type: fc.constant('array'), items: tie('tree'), ...itemCounts }),
    fc.record({
      type: fc.constantFrom('object', ['object', 'null']),
      required: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
      properties: fc.dictionary(anyMember, tie('tree'), { noNullPrototype: true }),
      additionalProperties: fc.constantFrom<unknown>(true, false, { type: 'integer', minimum: 3 }),
      minProperties: fc.constantFrom(0, 1),
    }),
  ),
}))

const lists = scalar.map((items) => ({ type: 'array', items, maxItems: 2 }))
const ajv = formats.default(new Ajv({ strict: false }))

/** The values that a text may represent, parsed independently. */
function readings(value: unknown): readonly unknown[] {
  const texts = [value].flat().map(String)
  const isScalar = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)$/
  const read = (text: string): unknown => (isScalar.test(text) ? JSON.parse(text) : text)
  return [texts[0], read(texts[0] ?? ''), texts, texts.map(read)]
}

const asJson = (value: unknown): Values => [JSON.parse(JSON.stringify(value))]
const forms: readonly [Carrier, typeof asJson, Arbitrary<object>][] = [
  ['json', asJson, tree],
  ['text', readings, fc.oneof(scalar, lists)],
]

it.each(forms)(
  'an input as %s is allowed or forbidden by its schema as labelled',
  (carrier, read, schemas) => {
    const seen = { outside: 0, inside: 0, open: 0 }
    const isLabelled = fc.property(schemas, (schema) => {
      const validate = ajv.compile(schema)
      for (const { drawn, one: listedOne } of inputsOf(schema, carrier)) {
        const { kind } = listedOne
        for (const { value } of [listedOne, ...fc.sample(drawn, { numRuns: 2, seed: 7 })]) {
          if (JSON.stringify(schema).includes('format') && kind === 'open') continue
          const isValid = read(value).some((one) => validate(one))
          expect([kind, value, isValid]).toEqual([kind, value, kind !== 'outside'])
          if (carrier === 'text')
            for (const one of [value].flat())
              expect(String(one)).not.toMatch(/^$|\s|^[+]|^-?0\d|\d\.\d*0$|^-?\d[\d.]*e[-+\d]+$/)
        }
        seen[kind] += 1
      }
    })
    fc.assert(isLabelled, { seed: 20_261_122 })

    expect([seen.outside > 40, seen.inside > 10, seen.open > 3, seen]).toEqual([true, true, true, seen])
  },
)

test('draws differ, and shrink to the nearest value beyond a bound', () => {
  const beyond = inputsOf({ type: 'integer', maximum: 100 }, 'text').find(({ one }) => one.kind === 'outside')
  const drawn = beyond?.drawn ?? fc.constant(null)
  const wrong = fc.property(drawn, () => false)
  const values = fc.sample(drawn, { numRuns: 200, seed: 3 }).map((one) => one?.value)

  expect(new Set(values).size).toBeGreaterThan(50)
  expect(fc.check(wrong, { seed: 3 }).counterexample).toMatchObject([{ value: 101, why: 'must be <= 100' }])
})

test('the plainest value fits every part of a schema', () => {
  expect(plainest({ allOf: [{ type: ['string', 'integer'] }, { type: 'integer' }] })).toBe(1)
})

test('each position gets its possible values in turn, and a position that no value fits is named', () => {
  const properties = { 'a/b': { enum: [1, 2] }, c: { enum: ['x', 'y', 'z'] } }
  const schema = { required: ['a/b', 'c'], properties }
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

const [ofCard, ofKind] = [{ type: 'string', maxLength: 4 }, { enum: ['day', 'month'] }]
const input = inputOf('key-1234567890', 'secret-1234567890', {
  path: '/api/cards/c-1/day',
  query: 'status=active',
  described: {
    file: 'e.json',
    number: 2,
    template: '/api/cards/{cardId}/{kind}',
    pathParameters: { cardId: { schema: ofCard, example: 'c-1' }, kind: { schema: ofKind, example: 'day' } },
    query: {
      type: 'object',
      required: ['status'],
      properties: {
        status: { enum: ['active', 'a b'] },
        limit: { type: 'integer', minimum: 1, maximum: 9 },
        tag: { type: 'array', maxItems: 1, items: { enum: ['x'] } },
      },
    },
    body: null,
  },
})

function casesOf(name: string, given = input): readonly MutatedRequest[] {
  const caseClass = describedClasses(given).find((one) => one.name === name) ?? expect.fail(name)
  const { count: length = 0 } = caseClass
  return Array.from({ length }, (_, nth) => draw({ caseClass, nth }, 1, 'fuzz/query').mutated)
}

const sentBy = (name: string): readonly string[] =>
  casesOf(name).map(({ apply }) => apply(plain(input)).target.replace('/api/cards/', ''))

it('described input is sent for each parameter in turn; only the forbidden must not be served, only the valid not be refused', () => {
  const codesOf = (name: string) =>
    new Set(casesOf(name).flatMap(({ allowed = [] }) => allowed.map(({ errorCode }) => errorCode)))
  const complete = ['a%20b', 'active&limit=9', 'active&tag=x'].map((one) => `c-1/day?status=${one}`)

  const ofQuery = ['activezz', 'active&limit=10', 'active&tag=xzz'].map((one) => `c-1/day?status=${one}`)
  const ofOthers = ['c-1/day?', 'aaaaa/day?status=active', 'c-1/dayzz?status=active']
  expect(sentBy('described-outside').slice(0, 6)).toEqual([...ofQuery, ...ofOthers])
  expect(codesOf('described-outside')).toEqual(new Set(['1030', '1010']))
  expect(sentBy('described-inside')).toEqual(expect.arrayContaining(complete))
  expect(codesOf('described-inside')).toEqual(new Set([null]))
  // It may name something that does not exist.
  expect(sentBy('described-open')).toContain('c-1/month?status=active')
  expect(codesOf('described-open')).toEqual(new Set([null, '1030', '1010']))
})

it('described input for a body is sent with one member changed, as JSON with a content type', () => {
  const name = { type: 'string', maxLength: 3 }
  const by = { type: 'object', required: ['name'], properties: { name } }
  const properties = { max: { type: 'integer', minimum: 1, maximum: 9 }, by }
  const schema = { type: 'object', required: ['max', 'by'], additionalProperties: false, properties }
  const body = { schema, example: { max: 5, by: { name: 'Ada' } } }
  const described = { file: 'e.json', number: 1, template: '/api/cards', pathParameters: {}, query: null }
  const sent = (kind: string, codes: readonly (string | null)[], more: object = {}) =>
    casesOf(kind, { ...input, described: { ...described, body: { ...body, ...more } } }).map((one) => {
      expect(one.allowed?.map(({ errorCode }) => errorCode)).toEqual(codes)
      return [one.apply({ ...plain(input), body: '{}' }).body, one.says.replace(' (e.json, entry 1)', '')]
    })

  expect(sent('described-outside', ['1030'])).toEqual(
    expect.arrayContaining([
      ['', 'empty body'],
      ['{{"max":5,"by":{"name":"Ada"}}', 'body that is broken JSON'],
      ['{"max":10,"by":{"name":"Ada"}}', 'body with max 10, must be <= 9'],
      ['{"max":"9","by":{"name":"Ada"}}', 'body with max "9", must be integer'],
      ['{"max":null,"by":{"name":"Ada"}}', 'body with max null, must be integer'],
      ['{"max":5,"by":{"name":"aaaa"}}', 'body with by.name "aaaa", must NOT have more than 3 characters'],
      ['{"max":5,"by":{}}', "body without by.name, must have required property 'name'"],
      ['{"by":{"name":"Ada"}}', "body without max, must have required property 'max'"],
      ['{"max":5,"by":{"name":"Ada"},"zz":"zz"}', 'body with zz "zz", must NOT have additional properties'],
      ['[]', 'body with [], must be object'],
    ]),
  )
  const inside = ['{"max":9,"by":{"name":"Ada"}}', 'body with max 9']
  expect(sent('described-inside', [null])).toContainEqual(inside)
  expect(sent('described-open', [null, '1030'], { required: false })).toEqual([
    ['', 'empty body'],
    ['{"max":5,"by":{"name":"aaa"}}', 'body with by.name "aaa"'],
    ['{"max":5,"by":{"name":"😀😀😀"}}', 'body with by.name "😀😀😀"'],
  ])
})

it('described input continues after the listed cases with draws of the same kind, each found by its name', () => {
  const classes = describedClasses(input)
  const [outside = expect.fail('no class')] = classes
  const all = Array.from({ length: 200 }, (_, nth) => draw({ caseClass: outside, nth }, 1, 'fuzz/query'))

  expect(new Set(all.map(({ mutated }) => mutated.says)).size).toBeGreaterThan(100)
  for (const { name, mutated } of all)
    expect(drawNamed(name, classes, 1, 'fuzz/query')?.mutated.says).toBe(mutated.says)
})

it('described input is empty without an endpoints file', () => {
  expect(describedClasses({ ...input, described: null })).toEqual([])
})
