import fc, { type Arbitrary } from 'fast-check'
import { valueOf, type Field, type Request } from '../http/request.ts'
import type { Answer } from '../specification/answers.ts'
import { requiredFields, type RequiredField } from '../specification/endpoints.ts'
import { startingAt } from './arbitraries.ts'
import {
  atUnknownPath,
  bases,
  caseOfEach,
  credentialOf,
  equivalent,
  judged,
  observedOnly,
  onlyObserved,
  type Base,
  type CaseClass,
  type ClientInput,
  type GeneratorInput,
  type MutatedRequest,
  type Share,
} from './case-class.ts'
import {
  adding,
  inTurn,
  line,
  ordered,
  raw,
  renamed,
  renaming,
  replacing,
  setting,
  unchanged,
  without,
  withQuery,
  withQueryFrom,
  type RequestChange,
} from './request-changes.ts'
import { characterOf } from './unicode.ts'

/** Bit masks that select the upper-case letters in each required field's name. */
const anyCase: Arbitrary<readonly number[]> = fc.tuple(
  ...requiredFields.map((name) => fc.integer({ min: 0, max: 2 ** name.length - 1 })),
)
const upperCase = requiredFields.map((name) => 2 ** name.length - 1)
/** The first letter of each word, as in `X-Api-Key`. */
const titleCase = requiredFields.map((name) =>
  [...name].reduce((bits, _, at) => (at === 0 || name[at - 1] === '-' ? bits + 2 ** at : bits), 0),
)

const nameCase = equivalent('name-case', 2, [
  startingAt(upperCase, anyCase).map(written),
  startingAt(titleCase, anyCase).map(written),
  anyCase.map(written),
])

function written(bits: readonly number[]): MutatedRequest {
  const names = requiredFields.map((name, index) => cased(name, bits[index] ?? 0))
  return judged(
    `field names written ${names.join(', ')}`,
    renaming((name) => names.find((one) => one.toLowerCase() === name) ?? name),
  )
}

function cased(name: string, bits: number): string {
  return [...name].map((letter, at) => ((bits >> at) % 2 === 1 ? letter.toUpperCase() : letter)).join('')
}

/** Orders of the fields, with the bases for which the order is the usual one, because an absent field may leave the other two in place. */
const orders: readonly (readonly [order: readonly RequiredField[], ...usualOn: readonly Base[]])[] = [
  [['x-version', 'x-secret-key', 'x-api-key']],
  [['x-secret-key', 'x-api-key', 'x-version'], 'api-key-absent', 'secret-key-absent'],
  [['x-version', 'x-api-key', 'x-secret-key'], 'version-absent'],
  [['x-api-key', 'x-version', 'x-secret-key'], 'secret-key-absent', 'version-absent'],
  [['x-secret-key', 'x-version', 'x-api-key'], 'api-key-absent'],
]

const fieldOrder = caseOfEach('field-order', 2, orders, ([order, ...usualOn]) => {
  const one = judged(`fields in the order ${order.join(', ')}`, ordered(order))
  const flawed = bases.filter((base) => base !== 'valid' && !usualOn.includes(base))
  return [one, fc.constantFrom(...flawed).map((base) => ({ ...one, base }))]
})

const unrelated: readonly Field[] = [
  'content-type: application/json',
  'accept-language: de-CH, en;q=0.5',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'x-request-id: 7b1f9a52-0c3e-4d68-9e21-5f80c4a7d913',
].map(line)
const someUnrelated = fc.subarray([...unrelated], { minLength: 1 })

const withFields = (fields: readonly Field[]): MutatedRequest =>
  judged(`with ${fields.map(({ name }) => name).join(', ')}`, adding(...fields))

const unrelatedFields = equivalent('unrelated-fields', { weight: 1, because: 'rows contain such fields' }, [
  startingAt([...unrelated], someUnrelated).map(withFields),
  someUnrelated.map(withFields),
])

const mostUnrelated = 50

const limited = 'servers and firewalls limit the number of fields'
const manyUnrelatedFields = equivalent('many-unrelated-fields', { weight: 1, because: limited }, [
  fc
    .tuple(startingAt(mostUnrelated, fc.integer({ min: 1, max: mostUnrelated })), fc.noShrink(fc.nat()))
    .map(([count, seed]) =>
      judged(`with ${count} unrelated fields x-zz…`, (request) =>
        adding(...inventedFields(count, seed))(request),
      ),
    ),
])

/** Different fields whose names begin with `x-zz`: numbers multiplied by an odd number remain different. */
function inventedFields(count: number, seed: number): readonly Field[] {
  return Array.from({ length: count }, (_, index) => {
    const text = (Math.imul(seed + index, 0x9e3779b1) >>> 0).toString(36)
    return { name: `x-zz${text}`, value: `${text} ${index}` }
  })
}

/** Malformed fields, which a service may ignore or refuse, but which must not make it fail. */
const malformedFields = caseOfEach(
  'malformed-fields',
  { always: 2, because: 'one field for tracing, another for caches' },
  [
    'traceparent: zz-not-a-trace',
    'if-modified-since: yesterday',
    'if-none-match: "unterminated',
    'accept-language: ;;q=,,=',
    'if-unmodified-since: Mon, 99 Foo 2026 99:99:99 GMT',
    'if-match: no-quotes',
    'traceparent: 00-00000000000000000000000000000000-0000000000000000-00',
    'date: 2026-13-45T99:99:99Z',
    'if-none-match: W/',
    'if-range: "',
    'tracestate: =,=,=',
    'cache-control: max-age=abc, ="',
    'accept-encoding: gzip;q=abc',
    'x-request-id: %%%',
  ],
  (text) => judged(`with ${text}`, adding(line(text)), { fieldMayBeRefused: true }),
)

/** Spellings that nearly match a name, most useful first. */
const writings: readonly ((name: string) => string)[] = [
  (name) => `${name}2`,
  (name) => name.replaceAll('-', ''),
  (name) => name.replace('x-', ''),
  (name) => name.slice(0, -1),
  (name) => `x${name}`,
]

/** Names that nearly match the name of a required field. */
export function lookAlikesOf(name: RequiredField): readonly string[] {
  return writings.map((write) => write(name))
}

const lookAlikes = caseOfEach('look-alike-names', 2, writings, (write) =>
  requiredFields.map((name) => judged(`${name} renamed ${write(name)}`, renamed(name, write(name)))),
)

const zeroWidthSpace = characterOf(0x200b)

/** Required values under names that no client sends. */
const lookAlikesOnTheWire = caseOfEach(
  'look-alike-names-raw',
  { weight: 2, because: 'clients never write such names' },
  [
    ['with a space before the colon', Infinity, ' '],
    [`with ${zeroWidthSpace.says} after its second character`, 2, zeroWidthSpace.bytes],
    ['with a tab before the colon', Infinity, '\t'],
    [`with ${zeroWidthSpace.says} behind it`, Infinity, zeroWidthSpace.bytes],
  ] as const,
  ([how, at, bytes]) =>
    requiredFields.map((name) => {
      const rename = renamed(name, name.slice(0, at) + bytes + name.slice(at))
      return judged(`the name ${name} ${how}`, inTurn(raw, rename), atUnknownPath)
    }),
)

type Value = Field['value']

/** Values for a required field. */
type Values = Readonly<Record<'valid' | 'wrong' | 'otherWrong', Value>>

type TwoValues = (name: RequiredField, first: Value, second: Value) => RequestChange

/** A name for observations, a way to give a field two values, and the values. */
type Pair = readonly [as: string, how: TwoValues, first: keyof Values, second: keyof Values]

const adjacent: TwoValues = (name, first, second) =>
  replacing(name, { name, value: first }, { name, value: second })
const apart: TwoValues = (name, first, second) =>
  inTurn(setting(name, first), adding({ name, value: second }))
const inTwoCases: TwoValues = (name, first, second) =>
  replacing(name, { name, value: first }, { name: name.toUpperCase(), value: second })

function bothWays(how: TwoValues, as = ''): readonly Pair[] {
  return [
    [`valid then wrong${as}`, how, 'valid', 'wrong'],
    [`wrong then valid${as}`, how, 'wrong', 'valid'],
  ]
}

/** Pairs that reveal more about a service when sent together form one group. */
const pairsOfValid: readonly (readonly Pair[])[] = [
  bothWays(adjacent),
  [['valid twice', adjacent, 'valid', 'valid']],
  bothWays(apart, ', apart'),
  bothWays(inTwoCases, ', its name in upper case'),
]

const pairsOfWrong: readonly Pair[] = [
  ['two wrong ones', adjacent, 'wrong', 'otherWrong'],
  ['the same wrong one twice', adjacent, 'wrong', 'wrong'],
  ['two wrong ones, apart', apart, 'wrong', 'otherWrong'],
  ['two wrong ones, one name in upper case', inTwoCases, 'wrong', 'otherWrong'],
]

/** A service may refuse any repeated field. */
const invalidInput: Answer = { status: 400, errorCode: '1030' }

/** Both values are wrong, alone and joined. A service may also refuse the repetition. */
const answersToWrong: Readonly<Record<RequiredField, readonly Answer[]>> = {
  'x-api-key': [{ status: 401, errorCode: '1006' }, invalidInput],
  'x-secret-key': [{ status: 401, errorCode: '1007' }, invalidInput],
  'x-version': [{ status: 400, errorCode: '1010' }, invalidInput],
}

/** Required fields sent twice: once with the valid value (which one counts is only observed), or wrong both times. */
function duplicateClasses(input: ClientInput): readonly CaseClass[] {
  const changed = (name: RequiredField, [, how, first, second]: Pair): RequestChange => {
    const values = valuesFor(name, input)
    return how(name, values[first], values[second])
  }
  const versions = [input.servedVersion, input.unsupportedVersion]
  return [
    caseOfEach('duplicates', { weight: 2, because: onlyObserved }, pairsOfValid, (pairs) =>
      requiredFields.flatMap((name) =>
        pairs.map((pair) => observedOnly('duplicates', `${name}: ${pair[0]}`, changed(name, pair))),
      ),
    ),
    caseOfEach('two-wrong', 1, pairsOfWrong, (pair) =>
      requiredFields.map((name) =>
        judged(`${name}: ${pair[0]}`, changed(name, pair), { allowed: answersToWrong[name] }),
      ),
    ),
    caseOfEach(
      'joined-versions',
      { because: 'versioning/malformed-version sends such a list' },
      [versions, versions.toReversed()],
      (list) => judged(`x-version: ${list.join(', ')}`, setting('x-version', list.join(', '))),
    ),
  ]
}

function valuesFor(name: RequiredField, input: ClientInput): Values {
  const { target, second, servedVersion, unsupportedVersion } = input
  if (name === 'x-version') {
    const others = ['2147483646', '2147483645', '2147483644', unsupportedVersion]
    const known = [servedVersion, unsupportedVersion]
    return {
      valid: servedVersion,
      wrong: unsupportedVersion,
      otherWrong: others.find((version) => !known.includes(version)) ?? unsupportedVersion,
    }
  }

  const valid = credentialOf(target, name)
  const wrong = name === 'x-api-key' ? input.wrongKey : input.wrongSecret
  // A wrong value with a digit appended must not be an issued credential either.
  const issued = [target, second ?? target].flatMap(({ apiKey, secretKey }) => [
    apiKey.reveal(),
    secretKey.reveal(),
  ])
  return {
    valid,
    wrong,
    otherWrong: [...'01234'].map((digit) => wrong + digit).find((value) => !issued.includes(value)) ?? wrong,
  }
}

/** A field that HTTP or a gateway interprets, named by its line. Never changes the method, path, host or framing. */
type GatewayField = readonly [as: string, change: RequestChange]

function ofLine(text: string): GatewayField {
  const { name, value } = line(text)
  return [text, setting(name, value)]
}

/** Never added to a request that is served, because a gateway may change the answer and a cache may keep it. */
const senders = ['x-forwarded-for: 127.0.0.1', 'origin: https://conformance.invalid'].map(ofLine)

/** Fields that HTTP or gateways interpret. Those that services have accepted as proof of identity come first. */
const gatewayFields: readonly GatewayField[] = [
  ...[
    'cookie: session=1; authenticated=true',
    'if-none-match: "abc"',
    'range: bytes=0-0',
    'x-real-ip: 127.0.0.1',
    'forwarded: for=127.0.0.1',
  ].map(ofLine),
  ['user-agent: a browser before the suite', withBrowser],
]

const otherAcceptValues = 'text/html application/xml text/plain application/json;q=0 image/*'
  .split(' ')
  .map((value) => ofLine(`accept: ${value}`))

const hopByHop = requiredFields.map((name): GatewayField => [
  `connection: ${name}`,
  inTurn(raw, adding({ name: 'connection', value: name })),
])

/** Codings that servers may refuse or be unable to provide. */
const oddCodings = ['*;q=0', 'identity;q=0', 'x-unknown', '', 'gzip;q=0', 'identity;q=1, *;q=0'].map(
  (coding) => ofLine(`accept-encoding: ${coding}`),
)

/** Names a browser before the suite; all other requests name only the suite. */
function withBrowser(request: Request): Request {
  const agent = request.fields.find(({ name }) => name.toLowerCase() === 'user-agent')
  const suite = agent === undefined ? '' : ` ${valueOf(agent)}`
  return setting('user-agent', `Mozilla/5.0 (compatible; MSIE 10.0)${suite}`)(request)
}

/** Such fields on a valid request, only observed, under the name of the class. Without a weight, all are sent. */
function observedFields(
  name: string,
  share: Share,
  fields: readonly GatewayField[],
  traits: Partial<MutatedRequest> = {},
): CaseClass {
  return caseOfEach(name, { ...share, because: onlyObserved }, fields, ([as, change]) => ({
    ...observedOnly(name.replaceAll('-', ' '), as, change),
    ...traits,
  }))
}

/** Changes to header lines and their order that do not depend on the endpoint. */
export function linesOfClient(input: ClientInput): readonly CaseClass[] {
  return [
    nameCase,
    fieldOrder,
    unrelatedFields,
    manyUnrelatedFields,
    malformedFields,
    observedFields('odd-codings', {}, oddCodings),
    ...duplicateClasses(input),
    lookAlikesOnTheWire,
    observedFields('gateway-fields', { weight: 2 }, gatewayFields),
    observedFields('other-accept-values', { weight: 1 }, otherAcceptValues),
    observedFields('hop-by-hop', { weight: 1 }, hopByHop, atUnknownPath),
  ]
}

/** Flaws that leave a request without valid credentials, plainest first. */
const strangers = [
  { base: 'api-key-absent', also: ', without x-secret-key', change: without('x-secret-key') },
  { base: 'secret-key-wrong', also: '', change: unchanged },
  { base: 'api-key-wrong', also: '', change: unchanged },
  { base: 'secret-key-absent', also: '', change: unchanged },
] as const

/** The same change without valid credentials. Nothing may succeed, whatever the rest of the request. */
export function fromStrangers({ says, apply, ...more }: MutatedRequest): Arbitrary<MutatedRequest> {
  return fc.constantFrom(...strangers).map(({ base, also, change }) => ({
    ...more,
    says: `${says}${also}`,
    apply: inTurn(change, apply),
    treatment: 'refused',
    base,
  }))
}

/** Flaws with a field that some services accept as a credential: a required value under a different name, or a gateway's field. Total weight 3. */
export const strangerClasses: readonly CaseClass[] = [
  lookAlikes,
  caseOfEach(
    'gateway-fields-of-strangers',
    { weight: 1, because: 'rows contain such fields' },
    [...senders, ...gatewayFields, ...otherAcceptValues],
    ([as, change]) => fromStrangers(judged(as, change)),
  ),
]

/** Reorders distinct flat parameters, whose order must not matter: two from the endpoint's own query, or undocumented ones. */
export function parameterOrder({ query }: GeneratorInput): CaseClass {
  const flat = flatParameters(query ?? '')
  const changes = flat.length < 2 ? [undocumentedTurned] : [fc.constant(ownTurned(flat)), undocumentedTurned]
  return { ...equivalent('parameter-order', 1, changes), requests: 2 }
}

function ownTurned(flat: readonly string[]): MutatedRequest {
  const opposite = flat.toReversed()
  /** Reverses these parameters, leaving all others in place. */
  const turned = (query: string | null): string =>
    (query ?? '')
      .split('&')
      .map((parameter) => opposite[flat.indexOf(parameter)] ?? parameter)
      .join('&')
  return judged(
    `the parameters ${flat.map(nameOf).join(', ')} in the opposite order`,
    withQueryFrom(turned),
    {
      pairedRequest: { relation: 'same-outcome', apply: unchanged },
    },
  )
}

/** The parameters whose order cannot matter, because they have a plain, unique name. */
function flatParameters(query: string): readonly string[] {
  const parameters = query.split('&')
  const names = parameters.map((parameter) => nameOf(parameter).toLowerCase())
  return parameters.filter((_, index) => {
    const name = names[index] ?? ''
    return /^[a-z0-9_-]+$/.test(name) && names.indexOf(name) === names.lastIndexOf(name)
  })
}

function nameOf(parameter: string): string {
  return parameter.split('=')[0] ?? ''
}

/** Two to four undocumented parameters. */
const undocumentedTurned: Arbitrary<MutatedRequest> = fc
  .array(fc.nat(999), { minLength: 2, maxLength: 4, size: 'max' })
  .map((values) => {
    const parameters = values.map((value, index) => `zz${'abcd'[index]}=${value}`)
    const opposite = parameters.toReversed().join('&')
    return judged(
      `${parameters.length} undocumented parameters in the opposite order, ${opposite}`,
      withQuery(opposite),
      { pairedRequest: { relation: 'same-outcome', apply: withQuery(parameters.join('&')) } },
    )
  })
