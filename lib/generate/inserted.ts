import fc, { type Arbitrary } from 'fast-check'
import type { Fuzzed } from './fuzzed.ts'
import { altered, type AlteredTraits, type Subject, type Traits } from './subject.ts'
import type { Character } from './unicode-characters.ts'
import { oneOf } from './value-kinds.ts'

/** What is put into a value, where, and how often at most. */
export interface Insertion {
  readonly characters: readonly Character[]
  /** Before which characters, counted from 0; `text.length` is the end. */
  readonly places: readonly number[]
  readonly most: number
}

/**
 * The valid value with a character, or several of the same, put into a drawn place: simplest with the first one, once, at the
 * first place. No case where there are no places.
 */
export function inserted(
  subject: Subject,
  { characters, places, most }: Insertion,
  traits: AlteredTraits = {},
): readonly Arbitrary<Fuzzed>[] {
  const [character, place] = [oneOf(characters), oneOf(places)]
  if (character === null || place === null) return []

  return [
    fc.tuple(fc.integer({ min: 1, max: most }), character, place).map(([count, { bytes, says }, at]) => {
      const what = count === 1 ? says : `${count} times ${says}`
      const pieces = [[0, at], bytes.repeat(count), [at, subject.text.length]] as const
      return altered(subject, `with ${what} ${after(at)}`, pieces, traits)
    }),
  ]
}

/** The valid value with a character after it or before it, which a service may strip: only observed. */
export function atEnd(subject: Subject, { bytes, says }: Character, traits: Traits = {}): Arbitrary<Fuzzed> {
  const { length } = subject.text
  return fc.boolean().map((isBefore) =>
    isBefore
      ? altered(subject, `with ${says} ${after(0)}`, [bytes, [0, length]], {
          ...traits,
          treatment: 'observed',
        })
      : altered(subject, `with ${says} ${after(length)}`, [[0, length], bytes], {
          ...traits,
          treatment: 'observed',
        }),
  )
}

/** All places of a value, its ends included. */
export function everywhere({ text }: Subject): readonly number[] {
  return Array.from({ length: text.length + 1 }, (_, at) => at)
}

/** All places between two characters of a value. */
export function inside(subject: Subject): readonly number[] {
  return everywhere(subject).slice(1, -1)
}

/** A place in words: `after character 7`. */
export function after(at: number): string {
  return at === 0 ? 'before its first character' : `after character ${at}`
}
