import fc, { type Arbitrary } from 'fast-check'
import type { Field } from '../http/request.ts'
import { requiredFields, type RequiredField } from '../spec/endpoints.ts'
import { bases, type Base, type Fuzzed, type Kind } from './fuzzed.ts'
import { byOracle, equivalent, listed } from './listed.ts'
import { adding, ordered, renaming } from './request-changes.ts'
import { startingAt } from './starting-at.ts'

/** Changes of header lines that change no outcome: letter case and order of names, and fields that mean nothing here. */
export function equivalentLineKinds(): readonly Kind[] {
  return [nameCase, fieldOrder, unrelatedFields, manyUnrelatedFields]
}

/** For each required field a number whose bits say which of its letters are in upper case. */
const anyCase: Arbitrary<readonly number[]> = fc.tuple(
  ...requiredFields.map((name) => fc.integer({ min: 0, max: 2 ** name.length - 1 })),
)
const upperCase = requiredFields.map((name) => 2 ** name.length - 1)
/** The letters that begin a word: `X-Api-Key`. */
const titleCase = requiredFields.map((name) =>
  [...name].reduce((bits, _, at) => (at === 0 || name[at - 1] === '-' ? bits + 2 ** at : bits), 0),
)

const nameCase = equivalent(
  { name: 'name-case', weight: 2, gate: true },
  [startingAt(upperCase, anyCase), startingAt(titleCase, anyCase), anyCase].map((cases) =>
    cases.map(written),
  ),
)

function written(bits: readonly number[]): Fuzzed {
  const names: ReadonlyMap<string, string> = new Map(
    requiredFields.map((name, index) => [name, cased(name, bits[index] ?? 0)]),
  )
  return byOracle(
    `field names written ${[...names.values()].join(', ')}`,
    renaming((name) => names.get(name) ?? name),
  )
}

function cased(name: string, bits: number): string {
  return [...name].map((letter, at) => ((bits >> at) % 2 === 1 ? letter.toUpperCase() : letter)).join('')
}

/** Each order with the bases on which it is another one than the usual: an absent field may leave the other two as they were. */
const fieldOrder = listed(
  { name: 'field-order', weight: 2, gate: true },
  (
    [
      { order: ['x-version', 'x-secret-key', 'x-api-key'], not: [] },
      { order: ['x-secret-key', 'x-api-key', 'x-version'], not: ['api-key-absent', 'secret-key-absent'] },
      { order: ['x-version', 'x-api-key', 'x-secret-key'], not: ['version-absent'] },
      { order: ['x-api-key', 'x-version', 'x-secret-key'], not: ['secret-key-absent', 'version-absent'] },
      { order: ['x-secret-key', 'x-version', 'x-api-key'], not: ['api-key-absent'] },
    ] as const satisfies readonly {
      readonly order: readonly RequiredField[]
      readonly not: readonly Base[]
    }[]
  ).flatMap(({ order, not }) => {
    const one = byOracle(`fields in the order ${order.join(', ')}`, ordered(order))
    const flawed = bases.filter((base) => base !== 'valid' && !not.some((vacuous) => vacuous === base))
    return [fc.constant(one), fc.constantFrom(...flawed).map((base) => ({ ...one, base }))]
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
  { name: 'unrelated-fields', weight: 1, gate: true },
  [startingAt([...unrelated], someUnrelated), someUnrelated].map((cases) =>
    cases.map((fields) => byOracle(`with ${fields.map(({ name }) => name).join(', ')}`, adding(...fields))),
  ),
)

const mostUnrelated = 50

const manyUnrelatedFields = equivalent({ name: 'many-unrelated-fields', weight: 1, gate: false }, [
  fc
    .tuple(startingAt(mostUnrelated, fc.integer({ min: 1, max: mostUnrelated })), fc.noShrink(fc.nat()))
    .map(([count, seed]) =>
      byOracle(`with ${count} unrelated fields x-zz…`, (request) =>
        adding(...invented(count, seed))(request),
      ),
    ),
])

/** Fields whose names begin `x-zz`, each another one. Multiplied by an odd number, different numbers stay different. */
function invented(count: number, seed: number): readonly Field[] {
  return Array.from({ length: count }, (_, index) => {
    const text = (Math.imul(seed + index, 0x9e3779b1) >>> 0).toString(36)
    return { name: `x-zz${text}`, value: `${text} ${index}` }
  })
}
