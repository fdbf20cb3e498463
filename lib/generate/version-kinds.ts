import fc, { type Arbitrary } from 'fast-check'
import type { Kind, Material } from './fuzzed.ts'
import { presenceKinds } from './presence-kinds.ts'
import { invented, versionSubject, type Made } from './subject.ts'
import { casesOf, kindOf } from './value-kinds.ts'
import { boundaries, inOtherDigits, integer, writtenOddly } from './version-integers.ts'
import { whiteSpaceAroundKinds } from './white-space-kinds.ts'

/**
 * What is sent as a version: integers of every class, the served one written oddly or with white space around it, none at all.
 * A weight of 20 in all.
 */
export function versionKinds(material: Material): readonly Kind[] {
  const subject = versionSubject(material)
  const { text } = subject
  const drawn = (name: string, weight: number, values: Arbitrary<Made>): readonly Kind[] =>
    kindOf({ name, weight, gate: true }, [values.map((made) => invented(subject, made))])

  return [
    ...kindOf({ name: 'boundary', weight: 6, gate: true }, casesOf(subject, boundaries(text))),
    ...drawn('nine-digits', 4, fc.integer({ min: improbable, max: greatest - 1 }).map(integer)),
    ...drawn('small-integer', 3, fc.integer({ min: 3, max: 1_000 }).map(integer)),
    ...drawn('long-integer', 2, longIntegers),
    ...kindOf({ name: 'written-oddly', weight: 3, gate: true }, [
      ...casesOf(subject, writtenOddly(text)),
      ...casesOf(subject, inOtherDigits(text), { transportMayRefuse: true }),
    ]),
    ...presenceKinds(subject),
    ...whiteSpaceAroundKinds(subject),
  ]
}

/** From 10⁸ on, no service has a version. */
const improbable = 100_000_000
const greatest = 2 ** 31 - 1

/** More digits than any usual type of integers holds, all of them the same. */
const longIntegers = fc
  .tuple(fc.integer({ min: 11, max: 400 }), fc.integer({ min: 1, max: 9 }))
  .map(([length, digit]) => ({
    value: String(digit).repeat(length),
    says: `x-version of ${length} digits (${digit})`,
  }))
