import type { Arbitrary } from 'fast-check'
import type { Fuzzed } from './fuzzed.ts'
import { altered, type CredentialSubject } from './subject.ts'
import { utf8 } from './unicode-characters.ts'
import { oneOf } from './value-kinds.ts'

/** A way to write characters of ASCII that some reader, normalisation or collation takes for the same. */
export interface LookAlike {
  /** What a character is written as, or null where there is nothing like it. */
  readonly of: (character: string) => string | null
  /** Continues the credential's name, for the position from 1. Must not say which character stands there. */
  readonly how: (position: number) => string
}

const cyrillic: ReadonlyMap<string, number> = new Map([
  ['a', 0x430],
  ['c', 0x441],
  ['d', 0x501],
  ['e', 0x435],
  ['h', 0x4bb],
  ['i', 0x456],
  ['j', 0x458],
  ['o', 0x43e],
  ['p', 0x440],
  ['q', 0x51b],
  ['s', 0x455],
  ['w', 0x51d],
  ['x', 0x445],
  ['y', 0x443],
  ['A', 0x410],
  ['B', 0x412],
  ['C', 0x421],
  ['E', 0x415],
  ['H', 0x41d],
  ['I', 0x406],
  ['J', 0x408],
  ['K', 0x41a],
  ['M', 0x41c],
  ['O', 0x41e],
  ['P', 0x420],
  ['S', 0x405],
  ['T', 0x422],
  ['X', 0x425],
])

/** A Cyrillic letter for a Latin one. */
export const homoglyph: LookAlike = {
  of: (character) => {
    const code = cyrillic.get(character)
    return code === undefined ? null : String.fromCodePoint(code)
  },
  how: (position) => `with the Cyrillic look-alike of its character ${position}`,
}

/** From a character of ASCII to its full-width form. */
const toFullWidth = 0xfee0

/** A full-width form for a letter, a digit or a sign. */
export const fullWidth: LookAlike = {
  of: (character) =>
    /^[!-~]$/.test(character) ? String.fromCodePoint(character.charCodeAt(0) + toFullWidth) : null,
  how: (position) => `with the full-width form of its character ${position}`,
}

/** A letter with an acute accent, as one code point (NFC). */
export const composedAccent: LookAlike = {
  of: (character) => {
    const composed = `${character}\u0301`.normalize('NFC')
    return /^[a-z]$/i.test(character) && composed.length === 1 ? composed : null
  },
  how: (position) => `with an acute accent on its character ${position}, as one code point (NFC)`,
}

/** A credential with one of its characters written so; no case where none can be. */
export function withLookAlike(
  subject: CredentialSubject,
  { of, how }: LookAlike,
): readonly Arbitrary<Fuzzed>[] {
  const turns = Array.from(subject.text, (character, at) => ({ at, turned: of(character) })).flatMap(
    ({ at, turned }) => (turned === null ? [] : [{ at, turned: utf8(turned) }]),
  )
  const turn = oneOf(turns)
  if (turn === null) return []
  return [
    turn.map(({ at, turned }) =>
      altered(subject, how(at + 1), [[0, at], turned, [at + 1, subject.text.length]], {
        transportMayRefuse: true,
      }),
    ),
  ]
}
