import { clients, type ClientName } from '../../lib/serve/reference/clients.ts'
import { onReference } from './serving.ts'
import { targetsOf, type ProofTarget } from './target.ts'

const check = 'check TARGET_API_KEY and TARGET_SECRET_KEY'
const usedUp = 'the daily quota of the client of TARGET_API_KEY is used up'

/** A run whose own client is this one. */
async function as(client: ClientName, fixture: string): ReturnType<typeof onReference> {
  const { env, close } = await onReference({})
  const { apiKey, secretKey } = clients[client]
  const others = Object.entries(env).filter(([name]) => !name.startsWith(fixture))
  return {
    env: { ...Object.fromEntries(others), TARGET_API_KEY: apiKey, TARGET_SECRET_KEY: secretKey },
    close,
  }
}

const clientRefused = (client: ClientName, code: string, fixture: string) =>
  [
    `The client of TARGET_API_KEY is one that must get ${code}.`,
    [`401 / ${code}`, check],
    () => as(client, fixture),
  ] as const

/** Concurrent requests may still be in flight, but no new ones are started. */
const quotaUsedUp = (when: string, permitted: number, requests: number) =>
  [
    `The daily quota of the client is used up ${when}.`,
    [usedUp],
    () => onReference({ quotas: { permitted } }),
    [],
    { requests },
  ] as const

/** The service rightly refuses this run. */
export const refused: readonly ProofTarget[] = targetsOf('cannot be judged', {
  'key-refused': [
    'The API key is of another environment.',
    ['401 / 1006', check],
    () => onReference({}, { TARGET_API_KEY: 'ak_live_6Tq9ZsXv2LmK8RfWc4Yb1NhJ' }),
  ],
  'secret-refused': [
    'The secret key is that of last year.',
    ['401 / 1007', check],
    () => onReference({}, { TARGET_SECRET_KEY: 'the-secret-of-last-year-0123456789' }),
  ],
  'client-refused-with-1011': clientRefused('inactive', '1011', 'FIXTURE_INACTIVE_'),
  'client-refused-with-1012': clientRefused('noCustomer', '1012', 'FIXTURE_NO_CUSTOMER_'),
  'client-refused-with-1013': clientRefused('unauthorized', '1013', 'FIXTURE_UNAUTHORIZED_'),
  'quota-used-up-before-the-first-request': quotaUsedUp('before the first request', 0, 4),
  'quota-used-up-at-the-sixth-request': quotaUsedUp('at the sixth request', 5, 50),
  'quota-used-up-in-the-middle': quotaUsedUp('in the middle', 25, 300),
  'budget-too-small': [
    'The run may send five requests.',
    ['did not fit into the budget (RUN_MAX_REQUESTS)'],
    () => onReference({}, { RUN_MAX_REQUESTS: '5' }),
  ],
})
