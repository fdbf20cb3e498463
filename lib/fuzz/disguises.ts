import {
  byTransport,
  caseClass,
  credentialOf,
  listed,
  type CaseDraw,
  type CaseClass,
  type CredentialField,
  type ClientInput,
  type MutatedRequest,
} from './case-class.ts'
import {
  atPlaces,
  otherField,
  splice,
  type MutatedValue,
  type Subject,
  type Traits,
} from './mutated-value.ts'
import { otherCase } from './near-misses.ts'
import { isHexadecimal } from './seeded.ts'
import { toFullWidth, utf8 } from './unicode.ts'

/** Values that a store or cache may equate with the valid one, by its form: numbers, cut keys, LIKE patterns, normal forms; most telling first. */
export function storeClass(subject: Subject): CaseClass {
  return caseClass('store', listed, [
    ...numbers(subject),
    ...beyondBcrypt(subject),
    ...patterns(subject).slice(0, 2),
    ...separators(subject),
    ...normalForms(subject),
    ...lookAlikes(subject),
    ...patterns(subject).slice(2),
  ])
}

/** A whole credential in another form (letter case, quotes, encodings, a token), and credentials that belong elsewhere. */
export function disguiseClasses(
  subject: Subject,
  field: CredentialField,
  input: ClientInput,
): readonly CaseClass[] {
  return [
    caseClass('letter-case', { weight: 1 }, inAnotherCase(subject)),
    caseClass('other-credential', { weight: 1 }, subject.inventedEach(misplaced(field, input))),
    caseClass('quoted-or-encoded', { weight: 1 }, subject.inventedEach(dressed(subject))),
  ]
}

/** Digits as another notation of the same number. */
function numbers(subject: Subject): readonly CaseDraw[] {
  const { text } = subject
  if (!/^[0-9]+$/.test(text)) return []
  return [
    subject.altered('with a zero before it', `0${text}`),
    subject.altered('with .0 after it', `${text}.0`),
    subject.altered('with e0 after it', `${text}e0`),
    subject.altered('with a plus sign before it', `+${text}`),
  ]
}

/** Maximum length that bcrypt reads, in bytes. */
const readByBcrypt = 72

function beyondBcrypt(subject: Subject): readonly CaseDraw[] {
  const read = subject.text.slice(0, readByBcrypt)
  const unread = subject.text.length - read.length
  if (unread === 0) return []
  const otherEnd = `with another end behind its first ${readByBcrypt} characters`
  return [
    subject.altered(otherEnd, read + 'x'.repeat(unread)),
    subject.altered(`cut to its first ${readByBcrypt} characters`, read),
  ]
}

/** In LIKE, `_` stands for any one character and `%` for any number of them. */
function patterns(subject: Subject): readonly CaseDraw[] {
  const { text } = subject
  if (text.length < 4) return []
  const found = text.search(/[0-9a-z](?!.*[^0-9a-z])/i)
  const at = found === -1 ? text.length - 1 : found
  return [
    subject.altered(`with _ in place of its character ${at + 1}`, splice(text, at, at + 1, '_')),
    subject.altered('with % in place of its last 3 characters', `${text.slice(0, -3)}%`),
    subject.altered('with * in place of its last 3 characters', `${text.slice(0, -3)}*`),
    subject.altered('with % in place of its first 3 characters', `%${text.slice(3)}`),
  ]
}

/** Separators of a key, exchanged or dropped. Decoders of UUIDs and base64 may rightly accept this. */
function separators(subject: Subject): readonly CaseDraw[] {
  const { text } = subject
  const separator = /(?<=[0-9a-z])[-_.](?=[0-9a-z])/gi
  if (text.search(separator) === -1) return []
  const traits: Traits = mayBeDecoded(text) ? { treatment: 'observed' } : {}
  const other = text.includes('_') ? '-' : '_'
  return [
    subject.altered(`with ${other} in place of its separators`, text.replaceAll(separator, other), traits),
    subject.altered('without its separators', text.replaceAll(separator, ''), traits),
  ]
}

/** Whether a text may be a UUID, hexadecimal or base64 of either alphabet, which decoders read leniently. */
function mayBeDecoded(text: string): boolean {
  return (
    isHexadecimal(text) || /[+/=]/.test(text) || (/-/.test(text) && /_/.test(text) && text.length % 4 === 0)
  )
}

/** Characters that fold to the credential's own by NFC (the Kelvin sign), NFKC, or letter case. */
const foldings = ['K\u212a', 's\u017f', 'k\u212a', '2\u00b2', '1\u2460']

/** Maximum length, in characters: at three bytes each, every server must accept it. */
const longestInUnicode = 600

function normalForms(subject: Subject): readonly CaseDraw[] {
  const { text } = subject
  const folded = withOne(subject, 'with a character of another normal form', foldings, byTransport)
  if (text.length > longestInUnicode) return folded
  const fullWidth = Array.from(text, (one) => toFullWidth(one) ?? one).join('')
  return [...folded, subject.altered('in full-width characters', utf8(fullWidth), byTransport)]
}

/** Characters that people confuse, and that Crockford's base32 equates. */
const confused = ['0O', 'O0', '1l', 'l1', 'Il']

function lookAlikes(subject: Subject): readonly CaseDraw[] {
  const traits: Traits = isCrockford(subject.text) ? { treatment: 'observed' } : {}
  return withOne(subject, 'with a character that looks like its own', confused, traits)
}

/** Whether a text's last part may be Crockford's base32, which lacks I, L, O and U; hexadecimal digits alone do not count. */
function isCrockford(text: string): boolean {
  const last = text.split(/[-_.]/).findLast((part) => part.length >= 8) ?? text
  return /^[0-9a-hjkmnp-tv-z]+$/i.test(last) && !/^[0-9a-f]+$/i.test(last)
}

/** Exchanges the first of these pairs that occurs. `how` must not reveal which: that would reveal a character. */
function withOne(
  subject: Subject,
  how: string,
  pairs: readonly string[],
  traits: Traits,
): readonly CaseDraw[] {
  const [of = '', is = ''] = pairs.find(([one = '']) => subject.text.includes(one)) ?? ''
  return of === '' ? [] : [subject.altered(how, subject.text.replace(of, utf8(is)), traits)]
}

function inAnotherCase(subject: Subject): readonly CaseDraw[] {
  const { text } = subject
  const letters = Array.from(text, (_, at) => at).filter((at) => /[a-z]/i.test(text.charAt(at)))
  return [
    ...subject.inventedEach([subject.mutated('with the case of every letter changed', otherCase(text))]),
    ...atPlaces(letters, (at): MutatedRequest => {
      const flipped = splice(text, at, at + 1, otherCase(text.charAt(at)))
      return subject.altered(`with the case of its character ${at + 1} changed`, flipped)
    }),
    ...subject.inventedEach([
      subject.mutated('in upper case', text.toUpperCase()),
      subject.mutated('in lower case', text.toLowerCase()),
    ]),
  ]
}

/** The client's other credential, and the same credential of another client. */
function misplaced(field: CredentialField, { target, second }: ClientInput): readonly MutatedValue[] {
  const others = [
    credentialOf(target, otherField(field)),
    ...(second === null ? [] : [credentialOf(second, field)]),
  ]
  return others.map((value) => ({ value, says: `${value.name} as ${field}` }))
}

/** Maximum length of an encoding that is sent, in characters: servers need not accept a long credential three times as long. */
const mostEncoded = 2_000

function dressed(subject: Subject): readonly MutatedValue[] {
  const { text } = subject
  const bytes = Buffer.from(text, 'latin1')
  const encoded = [
    ['with every byte percent-encoded', bytes.toString('hex').replaceAll(/../g, '%$&')],
    ['in base64', bytes.toString('base64')],
  ].filter(([, value = '']) => value.length <= mostEncoded)
  return [
    ['in double quotes', `"${text}"`],
    ...encoded,
    ['with Bearer and a space before it', `Bearer ${text}`],
    ['with a comma after it', `${text},`],
    ['with a semicolon after it', `${text};`],
    ['in single quotes', `'${text}'`],
  ].map(([how = '', value = '']) => subject.mutated(how, value))
}
