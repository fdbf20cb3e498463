import fc, { type Arbitrary } from 'fast-check'
import { fieldsOf, type Field } from '../http/request.ts'
import { refusalOf, type ErrorCode } from '../specification/answers.ts'
import { requiredFields, type RequiredField } from '../specification/endpoints.ts'
import { startingAt } from './arbitraries.ts'
import {
  atUnknownPath,
  bases,
  caseClass,
  judged,
  observedClass,
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
  ofFields,
  ordered,
  raw,
  renamed,
  renaming,
  setting,
  settingLine,
  unchanged,
  without,
  withQuery,
  withQueryFrom,
  type RequestChange,
} from './request-changes.ts'
import { characterOf } from './unicode.ts'

/** A class of changes that do not affect the outcome. The first case changes a valid request, the others any base. */
function equivalent(name: string, share: Share, changes: readonly Arbitrary<MutatedRequest>[]): CaseClass {
  const onAny = [...changes.slice(1), ...changes.slice(0, 1)].map((change) =>
    fc.tuple(fc.constantFrom(...bases), change).map(([base, mutated]) => ({ ...mutated, base })),
  )
  return caseClass(name, share, onAny, changes.slice(0, 1))
}

/** Bit masks of the upper-case letters in the name of each required field; the lowest bit stands for the first letter. */
const upperCase = requiredFields.map((name) => 2 ** name.length - 1)
/** The first letter of each word, as in `X-Api-Key`. */
const titleCase = [0b1000101, 0b1000000101, 0b101]
const anyCase: Arbitrary<readonly number[]> = fc.tuple(...upperCase.map((max) => fc.integer({ min: 0, max })))

function written(bits: readonly number[]): MutatedRequest {
  const names = requiredFields.map((name, index) =>
    name.replaceAll(/./g, (letter, at: number) =>
      (((bits[index] ?? 0) >> at) & 1) === 1 ? letter.toUpperCase() : letter,
    ),
  )
  const rename = renaming((name) => names.find((one) => one.toLowerCase() === name) ?? name)
  return judged(`field names written ${names.join(', ')}`, rename)
}

/** Orders of the fields, with the bases for which the order is the usual one, because an absent field may leave the other two in place. */
const orders: readonly (readonly [order: readonly RequiredField[], ...usualOn: readonly Base[]])[] = [
  [['x-version', 'x-secret-key', 'x-api-key']],
  [['x-secret-key', 'x-api-key', 'x-version'], 'api-key-absent', 'secret-key-absent'],
  [['x-version', 'x-api-key', 'x-secret-key'], 'version-absent'],
  [['x-api-key', 'x-version', 'x-secret-key'], 'secret-key-absent', 'version-absent'],
  [['x-secret-key', 'x-version', 'x-api-key'], 'api-key-absent'],
]

const unrelated = [
  'content-type: application/json',
  'accept-language: de-CH, en;q=0.5',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'x-request-id: 7b1f9a52-0c3e-4d68-9e21-5f80c4a7d913',
].map(line)
const someUnrelated = fc.subarray(unrelated, { minLength: 1 })

/** The number of unrelated fields. */
const anyCount = startingAt(50, fc.integer({ min: 1, max: 50 }))

const harmlessChanges: readonly CaseClass[] = [
  equivalent(
    'name-case',
    { weight: 2 },
    [startingAt(upperCase, anyCase), startingAt(titleCase, anyCase), anyCase].map((bits) =>
      bits.map(written),
    ),
  ),
  caseClass(
    'field-order',
    2,
    orders.flatMap(([order, ...usualOn]) => {
      const one = judged(`fields in the order ${order.join(', ')}`, ordered(order))
      const flawed = bases.filter((base) => base !== 'valid' && !usualOn.includes(base))
      return [one, fc.constantFrom(...flawed).map((base) => ({ ...one, base }))]
    }),
  ),
  equivalent(
    'unrelated-fields',
    { weight: 1, because: 'rows contain such fields' },
    [startingAt(unrelated, someUnrelated), someUnrelated].map((drawn) =>
      drawn.map((fields) => judged(`with ${fields.map(({ name }) => name).join(', ')}`, adding(...fields))),
    ),
  ),
  equivalent(
    'many-unrelated-fields',
    { weight: 1, because: 'servers and firewalls limit the number of fields' },
    [
      fc.tuple(anyCount, fc.noShrink(fc.nat())).map(([count, seed]) => {
        // Different fields: numbers multiplied by an odd number remain different.
        const fields = Array.from({ length: count }, (_, index) => {
          const text = (Math.imul(seed + index, 0x9e3779b1) >>> 0).toString(36)
          return { name: `x-zz${text}`, value: `${text} ${index}` }
        })
        return judged(`with ${count} unrelated fields x-zz…`, adding(...fields))
      }),
    ],
  ),
  // Malformed fields, which a service may ignore or refuse, but which must not make it fail.
  caseClass(
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
    ].map((text) => judged(`with ${text}`, adding(line(text)), { fieldMayBeRefused: true })),
  ),
  // Codings that servers may refuse or be unable to provide.
  observedClass(
    'odd-codings',
    {},
    ['*;q=0', 'identity;q=0', 'x-unknown', '', 'gzip;q=0', 'identity;q=1, *;q=0'].map((coding) =>
      ofLine(`accept-encoding: ${coding}`),
    ),
  ),
]

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

const zeroWidthSpace = characterOf(0x200b)

/** What is added to names that no client sends, and after how many characters. */
const additions = [
  ['with a space before the colon', Infinity, ' '],
  [`with ${zeroWidthSpace.says} after its second character`, 2, zeroWidthSpace.bytes],
  ['with a tab before the colon', Infinity, '\t'],
  [`with ${zeroWidthSpace.says} behind it`, Infinity, zeroWidthSpace.bytes],
] as const

/** Sends a field again with this value. */
type Again = (name: string, value: Field['value']) => RequestChange

const adjacent: Again = (name, value) =>
  ofFields((fields) =>
    fields.flatMap((field) =>
      field.name.toLowerCase() === name.toLowerCase() ? [field, { name, value }] : field,
    ),
  )
const apart: Again = (name, value) => adding({ name, value })
const inUpperCase: Again = (name, value) => adjacent(name.toUpperCase(), value)

/** A description, two values of a field, and how the second one is sent. */
type Pair = readonly [as: string, first: Kind, second: Kind, again: Again]
type Kind = 'valid' | 'wrong' | 'otherWrong'

/** Pairs that reveal more about a service when sent together form one group. */
const pairsOfValid: readonly (readonly Pair[])[] = [
  [
    ['valid then wrong', 'valid', 'wrong', adjacent],
    ['wrong then valid', 'wrong', 'valid', adjacent],
  ],
  [['valid twice', 'valid', 'valid', adjacent]],
  [
    ['valid then wrong, apart', 'valid', 'wrong', apart],
    ['wrong then valid, apart', 'wrong', 'valid', apart],
  ],
  [
    ['valid then wrong, its name in upper case', 'valid', 'wrong', inUpperCase],
    ['wrong then valid, its name in upper case', 'wrong', 'valid', inUpperCase],
  ],
]

const pairsOfWrong: readonly Pair[] = [
  ['two wrong ones', 'wrong', 'otherWrong', adjacent],
  ['the same wrong one twice', 'wrong', 'wrong', adjacent],
  ['two wrong ones, apart', 'wrong', 'otherWrong', apart],
  ['two wrong ones, one name in upper case', 'wrong', 'otherWrong', inUpperCase],
]

/** Required fields sent twice: once with the valid value (which one counts is only observed), or wrong both times. */
function duplicateClasses(input: ClientInput): readonly CaseClass[] {
  const { target, second, wrongKey, wrongSecret, servedVersion, unsupportedVersion } = input
  const issued = [target, second ?? target].flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
  const known = [...issued.map((one) => one.reveal()), servedVersion, unsupportedVersion]
  // A further wrong value must not be valid for any client either.
  const field = (
    name: RequiredField,
    valid: Field['value'],
    wrong: string,
    code: ErrorCode,
    others: readonly string[],
  ) => ({
    name,
    code,
    values: { valid, wrong, otherWrong: others.find((one) => !known.includes(one)) ?? wrong },
  })
  const longer = (wrong: string): readonly string[] => [...'01234'].map((digit) => wrong + digit)
  const fields = [
    field('x-api-key', target.apiKey, wrongKey, '1006', longer(wrongKey)),
    field('x-secret-key', target.secretKey, wrongSecret, '1007', longer(wrongSecret)),
    field('x-version', servedVersion, unsupportedVersion, '1010', ['2147483646', '2147483645', '2147483644']),
  ]
  const changed = ({ name, values }: (typeof fields)[number], [as, first, next, again]: Pair) =>
    [`${name}: ${as}`, inTurn(setting(name, values[first]), again(name, values[next]))] as const
  const versions = [servedVersion, unsupportedVersion]
  return [
    observedClass(
      'duplicates',
      { weight: 2 },
      pairsOfValid.flatMap((pairs) => fields.flatMap((one) => pairs.map((pair) => changed(one, pair)))),
    ),
    // Both values are wrong, alone and joined. A service may also refuse any repetition.
    caseClass(
      'two-wrong',
      1,
      pairsOfWrong.flatMap((pair) =>
        fields.map((one) =>
          judged(...changed(one, pair), { allowed: [refusalOf(one.code), refusalOf('1030')] }),
        ),
      ),
    ),
    caseClass(
      'joined-versions',
      { because: 'versioning/malformed-version sends such a list' },
      [versions, versions.toReversed()].map((list) =>
        judged(`x-version: ${list.join(', ')}`, setting('x-version', list.join(', '))),
      ),
    ),
  ]
}

/** A field that HTTP or a gateway interprets, named by its line. Never changes the method, path, host or framing. */
type GatewayField = readonly [as: string, change: RequestChange]

function ofLine(text: string): GatewayField {
  return [text, settingLine(text)]
}

/** Names a browser before the suite; all other requests name only the suite. */
const withBrowser: RequestChange = (request) => {
  const agents = ['Mozilla/5.0 (compatible; MSIE 10.0)', ...fieldsOf(request, 'user-agent')]
  return setting('user-agent', agents.join(' '))(request)
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

/** Changes to header lines and their order that do not depend on the endpoint. */
export function linesOfClient(input: ClientInput): readonly CaseClass[] {
  return [
    ...harmlessChanges,
    ...duplicateClasses(input),
    caseClass(
      'look-alike-names-raw',
      { weight: 2, because: 'clients never write such names' },
      additions.flatMap(([how, at, bytes]) =>
        requiredFields.map((name) => {
          const rename = renamed(name, name.slice(0, at) + bytes + name.slice(at))
          return judged(`the name ${name} ${how}`, inTurn(raw, rename), atUnknownPath)
        }),
      ),
    ),
    observedClass('gateway-fields', { weight: 2 }, gatewayFields),
    observedClass('other-accept-values', { weight: 1 }, otherAcceptValues),
    observedClass(
      'hop-by-hop',
      { weight: 1 },
      requiredFields.map((name) => [
        `connection: ${name}`,
        inTurn(raw, adding({ name: 'connection', value: name })),
      ]),
      atUnknownPath,
    ),
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

/** Never added to a request that is served, because a gateway may change the answer and a cache may keep it. */
const senders = ['x-forwarded-for: 127.0.0.1', 'origin: https://conformance.invalid'].map(ofLine)

/** Flaws with a field that some services accept as a credential: a required value under a different name, or a gateway's field. Total weight 3. */
export const strangerClasses: readonly CaseClass[] = [
  caseClass(
    'look-alike-names',
    2,
    writings.flatMap((write) =>
      requiredFields.map((name) => judged(`${name} renamed ${write(name)}`, renamed(name, write(name)))),
    ),
  ),
  caseClass(
    'gateway-fields-of-strangers',
    { weight: 1, because: 'rows contain such fields' },
    [...senders, ...gatewayFields, ...otherAcceptValues].map((row) => fromStrangers(judged(...row))),
  ),
]

/** Reorders distinct flat parameters, whose order must not matter: two from the endpoint's own query, or undocumented ones. */
export function parameterOrder({ query }: GeneratorInput): CaseClass {
  const flat = flatParameters(query ?? '')
  const changes =
    flat.length < 2 ? [undocumentedTurned] : [fc.constant(ownTurned(flat, query ?? '')), undocumentedTurned]
  return { ...equivalent('parameter-order', { weight: 1 }, changes), requests: 2 }
}

function ownTurned(flat: readonly string[], query: string): MutatedRequest {
  const opposite = flat.toReversed()
  const says = `the parameters ${flat.map(nameOf).join(', ')} in the opposite order`
  // All others stay in place.
  const turned = query.split('&').map((parameter) => opposite[flat.indexOf(parameter)] ?? parameter)
  const apply = withQueryFrom(() => turned.join('&'))
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
