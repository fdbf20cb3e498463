import fc, { type Arbitrary } from 'fast-check'
import { fieldsOf, type Field } from '../http/request.ts'
import { refusalOf, type Answer } from '../specification/answers.ts'
import { requiredFields, type RequiredField } from '../specification/endpoints.ts'
import { startingAt } from './arbitraries.ts'
import {
  atUnknownPath,
  bases,
  caseClass,
  caseOfEach,
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
  settingLine,
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
const upperCase = lettersAfter(/^/)
/** The first letter of each word, as in `X-Api-Key`. */
const titleCase = lettersAfter(/^$|-$/)

function lettersAfter(start: RegExp): readonly number[] {
  return requiredFields.map((name) =>
    [...name].reduce((bits, _, at) => (start.test(name.slice(0, at)) ? bits + 2 ** at : bits), 0),
  )
}

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
    .map(([count, seed]) => {
      // Different fields: numbers multiplied by an odd number remain different.
      const fields = Array.from({ length: count }, (_, index) => {
        const text = (Math.imul(seed + index, 0x9e3779b1) >>> 0).toString(36)
        return { name: `x-zz${text}`, value: `${text} ${index}` }
      })
      return judged(`with ${count} unrelated fields x-zz…`, adding(...fields))
    }),
])

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

/** Gives a required field two values. */
type TwoValues = (name: RequiredField, first: Field['value'], second: Field['value']) => RequestChange

const adjacent: TwoValues = (name, first, second) =>
  replacing(name, { name, value: first }, { name, value: second })
const apart: TwoValues = (name, first, second) =>
  inTurn(setting(name, first), adding({ name, value: second }))
const inTwoCases: TwoValues = (name, first, second) =>
  replacing(name, { name, value: first }, { name: name.toUpperCase(), value: second })

type Kind = 'valid' | 'wrong' | 'otherWrong'

/** A description, a way to give a field two values, and the values. */
type Pair = readonly [as: string, how: TwoValues, first: Kind, second: Kind]

/** Pairs that reveal more about a service when sent together form one group. */
const pairsOfValid: readonly (readonly Pair[])[] = [
  [
    ['valid then wrong', adjacent, 'valid', 'wrong'],
    ['wrong then valid', adjacent, 'wrong', 'valid'],
  ],
  [['valid twice', adjacent, 'valid', 'valid']],
  [
    ['valid then wrong, apart', apart, 'valid', 'wrong'],
    ['wrong then valid, apart', apart, 'wrong', 'valid'],
  ],
  [
    ['valid then wrong, its name in upper case', inTwoCases, 'valid', 'wrong'],
    ['wrong then valid, its name in upper case', inTwoCases, 'wrong', 'valid'],
  ],
]

const pairsOfWrong: readonly Pair[] = [
  ['two wrong ones', adjacent, 'wrong', 'otherWrong'],
  ['the same wrong one twice', adjacent, 'wrong', 'wrong'],
  ['two wrong ones, apart', apart, 'wrong', 'otherWrong'],
  ['two wrong ones, one name in upper case', inTwoCases, 'wrong', 'otherWrong'],
]

/** Both values are wrong, alone and joined. A service may also refuse any repetition. */
const answersToWrong: Readonly<Record<RequiredField, readonly Answer[]>> = {
  'x-api-key': [refusalOf('1006'), refusalOf('1030')],
  'x-secret-key': [refusalOf('1007'), refusalOf('1030')],
  'x-version': [refusalOf('1010'), refusalOf('1030')],
}

/** Required fields sent twice: once with the valid value (which one counts is only observed), or wrong both times. */
function duplicateClasses(input: ClientInput): readonly CaseClass[] {
  const values = valuesOf(input)
  const changed = (name: RequiredField, [, how, first, second]: Pair): RequestChange =>
    how(name, values[name][first], values[name][second])
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
      [versions.join(', '), versions.toReversed().join(', ')],
      (list) => judged(`x-version: ${list}`, setting('x-version', list)),
    ),
  ]
}

/** The values of each required field. A further wrong value must not be valid for any client either. */
function valuesOf({ target, second, wrongKey, wrongSecret, servedVersion, unsupportedVersion }: ClientInput) {
  const issued = [target, second ?? target].flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
  const known = [...issued.map((one) => one.reveal()), servedVersion, unsupportedVersion]
  const of = (valid: Field['value'], wrong: string, others: readonly string[]) => {
    return { valid, wrong, otherWrong: others.find((one) => !known.includes(one)) ?? wrong }
  }
  const longer = (wrong: string): readonly string[] => [...'01234'].map((digit) => wrong + digit)
  return {
    'x-api-key': of(target.apiKey, wrongKey, longer(wrongKey)),
    'x-secret-key': of(target.secretKey, wrongSecret, longer(wrongSecret)),
    'x-version': of(servedVersion, unsupportedVersion, ['2147483646', '2147483645', '2147483644']),
  }
}

/** A field that HTTP or a gateway interprets, named by its line. Never changes the method, path, host or framing. */
type GatewayField = readonly [as: string, change: RequestChange]

function ofLine(text: string): GatewayField {
  return [text, settingLine(text)]
}

/** Never added to a request that is served, because a gateway may change the answer and a cache may keep it. */
const senders = ['x-forwarded-for: 127.0.0.1', 'origin: https://conformance.invalid'].map(ofLine)

/** Names a browser before the suite; all other requests name only the suite. */
const withBrowser: RequestChange = (request) => {
  const [suite] = fieldsOf(request, 'user-agent')
  const agent = ['Mozilla/5.0 (compatible; MSIE 10.0)', suite ?? []].flat().join(' ')
  return setting('user-agent', agent)(request)
}

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

/** Such fields on a valid request, only observed, under the name of the class. Without a weight, all are sent. */
function observedFields(
  name: string,
  share: Share,
  fields: readonly GatewayField[],
  traits: Partial<MutatedRequest> = {},
): CaseClass {
  const id = name.replaceAll('-', ' ')
  const cases = fields.map(([as, change]) => ({ ...observedOnly(id, as, change), ...traits }))
  return caseClass(name, { ...share, because: onlyObserved }, cases)
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
  const says = `the parameters ${flat.map(nameOf).join(', ')} in the opposite order`
  // All others stay in place.
  const apply = withQueryFrom((query) =>
    (query ?? '')
      .split('&')
      .map((parameter) => opposite[flat.indexOf(parameter)] ?? parameter)
      .join('&'),
  )
  return judged(says, apply, { pairedRequest: { relation: 'same-outcome', apply: unchanged } })
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
    const says = `${parameters.length} undocumented parameters in the opposite order, ${opposite}`
    const apply = withQuery(parameters.join('&'))
    return judged(says, withQuery(opposite), { pairedRequest: { relation: 'same-outcome', apply } })
  })
