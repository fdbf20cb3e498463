import fc, { type Arbitrary } from 'fast-check'
import { trimOws, valueOf, type Field } from '../http/request.ts'
import { requiredFields, type RequiredField } from '../specification/endpoints.ts'
import { unknownSegments } from './arbitraries.ts'
import {
  byTransport,
  caseClass,
  credentialOf,
  judged,
  type CaseClass,
  type ClientInput,
  type CredentialField,
  type MutatedRequest,
} from './case-class.ts'
import { lookAlikesOf } from './header-lines.ts'
import { nearMisses } from './near-misses.ts'
import { inTurn, ordered, renamed, renaming, setting, to, unchanged, without } from './request-changes.ts'

/** Combined flaws in the key, secret, version and endpoint, with irrelevant variations; mostly two or more, shrinking to none. Total weight 16. */
export function combinedFlawClasses(input: ClientInput): readonly CaseClass[] {
  const states = {
    'x-api-key': credentialStates('x-api-key', input),
    'x-secret-key': credentialStates('x-secret-key', input),
    'x-version': versionStates(input),
  }
  const flawedIn = (name: string, weight: number, fields: readonly RequiredField[]): CaseClass =>
    caseClass(name, { weight, because: 'authentication/no-bypass sends each combination of plainer flaws' }, [
      combined(fields.map((field) => states[field])),
    ])

  return [
    flawedIn('key-and-secret', 5, ['x-api-key', 'x-secret-key']),
    flawedIn('key-secret-and-version', 5, requiredFields),
    flawedIn('key-and-version', 3, ['x-api-key', 'x-version']),
    flawedIn('secret-and-version', 3, ['x-secret-key', 'x-version']),
  ]
}

const valid = judged('as it should be', unchanged)

function combined(flaws: readonly Arbitrary<MutatedRequest>[]): Arbitrary<MutatedRequest> {
  return fc.tuple(...flaws, endpoint, order, letterCase, accept).map((states) => {
    const changed = states.filter((state) => state !== valid)
    return judged(
      changed.length === 0 ? 'nothing wrong' : changed.map(({ says }) => says).join('; '),
      inTurn(...changed.map(({ apply }) => apply)),
      { transportMayRefuse: changed.some(({ transportMayRefuse }) => transportMayRefuse) },
    )
  })
}

/** Draws one of these states. Shrinks towards the first. */
function drawnFrom(states: readonly MutatedRequest[]): Arbitrary<MutatedRequest> {
  return fc.nat(states.length - 1).map((index) => states[index] ?? valid)
}

/** Every fourth request goes to an unknown path, where any flaw may be answered with 1010. */
const endpoint: Arbitrary<MutatedRequest> = fc
  .tuple(fc.nat(3), unknownSegments)
  .map(([one, segment]) =>
    one === 3 ? judged('to the unknown path /api/zz…', to(`/api/${segment}`)) : valid,
  )

const orders: readonly (readonly RequiredField[])[] = [
  ['x-secret-key', 'x-api-key', 'x-version'],
  ['x-api-key', 'x-version', 'x-secret-key'],
  ['x-secret-key', 'x-version', 'x-api-key'],
  ['x-version', 'x-api-key', 'x-secret-key'],
  ['x-version', 'x-secret-key', 'x-api-key'],
]

const order = drawnFrom([
  valid,
  ...orders.map((names) => judged(`in the order ${names.join(', ')}`, ordered(names))),
])

const letterCase = drawnFrom([
  valid,
  judged(
    'names in upper case',
    renaming((name) => name.toUpperCase()),
  ),
  judged(
    'names in title case',
    renaming((name) => name.replaceAll(/(?<=^|-)./g, (letter) => letter.toUpperCase())),
  ),
])

const accept = drawnFrom([valid, judged('no accept', without('accept'))])

function wrong(name: RequiredField, value: Field['value'], says: string, traits = {}): MutatedRequest {
  return judged(`${name}: ${says}`, setting(name, value), traits)
}

function missing(name: RequiredField): readonly MutatedRequest[] {
  return [
    judged(`no ${name}`, without(name)),
    wrong(name, '', 'empty'),
    wrong(name, ' ', 'a space'),
    wrong(name, '\t', 'a tab', byTransport),
    ...lookAlikesOf(name).map((other) => judged(`${other} instead of ${name}`, renamed(name, other))),
  ]
}

/** The states of a credential. They shrink to a valid one and, before that, to the plainest flaw. */
function credentialStates(name: CredentialField, input: ClientInput): Arbitrary<MutatedRequest> {
  const { target, second, wrongKey, wrongSecret } = input
  const [invented, other] = name === 'x-api-key' ? [wrongKey, target.secretKey] : [wrongSecret, target.apiKey]
  const near = nearMisses(credentialOf(target, name), false).filter(({ mayEqual }) => !mayEqual)
  const issued = [target, second ?? target].map((client) => credentialOf(client, name).reveal())
  const values = [invented, other, ...near.map(({ value }) => value)].filter(
    (value) => !issued.includes(trimOws(valueOf({ name, value }))),
  )
  return drawnFrom([
    valid,
    ...values.map((value) => wrong(name, value, typeof value === 'string' ? 'invented' : value.name)),
    ...missing(name),
  ])
}

/** The states of the version. Versions with nine digits do not shrink, because they are equivalent. */
function versionStates({ unsupportedVersion }: ClientInput): Arbitrary<MutatedRequest> {
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
