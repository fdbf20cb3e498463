import fc, { type Arbitrary } from 'fast-check'
import { type Field, trimOws, valueOf } from '../http/request.ts'
import type { RequiredField } from '../spec/endpoints.ts'
import { credentialOf, type CredentialField, type Material } from './fuzzed.ts'
import { lookAlikesOf, placesOfKey, type PlaceOfKey } from './look-alike-kinds.ts'
import { nearMisses } from './near-misses.ts'
import { renamed, replacing, setting, unchanged, without, type Change } from './request-changes.ts'

/** What a part of a request may be, and how it is said. */
export interface State {
  readonly says: string
  readonly change: Change
  /** Whether a gateway may refuse it by itself. */
  readonly transportMayRefuse?: true
}

/** What a required field may be: it shrinks to a valid one, and before that to the plainest flaw. */
export function statesOf(name: RequiredField, material: Material): Arbitrary<State> {
  return name === 'x-version'
    ? versionStates(material)
    : drawnFrom([
        valid,
        ...wrongValues(name, material).map(({ value, says }) => wrong(name, value, says)),
        ...missing(name),
        ...(name === 'x-api-key' ? placesOfKey(material).map(moved) : []),
      ])
}

/** One of these states; it shrinks towards the first. */
export function drawnFrom(states: readonly State[]): Arbitrary<State> {
  return fc.nat(states.length - 1).map((index) => states[index] ?? valid)
}

/** Nothing is wrong with it. */
export const valid: State = { says: 'as it should be', change: unchanged }

function wrong(name: RequiredField, value: Field['value'], says: string): State {
  return { says: `${name}: ${says}`, change: setting(name, value) }
}

function missing(name: RequiredField): readonly State[] {
  return [
    { says: `no ${name}`, change: without(name) },
    wrong(name, '', 'empty'),
    wrong(name, ' ', 'a space'),
    { ...wrong(name, '\t', 'a tab'), transportMayRefuse: true },
    ...lookAlikesOf(name).map((lookAlike) => ({
      says: `${lookAlike} instead of ${name}`,
      change: renamed(name, lookAlike),
    })),
  ]
}

function moved({ says, field }: PlaceOfKey): State {
  return { says, change: replacing('x-api-key', field), transportMayRefuse: true }
}

function wrongValues(
  name: CredentialField,
  material: Material,
): readonly { readonly value: Field['value']; readonly says: string }[] {
  const { target, second, wrongKey, wrongSecret } = material
  const [invented, other] = name === 'x-api-key' ? [wrongKey, target.secretKey] : [wrongSecret, target.apiKey]
  const near = nearMisses(credentialOf(target, name), false).filter(({ mayEqual }) => !mayEqual)
  const issued = [target, second ?? target].map((client) => credentialOf(client, name).reveal())

  return [
    { value: invented, says: 'invented' },
    { value: other, says: other.name },
    ...near.map(({ value }) => ({ value, says: value.name })),
  ].filter(({ value }) => !issued.includes(trimOws(valueOf({ name, value }))))
}

/** Versions of nine digits do not shrink: one is as good as another. */
function versionStates({ unsupportedVersion }: Material): Arbitrary<State> {
  const name = 'x-version'
  const listed = [
    valid,
    wrong(name, unsupportedVersion, unsupportedVersion),
    ...missing(name),
    wrong(name, '-1', '-1'),
  ]
  const nineDigits = fc.noShrink(fc.integer({ min: 100_000_000, max: 999_999_999 }))

  return fc
    .tuple(fc.nat(listed.length), nineDigits)
    .map(([index, number]) => listed[index] ?? wrong(name, String(number), String(number)))
}
