import fc, { type Arbitrary } from 'fast-check'
import { transformed, type Piece } from './derived.ts'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { isHexadecimal } from './seeded.ts'
import { altered, invented, type CredentialSubject, type Traits } from './subject.ts'
import { utf8 } from './unicode-characters.ts'
import { kindOf } from './value-kinds.ts'

/**
 * Values that a store or a cache takes for the valid one: a pattern of LIKE, a number written otherwise, another normal form, a key
 * cut short. Most telling first; which of them there are depends on the form of the credential.
 */
export function storeKinds(subject: CredentialSubject): readonly Kind[] {
  return kindOf({ name: 'store', weight: 0, gate: true, always: 4 }, [
    ...numbers(subject),
    ...beyondBcrypt(subject),
    ...patterns(subject),
    ...separators(subject),
    ...normalForms(subject),
    ...lookAlikes(subject),
    ...furtherPatterns(subject),
  ])
}

const byTransport = { transportMayRefuse: true } as const

/** `_` stands for any one character and `%` for any number of them where a value is compared by LIKE. */
function patterns(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { text } = subject
  const at = text.search(/[0-9a-z](?!.*[^0-9a-z])/i)
  const place = at === -1 ? text.length - 1 : at
  if (text.length < 4) return []
  return [
    made(subject, `with _ in place of its character ${place + 1}`, [
      [0, place],
      '_',
      [place + 1, text.length],
    ]),
    made(subject, 'with % in place of its last 3 characters', [[0, text.length - 3], '%']),
  ]
}

function furtherPatterns(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { text } = subject
  if (text.length < 4) return []
  return [
    made(subject, 'with * in place of its last 3 characters', [[0, text.length - 3], '*']),
    made(subject, 'with % in place of its first 3 characters', ['%', [3, text.length]]),
  ]
}

/** What stands between the parts of a key, exchanged or left out. Hyphens of a UUID and letters of base64 may rightly be read so. */
function separators(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { text } = subject
  const places = [...text.matchAll(/(?<=[0-9a-z])[-_.](?=[0-9a-z])/gi)].map(({ index }) => index)
  if (places.length === 0) return []

  const traits: Traits = mayBeDecoded(text) ? { treatment: 'observed' } : {}
  const other = text.includes('_') ? '-' : '_'
  return [
    made(subject, `with ${other} in place of its separators`, withEach(text, places, other), traits),
    made(subject, 'without its separators', withEach(text, places, ''), traits),
  ]
}

function withEach(text: string, places: readonly number[], instead: string): readonly Piece[] {
  const starts = [0, ...places.map((at) => at + 1)]
  return starts.flatMap((start, index) => {
    const end = places[index]
    return end === undefined ? [[start, text.length] as const] : [[start, end] as const, instead]
  })
}

/** Whether a text may be a UUID, hexadecimal, or base64 of either alphabet, which decoders read leniently. */
function mayBeDecoded(text: string): boolean {
  return (
    isHexadecimal(text) || /[+/=]/.test(text) || (/-/.test(text) && /_/.test(text) && text.length % 4 === 0)
  )
}

/** Characters that become the credential's own by NFC (the Kelvin sign), by NFKC, or by folding of letter case. */
const foldings: readonly (readonly [of: string, is: string])[] = [
  ['K', '\u212a'],
  ['s', '\u017f'],
  ['k', '\u212a'],
  ['2', '\u00b2'],
  ['1', '\u2460'],
]

/** Three bytes for each character, which must stay within what every server takes. */
const longestInUnicode = 600

function normalForms(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { text } = subject
  const fullWidth = [...text]
    .map((one) => (/[!-~]/.test(one) ? String.fromCodePoint(one.charCodeAt(0) + 0xfee0) : one))
    .join('')
  const folded = foldings.find(([of]) => text.includes(of))
  return [
    ...(folded === undefined
      ? []
      : [unspoken(subject, 'with a character of another normal form', withOne(text, folded), byTransport)]),
    ...(text.length <= longestInUnicode
      ? [unspoken(subject, 'in full-width characters', utf8(fullWidth), byTransport)]
      : []),
  ]
}

/** Characters that people confuse. Base32 of Crockford's alphabet reads them as one. */
const confused: readonly (readonly [of: string, is: string])[] = [
  ['0', 'O'],
  ['O', '0'],
  ['1', 'l'],
  ['l', '1'],
  ['I', 'l'],
]

function lookAlikes(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { text } = subject
  const found = confused.find(([of]) => text.includes(of))
  if (found === undefined) return []
  const traits: Traits = isCrockford(text) ? { treatment: 'observed' } : {}
  return [unspoken(subject, 'with a character that looks like its own', withOne(text, found), traits)]
}

function withOne(text: string, [of, is]: readonly [of: string, is: string]): string {
  return text.replace(of, utf8(is))
}

/** Whether the last part of a text may be Crockford's base32, which has no I, L, O and U; hexadecimal digits alone are not. */
function isCrockford(text: string): boolean {
  const last = text.split(/[-_.]/).findLast((part) => part.length >= 8) ?? text
  return /^[0-9a-hjkmnp-tv-z]+$/i.test(last) && !/^[0-9a-f]+$/i.test(last)
}

/** Digits as another number of the same value. */
function numbers(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { text } = subject
  if (!/^[0-9]+$/.test(text)) return []
  const whole = [0, text.length] as const
  return [
    made(subject, 'with a zero before it', ['0', whole]),
    made(subject, 'with .0 after it', [whole, '.0']),
    made(subject, 'with e0 after it', [whole, 'e0']),
    made(subject, 'with a plus sign before it', ['+', whole]),
  ]
}

/** bcrypt reads no more than 72 bytes. */
const readByBcrypt = 72

function beyondBcrypt(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { length } = subject.text
  if (length <= readByBcrypt) return []
  return [
    made(subject, `with another end behind its first ${readByBcrypt} characters`, [
      [0, readByBcrypt],
      'x'.repeat(length - readByBcrypt),
    ]),
    made(subject, `cut to its first ${readByBcrypt} characters`, [[0, readByBcrypt]]),
  ]
}

function made(
  subject: CredentialSubject,
  how: string,
  pieces: readonly Piece[],
  traits: Traits = {},
): Arbitrary<Fuzzed> {
  return fc.constant(altered(subject, how, pieces, traits))
}

/** A value whose name may not tell how it was made: that would tell a character of the credential. */
function unspoken(
  subject: CredentialSubject,
  how: string,
  value: string,
  traits: Traits = {},
): Arbitrary<Fuzzed> {
  const secret = transformed(subject.secret, how, value)
  return fc.constant(invented(subject, { value: secret, says: secret.name }, traits))
}
