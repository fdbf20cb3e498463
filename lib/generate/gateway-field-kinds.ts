import fc from 'fast-check'
import { valueOf, type Request } from '../http/request.ts'
import { requiredFields } from '../spec/endpoints.ts'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { byOracle, listed, observed } from './listed.ts'
import { adding, inTurn, raw, setting, type Change } from './request-changes.ts'
import { fromStrangers } from './strangers.ts'

/**
 * Fields that mean something to HTTP or to a gateway, on a valid request: only observed. None asks for another method, path or
 * host, and none frames a message.
 */
export function gatewayFieldKinds(): readonly Kind[] {
  return [
    listed(
      { name: 'gateway-fields', weight: 2, gate: false },
      gatewayFields.map(({ as, change }) => fc.constant(observed('gateway fields', as, change))),
    ),
    listed(
      { name: 'other-accept-values', weight: 1, gate: false },
      otherAcceptValues.map(({ as, change }) => fc.constant(observed('other accept values', as, change))),
    ),
    hopByHop,
  ]
}

interface GatewayField {
  readonly as: string
  readonly change: Change
}

/** Most telling first: what has been taken for a proof of who asks. */
const gatewayFields: readonly GatewayField[] = [
  ...[
    { name: 'x-forwarded-for', value: '127.0.0.1' },
    { name: 'cookie', value: 'session=1; authenticated=true' },
    { name: 'if-none-match', value: '"abc"' },
    { name: 'range', value: 'bytes=0-0' },
    { name: 'origin', value: 'https://conformance.invalid' },
    { name: 'x-real-ip', value: '127.0.0.1' },
    { name: 'forwarded', value: 'for=127.0.0.1' },
  ].map(({ name, value }) => ({ as: `${name}: ${value}`, change: setting(name, value) })),
  { as: 'user-agent: a browser before the suite', change: withBrowser },
]

const otherAcceptValues: readonly GatewayField[] = [
  'text/html',
  'application/xml',
  'text/plain',
  'application/json;q=0',
  'image/*',
].map((value) => ({ as: `accept: ${value}`, change: setting('accept', value) }))

/** The suite always names itself. */
function withBrowser(request: Request): Request {
  const agent = request.fields.find(({ name }) => name.toLowerCase() === 'user-agent')
  const suite = agent === undefined ? '' : ` ${valueOf(agent)}`
  return setting('user-agent', `Mozilla/5.0 (compatible; MSIE 10.0)${suite}`)(request)
}

const hopByHop = listed(
  { name: 'hop-by-hop', weight: 1, gate: false },
  requiredFields.map((name) =>
    fc.constant<Fuzzed>({
      ...observed(
        'hop by hop',
        `connection: ${name}`,
        inTurn(raw, adding({ name: 'connection', value: name })),
      ),
      transportMayRefuse: true,
      toUnknownPath: true,
    }),
  ),
)

/** The same fields on requests without valid credentials: they are no way in. */
export const gatewayFieldsOfStrangers: Kind = listed(
  { name: 'gateway-fields-of-strangers', weight: 1, gate: true },
  [...gatewayFields, ...otherAcceptValues].map(({ as, change }) => fromStrangers(byOracle(as, change))),
)
