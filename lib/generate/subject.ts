import type { Secret } from '../redact/secret.ts'
import { trimOws } from '../http/request.ts'
import type { RequiredField } from '../spec/endpoints.ts'
import { derived, type Piece } from './derived.ts'
import { credentialOf, type CredentialField, type Fuzzed, type Material } from './fuzzed.ts'
import { meansTheSame } from './near-misses.ts'
import { inTurn, raw, setting, type Change } from './request-changes.ts'
import { isHexadecimal } from './seeded.ts'

/** A value of a field, and what was done to make it. */
export interface Made {
  readonly value: string | Secret
  readonly says: string
}

/** A required field whose valid value is known: what values are made from, and what none of them may equal. */
export interface Subject {
  readonly field: RequiredField
  /** The valid value; for a version, the one that is served. */
  readonly text: string
  /** Whether a value, as it arrives, is valid in the field. */
  readonly isValid: (arrived: string) => boolean
  /** Whether a service may rightly take a value for the valid one. */
  readonly mayEqual: (arrived: string) => boolean
  /** Up to how many characters every common server takes here, with all else that a plain request holds. */
  readonly room: number
  /** A value of the same shape that nobody was issued; null for a version. */
  readonly nobodys: string | null
  /** Makes a value of parts of the valid one; `how` says which. */
  readonly made: (how: string, pieces: readonly Piece[]) => Made
}

/** A subject whose value is a credential. */
export interface CredentialSubject extends Subject {
  readonly field: CredentialField
  readonly secret: Secret
}

/** The same for values made of parts of the valid one. */
export interface AlteredTraits extends Traits {
  /** Whether the same is done to a credential that nobody was issued, and sent before. */
  readonly withTwin?: true
}

/** What decides about a case besides its value; left out, what holds for ordinary values. */
export type Traits = Partial<
  Pick<Fuzzed, 'treatment' | 'transportMayRefuse' | 'toUnknownPath' | 'base' | 'observe'>
>

/** A credential of the target client. What would be valid as another client's counts as valid, too. */
export function credentialSubject(field: CredentialField, material: Material): CredentialSubject {
  const { target, second } = material
  const secret = credentialOf(target, field)
  const text = secret.reveal()
  const other = otherField(field)
  const counterpart = credentialOf(target, other).reveal()
  const isShared = second !== null && credentialOf(second, other).reveal() === counterpart
  const further = isShared ? credentialOf(second, field).reveal() : text

  return {
    field,
    secret,
    text,
    isValid: (arrived) => arrived === text || arrived === further,
    mayEqual: readings(text),
    room: commonHeaders - counterpart.length,
    nobodys: field === 'x-api-key' ? material.wrongKey : material.wrongSecret,
    made(how, pieces) {
      const value = derived(secret, how, pieces)
      return { value, says: value.name }
    },
  }
}

/** The version that is served. */
export function versionSubject({ servedVersion: text, target }: Material): Subject {
  return {
    field: 'x-version',
    text,
    isValid: (arrived) => arrived === text,
    mayEqual: () => false,
    room: commonHeaders - target.apiKey.reveal().length - target.secretKey.reveal().length,
    nobodys: null,
    made: (how, pieces) => ({
      value: pieces.map((piece) => (typeof piece === 'string' ? piece : text.slice(...piece))).join(''),
      says: `x-version ${text} ${how}`,
    }),
  }
}

/** The field of the other credential. */
export function otherField(field: CredentialField): CredentialField {
  return field === 'x-api-key' ? 'x-secret-key' : 'x-api-key'
}

/** A case that sends a value as it is, also where it is valid as it arrives. */
export function sent({ field, mayEqual, room }: Subject, made: Made, traits: Traits = {}): Fuzzed {
  const text = textOf(made)
  return {
    says: made.says,
    apply: setAs(field, made.value),
    treatment: mayEqual(trimOws(text)) ? 'observed' : 'oracle',
    transportMayRefuse: text.length > room,
    ...traits,
  }
}

/** Sets a field, on the raw socket where no client sends the value. */
function setAs(field: RequiredField, value: Made['value']): Change {
  const set = setting(field, value)
  return rawOnly.test(textOf({ value })) ? inTurn(set, raw) : set
}

/** A case that sends a value which is not valid: what turns out to be, as it arrives, gets a character more. */
export function invented(subject: Subject, made: Made, traits: Traits = {}): Fuzzed {
  return sent(subject, isValid(subject, made) ? longer(subject) : made, traits)
}

/** A case that sends parts of the valid value, put together so that they are not valid. */
export function altered(
  subject: Subject,
  how: string,
  pieces: readonly Piece[],
  { withTwin, ...traits }: AlteredTraits = {},
): Fuzzed {
  const fuzzed = invented(subject, subject.made(how, pieces), traits)
  return withTwin === true && subject.nobodys !== null
    ? { ...fuzzed, twin: setAs(subject.field, alike(subject.nobodys, subject.text, pieces)) }
    : fuzzed
}

/** Another value altered as the valid one is; it may be longer. */
function alike(value: string, { length }: string, pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece
      const [from, to] = piece
      return value.slice(from, to === length ? value.length : to)
    })
    .join('')
}

/** Whether a value would be valid as it arrives. */
export function isValid(subject: Subject, made: Made): boolean {
  return subject.isValid(trimOws(textOf(made)))
}

/** For the rest, a plain request holds at most 1 KiB of the 6 KiB that every common server takes. */
const commonHeaders = 5 * 1_024

/** Characters that only the raw socket sends. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const rawOnly = /[\0-\x08\x0a-\x1f\x7f]/

function textOf({ value }: Pick<Made, 'value'>): string {
  return typeof value === 'string' ? value : value.reveal()
}

/** At most two values are valid, so one of three endings makes neither of them. */
function longer({ text, made, isValid: valid }: Subject): Made {
  const ending = ['0', '2', '7'].find((one) => !valid(text + one)) ?? '00'
  return made(`with ${ending} after its last character`, [[0, text.length], ending])
}

/** Checks fast that most values can be no other reading of a credential. */
function readings(text: string): (arrived: string) => boolean {
  if (isHexadecimal(text)) return (arrived) => /^[0-9a-f-]*$/i.test(arrived) && meansTheSame(arrived, text)
  return text.endsWith('=') ? (arrived) => meansTheSame(arrived, text) : () => false
}
