import type { Arbitrary } from 'fast-check'
import { trimOws } from '../http/request.ts'
import { Secret } from '../redact/secret.ts'
import type { RequiredField } from '../specification/endpoints.ts'
import { oneOf } from './arbitraries.ts'
import { credentialOf, type ClientInput, type CredentialField, type MutatedRequest } from './case-class.ts'
import { inTurn, raw, setting, type RequestChange } from './request-changes.ts'
import { isHexadecimal } from './seeded.ts'

/** How a case is judged, apart from its value. The defaults suit ordinary values. */
export type Traits = Partial<
  Pick<MutatedRequest, 'treatment' | 'transportMayRefuse' | 'toUnknownPath' | 'base' | 'observe'>
>

/** A value for a field, its description, and how its case is judged. */
export type ValueRow = readonly [says: string, value: string | Secret, traits?: Traits]

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
export class Subject {
  readonly field: RequiredField
  readonly text: string
  /** All positions in the value, including its end at `text.length`. */
  readonly everywhere: readonly number[]
  /** All positions between two characters of the value. */
  readonly inside: readonly number[]
  readonly #valid: ValidValue

  constructor(valid: ValidValue) {
    this.field = valid.field
    this.text = valid.text
    this.everywhere = Array.from({ length: valid.text.length + 1 }, (_, at) => at)
    this.inside = this.everywhere.slice(1, -1)
    this.#valid = valid
  }

  /** The valid credential; null for a version. */
  get secret(): Secret | null {
    return this.#valid.secret
  }

  /** Whether a value is valid in the field as it arrives. */
  isValid(arrived: string): boolean {
    return arrived === this.text || arrived === this.#valid.further
  }

  /** A value made from the valid one. `how` describes it without including any character of a credential. */
  made(how: string, value: string, traits: Traits = {}): ValueRow {
    const { secret, text } = this.#valid
    if (secret === null) return [`x-version ${text} ${how}`, value, traits]
    const made = derivedSecret(secret, how, value)
    return [made.name, made, traits]
  }

  /** A case that sends a value unchanged, even if it is valid as it arrives. */
  sent([says, value, traits]: ValueRow): MutatedRequest {
    const { secret, text, others } = this.#valid
    const sent = plainTextOf(value)
    return {
      says,
      apply: this.#setting(value),
      treatment: secret !== null && meansTheSame(trimOws(sent), text) ? 'observed' : 'oracle',
      transportMayRefuse: sent.length > commonHeaders - others,
      ...traits,
    }
  }

  /** A case with an invalid value. If the value happens to be valid, a character is added. */
  invented(row: ValueRow): MutatedRequest {
    const [, value, traits] = row
    if (!this.isValid(trimOws(plainTextOf(value)))) return this.sent(row)
    // At most two values are valid, so at least one of three endings is invalid.
    const ending = ['0', '2', '7'].find((one) => !this.isValid(this.text + one)) ?? '00'
    return this.sent(this.made(`with ${ending} after its last character`, this.text + ending, traits))
  }

  /** A case for each invalid value, in order. */
  inventedEach(rows: readonly ValueRow[], traits: Traits = {}): readonly MutatedRequest[] {
    return rows
      .filter(([, value]) => !this.isValid(trimOws(plainTextOf(value))))
      .map(([says, value, more]) => this.sent([says, value, { ...traits, ...more }]))
  }

  /** A case with an invalid value made from the valid one. */
  altered(how: string, value: string, traits: Traits = {}): MutatedRequest {
    return this.invented(this.made(how, value, traits))
  }

  /** A case for each invalid value made from the valid one, in order. */
  alteredEach(
    rows: readonly (readonly [how: string, value: string, traits?: Traits])[],
    traits: Traits = {},
  ): readonly MutatedRequest[] {
    return this.inventedEach(
      rows.map(([how, value, more]) => this.made(how, value, more)),
      traits,
    )
  }

  /** Rewrites a drawn character with `turn`. In `how`, # stands for its number. Skips characters for which `turn` returns null. */
  turned(
    how: string,
    turn: (character: string) => string | null,
    traits: Traits = {},
  ): readonly Arbitrary<MutatedRequest>[] {
    const { text } = this
    const places = this.everywhere.slice(0, -1).filter((at) => turn(text.charAt(at)) !== null)
    return atPlaces(places, (at) =>
      this.altered(
        how.replace('#', String(at + 1)),
        splice(text, at, at + 1, turn(text.charAt(at)) ?? ''),
        traits,
      ),
    )
  }

  /** A case with the valid value altered, paired with a credential that was never issued, altered in the same way. */
  alteredInPair(how: string, alter: (text: string) => string, traits: Traits): MutatedRequest {
    const mutated = this.altered(how, alter(this.text), traits)
    const { nobodys } = this.#valid
    if (nobodys === null) return mutated
    const apply = this.#setting(alter(nobodys))
    return { ...mutated, pairedRequest: { relation: 'invented-credential', apply } }
  }

  #setting(value: string | Secret): RequestChange {
    const set = setting(this.field, value)
    return rawOnly.test(plainTextOf(value)) ? inTurn(set, raw) : set
  }
}

/** A credential of the target client. Values that are valid for another client also count as valid. */
export function credentialSubject(field: CredentialField, input: ClientInput): Subject {
  const { target, second, wrongKey, wrongSecret } = input
  const secret = credentialOf(target, field)
  const text = secret.reveal()
  const counterpart = credentialOf(target, otherField(field)).reveal()
  const isShared = second !== null && credentialOf(second, otherField(field)).reveal() === counterpart
  return new Subject({
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
  return new Subject({ field: 'x-version', text, further: text, secret: null, nobodys: null, others })
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

/** A case at a drawn position in the value; nothing if there are no positions. */
export function atPlaces(
  places: readonly number[],
  made: (at: number) => MutatedRequest,
): readonly Arbitrary<MutatedRequest>[] {
  return oneOf(places).map((place) => place.map(made))
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
