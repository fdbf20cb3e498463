import type { Request } from '../../http/request.ts'
import { exchange, requestWith, served } from '../../judge/testing/exchanges.ts'
import { TestRequest, type RequestTraits } from '../plan/test-request.ts'
import { RateLimiter, type Layer, type SendOptions } from '../send/pace.ts'

/** A rule that requests are sent for. */
export const anyRule = 'authentication/api-key-missing'

/** A request of the target client that is not plain, with these traits and parts. */
export function requestOf(traits: Partial<RequestTraits> = {}, parts: Partial<Request> = {}): TestRequest {
  return new TestRequest(requestWith(parts), {
    client: 'target',
    endpoint: 'GET /api/customizations/list',
    plain: false,
    observed: false,
    transportMayRefuse: false,
    mayRedirect: false,
    asksForQuota: false,
    ...traits,
  })
}

/** Sends a request that stays in flight and returns the function that ends it. */
export function inFlight(limiter: RateLimiter, options: Partial<SendOptions> = {}): Promise<() => void> {
  return new Promise((began, reject) => {
    const next: Layer = () => new Promise((resolve) => began(() => resolve(exchange(served))))
    limiter
      .limit(next)(requestOf(), { rule: anyRule, purpose: 'case', ...options })
      .catch(reject)
  })
}
