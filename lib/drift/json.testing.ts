import fc from 'fast-check'
import { readTree, writeTree, type Tree, isObject } from '../text/json.ts'
import { anyText } from '../text/properties.testing.ts'
import { changeText, type ChangeName } from './tolerated.ts'

const shared = ['a', 'b', 'c', 'name', 'palette', 'error_code', 'error_message']
const troublesome = ['', '\\', ...`__proto__ constructor größe 属性 a.b it's [] {}`.split(' ')]
const numeric = ['0', '17', '4294967295', '10000000000000000000', '-0']

/** Property names. Most come from a small set, so that objects share some. Some cause trouble in parsers. */
export const anyName: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...shared) },
  { weight: 3, arbitrary: fc.constantFrom(...troublesome) },
  { weight: 1, arbitrary: fc.constantFrom(...numeric) },
  { weight: 2, arbitrary: anyText({ maxLength: 12 }) },
)

const scalars: fc.Arbitrary<unknown> = fc.oneof(
  anyText({ maxLength: 20 }),
  fc.constantFrom('', 'a', '1001', '\uD800', '\uDC00x', '\\"', '\u2028'),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
)

/**
 * Any JSON value that `JSON.parse` can return, including an own property `__proto__`, negative zero, and
 * Infinity for 1e999.
 */
export const json: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown; object: unknown; array: unknown }>(
  (tie) => ({
    value: fc.oneof({ maxDepth: 5, withCrossShrink: true }, scalars, tie('object'), tie('array')),
    object: fc
      .array(fc.tuple(anyName, tie('value')), { maxLength: 6 })
      .map((entries) => Object.fromEntries(entries)),
    array: fc.array(tie('value'), { maxLength: 6 }),
  }),
).value

/** Seeds in the range from which the program draws. */
export const seeds: fc.Arbitrary<number> = fc.integer({ min: 0, max: 2 ** 31 - 1 })

/**
 * JSON text for a parsed value. Like JSON.stringify, but also supports negative zero and numbers outside the
 * range of a double.
 */
export function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${jsonText(inner)}`)
    return `{${members.join(',')}}`
  }
  if (Object.is(value, -0)) return '-0'
  return value === Infinity ? '1e999' : value === -Infinity ? '-1e999' : JSON.stringify(value)
}

/** The tree of a value. */
export function treeOf(value: unknown): Tree {
  return readTree(jsonText(value))
}

/** JSON text that is the same for equal values, regardless of the order of properties. */
export function canonical(value: unknown): string {
  return writeTree(treeOf(value), {
    members: (members) => members.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  })
}

/** Applies tolerated changes to a value, one after another. */
export function changed(value: unknown, changes: readonly ChangeName[], seed: number): unknown {
  return JSON.parse(changeText(jsonText(value), changes, seed).text)
}

/** JSON text of this depth that alternates lists and objects. */
export function deep(levels: number): string {
  return `${'[{"a":'.repeat(levels / 2)}"text"${'}]'.repeat(levels / 2)}`
}

/** A name for a number, made of letters only, so that it never counts as an identifier. */
export function wordOf(number: number): string {
  return `n${[...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`
}
