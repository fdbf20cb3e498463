import { responseFields, type Exchange } from '../http/exchange.ts'

/** What exempts an exchange from the run-wide rules. */
export interface Exemptions {
  readonly observed: boolean
  readonly mayRedirect: boolean
}

/**
 * Whether the run-wide rules say nothing of an exchange: one that is only observed, one without a body by its method, or a
 * near miss of a known path that is redirected on the same host.
 */
export function observedExemption(
  { request, response }: Exchange,
  { observed, mayRedirect }: Exemptions,
): boolean {
  if (observed || request.method === 'HEAD') return true
  return mayRedirect && redirectsLocally(response)
}

/** A redirect by path alone, or to an absolute URL: whose host that is, is for the rule to judge. */
function redirectsLocally(response: Exchange['response']): boolean {
  return (
    [301, 302, 303, 307, 308].includes(response.status) && responseFields(response, 'location').length === 1
  )
}
