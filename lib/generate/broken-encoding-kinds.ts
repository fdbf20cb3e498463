import type { Kind } from './fuzzed.ts'
import { everywhere, inserted } from './inserted.ts'
import type { Subject } from './subject.ts'
import { hexadecimalOf, type Character } from './unicode-characters.ts'
import { kindOf } from './value-kinds.ts'

/** The valid value with bytes in it that are no UTF-8. */
export function brokenEncodingKinds(subject: Subject): readonly Kind[] {
  const cases = brokenEncodings.flatMap((bytes) =>
    inserted(
      subject,
      { characters: [bytes], places: everywhere(subject), most: 1 },
      { transportMayRefuse: true },
    ),
  )
  return kindOf({ name: 'broken-encoding', weight: 1, gate: true }, cases)
}

/** Bytes that are no UTF-8, and none of them white space in another encoding. */
export const brokenEncodings: readonly Character[] = [
  broken('\xff', 'a byte that UTF-8 does not have'),
  broken('\x80', 'a lone continuation byte'),
  broken('\xc0\xaf', 'an overlong slash'),
  broken('\xed\xa0\x80', 'a lone surrogate'),
  broken('\xe9', 'e with acute accent in Latin-1'),
  broken('\xe2\x82', 'a character cut short'),
]

function broken(bytes: string, what: string): Character {
  return { bytes, says: `${what} (${hexadecimalOf(bytes)})` }
}
