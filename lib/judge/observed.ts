import { responseFields, type Exchange } from '../http/exchange.ts'

/** What exempts an exchange from the run-wide rules. */
export interface Exemptions {
  readonly observed: boolean
  readonly mayRedirect: boolean
}

/**
 * Whether the run-wide rules say nothing of an exchange: one that is only observed, one without a body by its method, or a
 * near miss of a known path that is redirected on the same host (`host` is the target's, with its port where it has one).
 */
export function observedExemption(
  { request, response }: Exchange,
  { observed, mayRedirect }: Exemptions,
  host: string | null = null,
): boolean {
  if (observed || request.method === 'HEAD') return true
  return mayRedirect && redirectsLocally(response, host)
}

/** A redirect by path alone, or to an absolute URL on the target's host. */
function redirectsLocally(response: Exchange['response'], host: string | null): boolean {
  const [location, ...more] = responseFields(response, 'location')
  if (location === undefined || more.length > 0 || ![301, 302, 303, 307, 308].includes(response.status))
    return false
  if (/^\/(?![/\\])/.test(location)) return true
  return host !== null && URL.canParse(location) && new URL(location).host === host
}
