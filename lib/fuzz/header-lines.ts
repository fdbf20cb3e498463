import fc, { type Arbitrary } from 'fast-check'
import { fieldsOf, type Field } from '../http/exchange.ts'
import { refusalOf } from '../specification/answers.ts'
import { requiredFields } from '../specification/endpoints.ts'
import { groupBy } from '../text/members.ts'
import { startingAt } from './arbitraries.ts'
import {
  nowhere,
  bases,
  caseClass,
  judged,
  observedClass,
  type Base,
  type ClientInput,
  type GeneratorInput,
  type MutatedRequest,
  type NamedChange,
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

/** The cases of changes that do not affect the outcome: on any base, and one that comes once, before them, on a valid request. */
function equivalent(...changes: readonly Arbitrary<MutatedRequest>[]) {
  const onAny = [...changes.slice(1), ...changes.slice(0, 1)].map((change) =>
    fc.tuple(fc.constantFrom(...bases), change).map(([base, mutated]) => ({ ...mutated, base })),
  )
  return [onAny, changes.slice(0, 1)] as const
}

/** Bit masks of the upper-case letters in the name of each required field; the lowest bit stands for the first letter. */
const upperCase = requiredFields.map((name) => 2 ** name.length - 1)
/** The first letter of each word, as in `X-Api-Key`. */
const titleCase = [0b1000101, 0b1000000101, 0b101]
const anyCase = fc.tuple(...upperCase.map((max) => fc.integer({ min: 0, max })))

function written(bits: readonly number[]) {
  const names = requiredFields.map((name, index) =>
    name.replaceAll(/./g, (letter, at: number) =>
      (((bits[index] ?? 0) >> at) & 1) === 1 ? letter.toUpperCase() : letter,
    ),
  )
  const rename = renaming((name) => names.find((one) => one.toLowerCase() === name) ?? name)
  return judged(`field names written ${names.join(', ')}`, rename)
}

const [key, secret, version] = requiredFields
/** Unusual orders of the required fields. */
export const orders = [
  [version, secret, key],
  [secret, key, version],
  [version, key, secret],
  [key, version, secret],
  [secret, version, key],
]

const unrelated = [
  'content-type: application/json',
  'accept-language: de-CH, en;q=0.5',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'x-request-id: 7b1f9a52-0c3e-4d68-9e21-5f80c4a7d913',
].map(line)
const someUnrelated = fc.subarray(unrelated, { minLength: 1 })

/** The number of unrelated fields. */
const anyCount = startingAt(() => 50, fc.integer({ min: 1, max: 50 }))

/** Malformed fields, which a service may ignore or refuse, but which must not make it fail. */
const malformed = [
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
]

/** Spellings that nearly match a name, most useful first. */
export const writings: readonly ((name: string) => string)[] = [
  (name) => `${name}2`,
  (name) => name.replaceAll('-', ''),
  (name) => name.replace('x-', ''),
  (name) => name.slice(0, -1),
  (name) => `x${name}`,
]

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
    fields.flatMap((field) => (field.name === name.toLowerCase() ? [field, { name, value }] : field)),
  )
const apart: Again = (name, value) => adding({ name, value })
const inUpperCase: Again = (name, value) => adjacent(name.toUpperCase(), value)

/** Required fields sent twice: once with the valid value (which one counts is only observed), or wrong both times. */
function duplicateClasses(input: ClientInput) {
  const { target, second, wrongKey, wrongSecret, servedVersion, unsupportedVersion } = input
  const issued = [target, second ?? target].flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
  const known = [...issued.map((one) => one.reveal()), servedVersion, unsupportedVersion]
  // A further wrong value must not be valid for any client either.
  const withOther = (wrong: string, others = [...'01234'].map((digit) => wrong + digit)) =>
    [wrong, others.find((one) => !known.includes(one)) ?? wrong] as const
  const versions = ['2147483646', '2147483645', '2147483644']
  const fields = [
    [key, '1006', target.apiKey, ...withOther(wrongKey)],
    [secret, '1007', target.secretKey, ...withOther(wrongSecret)],
    [version, '1010', servedVersion, ...withOther(unsupportedVersion, versions)],
  ] as const
  const twice = (name: string, as: string, value: Field['value'], again: RequestChange): NamedChange => [
    `${name}: ${as}`,
    inTurn(setting(name, value), again),
  ]
  const inBothOrders = (again: Again, how = '') =>
    fields.flatMap(([name, , valid, wrong]) => [
      twice(name, `valid then wrong${how}`, valid, again(name, wrong)),
      twice(name, `wrong then valid${how}`, wrong, again(name, valid)),
    ])
  // Both values are wrong, alone and joined. A service may also refuse any repetition.
  const bothWrong = (as: string, again: Again, isSame = false) =>
    fields.map(([name, code, , wrong, other]) => {
      const change = twice(name, as, wrong, again(name, isSame ? wrong : other))
      return judged(...change, { allowed: [refusalOf(code), refusalOf('1030')] })
    })
  const valid = [
    ...inBothOrders(adjacent),
    ...fields.map(([name, , value]) => twice(name, 'valid twice', value, adjacent(name, value))),
    ...inBothOrders(apart, ', apart'),
    ...inBothOrders(inUpperCase, ', its name in upper case'),
  ]
  const lists = [`${servedVersion}, ${unsupportedVersion}`, `${unsupportedVersion}, ${servedVersion}`]
  const joined = lists.map((list) => judged(...ofLine(`x-version: ${list}`)))
  return [
    observedClass('duplicates', { weight: 2 }, valid),
    caseClass('two-wrong', 1, [
      ...bothWrong('two wrong ones', adjacent),
      ...bothWrong('the same wrong one twice', adjacent, true),
      ...bothWrong('two wrong ones, apart', apart),
      ...bothWrong('two wrong ones, one name in upper case', inUpperCase),
    ]),
    caseClass('joined-versions', { because: 'versioning/malformed-version sends such a list' }, joined),
  ]
}

/** A field that HTTP or a gateway interprets, named by its line. Never changes the method, path, host or framing. */
function ofLine(text: string): NamedChange {
  return [text, settingLine(text)]
}

/** Names a browser before the suite; all other requests name only the suite. */
const withBrowser: RequestChange = (request) => {
  const agents = ['Mozilla/5.0 (compatible; MSIE 10.0)', ...fieldsOf(request, 'user-agent')]
  return setting('user-agent', agents.join(' '))(request)
}

/** Fields that HTTP or gateways interpret. Those that services have accepted as proof of identity come first. */
const gatewayFields: readonly NamedChange[] = [
  ...[
    'cookie: session=1; authenticated=true',
    'if-none-match: "abc"',
    'range: bytes=0-0',
    'x-real-ip: 127.0.0.1',
    'forwarded: for=127.0.0.1',
  ].map(ofLine),
  ['user-agent: a browser before the suite', withBrowser],
]

const otherAccepts = ['text/html', 'application/xml', 'text/plain', 'application/json;q=0', 'image/*'].map(
  (value) => ofLine(`accept: ${value}`),
)

const someCases = [...[upperCase, titleCase].map((bits) => startingAt(() => bits, anyCase)), anyCase]
const inOrders = orders.flatMap((order) => {
  const one = judged(`fields in the order ${order.join(', ')}`, ordered(order))
  const left = (fields: readonly string[], base: Base) =>
    fields.filter((name) => `${name}-absent` !== `x-${base}`).join()
  // An absent field may leave the other two in their usual order.
  const flawed = bases.slice(1).filter((base) => left(order, base) !== left(requiredFields, base))
  return [one, fc.constantFrom(...flawed).map((base) => ({ ...one, base }))]
})
const withUnrelated = [startingAt(() => unrelated, someUnrelated), someUnrelated].map((drawn) =>
  drawn.map((fields) => judged(`with ${fields.map(({ name }) => name).join(', ')}`, adding(...fields))),
)
const many = fc.tuple(anyCount, fc.noShrink(fc.nat())).map(([count, seed]) => {
  // Different fields: numbers multiplied by an odd number remain different.
  const fields = Array.from({ length: count }, (_, index) => {
    const text = (Math.imul(seed + index, 0x9e3779b1) >>> 0).toString(36)
    return { name: `x-zz${text}`, value: `${text} ${index}` }
  })
  return judged(`with ${count} unrelated fields x-zz…`, adding(...fields))
})
const withMalformed = malformed.map((text) =>
  judged(`with ${text}`, adding(line(text)), { fieldMayBeRefused: true }),
)
const besideRows = { weight: 1, because: 'rows contain such fields' }
/** Codings that servers may refuse or be unable to provide. */
const oddCodings = ['*;q=0', 'identity;q=0', 'x-unknown', '', 'gzip;q=0', 'identity;q=1, *;q=0'].map(
  (coding) => ofLine(`accept-encoding: ${coding}`),
)

const lineClasses = [
  caseClass('name-case', 2, ...equivalent(...someCases.map((bits) => bits.map(written)))),
  caseClass('field-order', 2, inOrders),
  caseClass('unrelated-fields', besideRows, ...equivalent(...withUnrelated)),
  caseClass(
    'many-unrelated-fields',
    { weight: 1, because: 'servers and firewalls limit their number' },
    ...equivalent(many),
  ),
  caseClass('malformed-fields', { always: 2, because: 'one for tracing, one for caches' }, withMalformed),
  observedClass('odd-codings', {}, oddCodings),
]

const rawNames = additions.flatMap(([how, at, bytes]) =>
  requiredFields.map((name) => {
    const rename = renamed(name, name.slice(0, at) + bytes + name.slice(at))
    return judged(`the name ${name} ${how}`, inTurn(raw, rename), nowhere)
  }),
)
const hopByHop = requiredFields.map((name): NamedChange => {
  const text = `connection: ${name}`
  return [text, inTurn(raw, adding(line(text)))]
})

const gatewayClasses = [
  caseClass('look-alike-names-raw', { weight: 2, because: 'clients never write such names' }, rawNames),
  observedClass('gateway-fields', { weight: 2 }, gatewayFields),
  observedClass('other-accept-values', { weight: 1 }, otherAccepts),
  observedClass('hop-by-hop', { weight: 1 }, hopByHop, nowhere),
]

/** Changes to header lines and their order, and to the order of parameters. */
export function headerLineClasses(input: GeneratorInput) {
  const parameterOrder = caseClass('parameter-order', { weight: 1, requests: 2 }, ...parameterOrders(input))
  return [...lineClasses, ...duplicateClasses(input), ...gatewayClasses, parameterOrder]
}

/** Flaws that leave a request without valid credentials, plainest first. */
const strangers = ['api-key-absent', 'secret-key-wrong', 'api-key-wrong', 'secret-key-absent'] as const

/** The same change without valid credentials. Nothing may succeed, whatever the rest of the request. */
export function fromStrangers({ says, apply, ...more }: MutatedRequest): Arbitrary<MutatedRequest> {
  return fc.constantFrom(...strangers).map((base) => {
    const [also, change] =
      base === 'api-key-absent' ? [', without x-secret-key', without('x-secret-key')] : ['', unchanged]
    return { ...more, says: says + also, apply: inTurn(change, apply), treatment: 'refused', base }
  })
}

/** Never added to a request that is served, because a gateway may change the answer and a cache may keep it. */
const senders = ['x-forwarded-for: 127.0.0.1', 'origin: https://conformance.invalid'].map(ofLine)

const ofStrangers = [...senders, ...gatewayFields, ...otherAccepts].map((row) =>
  fromStrangers(judged(...row)),
)
const renamedFields = writings.flatMap((write) =>
  requiredFields.map((name) => judged(`${name} renamed ${write(name)}`, renamed(name, write(name)))),
)

/** Flaws with a field that some services accept as a credential: a required value under a different name, or a gateway's field. */
export const strangerClasses = [
  caseClass('look-alike-names', 2, renamedFields),
  caseClass('gateway-fields-of-strangers', besideRows, ofStrangers),
]

/** Reorders distinct flat parameters, whose order must not matter: two from the endpoint's own query, or undocumented ones. */
function parameterOrders({ query }: GeneratorInput) {
  const pairs = (query ?? '').split('&')
  const nameOf = (pair: string) => pair.replace(/=.*/s, '')
  const byName = [...groupBy(pairs, (pair) => nameOf(pair).toLowerCase())]
  const flat = byName.flatMap(([name, all]) => (all.length === 1 && /^[a-z0-9_-]+$/.test(name) ? all : []))
  const opposite = flat.toReversed()
  // All others stay in place.
  const turned = pairs.map((one) => opposite[flat.indexOf(one)] ?? one).join('&')
  const flatNames = flat.map((one) => nameOf(one)).join(', ')
  const turn = withQueryFrom(() => turned)
  const own = alike(`the parameters ${flatNames} in the opposite order`, turn, unchanged)
  return equivalent(...(flat.length < 2 ? [] : [fc.constant(own)]), undocumentedTurned)
}

/** A change after which the outcome must be the same as after another change. */
function alike(says: string, apply: RequestChange, other: RequestChange) {
  return judged(says, apply, { pairedRequest: { relation: 'same-outcome', apply: other } })
}

/** Two to four undocumented parameters. */
const undocumentedTurned = fc
  .array(fc.nat(999), { minLength: 2, maxLength: 4, size: 'max' })
  .map((values) => {
    const pairs = values.map((value, index) => `zz${'abcd'[index]}=${value}`)
    const opposite = pairs.toReversed().join('&')
    const says = `${pairs.length} undocumented parameters in the opposite order, ${opposite}`
    return alike(says, withQuery(opposite), withQuery(pairs.join('&')))
  })
