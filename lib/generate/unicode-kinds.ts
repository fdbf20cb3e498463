import type { Arbitrary } from 'fast-check'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { atEnd, everywhere, inserted, inside } from './inserted.ts'
import { composedAccent, fullWidth, homoglyph, withLookAlike } from './look-alikes.ts'
import type { CredentialSubject, Subject } from './subject.ts'
import {
  bidirectional,
  byteOrderMark,
  characterOf,
  combiningMarks,
  emoji,
  separators,
  strippable,
  zeroWidth,
  type Character,
} from './unicode-characters.ts'
import { kindOf } from './value-kinds.ts'

/** A credential with characters beyond ASCII in it, as bytes of UTF-8: inserted ones, and some that look or count as its own. */
export function unicodeKinds(subject: CredentialSubject): readonly Kind[] {
  // Of what a service may strip off the ends, nothing stands there.
  const within = (...characters: readonly Character[]): readonly Arbitrary<Fuzzed>[] =>
    inserted(subject, { characters, places: inside(subject), most: 3 }, byTransport)
  const anywhere = (...characters: readonly Character[]): readonly Arbitrary<Fuzzed>[] =>
    inserted(subject, { characters, places: everywhere(subject), most: 3 }, byTransport)

  return kindOf({ name: 'unicode', weight: 2, gate: true }, [
    ...within(characterOf(0x200b)),
    ...withLookAlike(subject, fullWidth),
    ...anywhere(...emoji),
    ...withLookAlike(subject, composedAccent),
    ...within(...separators),
    ...withLookAlike(subject, homoglyph),
    ...decomposedAccent(subject),
    ...anywhere(...bidirectional),
    ...within(byteOrderMark),
    ...within(...zeroWidth),
    ...anywhere(...combiningMarks),
  ])
}

/** A valid value with a separator before or after it, which services may strip or not: only observed. */
export function separatorAtEndKinds(subject: Subject): readonly Kind[] {
  const cases = strippable.map((character) => atEnd(subject, character, byTransport))
  return kindOf({ name: 'separator-at-end', weight: 1, gate: false }, cases)
}

const byTransport = { transportMayRefuse: true } as const

/** NFD: the letter, and its accent as a character of its own. */
function decomposedAccent(subject: Subject): readonly Arbitrary<Fuzzed>[] {
  const { bytes, says } = characterOf(0x301)
  const characters = [{ bytes, says: `a decomposed accent (NFD) ${says}` }]
  const places = everywhere(subject).filter((at) => /[a-z]/i.test(subject.text.charAt(at - 1)))
  return inserted(subject, { characters, places, most: 1 }, byTransport)
}
