import type { Arbitrary } from 'fast-check'
import type { Secret } from '../redact/secret.ts'
import { transformed } from './derived.ts'
import { credentialOf, type Fuzzed, type Kind, type Material } from './fuzzed.ts'
import { altered, otherField, type CredentialSubject, type Made } from './subject.ts'
import { casesOf, kindOf, oneOf } from './value-kinds.ts'

/** A credential as a whole in another form: in another letter case, quoted, encoded, as a token; and credentials that belong elsewhere. */
export function disguiseKinds(subject: CredentialSubject, material: Material): readonly Kind[] {
  const elsewhere = casesOf(subject, misplaced(subject, material))
  return [
    ...kindOf({ name: 'letter-case', weight: 1, gate: true }, inAnotherCase(subject)),
    ...kindOf({ name: 'other-credential', weight: 1, gate: true }, elsewhere),
    ...kindOf({ name: 'quoted-or-encoded', weight: 1, gate: true }, casesOf(subject, dressed(subject))),
  ]
}

function inAnotherCase(subject: CredentialSubject): readonly Arbitrary<Fuzzed>[] {
  const { secret, text } = subject
  const turned = (how: string, value: string): Made => named(transformed(secret, how, value))
  const letters = oneOf(placesOfLetters(text))
  const one = letters?.map((at) => withOneChanged(subject, at))

  return [
    ...casesOf(subject, [turned('with the case of every letter changed', flipped(text))]),
    ...(one === undefined ? [] : [one]),
    ...casesOf(subject, [
      turned('in upper case', text.toUpperCase()),
      turned('in lower case', text.toLowerCase()),
    ]),
  ]
}

function withOneChanged(subject: CredentialSubject, at: number): Fuzzed {
  const { text } = subject
  return altered(subject, `with the case of its character ${at + 1} changed`, [
    [0, at],
    flipped(text.slice(at, at + 1)),
    [at + 1, text.length],
  ])
}

function flipped(text: string): string {
  return text.replaceAll(/[a-z]/gi, (one) => (/[a-z]/.test(one) ? one.toUpperCase() : one.toLowerCase()))
}

function placesOfLetters(text: string): readonly number[] {
  return Array.from(text, (_, at) => at).filter((at) => /[a-z]/i.test(text[at] ?? ''))
}

/** The client's other credential, and the same credential of another client. */
function misplaced({ field }: CredentialSubject, { target, second }: Material): readonly Made[] {
  const others = [
    credentialOf(target, otherField(field)),
    ...(second === null ? [] : [credentialOf(second, field)]),
  ]
  return others.map((value) => ({ value, says: `${value.name} as ${field}` }))
}

/** Encodings that triple a long credential are left out: no server need take so much. */
const mostEncoded = 2_000

function dressed(subject: CredentialSubject): readonly Made[] {
  const { made, text } = subject
  const whole = [0, text.length] as const
  return [
    made('in double quotes', ['"', whole, '"']),
    ...encoded(subject),
    made('with Bearer and a space before it', ['Bearer ', whole]),
    made('with a comma after it', [whole, ',']),
    made('with a semicolon after it', [whole, ';']),
    made('in single quotes', ["'", whole, "'"]),
  ]
}

function encoded({ secret, text }: CredentialSubject): readonly Made[] {
  const bytes = Buffer.from(text, 'latin1')
  const percent = bytes.toString('hex').replaceAll(/../g, '%$&')
  const ways = [
    transformed(secret, 'with every byte percent-encoded', percent),
    transformed(secret, 'in base64', bytes.toString('base64')),
  ]
  return ways.filter((value) => value.reveal().length <= mostEncoded).map(named)
}

function named(value: Secret): Made {
  return { value, says: value.name }
}
