import fc, { type Arbitrary } from 'fast-check'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { atEnd, inserted, inside } from './inserted.ts'
import { altered, type Subject } from './subject.ts'
import { spread } from './spread.ts'
import { controlCharacters, type Character } from './unicode-characters.ts'
import { kindOf } from './value-kinds.ts'

/**
 * Valid values with one control character in them, which no service may strip; with one before or after them, which services
 * may strip, only observed.
 */
export function controlKinds(subjects: readonly Subject[]): readonly Kind[] {
  return [
    ...kindOf(
      { name: 'control-character', weight: 2, gate: true, requests: 2 },
      spread(controlCharacters, subjects, within),
    ),
    ...kindOf(
      { name: 'control-character-at-end', weight: 1, gate: false },
      spread(controlCharacters, subjects, (character, subject) => [atEnd(subject, character, nowhere)]),
    ),
  ]
}

const nowhere = { transportMayRefuse: true, toUnknownPath: true } as const
const besideTwin = { ...nowhere, withTwin: true } as const

/** In a value of one character, which has no inside: between it and itself. */
function within(character: Character, subject: Subject): readonly Arbitrary<Fuzzed>[] {
  const { bytes, says } = character
  if (subject.text.length < 2) {
    return [fc.constant(altered(subject, `twice, with ${says} between`, [[0, 1], bytes, [0, 1]], besideTwin))]
  }
  return inserted(subject, { characters: [character], places: inside(subject), most: 1 }, besideTwin)
}
