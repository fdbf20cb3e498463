import fc, { type Arbitrary } from 'fast-check'
import { valueOf, type Request } from '../http/request.ts'
import { requiredFields, type RequiredField } from '../specification/endpoints.ts'
import {
  atUnknownPath,
  caseClass,
  caseOfEach,
  judged,
  observedOnly,
  type CaseClass,
  type MutatedRequest,
} from './case-class.ts'
import {
  adding,
  inTurn,
  raw,
  renamed,
  setting,
  unchanged,
  without,
  type RequestChange,
} from './request-changes.ts'
import { characterOf } from './unicode.ts'

/** Ways to write a name so that it nearly equals another, most telling first. */
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

const lookAlikes = caseClass(
  'look-alike-names',
  { weight: 2 },
  writings.flatMap((write) =>
    requiredFields.map((name) => judged(`${name} renamed ${write(name)}`, renamed(name, write(name)))),
  ),
)

const zeroWidthSpace = characterOf(0x200b)

/** Required values under names that no client writes. */
export const lookAlikesOnTheWire = caseClass(
  'look-alike-names-raw',
  { weight: 2 },
  [
    { how: 'with a space before the colon', at: Infinity, bytes: ' ' },
    { how: `with ${zeroWidthSpace.says} after its second character`, at: 2, bytes: zeroWidthSpace.bytes },
    { how: 'with a tab before the colon', at: Infinity, bytes: '\t' },
    { how: `with ${zeroWidthSpace.says} behind it`, at: Infinity, bytes: zeroWidthSpace.bytes },
  ].flatMap(({ how, at, bytes }) =>
    requiredFields.map((name) =>
      judged(
        `the name ${name} ${how}`,
        inTurn(raw, renamed(name, name.slice(0, at) + bytes + name.slice(at))),
        atUnknownPath,
      ),
    ),
  ),
)

interface GatewayField {
  readonly as: string
  readonly change: RequestChange
}

function gatewayField(name: string, value: string): GatewayField {
  return { as: `${name}: ${value}`, change: setting(name, value) }
}

/** Never with a request that is served: a gateway may answer others otherwise, and a cache keep that. */
const senders: readonly GatewayField[] = [
  gatewayField('x-forwarded-for', '127.0.0.1'),
  gatewayField('origin', 'https://conformance.invalid'),
]

/** Most telling first: fields that have been taken for proof of identity. */
const gatewayFields: readonly GatewayField[] = [
  gatewayField('cookie', 'session=1; authenticated=true'),
  gatewayField('if-none-match', '"abc"'),
  gatewayField('range', 'bytes=0-0'),
  gatewayField('x-real-ip', '127.0.0.1'),
  gatewayField('forwarded', 'for=127.0.0.1'),
  { as: 'user-agent: a browser before the suite', change: withBrowser },
]

const otherAcceptValues = 'text/html application/xml text/plain application/json;q=0 image/*'
  .split(' ')
  .map((value) => gatewayField('accept', value))

/** The suite otherwise always names itself. */
function withBrowser(request: Request): Request {
  const agent = request.fields.find(({ name }) => name.toLowerCase() === 'user-agent')
  const suite = agent === undefined ? '' : ` ${valueOf(agent)}`
  return setting('user-agent', `Mozilla/5.0 (compatible; MSIE 10.0)${suite}`)(request)
}

/** Fields with a meaning to HTTP or a gateway, on a valid request: only observed. None changes method, path, host or framing. */
export const gatewayFieldClasses: readonly CaseClass[] = [
  caseOfEach('gateway-fields', { weight: 2 }, gatewayFields, ({ as, change }) =>
    observedOnly('gateway fields', as, change),
  ),
  caseOfEach('other-accept-values', { weight: 1 }, otherAcceptValues, ({ as, change }) =>
    observedOnly('other accept values', as, change),
  ),
  caseOfEach('hop-by-hop', { weight: 1 }, requiredFields, (name) => ({
    ...observedOnly(
      'hop by hop',
      `connection: ${name}`,
      inTurn(raw, adding({ name: 'connection', value: name })),
    ),
    ...atUnknownPath,
  })),
]

/** Flaws that leave a request without valid credentials, the plainest first. */
const strangers = [
  { base: 'api-key-absent', also: ', without x-secret-key', change: without('x-secret-key') },
  { base: 'secret-key-wrong', also: '', change: unchanged },
  { base: 'api-key-wrong', also: '', change: unchanged },
  { base: 'secret-key-absent', also: '', change: unchanged },
] as const

/** The same without valid credentials: nothing may succeed, whatever else the request has. */
export function fromStrangers({ says, apply, ...more }: MutatedRequest): Arbitrary<MutatedRequest> {
  return fc.constantFrom(...strangers).map(({ base, also, change }) => ({
    ...more,
    says: `${says}${also}`,
    apply: inTurn(change, apply),
    treatment: 'refused',
    base,
  }))
}

/** The same fields on requests without valid credentials: they must not let anybody in. */
const gatewayFieldsOfStrangers = caseOfEach(
  'gateway-fields-of-strangers',
  { weight: 1 },
  [...senders, ...gatewayFields, ...otherAcceptValues],
  ({ as, change }) => fromStrangers(judged(as, change)),
)

/** Flaws with something that some services let in for: a required value under another name, or a gateway's field. Total weight 3. */
export const strangerClasses: readonly CaseClass[] = [lookAlikes, gatewayFieldsOfStrangers]
