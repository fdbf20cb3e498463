import { responseFields, type Exchange } from '../http/exchange.ts'
import { isTransportRefusal } from './answered.ts'

/** What exempts an exchange from the run-wide rules. */
export interface Exemptions {
  readonly observed: boolean
  readonly transportMayRefuse: boolean
  readonly mayRedirect: boolean
  readonly fieldMayBeRefused?: boolean
}

/** Where a near miss of a known path may be redirected to. */
export interface KnownPlaces {
  readonly baseUrl: string
  /** Paths below the base URL. */
  readonly paths: readonly string[]
}

/**
 * Whether the run-wide rules say nothing of an exchange: one that is only observed, one without a body by its method, one that
 * the transport refused by itself where it may, a malformed field that was refused, or a near miss of a known path that is redirected
 * to a known path on the same host.
 */
export function observedExemption(
  exchange: Exchange,
  { observed, transportMayRefuse, mayRedirect, fieldMayBeRefused }: Exemptions,
  known: KnownPlaces,
): boolean {
  if (observed || exchange.request.method === 'HEAD') return true
  if (transportMayRefuse && isTransportRefusal(exchange.response)) return true
  if (fieldMayBeRefused === true && refusesField(exchange)) return true
  return mayRedirect && leadsToKnownPlace(exchange, known)
}

/** Whether an answer is one by which HTTP refuses a malformed field, or takes it for a condition that holds. */
export function refusesField({ response: { status } }: Pick<Exchange, 'response'>): boolean {
  return status === 304 || (status >= 400 && status <= 499)
}

/** Whether an answer is a redirect to a known path on the same host. */
export function leadsToKnownPlace({ request, response }: Exchange, known: KnownPlaces): boolean {
  if (![301, 302, 303, 307, 308].includes(response.status)) return false

  const [location, ...more] = responseFields(response, 'location')
  return location !== undefined && more.length === 0 && isKnownPlace(location, request.target, known)
}

/** Whatever the scheme and the port: a gateway may know others than the client does. */
function isKnownPlace(location: string, target: string, { baseUrl, paths }: KnownPlaces): boolean {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const sentTo = new URL(`${base.origin}${prefix}${target}`)
  if (!URL.canParse(location, sentTo.href)) return false

  const place = new URL(location, sentTo)
  return place.hostname === base.hostname && paths.some((path) => `${prefix}${path}` === place.pathname)
}
