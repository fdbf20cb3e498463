import fc, { type Arbitrary } from 'fast-check'
import type { Field } from '../http/request.ts'
import { requiredFields, type RequiredField } from '../specification/endpoints.ts'
import { startingAt } from './arbitraries.ts'
import {
  bases,
  caseClass,
  caseOfEach,
  equivalent,
  judged,
  listed,
  observedOnly,
  type Base,
  type CaseClass,
  type GeneratorInput,
  type MutatedRequest,
} from './case-class.ts'
import { adding, ordered, renaming, setting, unchanged, withQuery, withQueryFrom } from './request-changes.ts'

/** Bit masks of the upper-case letters in each required field's name. */
const anyCase: Arbitrary<readonly number[]> = fc.tuple(
  ...requiredFields.map((name) => fc.integer({ min: 0, max: 2 ** name.length - 1 })),
)
const upperCase = requiredFields.map((name) => 2 ** name.length - 1)
/** The letters that begin a word: `X-Api-Key`. */
const titleCase = requiredFields.map((name) =>
  [...name].reduce((bits, _, at) => (at === 0 || name[at - 1] === '-' ? bits + 2 ** at : bits), 0),
)

const nameCase = equivalent(
  'name-case',
  { weight: 2 },
  [startingAt(upperCase, anyCase), startingAt(titleCase, anyCase), anyCase].map((cases) =>
    cases.map(written),
  ),
)

function written(bits: readonly number[]): MutatedRequest {
  const names: ReadonlyMap<string, string> = new Map(
    requiredFields.map((name, index) => [name, cased(name, bits[index] ?? 0)]),
  )
  return judged(
    `field names written ${[...names.values()].join(', ')}`,
    renaming((name) => names.get(name) ?? name),
  )
}

function cased(name: string, bits: number): string {
  return [...name].map((letter, at) => ((bits >> at) % 2 === 1 ? letter.toUpperCase() : letter)).join('')
}

interface Order {
  readonly order: readonly RequiredField[]
  /** The bases with the usual order: an absent field may leave the other two in place. */
  readonly usualOn: readonly Base[]
}

const orders: readonly Order[] = [
  { order: ['x-version', 'x-secret-key', 'x-api-key'], usualOn: [] },
  { order: ['x-secret-key', 'x-api-key', 'x-version'], usualOn: ['api-key-absent', 'secret-key-absent'] },
  { order: ['x-version', 'x-api-key', 'x-secret-key'], usualOn: ['version-absent'] },
  { order: ['x-api-key', 'x-version', 'x-secret-key'], usualOn: ['secret-key-absent', 'version-absent'] },
  { order: ['x-secret-key', 'x-version', 'x-api-key'], usualOn: ['api-key-absent'] },
]

const fieldOrder = caseClass(
  'field-order',
  { weight: 2 },
  orders.flatMap(({ order, usualOn }) => {
    const one = judged(`fields in the order ${order.join(', ')}`, ordered(order))
    const flawed = bases.filter((base) => base !== 'valid' && !usualOn.includes(base))
    return [one, fc.constantFrom(...flawed).map((base) => ({ ...one, base }))]
  }),
)

const unrelated: readonly Field[] = [
  { name: 'content-type', value: 'application/json' },
  { name: 'accept-language', value: 'de-CH, en;q=0.5' },
  { name: 'traceparent', value: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
  { name: 'x-request-id', value: '7b1f9a52-0c3e-4d68-9e21-5f80c4a7d913' },
]
const someUnrelated = fc.subarray([...unrelated], { minLength: 1 })

const unrelatedFields = equivalent(
  'unrelated-fields',
  { weight: 1 },
  [startingAt([...unrelated], someUnrelated), someUnrelated].map((cases) =>
    cases.map((fields) => judged(`with ${fields.map(({ name }) => name).join(', ')}`, adding(...fields))),
  ),
)

const mostUnrelated = 50

const manyUnrelatedFields = equivalent('many-unrelated-fields', { weight: 1 }, [
  fc
    .tuple(startingAt(mostUnrelated, fc.integer({ min: 1, max: mostUnrelated })), fc.noShrink(fc.nat()))
    .map(([count, seed]) =>
      judged(`with ${count} unrelated fields x-zz…`, (request) =>
        adding(...inventedFields(count, seed))(request),
      ),
    ),
])

/** Different fields whose names begin with `x-zz`: numbers multiplied by an odd number stay different. */
function inventedFields(count: number, seed: number): readonly Field[] {
  return Array.from({ length: count }, (_, index) => {
    const text = (Math.imul(seed + index, 0x9e3779b1) >>> 0).toString(36)
    return { name: `x-zz${text}`, value: `${text} ${index}` }
  })
}

/** Fields with a broken grammar: a service may ignore or refuse them, but must not fail. */
const malformedFields = caseOfEach(
  'malformed-fields',
  listed,
  [
    'traceparent: zz-not-a-trace',
    'if-modified-since: yesterday',
    'if-none-match: "unterminated',
    'accept-language: ;;q=,,=',
    'if-unmodified-since: Mon, 99 Foo 2026 99:99:99 GMT',
    'if-match: no-quotes',
    'traceparent: 00-00000000000000000000000000000000-0000000000000000-00',
    'date: 2026-13-45T99:99:99Z',
    'if-none-match: W/',
    'if-range: "',
    'tracestate: =,=,=',
    'cache-control: max-age=abc, ="',
    'accept-encoding: gzip;q=abc',
    'x-request-id: %%%',
  ],
  (line) => {
    const [name = '', value = ''] = line.split(/: (.*)/s)
    return judged(`with ${line}`, adding({ name, value }), { fieldMayBeRefused: true })
  },
)

/** Codings that servers may refuse or answer with nothing suitable: only observed. */
const oddCodings = caseOfEach('odd-codings', listed, ['*;q=0', 'identity;q=0', 'x-unknown', ''], (value) =>
  observedOnly('odd codings', `accept-encoding: ${value}`, setting('accept-encoding', value)),
)

/** Fields of other purposes that a service may ignore or refuse, or that are only observed. */
export const oddLines = [malformedFields, oddCodings] as const

/** Changes of header lines without effect: letter case and order of names, and fields without a meaning here. */
export const equivalentLines = [nameCase, fieldOrder, unrelatedFields, manyUnrelatedFields] as const

/** Reorders distinct flat parameters, which must not matter: two of the endpoint's own query, or undocumented ones. */
export function parameterOrder({ query }: GeneratorInput): CaseClass {
  const flat = flatParameters(query ?? '')
  return equivalent(
    'parameter-order',
    { weight: 1, requests: 2 },
    flat.length < 2 ? [undocumentedTurned] : [fc.constant(ownTurned(flat)), undocumentedTurned],
  )
}

function ownTurned(flat: readonly string[]): MutatedRequest {
  const opposite = flat.toReversed()
  /** Reverses these parameters within the places that they have together. */
  const turned = (query: string | null): string =>
    (query ?? '')
      .split('&')
      .map((parameter) => opposite[flat.indexOf(parameter)] ?? parameter)
      .join('&')
  return judged(
    `the parameters ${flat.map(nameOf).join(', ')} in the opposite order`,
    withQueryFrom(turned),
    {
      pairedRequest: { relation: 'same-outcome', apply: unchanged },
    },
  )
}

/** The parameters whose order cannot matter: those with a plain, unique name. */
function flatParameters(query: string): readonly string[] {
  const parameters = query.split('&')
  const names = parameters.map((parameter) => nameOf(parameter).toLowerCase())
  return parameters.filter((_, index) => {
    const name = names[index] ?? ''
    return /^[a-z0-9_-]+$/.test(name) && names.indexOf(name) === names.lastIndexOf(name)
  })
}

function nameOf(parameter: string): string {
  return parameter.split('=')[0] ?? ''
}

/** Two to four undocumented parameters. */
const undocumentedTurned: Arbitrary<MutatedRequest> = fc
  .array(fc.nat(999), { minLength: 2, maxLength: 4, size: 'max' })
  .map((values) => {
    const parameters = values.map((value, index) => `zz${'abcd'[index]}=${value}`)
    const opposite = parameters.toReversed().join('&')
    return judged(
      `${parameters.length} undocumented parameters in the opposite order, ${opposite}`,
      withQuery(opposite),
      { pairedRequest: { relation: 'same-outcome', apply: withQuery(parameters.join('&')) } },
    )
  })
