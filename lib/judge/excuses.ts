import { responseFields, type Exchange } from '../http/exchange.ts'
import { memberNames } from '../text/members.ts'
import { urlOf } from '../text/url.ts'
import { isTransportRefusal } from './answered.ts'
import { holds, type Check } from './judge.ts'

/** Reasons for accepting an answer in place of the documented one. */
type Excuses = Readonly<{
  /** The transport, a gateway or a firewall may reject the request, with a 4xx without the documented error object or by closing the connection. */
  transportMayRefuse?: boolean
  /** The path is a near miss of a known path, so a redirect to that path on the same host is acceptable. */
  mayRedirect?: boolean
  /** A field is malformed, so any 4xx is acceptable, and so is a 304, which treats the field as a fulfilled condition. */
  fieldMayBeRefused?: boolean
  /** A partial or an empty success is acceptable (206, 304, 416). */
  mayBePartial?: boolean
}>

/** Reasons to exempt an exchange from the run-wide rules. */
export interface Exemptions extends Excuses {
  /** Run-wide rules check an observed exchange only for a 5xx and an echoed secret. */
  readonly observed?: boolean
  readonly transportMayRefuse: boolean
}

/** Permitted redirect targets for near misses of known paths. */
export interface KnownPlaces {
  readonly baseUrl: string
  /** Paths under the base URL. */
  readonly paths: readonly string[]
}

type IsExcused = (exchange: Exchange, known: KnownPlaces) => boolean

const excuses: { readonly [Name in keyof Excuses]-?: IsExcused } = {
  transportMayRefuse: isTransportRefusal,
  mayRedirect: leadsToKnownPlace,
  fieldMayBeRefused: ({ response: { status } }) => status === 304 || (status >= 400 && status <= 499),
  mayBePartial: ({ response: { status } }) => [206, 304, 416].includes(status),
}

/** The names of all excuses. */
export const excuseNames = memberNames(excuses)

function isExcused(exchange: Exchange, given: Excuses, known: KnownPlaces): boolean {
  return excuseNames.some((name) => given[name] === true && excuses[name](exchange, known))
}

/** Whether run-wide rules ignore an exchange because it is only observed, its method allows no response body, or it is excused. */
export function isExempt(exchange: Exchange, exemptions: Exemptions, known: KnownPlaces): boolean {
  const isObserved = exemptions.observed === true || exchange.request.method === 'HEAD'
  return isObserved || isExcused(exchange, exemptions, known)
}

/** A check that also passes for an excused answer. */
export function orExcused({ allowed, judge }: Check, given: Excuses, known: KnownPlaces): Check {
  return { allowed, judge: (exchange) => (isExcused(exchange, given, known) ? holds : judge(exchange)) }
}

/** A check that also passes if the transport, a gateway or a firewall refused the request. */
export function orRefusedByTransport({ allowed, judge }: Check): Check {
  return { allowed, judge: (exchange) => (isTransportRefusal(exchange) ? holds : judge(exchange)) }
}

/** Whether an answer is a redirect to a known path on the same host. */
function leadsToKnownPlace({ request, response }: Exchange, known: KnownPlaces): boolean {
  if (![301, 302, 303, 307, 308].includes(response.status)) return false

  const [location, ...more] = responseFields(response, 'location')
  return location !== undefined && more.length === 0 && isKnownPlace(location, request.target, known)
}

/** Ignores the scheme and port, because a gateway may use different ones from the client. */
function isKnownPlace(location: string, target: string, { baseUrl, paths }: KnownPlaces): boolean {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const sentTo = new URL(`${base.origin}${prefix}${target}`)
  const place = urlOf(location, sentTo.href)
  return (
    place !== null &&
    place.hostname === base.hostname &&
    paths.some((path) => `${prefix}${path}` === place.pathname)
  )
}
