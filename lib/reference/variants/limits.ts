import type { Answer } from '../answer.ts'
import { bare, page } from '../gateway.ts'
import type { Manner } from '../manner.ts'
import type { Variant } from './variant.ts'

/** Other quotas, and rates, which are not shown. */
export const limitVariants: readonly Variant[] = [
  limited('quota-of-one', 'The quota of the disposable client is one request.', () => ({
    quotas: { disposable: 1 },
  })),
  limited('quota-of-12', 'The quota of the disposable client is twelve requests.', () => ({
    quotas: { disposable: 12 },
  })),
  limited('quota-for-everybody', 'Every client has a quota, and no other one is near its end.', () => ({
    quotas: { permitted: 1_000_000, second: 1_000_000, disposable: 5 },
  })),
  rated(
    'rate-refused-bare',
    'More than 150 requests in a second are refused with a bare 429 and Retry-After.',
    () => bare(429, { 'retry-after': '1' }),
  ),
  rated(
    'rate-refused-with-a-page',
    'More than 150 requests in a second are refused with 429 and a page, and nothing says until when.',
    () => page(429, 'Too Many Requests'),
  ),
  rated(
    'rate-refused-with-json',
    'More than 150 requests in a second are refused with 429 and JSON of the gateway.',
    () => ({
      ...page(429, '', { 'retry-after': '1' }),
      text: '{"message":"API rate limit exceeded","error":"too_many_requests"}',
      contentType: 'application/json',
    }),
  ),
]

function limited(name: string, about: string, manner: () => Manner): Variant {
  return { name, about, manner }
}

const most = 150
const windowMs = 1_000

/** A gateway that lets so many requests through in each window of a second. */
function rated(name: string, about: string, refusal: () => Answer): Variant {
  return limited(name, about, () => {
    let began = Number.NEGATIVE_INFINITY
    let count = 0
    return {
      gateway: {
        answers: () => {
          const now = performance.now()
          if (now - began >= windowMs) {
            began = now
            count = 0
          }
          count += 1
          return count > most ? refusal() : null
        },
      },
    }
  })
}
