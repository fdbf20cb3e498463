import fc, { type Arbitrary } from 'fast-check'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { listed, type KindTraits } from './listed.ts'
import { invented, isValid, type Made, type Subject, type Traits } from './subject.ts'

/** A kind of listed cases; no kind at all where the valid value is such that there is no case. */
export function kindOf(traits: KindTraits, cases: readonly Arbitrary<Fuzzed>[]): readonly Kind[] {
  return cases.length === 0 ? [] : [listed(traits, cases)]
}

/** A case for each value, in their order, but for those that are valid. */
export function casesOf(
  subject: Subject,
  values: readonly Made[],
  traits: Traits = {},
): readonly Arbitrary<Fuzzed>[] {
  return values
    .filter((made) => !isValid(subject, made))
    .map((made) => fc.constant(invented(subject, made, traits)))
}

/** Draws one of these, the first one simplest; null where there are none. */
export function oneOf<T>(items: readonly T[]): Arbitrary<T> | null {
  const [first] = items
  return first === undefined ? null : fc.nat(items.length - 1).map((index) => items[index] ?? first)
}
