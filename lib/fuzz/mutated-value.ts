import fc, { Arbitrary } from 'fast-check'
import { trimOws, valueOf } from '../http/exchange.ts'
import { Secret } from '../redact/secret.ts'
import type { RequiredField } from '../specification/endpoints.ts'
import { oneOf } from './arbitraries.ts'
import {
  caseClass,
  judged,
  type Cases,
  type ClientInput,
  type MutatedRequest,
  type Share,
} from './case-class.ts'
import { inTurn, raw, setting, unchanged, without } from './request-changes.ts'
import { isHex } from './seeded.ts'
import type { Character } from './unicode.ts'

/** How a case is judged. The defaults suit ordinary values. */
export type Traits = Partial<MutatedRequest> & {
  /** Whether a credential that was never issued is changed in the same way and sent first. */
  readonly inPair?: true
  /** Whether the value is sent even if it arrives as the valid one. */
  readonly mayBeValid?: true
}

/** A change to the valid value. Its description continues the name of the value, without including any character of a credential. */
type Edit = readonly [how: string, edited: (valid: string) => string]

/** A value for a field, none, or a change to the valid one, with its description, and how its case is judged. */
export type Row = readonly [says: string, value: Value | Edit[1], traits?: Traits]

/** The value of a field; null if it is absent. */
type Value = string | Secret | null

/** Rows, some of which are drawn. */
export type Rows = readonly (Row | Arbitrary<Row>)[]

/** A class whose cases are rows, with those that come once, before the others. */
export type ValueClass = readonly [name: string, share: number | Share, rows: Rows, first?: Rows]

/** Characters that only the raw socket can send. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const rawOnly = /[\0-\x08\x0a-\x1f\x7f]/

/** A required field and its valid value, from which mutated values are made. They must never equal the valid value. */
export type Subject = ReturnType<typeof subjectOf>

/** The subject for a field. Values that are valid for another client also count as valid. */
export function subjectOf(field: RequiredField, input: ClientInput) {
  const { target, second, wrongKey, wrongSecret, servedVersion } = input
  const [own, other] =
    field === 'x-api-key' ? (['apiKey', 'secretKey'] as const) : (['secretKey', 'apiKey'] as const)
  const secret = field === 'x-version' ? null : target[own]
  const text = secret?.reveal() ?? servedVersion
  const isShared = secret && second?.[other].reveal() === target[other].reveal()
  const validTexts = [text, isShared ? second[own].reveal() : text]

  const textOf = (value: Value) => (value === null ? '' : valueOf({ name: field, value }))
  /** Whether a value is valid in the field as it arrives. */
  const isValid = (value: Value) => validTexts.includes(trimOws(textOf(value)))
  /** A row's description and its value, which is a secret if it is made from one. */
  const written = ([says, value]: Row): readonly [says: string, value: Value] => {
    if (typeof value !== 'function') return [says, value]
    const name = `${secret?.name ?? `${field} ${text}`} ${says}`
    return [name, secret ? new Secret(name, value(text)) : value(text)]
  }
  const isSent = (row: Row) => row[2]?.mayBeValid || !isValid(written(row)[1])
  const sending = (value: Value) =>
    value === null
      ? without(field)
      : inTurn(setting(field, value), rawOnly.test(textOf(value)) ? raw : unchanged)
  /** A case that sends a value unchanged. Firewalls and servers may refuse tabs and bytes beyond ASCII. */
  const sent = (row: Row): MutatedRequest => {
    const [, edit, { inPair, mayBeValid: _, ...traits } = {}] = row
    const [says, value] = written(row)
    const mayEqual = secret && value !== null && meansTheSame(trimOws(textOf(value)), text)
    const mutated = judged(says, sending(value), {
      treatment: mayEqual ? 'observed' : 'oracle',
      transportMayRefuse: !/^[ -~]*$/.test(textOf(value)),
      ...traits,
    })
    if (!inPair || !secret || typeof edit !== 'function') return mutated
    const apply = sending(edit(own === 'apiKey' ? wrongKey : wrongSecret))
    return { ...mutated, pairedRequest: { relation: 'invented-credential', apply } }
  }
  const invented = (row: Row) => {
    if (isSent(row)) return sent(row)
    // At most two values are valid, so at least one of three endings is invalid.
    const ending = ['0', '2', '7'].find((one) => !isValid(text + one)) ?? '00'
    return sent([`with ${ending} after its last character`, (valid) => valid + ending, row[2] ?? {}])
  }
  /** Cases with invalid values. A listed value that is valid is left out; a drawn one gets a further character. */
  const cases = (rows: Rows): Cases =>
    rows
      .filter((row) => row instanceof Arbitrary || isSent(row))
      .map((row) => (row instanceof Arbitrary ? row.map(invented) : sent(row)))
  /** All positions in the value, including its end. */
  const everywhere = Array.from({ length: text.length + 1 }, (_, at) => at)

  return {
    field,
    text,
    secret,
    everywhere,
    /** All positions between two characters of the value. */
    inside: everywhere.slice(1, -1),
    sent,
    cases,
    classes: (all: readonly ValueClass[]) =>
      all.map(([name, share, rows, first = []]) => caseClass(name, share, cases(rows), cases(first))),
  }
}

/** Replaces the characters from one position up to another. */
export function splice(text: string, from: number, to: number, instead: string) {
  return text.slice(0, from) + instead + text.slice(to)
}

/** Rows made from a drawn item at a drawn position in the value; nothing if there are no positions. */
export function atPlaces<Item>(
  places: readonly number[],
  drawn: Arbitrary<Item>,
  row: (item: Item, at: number) => Row,
): Rows {
  return oneOf(places).map((place) => fc.tuple(drawn, place).map(([item, at]) => row(item, at)))
}

/** A character inserted once or several times. */
export function inserted({ bytes, says }: Character, at: number, count = 1): Edit {
  const where = at === 0 ? 'before its first character' : `after character ${at}`
  const what = count === 1 ? says : `${count} times ${says}`
  return [`with ${what} ${where}`, (valid) => splice(valid, at, at, bytes.repeat(count))]
}

/** The valid value with a character inserted once, or up to `most` times. The simplest is the first character, once. */
export function insertedAt(
  places: readonly number[],
  characters: readonly Character[],
  most = 1,
  traits: Traits = {},
): Rows {
  return oneOf(characters).flatMap((character) =>
    atPlaces(places, fc.tuple(fc.integer({ min: 1, max: most }), character), ([count, one], at) => [
      ...inserted(one, at, count),
      traits,
    ]),
  )
}

/** The valid value with a character after or before it. A service may strip the character, so the case is only observed. */
export function atEnd(text: string, character: Character, traits: Traits = {}): Arbitrary<Row> {
  const observed = { ...traits, treatment: 'observed' } as const
  return fc.boolean().map((isBefore) => [...inserted(character, isBefore ? 0 : text.length), observed])
}

/** Rewrites a drawn character with `turn`. In `how`, # stands for its number. Skips characters that `turn` leaves as they are. */
export function turned({ text, everywhere }: Subject, how: string, turn: (one: string) => string) {
  const turnable = everywhere.slice(0, -1).filter((at) => turn(text.charAt(at)) !== text.charAt(at))
  return atPlaces(turnable, fc.constant(how), (_, at) => [
    how.replace('#', String(at + 1)),
    (valid) => splice(valid, at, at + 1, turn(valid.charAt(at))),
  ])
}

/** Whether a service that decodes UUIDs, hexadecimal or base64 may rightly equate a value with the credential. */
function meansTheSame(value: string, text: string) {
  if (isHex(text) && /^[0-9a-f-]*$/i.test(value) && asNumber(value) === asNumber(text)) return true
  if (!text.endsWith('=')) return false
  // Most decoders stop at the padding, do not need it, and ignore the unused bits of the last character.
  if (value.split('=')[0] === text.split('=')[0]) return true
  return /^[\w+/-]+=*$/.test(value) && Buffer.from(value, 'base64').equals(Buffer.from(text, 'base64'))
}

/** Removes letter case, separators, and each group's leading zeros. */
function asNumber(text: string) {
  return text.toLowerCase().replaceAll(/(?<=^|-)0+|-/g, '')
}

/**
 * Near misses: one character changed (first, middle, last, or `everyPosition`), swapped, truncated, extended, or in a different
 * case. Never equal or empty. Their names, such as `middle-changed`, are part of the public names of cases. `mayEqual`: whether a
 * service may rightly equate it with the credential (letter case and zeros in a UUID, padding in base64).
 */
export function nearMisses(secret: Secret, everyPosition: boolean) {
  const text = secret.reveal()
  const telling = tellingPlaces(text)
  const unequal = unequalNeighbours(text, telling)
  const fromMiddle = (places: readonly number[]) => places.filter((at) => at >= Math.floor(text.length / 2))
  const [first = 0, last = 0] = [telling[0], telling.at(-1)]
  const named = { first, middle: fromMiddle(telling)[0] ?? last, last }
  // A service may ignore the hyphens in a UUID and the padding in base64.
  const end = text.replace(/=+$/, '').length || text.length
  const meaningful = placesOf(isHex(text) ? /[^-]/ : /./, text.slice(0, end))
  // What is equal to an earlier one is left out below.
  const others = (everyPosition ? meaningful : []).map((at) => [`character-${at + 1}`, at] as const)
  const places = [...Object.entries(named), ...others]
  const exchangeable = [...fromMiddle(unequal), ...unequal].slice(0, 1)
  const like = plainly(alphabetOf(text).charAt(0))
  const rows: readonly (readonly [name: string, ...Edit])[] = [
    ...places.map(([name, at]) => [`${name}-changed`, ...changed(at, replacement(text, at))] as const),
    ...exchangeable.map((at) => ['neighbours-exchanged', ...exchanged(at)] as const),
    ['last-dropped', ...shortened('last', 1)],
    ['first-dropped', ...shortened('first', 1)],
    ['half', 'cut in half', (valid) => valid.slice(0, Math.ceil(valid.length / 2))],
    ['extended', ...inserted(like, text.length)],
    ['preceded', ...inserted(like, 0)],
    ['letter-case', 'with the case of every letter changed', otherCase],
  ]
  const made = rows.map(([name, how, edited]) => [name, secret.derived(how, edited(text))] as const)
  const arriving = [text, '', ...made.map(([, value]) => value.reveal().trim())]
  return made
    .filter((_, index) => arriving.indexOf(arriving[index + 2] ?? '') === index + 2)
    .map(([name, value]) => ({ name, value, mayEqual: meansTheSame(value.reveal(), text) }))
}

/** A credential with characters changed, dropped, added, doubled or swapped, or only part of it. */
export function nearMissClasses(subject: Subject): readonly ValueClass[] {
  const { text, secret, everywhere } = subject
  const { length } = text
  const alphabet = alphabetOf(text)
  const like = [...alphabet].map(plainly)
  const listed = secret ? nearMisses(secret, false).filter(({ mayEqual }) => !mayEqual) : []
  /** The listed near miss with this name, so that a run sends that request only once. */
  const first = (name: string): Rows =>
    listed.flatMap((one) => (one.name === name ? fc.constant<Row>([one.value.name, one.value]) : []))
  const changes = atPlaces(tellingPlaces(text), fc.nat(alphabet.length - 1), (index, at) => {
    const drawn = [alphabet.charAt(index), alphabet.charAt((index + 1) % alphabet.length)]
    return changed(at, drawn.find((one) => one.toLowerCase() !== text.charAt(at).toLowerCase()) ?? '')
  })
  // A service that compares only the beginning accepts any addition at the end.
  const additions = [
    ...[[length], [0]].flatMap((places) => insertedAt(places, like)),
    ...turned(subject, 'with its character # doubled', (one) => one + one),
    ...insertedAt(everywhere, like, 3),
  ]
  // Decoders do not need base64 padding.
  const longest = (text.replace(/=+$/, '').length || length) - 1
  const cuts = (end: 'first' | 'last', most: number): Rows => [
    fc.constant(shortened(end, length - most)),
    fc.integer({ min: 1, max: most }).map((kept) => shortened(end, length - kept)),
  ]
  const telling = unequalNeighbours(text, tellingPlaces(text))
  const exchangeable = telling.length > 0 ? telling : unequalNeighbours(text, everywhere.slice(0, -1))
  const rearranged: Rows = [
    ...oneOf(exchangeable).map((place) => place.map(exchanged)),
    ['reversed', (valid) => [...valid].toReversed().join('')],
  ]
  return [
    ['changed-character', 1, changes, first('middle-changed')],
    ['dropped-character', 1, length < 2 ? [] : turned(subject, 'without its character #', () => '')],
    ['added-character', 2, additions, first('extended')],
    ['cut', 2, longest < 1 ? [] : [...cuts('last', longest), ...cuts('first', length - 1)]],
    ['rearranged', 1, rearranged, first('neighbours-exchanged')],
  ]
}

/** Every ASCII letter in the opposite case. */
export function otherCase(text: string) {
  return text.replaceAll(/[a-z]/gi, (one) => (/[a-z]/.test(one) ? one.toUpperCase() : one.toLowerCase()))
}

function plainly(bytes: string) {
  return { bytes, says: bytes }
}

function changed(at: number, other: string): Edit {
  return [`with ${other} in place of its character ${at + 1}`, (valid) => splice(valid, at, at + 1, other)]
}

function exchanged(at: number): Edit {
  const edited = (valid: string) => splice(valid, at, at + 2, valid.charAt(at + 1) + valid.charAt(at))
  return [`with its characters ${at + 1} and ${at + 2} exchanged`, edited]
}

function shortened(end: 'first' | 'last', by: number): Edit {
  const edited = (valid: string) => (end === 'first' ? valid.slice(by) : valid.slice(0, -by))
  return [`without its ${end} ${by === 1 ? 'character' : `${by} characters`}`, edited]
}

/** The positions of letters and digits, because changes elsewhere fail any format check; all positions if there are no such characters. */
function tellingPlaces(text: string) {
  return placesOf(/[0-9a-z]/i.test(text) ? /[0-9a-z]/i : /./, text)
}

function placesOf(kind: RegExp, text: string) {
  return [...text].flatMap((one, at) => (kind.test(one) ? [at] : []))
}

/** The places whose character differs from the next one, which is among the places, too. */
function unequalNeighbours(text: string, places: readonly number[]) {
  const all = new Set(places)
  return places.filter((at) => all.has(at + 1) && text[at] !== text[at + 1])
}

/** Characters of the same kinds as those in a text, so that no format check refuses them first. Excludes 0, which may be insignificant. */
function alphabetOf(text: string) {
  const digits = '123456789'
  const letters = 'xabcdefghijklmnopqrstuvwyz'
  const [lower, upper] = [/[a-z]/.test(text), /[A-Z]/.test(text)]
  if (isHex(text) && /[^0-9]/.test(text)) return `${upper && !lower ? 'ABCDEF' : 'abcdef'}${digits}`
  const found = `${lower ? letters : ''}${upper ? letters.toUpperCase() : ''}${/[0-9]/.test(text) ? digits : ''}`
  return found === '' ? letters : found
}

/** A character from the credential's alphabet that differs in more than letter case. */
function replacement(text: string, at: number) {
  const there = text.charAt(at)
  const [usual, other] = /[0-9]/.test(there) ? ['7', '2'] : isHex(text) ? ['b', 'e'] : ['x', 'k']
  const chosen = there.toLowerCase() === usual ? other : usual
  return /[A-Z]/.test(there) ? chosen.toUpperCase() : chosen
}
