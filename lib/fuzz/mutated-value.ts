import { Arbitrary } from 'fast-check'
import { trimOws } from '../http/request.ts'
import { Secret } from '../redact/secret.ts'
import type { RequiredField } from '../specification/endpoints.ts'
import { oneOf } from './arbitraries.ts'
import {
  caseClass,
  credentialOf,
  type CaseClass,
  type CaseDraw,
  type ClientInput,
  type CredentialField,
  type MutatedRequest,
  type Share,
} from './case-class.ts'
import { inTurn, raw, setting, type RequestChange } from './request-changes.ts'
import { isHexadecimal } from './seeded.ts'

/** How a case is judged, apart from its value. The defaults suit ordinary values. */
export type Traits = Partial<
  Pick<MutatedRequest, 'treatment' | 'transportMayRefuse' | 'toUnknownPath' | 'base' | 'observe'>
> & {
  /** Whether a credential that was never issued is changed in the same way and sent first. */
  readonly inPair?: true
}

/**
 * A value for a field, its description, and how its case is judged. If a function makes the value from the valid one, the description
 * continues the name of that one, without including any character of a credential.
 */
export type ValueRow = readonly [
  says: string,
  value: string | Secret | ((valid: string) => string),
  traits?: Traits,
]

/** Rows, some of which are drawn. */
export type ValueRows = readonly (ValueRow | Arbitrary<ValueRow>)[]

/** Known facts about a required field's valid value. */
interface ValidValue {
  readonly field: RequiredField
  /** The valid value; for a version, the one that is served. */
  readonly text: string
  /** A second valid value: the credential of a different client that shares the other credential. */
  readonly further: string
  /** The credential; null for a version. */
  readonly secret: Secret | null
  /** A value of the same shape that was never issued; null for a version. */
  readonly nobodys: string | null
  /** The length of the other required values. */
  readonly others: number
}

/** Maximum size of the three required values, in bytes. The rest of a plain request takes 1 KiB of the allowed 6 KiB. */
const commonHeaders = 5 * 1_024

/** Characters that only the raw socket can send. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const rawOnly = /[\0-\x08\x0a-\x1f\x7f]/

/** A required field and its valid value, from which mutated values are made. They must never equal the valid value. */
export type Subject = ReturnType<typeof subjectOf>

function subjectOf({ field, text, further, secret, nobodys, others }: ValidValue) {
  /** Whether a value is valid in the field as it arrives. */
  const isValid = (value: string | Secret): boolean => [text, further].includes(trimOws(plainTextOf(value)))
  /** The description of a row and its value, which is a secret if it is made from one. */
  const written = ([says, value]: ValueRow): readonly [says: string, value: string | Secret] => {
    if (typeof value !== 'function') return [says, value]
    if (secret === null) return [`${field} ${text} ${says}`, value(text)]
    const derived = derivedSecret(secret, says, value(text))
    return [derived.name, derived]
  }
  const sending = (value: string | Secret): RequestChange => {
    const set = setting(field, value)
    return rawOnly.test(plainTextOf(value)) ? inTurn(set, raw) : set
  }
  /** A case that sends a value unchanged, even if it is valid as it arrives. */
  const sent = (row: ValueRow): MutatedRequest => {
    const [, change, { inPair = false, ...traits } = {}] = row
    const [says, value] = written(row)
    const arriving = plainTextOf(value)
    const mutated: MutatedRequest = {
      says,
      apply: sending(value),
      treatment: secret !== null && meansTheSame(trimOws(arriving), text) ? 'observed' : 'oracle',
      transportMayRefuse: arriving.length > commonHeaders - others,
      ...traits,
    }
    if (!inPair || nobodys === null || typeof change !== 'function') return mutated
    return { ...mutated, pairedRequest: { relation: 'invented-credential', apply: sending(change(nobodys)) } }
  }
  /** A case with an invalid value. If the value happens to be valid, a character is added. */
  const invented = (row: ValueRow): MutatedRequest => {
    if (!isValid(written(row)[1])) return sent(row)
    // At most two values are valid, so at least one of three endings is invalid.
    const ending = ['0', '2', '7'].find((one) => !isValid(text + one)) ?? '00'
    return sent([`with ${ending} after its last character`, () => text + ending, row[2] ?? {}])
  }
  /** Cases with invalid values. A listed value that is valid is left out; a drawn one gets a further character. */
  const cases = (rows: ValueRows): readonly CaseDraw[] =>
    rows.flatMap((row): readonly CaseDraw[] => {
      if (row instanceof Arbitrary) return [row.map(invented)]
      return isValid(written(row)[1]) ? [] : [sent(row)]
    })
  /** All positions in the value, including its end. */
  const everywhere = Array.from({ length: text.length + 1 }, (_, at) => at)

  return {
    field,
    text,
    secret,
    everywhere,
    /** All positions between two characters of the value. */
    inside: everywhere.slice(1, -1),
    isValid,
    sent,
    cases,
    /** A class of cases with invalid values. */
    valueClass: (name: string, share: number | Share, rows: ValueRows, first: ValueRows = []): CaseClass =>
      caseClass(name, share, cases(rows), cases(first)),
  }
}

/** A credential of the target client. Values that are valid for another client also count as valid. */
export function credentialSubject(field: CredentialField, input: ClientInput): Subject {
  const { target, second, wrongKey, wrongSecret } = input
  const secret = credentialOf(target, field)
  const text = secret.reveal()
  const counterpart = credentialOf(target, otherField(field)).reveal()
  const isShared = second !== null && credentialOf(second, otherField(field)).reveal() === counterpart
  return subjectOf({
    field,
    text,
    secret,
    further: isShared ? credentialOf(second, field).reveal() : text,
    nobodys: field === 'x-api-key' ? wrongKey : wrongSecret,
    others: counterpart.length,
  })
}

/** The version that is served. */
export function versionSubject({ servedVersion: text, target }: ClientInput): Subject {
  const others = target.apiKey.reveal().length + target.secretKey.reveal().length
  return subjectOf({ field: 'x-version', text, further: text, secret: null, nobodys: null, others })
}

/** The field of the other credential. */
export function otherField(field: CredentialField): CredentialField {
  return field === 'x-api-key' ? 'x-secret-key' : 'x-api-key'
}

/** A value derived from a credential and just as secret. `how` continues its name: `with its last character dropped`. */
export function derivedSecret(secret: Secret, how: string, value: string): Secret {
  return new Secret(`${secret.name} ${how}`, value)
}

/** Replaces the characters from one position up to another. */
export function splice(text: string, from: number, to: number, instead: string): string {
  return text.slice(0, from) + instead + text.slice(to)
}

/** A row at a drawn position in the value; nothing if there are no positions. */
export function atPlaces(places: readonly number[], row: (at: number) => ValueRow): ValueRows {
  return oneOf(places).map((place) => place.map(row))
}

/** Rewrites a drawn character with `turn`. In `how`, # stands for its number. Skips characters for which `turn` returns null. */
export function turned(
  { text, everywhere }: Subject,
  how: string,
  turn: (character: string) => string | null,
  traits: Traits = {},
): ValueRows {
  const places = everywhere.slice(0, -1).filter((at) => turn(text.charAt(at)) !== null)
  return atPlaces(places, (at) => {
    const value = splice(text, at, at + 1, turn(text.charAt(at)) ?? '')
    return [how.replace('#', String(at + 1)), () => value, traits]
  })
}

/** A position, in words: `after character 7`. */
export function after(at: number): string {
  return at === 0 ? 'before its first character' : `after character ${at}`
}

/** Whether a service that decodes UUIDs, hexadecimal or base64 may rightly equate a value with the credential. */
export function meansTheSame(value: string, text: string): boolean {
  if (isHexadecimal(text) && /^[0-9a-f-]*$/i.test(value) && asNumber(value) === asNumber(text)) return true
  if (!text.endsWith('=')) return false
  // Most decoders stop at the padding, do not need it, and ignore the unused bits of the last character.
  if (value.split('=')[0] === text.split('=')[0]) return true
  return /^[\w+/-]+=*$/.test(value) && Buffer.from(value, 'base64').equals(Buffer.from(text, 'base64'))
}

/** Removes letter case, separators, and each group's leading zeros. */
function asNumber(text: string): string {
  return text
    .toLowerCase()
    .split('-')
    .map((group) => group.replace(/^0+/, ''))
    .join('')
}

function plainTextOf(value: string | Secret): string {
  return typeof value === 'string' ? value : value.reveal()
}
