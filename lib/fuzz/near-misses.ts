import fc from 'fast-check'
import type { Secret } from '../redact/secret.ts'
import { oneOf } from './arbitraries.ts'
import type { CaseClass } from './case-class.ts'
import {
  after,
  atPlaces,
  derivedSecret,
  meansTheSame,
  splice,
  turned,
  type Subject,
  type ValueRow,
  type ValueRows,
} from './mutated-value.ts'
import { isHexadecimal } from './seeded.ts'
import { insertedAt } from './unicode.ts'

/** A value that nearly matches a credential, with its description. */
export interface NearMiss {
  /** Stable, as part of the public name of a case: `middle-changed`, `half`. */
  readonly name: string
  readonly value: Secret
  /** Whether a service may rightly equate it with the credential: letter case and zeros in a UUID, padding in base64. */
  readonly mayEqual: boolean
}

/**
 * Near misses: one character changed (first, middle, last, or `everyPosition`), swapped, truncated, extended, or in a different
 * case. Never equal or empty.
 */
export function nearMisses(secret: Secret, everyPosition: boolean): readonly NearMiss[] {
  const text = secret.reveal()
  const character = alphabetOf(text).charAt(0)
  const unequal = unequalNeighbours(text, tellingPlaces(text))
  const inMiddle = unequal.find((at) => at >= Math.floor(text.length / 2)) ?? unequal[0]
  const made: readonly (readonly [name: string, how: string, value: string])[] = [
    ...positions(text, everyPosition).map(([name, at]) => {
      const other = replacement(text, at)
      const how = `with ${other} in place of its character ${at + 1}`
      return [`${name}-changed`, how, splice(text, at, at + 1, other)] as const
    }),
    ...(inMiddle === undefined
      ? []
      : [['neighbours-exchanged', exchangedSays(inMiddle), exchanged(text, inMiddle)] as const]),
    ['last-dropped', 'without its last character', text.slice(0, -1)],
    ['first-dropped', 'without its first character', text.slice(1)],
    ['half', 'cut in half', text.slice(0, Math.ceil(text.length / 2))],
    ['extended', `with ${character} ${after(text.length)}`, `${text}${character}`],
    ['preceded', `with ${character} ${after(0)}`, `${character}${text}`],
    ['letter-case', 'with the case of every letter changed', otherCase(text)],
  ]
  const arriving = [text, '', ...made.map(([, , value]) => value.trim())]
  return made
    .filter((_, index) => arriving.indexOf(arriving[index + 2] ?? '') === index + 2)
    .map(([name, how, value]) => ({
      name,
      value: derivedSecret(secret, how, value),
      mayEqual: meansTheSame(value, text),
    }))
}

/** A credential with characters changed, dropped, added, doubled or swapped, or only part of it. */
export function nearMissClasses(subject: Subject): readonly CaseClass[] {
  const { text, secret, valueClass } = subject
  const listed = secret === null ? [] : nearMisses(secret, false)
  /** The listed near miss with this name, so that a run sends that request only once. */
  const first = (name: string): ValueRows =>
    listed
      .filter((one) => one.name === name && !one.mayEqual)
      .map(({ value }) => fc.constant([value.name, value]))
  const dropped = text.length < 2 ? [] : turned(subject, 'without its character #', () => '')
  return [
    valueClass('changed-character', 1, changed(text), first('middle-changed')),
    valueClass('dropped-character', 1, dropped),
    valueClass('added-character', 2, added(subject), first('extended')),
    valueClass('cut', 2, cut(text)),
    valueClass('rearranged', 1, rearranged(text), first('neighbours-exchanged')),
  ]
}

/** Every ASCII letter in the opposite case. */
export function otherCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (one) => (/[a-z]/.test(one) ? one.toUpperCase() : one.toLowerCase()))
}

function changed(text: string): ValueRows {
  const alphabet = alphabetOf(text)
  return oneOf(tellingPlaces(text)).map((place) =>
    fc.tuple(fc.nat(alphabet.length - 1), place).map(([index, at]): ValueRow => {
      const drawn = alphabet.charAt(index)
      const isThere = drawn.toLowerCase() === text.charAt(at).toLowerCase()
      const other = isThere ? alphabet.charAt((index + 1) % alphabet.length) : drawn
      return [`with ${other} in place of its character ${at + 1}`, () => splice(text, at, at + 1, other)]
    }),
  )
}

/** Additions, at the end first: a service that compares only the beginning accepts all of these. */
function added(subject: Subject): ValueRows {
  const { text, everywhere } = subject
  const characters = [...alphabetOf(text)].map((one) => ({ bytes: one, says: one }))
  return [
    ...insertedAt([text.length], characters),
    ...insertedAt([0], characters),
    ...turned(subject, 'with its character # doubled', (one) => one + one),
    ...insertedAt(everywhere, characters, { most: 3 }),
  ]
}

/** The beginning or end of the value; the longest beginning comes first. */
function cut(text: string): ValueRows {
  const { length } = text
  // Decoders do not need base64 padding.
  const longest = (text.replace(/=+$/, '').length || length) - 1
  const countOf = (count: number): string => (count === 1 ? 'character' : `${count} characters`)
  const beginning = (kept: number): ValueRow => [
    `without its last ${countOf(length - kept)}`,
    () => text.slice(0, kept),
  ]
  const end = (kept: number): ValueRow => [
    `without its first ${countOf(length - kept)}`,
    () => text.slice(length - kept),
  ]
  if (longest < 1) return []
  return [
    fc.constant(beginning(longest)),
    fc.integer({ min: 1, max: longest }).map(beginning),
    fc.constant(end(length - 1)),
    fc.integer({ min: 1, max: length - 1 }).map(end),
  ]
}

function rearranged(text: string): ValueRows {
  const telling = unequalNeighbours(text, tellingPlaces(text))
  const exchangeable = telling.length > 0 ? telling : unequalNeighbours(text, placesIn(text))
  return [
    ...atPlaces(exchangeable, (at) => [exchangedSays(at), () => exchanged(text, at)]),
    ['reversed', () => Array.from(text).toReversed().join('')],
  ]
}

function exchangedSays(at: number): string {
  return `with its characters ${at + 1} and ${at + 2} exchanged`
}

function exchanged(text: string, at: number): string {
  return splice(text, at, at + 2, text.charAt(at + 1) + text.charAt(at))
}

function positions(text: string, every: boolean): readonly (readonly [name: string, at: number])[] {
  const telling = tellingPlaces(text)
  const [first = 0] = telling
  const last = telling.at(-1) ?? 0
  const middle = telling.find((at) => at >= Math.floor(text.length / 2)) ?? last
  const rest = every ? meaningfulPlaces(text).filter((at) => ![first, middle, last].includes(at)) : []
  return [
    ['first', first],
    ['middle', middle],
    ['last', last],
    ...rest.map((at) => [`character-${at + 1}`, at] as const),
  ]
}

function placesIn(text: string): readonly number[] {
  return Array.from(text, (_, at) => at)
}

/** All positions except those that a service may ignore: the hyphens in a UUID and the padding in base64. */
function meaningfulPlaces(text: string): readonly number[] {
  const end = text.replace(/=+$/, '').length
  const all = placesIn(text).filter((at) => at < end || end === 0)
  return isHexadecimal(text) ? all.filter((at) => text[at] !== '-') : all
}

/** The positions of letters and digits, because changes elsewhere fail any format check; all positions if there are no such characters. */
function tellingPlaces(text: string): readonly number[] {
  const all = placesIn(text)
  const telling = all.filter((at) => /[0-9a-z]/i.test(text.charAt(at)))
  return telling.length > 0 ? telling : all
}

/** The places whose character differs from the next one, which is among the places, too. */
function unequalNeighbours(text: string, places: readonly number[]): readonly number[] {
  const all = new Set(places)
  return places.filter((at) => all.has(at + 1) && text[at] !== text[at + 1])
}

const digits = '123456789'
const letters = 'xabcdefghijklmnopqrstuvwyz'

/** Characters of the same kinds as those in a text, so that no format check refuses them first. Excludes 0, which may be insignificant. */
function alphabetOf(text: string): string {
  if (/^[0-9]+$/.test(text)) return digits
  const [lower, upper] = [/[a-z]/.test(text), /[A-Z]/.test(text)]
  if (isHexadecimal(text)) return `${upper && !lower ? 'ABCDEF' : 'abcdef'}${digits}`
  const found = `${lower ? letters : ''}${upper ? letters.toUpperCase() : ''}${/[0-9]/.test(text) ? digits : ''}`
  return found === '' ? letters : found
}

/** A character from the credential's alphabet that differs in more than letter case. */
function replacement(text: string, at: number): string {
  const there = text.charAt(at)
  const [usual, other] = /[0-9]/.test(there) ? ['7', '2'] : isHexadecimal(text) ? ['b', 'e'] : ['x', 'k']
  const chosen = (there.toLowerCase() === usual ? other : usual) ?? ''
  return /[A-Z]/.test(there) ? chosen.toUpperCase() : chosen
}
