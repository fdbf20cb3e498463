import { clients, type ClientName } from '../../lib/serve/reference/clients.ts'
import type { Quotas } from '../../lib/serve/reference/quota.ts'
import type { ProofTarget } from './target.ts'
import { onReference } from './serving.ts'

const common = { kind: 'cannot be judged', exit: 3, rules: [] } as const
const check = 'check TARGET_API_KEY and TARGET_SECRET_KEY'

/** The credentials are refused from the start. */
const wrongCredentials: readonly ProofTarget[] = [
  {
    ...common,
    name: 'key-refused',
    about: 'The API key is of another environment.',
    says: ['401 / 1006', check],
    start: () => onReference({}, { TARGET_API_KEY: 'ak_live_6Tq9ZsXv2LmK8RfWc4Yb1NhJ' }),
  },
  {
    ...common,
    name: 'secret-refused',
    about: 'The secret key is that of last year.',
    says: ['401 / 1007', check],
    start: () => onReference({}, { TARGET_SECRET_KEY: 'the-secret-of-last-year-0123456789' }),
  },
  ...(
    [
      ['inactive', '1011', 'FIXTURE_INACTIVE_'],
      ['noCustomer', '1012', 'FIXTURE_NO_CUSTOMER_'],
      ['unauthorized', '1013', 'FIXTURE_UNAUTHORIZED_'],
    ] as const
  ).map(([client, code, fixture]) => ({
    ...common,
    name: `client-refused-with-${code}`,
    about: `The client of TARGET_API_KEY is one that must get ${code}.`,
    says: [`401 / ${code}`, check],
    start: () => as(client, fixture),
  })),
]

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

/** The quota of the client is used up. */
const quotaUsedUp: readonly ProofTarget[] = (
  [
    ['before-the-first-request', { permitted: 0 }, 4],
    ['at-the-sixth-request', { permitted: 5 }, 50],
    ['in-the-middle', { permitted: 25 }, 300],
  ] as const
).map(([when, quotas, requests]: readonly [string, Quotas, number]) => ({
  ...common,
  name: `quota-used-up-${when}`,
  about: `The daily quota of the client is used up ${when.replaceAll('-', ' ')}.`,
  says: ['the daily quota of the client of TARGET_API_KEY is used up'],
  // What runs side by side may still be on its way; nothing is begun any more.
  also: { requests },
  start: () => onReference({ quotas }),
}))

/** The service refuses this run, and is right. */
export const refused: readonly ProofTarget[] = [
  ...wrongCredentials,
  ...quotaUsedUp,
  {
    ...common,
    name: 'budget-too-small',
    about: 'The run may send five requests.',
    says: ['did not fit into the budget (RUN_MAX_REQUESTS)'],
    start: () => onReference({}, { RUN_MAX_REQUESTS: '5' }),
  },
]
