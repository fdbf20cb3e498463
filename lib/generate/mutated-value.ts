import type { Arbitrary } from 'fast-check'
import { Secret } from '../redact/secret.ts'
import { trimOws } from '../http/request.ts'
import type { RequiredField } from '../spec/endpoints.ts'
import { oneOf } from './arbitraries.ts'
import {
  credentialOf,
  type CaseDraw,
  type CredentialField,
  type GeneratorInput,
  type MutatedRequest,
} from './case-class.ts'
import { inTurn, raw, setting, type RequestChange } from './request-changes.ts'
import { isHexadecimal } from './seeded.ts'

/** A value of a field, and what was done to make it. */
export interface MutatedValue {
  readonly value: string | Secret
  readonly says: string
}

/** A required field with its valid value: what mutated values are made from, and what none of them may equal. */
export interface Subject {
  readonly field: RequiredField
  /** The valid value; for a version, the one that is served. */
  readonly text: string
  /** Whether a value is valid in the field, as it arrives. */
  readonly isValid: (arrived: string) => boolean
  /** Whether a service may rightly take a value for the valid one. */
  readonly mayEqual: (arrived: string) => boolean
  /** Maximum length that every common server takes here, with all else that a plain request holds, in characters. */
  readonly room: number
  /** A value of the same shape that nobody was issued; null for a version. */
  readonly nobodys: string | null
  /** A value made from the valid one; `how` says how, and names no character of a credential. */
  readonly mutated: (how: string, value: string) => MutatedValue
}

/** What decides about a case besides its value; defaults are those of ordinary values. */
export type Traits = Partial<
  Pick<MutatedRequest, 'treatment' | 'transportMayRefuse' | 'toUnknownPath' | 'base' | 'observe'>
>

/** Maximum size of the three required values, in bytes: the rest of a plain request has 1 KiB of 6 KiB. */
const commonHeaders = 5 * 1_024

/** A credential of the target client. What would be valid as another client's counts as valid, too. */
export function credentialSubject(field: CredentialField, input: GeneratorInput): Subject {
  const { target, second } = input
  const secret = credentialOf(target, field)
  const text = secret.reveal()
  const other = otherField(field)
  const counterpart = credentialOf(target, other).reveal()
  const isShared = second !== null && credentialOf(second, other).reveal() === counterpart
  const further = isShared ? credentialOf(second, field).reveal() : text

  return {
    field,
    text,
    isValid: (arrived) => arrived === text || arrived === further,
    mayEqual: readings(text),
    room: commonHeaders - counterpart.length,
    nobodys: field === 'x-api-key' ? input.wrongKey : input.wrongSecret,
    mutated(how, value) {
      const made = derivedSecret(secret, how, value)
      return { value: made, says: made.name }
    },
  }
}

/** The version that is served. */
export function versionSubject({ servedVersion: text, target }: GeneratorInput): Subject {
  return {
    field: 'x-version',
    text,
    isValid: (arrived) => arrived === text,
    mayEqual: () => false,
    room: commonHeaders - target.apiKey.reveal().length - target.secretKey.reveal().length,
    nobodys: null,
    mutated: (how, value) => ({ value, says: `x-version ${text} ${how}` }),
  }
}

/** The field of the other credential. */
export function otherField(field: CredentialField): CredentialField {
  return field === 'x-api-key' ? 'x-secret-key' : 'x-api-key'
}

/** A value made from a credential, and secret like it; `how` continues its name: `with its last character dropped`. */
export function derivedSecret(secret: Secret, how: string, value: string): Secret {
  return new Secret(`${secret.name} ${how}`, value)
}

/** A case that sends a value as it is, even if it is valid as it arrives. */
export function sent(
  { field, mayEqual, room }: Subject,
  made: MutatedValue,
  traits: Traits = {},
): MutatedRequest {
  const text = textOf(made)
  return {
    says: made.says,
    apply: setAs(field, made.value),
    treatment: mayEqual(trimOws(text)) ? 'observed' : 'oracle',
    transportMayRefuse: text.length > room,
    ...traits,
  }
}

/** A case that sends a value which is not valid: one that turns out to be valid gets a character more. */
export function invented(subject: Subject, made: MutatedValue, traits: Traits = {}): MutatedRequest {
  return sent(subject, isValid(subject, made) ? longer(subject) : made, traits)
}

/** A case for each of these values that is not valid, in their order. */
export function inventedEach(
  subject: Subject,
  values: readonly MutatedValue[],
  traits: Traits = {},
): readonly MutatedRequest[] {
  return values.filter((made) => !isValid(subject, made)).map((made) => invented(subject, made, traits))
}

/** A case that sends a value made from the valid one, which is not valid. */
export function altered(subject: Subject, how: string, value: string, traits: Traits = {}): MutatedRequest {
  return invented(subject, subject.mutated(how, value), traits)
}

/** A case that sends the valid value altered, paired with a credential that nobody was issued, altered likewise. */
export function alteredInPair(
  subject: Subject,
  how: string,
  alter: (text: string) => string,
  traits: Traits,
): MutatedRequest {
  const mutated = altered(subject, how, alter(subject.text), traits)
  if (subject.nobodys === null) return mutated
  const apply = setAs(subject.field, alter(subject.nobodys))
  return { ...mutated, pairedRequest: { relation: 'invented-credential', apply } }
}

/** The text with the characters from one position up to another replaced. */
export function splice(text: string, from: number, to: number, instead: string): string {
  return text.slice(0, from) + instead + text.slice(to)
}

/** A case with a drawn place of the value; none where there are no places. */
export function atPlaces(
  places: readonly number[],
  made: (at: number) => MutatedRequest,
): readonly CaseDraw[] {
  return oneOf(places).map((place): Arbitrary<MutatedRequest> => place.map(made))
}

/** All places of a value, its ends included: `text.length` is the end. */
export function everywhere({ text }: Subject): readonly number[] {
  return Array.from({ length: text.length + 1 }, (_, at) => at)
}

/** All places between two characters of a value. */
export function inside(subject: Subject): readonly number[] {
  return everywhere(subject).slice(1, -1)
}

/** A place in words: `after character 7`. */
export function after(at: number): string {
  return at === 0 ? 'before its first character' : `after character ${at}`
}

/** Whether a service that reads UUIDs, hexadecimal texts or base64 by value may rightly take a value for the credential. */
export function meansTheSame(value: string, text: string): boolean {
  if (isHexadecimal(text) && asNumber(value) === asNumber(text)) return true
  if (!text.endsWith('=')) return false
  // Decoders mostly stop at the padding, do without it, and pass over the bits of the last character that mean nothing.
  if (value.split('=')[0] === text.split('=')[0]) return true
  return /^[\w+/-]+=*$/.test(value) && Buffer.from(value, 'base64').equals(Buffer.from(text, 'base64'))
}

/** Without letter case, separators, and zeros in front of a group. */
function asNumber(text: string): string {
  return text
    .toLowerCase()
    .split('-')
    .map((group) => group.replace(/^0+/, ''))
    .join('')
}

/** Excludes most values fast. */
function readings(text: string): Subject['mayEqual'] {
  if (isHexadecimal(text)) return (arrived) => /^[0-9a-f-]*$/i.test(arrived) && meansTheSame(arrived, text)
  return text.endsWith('=') ? (arrived) => meansTheSame(arrived, text) : () => false
}

/** Characters that only the raw socket sends. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const rawOnly = /[\0-\x08\x0a-\x1f\x7f]/

function setAs(field: RequiredField, value: MutatedValue['value']): RequestChange {
  const set = setting(field, value)
  return rawOnly.test(textOf({ value })) ? inTurn(set, raw) : set
}

function isValid(subject: Subject, made: MutatedValue): boolean {
  return subject.isValid(trimOws(textOf(made)))
}

function textOf({ value }: Pick<MutatedValue, 'value'>): string {
  return typeof value === 'string' ? value : value.reveal()
}

/** At most two values are valid, so one of three endings makes neither of them. */
function longer({ text, mutated, isValid: valid }: Subject): MutatedValue {
  const ending = ['0', '2', '7'].find((one) => !valid(text + one)) ?? '00'
  return mutated(`with ${ending} after its last character`, text + ending)
}
