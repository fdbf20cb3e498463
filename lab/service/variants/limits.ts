import { refuse, type Answer } from '../../../lib/serve/reference/answer.ts'
import { field } from '../../../lib/serve/reference/call.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import { bare, page } from '../../../lib/serve/reference/gateway.ts'
import type { Gateway, Manner } from '../../../lib/serve/reference/manner.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** Other quotas, rates and lock-outs, which the specification does not show. */
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
  limited(
    'locked-after-twenty-wrong-secrets',
    'After twenty wrong secrets in a row a key is locked for two seconds: each of its secrets gets 401 and 1007.',
    () => ({ gateway: { answers: lockedAfter(20) } }),
  ),
]

const lockedMs = 2_000

/** Locks the permitted client. A correct secret restarts the count. */
function lockedAfter(wrongSecrets: number): NonNullable<Gateway['answers']> {
  const { apiKey, secretKey } = clients.permitted
  let [wrong, until] = [0, 0]
  return (call) => {
    const [key, secret] = [field(call, 'x-api-key'), field(call, 'x-secret-key')]
    if (key !== apiKey || secret === undefined || field(call, 'x-version') === undefined) return null
    if (performance.now() < until) return refuse('1007')
    wrong = secret === secretKey ? 0 : wrong + 1
    if (wrong < wrongSecrets) return null
    wrong = 0
    until = performance.now() + lockedMs
    return null
  }
}

function limited(name: string, about: string, manner: () => Manner): Variant {
  return { name, about, manner }
}

const most = 150
const windowMs = 1_000

/** A gateway that accepts a limited number of requests per second. */
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
