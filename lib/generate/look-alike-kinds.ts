import fc from 'fast-check'
import type { Field } from '../http/request.ts'
import { requiredFields, type RequiredField } from '../spec/endpoints.ts'
import { derived } from './derived.ts'
import type { Fuzzed, Kind, Material } from './fuzzed.ts'
import { byOracle, listed, observed } from './listed.ts'
import { inTurn, raw, renamed, replacing } from './request-changes.ts'
import { characterOf } from './unicode-characters.ts'

/** Required values in another field, so that the required one is absent: whoever is let in has not said who asks. */
export function misplacedKinds(material: Material): readonly Kind[] {
  return [lookAlikes, movedKey(material)]
}

/** Required values under names that no client writes, or that some servers take for the required ones. */
export function oddNameKinds(): readonly Kind[] {
  return [lookAlikesOnTheWire, underscores]
}

/** How names that nearly equal another one are written, most telling first. */
const writings: readonly ((name: string) => string)[] = [
  (name) => `${name}2`,
  (name) => name.replaceAll('-', ''),
  (name) => name.replace('x-', ''),
  (name) => name.slice(0, -1),
  (name) => `x${name}`,
]

/** Names that nearly equal that of a required field. */
export function lookAlikesOf(name: RequiredField): readonly string[] {
  return writings.map((write) => write(name))
}

/** A field that holds the API key in the place of `x-api-key`, and how it is said. */
export interface PlaceOfKey {
  readonly says: string
  readonly field: Field
}

/** Where else clients put an API key, most telling first. */
export function placesOfKey({ target }: Material): readonly PlaceOfKey[] {
  const whole = [0, target.apiKey.reveal().length] as const
  const inAuthorization = ['Bearer', 'ApiKey', 'Token'].map((scheme) => ({
    says: `${target.apiKey.name} in authorization: ${scheme} instead of x-api-key`,
    field: {
      name: 'authorization',
      value: derived(target.apiKey, `behind ${scheme}`, [`${scheme} `, whole]),
    },
  }))
  return [
    ...inAuthorization,
    {
      says: `${target.apiKey.name} in authorization instead of x-api-key`,
      field: { name: 'authorization', value: target.apiKey },
    },
  ]
}

const lookAlikes = listed(
  { name: 'look-alike-names', weight: 2, gate: true },
  writings.flatMap((write) =>
    requiredFields.map((name) =>
      fc.constant(byOracle(`${name} renamed ${write(name)}`, renamed(name, write(name)))),
    ),
  ),
)

const zeroWidthSpace = characterOf(0x200b)

const lookAlikesOnTheWire = listed(
  { name: 'look-alike-names-raw', weight: 2, gate: false },
  [
    { how: 'with a space before the colon', write: (name: string) => `${name} ` },
    {
      how: `with ${zeroWidthSpace.says} after its second character`,
      write: (name: string) => `${name.slice(0, 2)}${zeroWidthSpace.bytes}${name.slice(2)}`,
    },
    { how: 'with a tab before the colon', write: (name: string) => `${name}\t` },
    {
      how: `with ${zeroWidthSpace.says} behind it`,
      write: (name: string) => `${name}${zeroWidthSpace.bytes}`,
    },
  ].flatMap(({ how, write }) =>
    requiredFields.map((name) => fc.constant(onTheWire(`the name ${name} ${how}`, name, write(name)))),
  ),
)

function onTheWire(says: string, name: RequiredField, written: string): Fuzzed {
  return {
    ...byOracle(says, inTurn(raw, renamed(name, written))),
    transportMayRefuse: true,
    toUnknownPath: true,
  }
}

/** Servers that hand fields to programs as CGI does take these for the required ones; others drop them. */
const underscores = listed(
  { name: 'look-alike-names-with-underscores', weight: 1, gate: false },
  requiredFields.map((name) => {
    const lookAlike = name.replaceAll('-', '_')
    return fc.constant(observed('look-alike names', `${lookAlike} for ${name}`, renamed(name, lookAlike)))
  }),
)

function movedKey(material: Material): Kind {
  return listed(
    { name: 'moved-key', weight: 1, gate: true },
    placesOfKey(material).map(({ says, field }) =>
      // Some gateways refuse an authorization that they do not understand.
      fc.constant({ ...byOracle(says, replacing('x-api-key', field)), transportMayRefuse: true }),
    ),
  )
}
