import type { Started } from '../judge/service.ts'
import { answering, errorWith, onReference } from './serving.ts'
import type { ProofTarget } from './target.ts'

const common = { kind: 'easily misread', over: 'program', profiles: ['gate'], rules: [], says: [] } as const

/** The reference service, of which a run knows only what is required: the address and a client. */
async function bare(more: Readonly<Record<string, string>> = {}): Promise<Started> {
  const { env, ...service } = await onReference({})
  const required = Object.entries(env).filter(([name]) => name.startsWith('TARGET_'))
  return { ...service, env: { ...Object.fromEntries(required), ...more } }
}

const needFixtures = [
  'authentication/customer-not-found',
  'authentication/endpoint-inactive',
  'authentication/endpoint-unauthorized',
  'authentication/stays-refused',
  'quota/exhausted',
  'quota/stays-exhausted',
  'quota/per-client',
  'tolerance/no-breaking-change',
]

/** Conformant services of which a run is given only a part, or has only a part judged. */
export const givenInPart: readonly ProofTarget[] = [
  {
    ...common,
    name: 'without-fixtures',
    about: 'The settings give the address and a client alone.',
    exit: 0,
    says: [
      'conventions/http-messages',
      ...needFixtures,
      'FIXTURE_NO_CUSTOMER_API_KEY and FIXTURE_NO_CUSTOMER_SECRET_KEY',
    ],
    also: { only: true },
    start: () => bare(),
  },
  {
    ...common,
    name: 'without-fixtures-in-acceptance',
    about: 'The settings of an acceptance give the address and a client alone.',
    exit: 3,
    says: [...needFixtures, 'must be tested in acceptance'],
    profiles: ['acceptance'],
    start: () => bare(),
  },
  {
    ...common,
    name: 'without-fixtures-for-what-was-selected',
    about: 'The settings select rules alone that need what they do not give.',
    exit: 3,
    says: ['no rule was judged', '4 rules: 0 passed, 0 failed, 4 untested'],
    start: () => bare({ RUN_ONLY: 'quota/*,authentication/customer-not-found' }),
  },
  {
    ...common,
    name: 'a-part-of-the-rules',
    about: 'The settings select one area.',
    exit: 0,
    says: ['only versioning/*'],
    also: { only: true },
    start: () => onReference({}, { RUN_ONLY: 'versioning/*' }),
  },
  {
    ...common,
    name: 'second-client-used-up',
    about: 'The quota of the second client is used up, which the rules that need it say.',
    exit: 3,
    says: [
      'quota/per-client could not be judged: the daily quota of the client of FIXTURE_SECOND_API_KEY is used up',
      '2 rules: 1 passed',
    ],
    start: () =>
      onReference({ quotas: { second: 0 } }, { RUN_ONLY: 'quota/per-client,authentication/no-bypass' }),
  },
  {
    ...common,
    name: 'exhausted-client-reset-in-the-middle',
    about: 'A day begins at the sixtieth request.',
    exit: 0,
    also: { mayBeIncomplete: true },
    start: () => {
      let served = 0
      return onReference({ now: () => ((served += 1) < 60 ? 0 : 86_400_000) })
    },
  },
  {
    ...common,
    name: 'another-version-and-a-path',
    about: 'The settings look for the endpoint below a path and under another version.',
    exit: 3,
    says: ['400 / 1010 (endpoint not found', 'is served with ', ' and TARGET_VERSION=1: change the settings'],
    also: { requests: 4 },
    start: async () => {
      const { env, ...service } = await onReference({})
      const TARGET_BASE_URL = `${env['TARGET_BASE_URL']}/v1`
      return { ...service, env: { ...env, TARGET_BASE_URL, TARGET_VERSION: '3' } }
    },
  },
  {
    ...common,
    name: 'query-is-missing',
    about: 'The list wants a query that the settings do not give.',
    exit: 3,
    says: ['give it as TARGET_QUERY'],
    start: answering('permitted', 400, errorWith('1030')),
  },
  {
    ...common,
    name: 'budget-of-sixty',
    about: 'The run may send sixty requests, and what they find of a fault counts.',
    exit: 1,
    rules: ['authentication/api-key-missing'],
    also: { requests: 60 },
    start: () =>
      onReference(
        { faults: ['missing-api-key-called-invalid'] },
        {
          RUN_MAX_REQUESTS: '60',
          RUN_ONLY: 'authentication/api-key-missing,authentication/no-bypass',
        },
      ),
  },
]
