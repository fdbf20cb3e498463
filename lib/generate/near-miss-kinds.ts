import fc, { type Arbitrary } from 'fast-check'
import { transformed } from './derived.ts'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { everywhere, inserted } from './inserted.ts'
import { isHexadecimal } from './seeded.ts'
import { altered, type CredentialSubject, type Made } from './subject.ts'
import { casesOf, kindOf, oneOf } from './value-kinds.ts'

/** A credential with characters changed, dropped, added, doubled, exchanged, or with only a part of it left. */
export function nearMissKinds(subject: CredentialSubject): readonly Kind[] {
  return [
    ...kindOf({ name: 'changed-character', weight: 1, gate: true }, changed(subject)),
    ...kindOf({ name: 'dropped-character', weight: 1, gate: true }, dropped(subject)),
    ...kindOf({ name: 'added-character', weight: 2, gate: true }, added(subject)),
    ...kindOf({ name: 'cut', weight: 2, gate: true }, cut(subject)),
    ...kindOf({ name: 'rearranged', weight: 1, gate: true }, rearranged(subject)),
  ]
}

function changed(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { text } = subject
  const place = oneOf(tellingPlaces(text))
  const alphabet = alphabetOf(text)
  if (place === null) return []
  return [
    fc.tuple(fc.nat(alphabet.length - 1), place).map(([index, at]) => {
      const other = replacement(alphabet, index, text[at] ?? '')
      return altered(subject, `with ${other} in place of its character ${at + 1}`, [
        [0, at],
        other,
        [at + 1, text.length],
      ])
    }),
  ]
}

function dropped(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { length } = subject.text
  if (length < 2) return []
  return [
    fc.nat(length - 1).map((at) =>
      altered(subject, `without its character ${at + 1}`, [
        [0, at],
        [at + 1, length],
      ]),
    ),
  ]
}

/** At the end first: a service that only looks whether a value begins with the credential takes all of these. */
function added(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { length } = subject.text
  const characters = [...alphabetOf(subject.text)].map((one) => ({ bytes: one, says: one }))
  return [
    ...inserted(subject, { characters, places: [length], most: 1 }),
    ...inserted(subject, { characters, places: [0], most: 1 }),
    fc.nat(length - 1).map((at) =>
      altered(subject, `with its character ${at + 1} doubled`, [
        [0, at + 1],
        [at, length],
      ]),
    ),
    ...inserted(subject, { characters, places: everywhere(subject), most: 3 }),
  ]
}

/** What is left is its beginning or its end. Without its last character first, which is the longest beginning. */
function cut(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { length } = subject.text
  const longest = meaningfulLength(subject.text) - 1
  const beginning = (kept: number): Fuzzed =>
    altered(subject, `without its last ${countOf(length - kept)}`, [[0, kept]])
  const end = (kept: number): Fuzzed =>
    altered(subject, `without its first ${countOf(length - kept)}`, [[length - kept, length]])
  if (longest < 1) return []
  return [
    fc.constant(beginning(longest)),
    fc.integer({ min: 1, max: longest }).map(beginning),
    fc.constant(end(length - 1)),
    fc.integer({ min: 1, max: length - 1 }).map(end),
  ]
}

function rearranged(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { secret, text } = subject
  const exchanged = oneOf(unequalNeighbours(text))?.map((at) =>
    altered(subject, `with its characters ${at + 1} and ${at + 2} exchanged`, [
      [0, at],
      [at + 1, at + 2],
      [at, at + 1],
      [at + 2, text.length],
    ]),
  )
  const backwards = Array.from(text).toReversed().join('')
  const value = transformed(secret, 'reversed', backwards)
  const reversed: Made = { value, says: value.name }
  return [...(exchanged === undefined ? [] : [exchanged]), ...casesOf(subject, [reversed])]
}

/** Where letters and digits stand: what is wrong elsewhere is refused by any check of the form. All places where there are none. */
function tellingPlaces(text: string): readonly number[] {
  const all = Array.from(text, (_, at) => at)
  const telling = all.filter((at) => /[0-9a-z]/i.test(text[at] ?? ''))
  return telling.length > 0 ? telling : all
}

/** Where a character differs from the next one, letters and digits if there are such. */
function unequalNeighbours(text: string): readonly number[] {
  const telling = new Set(tellingPlaces(text))
  const unequal = Array.from(text, (_, at) => at).filter(
    (at) => at + 1 < text.length && text[at] !== text[at + 1],
  )
  const both = unequal.filter((at) => telling.has(at) && telling.has(at + 1))
  return both.length > 0 ? both : unequal
}

/** The length without the padding of base64, which decoders do without. */
function meaningfulLength(text: string): number {
  return text.replace(/=+$/, '').length || text.length
}

const digits = '123456789'
const letters = 'xabcdefghijklmnopqrstuvwyz'

/** Characters of the kinds that a text has, so that no check of the form refuses them first; no 0, which may mean nothing. */
function alphabetOf(text: string): string {
  if (/^[0-9]+$/.test(text)) return digits
  const [lower, upper] = [/[a-z]/.test(text), /[A-Z]/.test(text)]
  if (isHexadecimal(text)) return `${upper && !lower ? 'ABCDEF' : 'abcdef'}${digits}`
  const found = `${lower ? letters : ''}${upper ? letters.toUpperCase() : ''}${/[0-9]/.test(text) ? digits : ''}`
  return found === '' ? letters : found
}

/** The character of an alphabet, or the next one where that is the one there in one letter case or another. */
function replacement(alphabet: string, index: number, there: string): string {
  const drawn = alphabet[index] ?? ''
  const next = alphabet[(index + 1) % alphabet.length] ?? ''
  return drawn.toLowerCase() === there.toLowerCase() ? next : drawn
}

function countOf(count: number): string {
  return count === 1 ? 'character' : `${count} characters`
}
