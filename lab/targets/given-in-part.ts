import type { Started } from '../judge/service.ts'
import { answering, errorWith, onReference } from './serving.ts'
import { easilyMisread, type ProofTarget } from './target.ts'

/** The reference service, of which a run knows only the required settings: the address and a client. */
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

const onlyQuota = { RUN_ONLY: 'quota/*,authentication/customer-not-found' }
const secondUsedUp = { RUN_ONLY: 'quota/per-client,authentication/no-bypass' }
const twoRules = { RUN_ONLY: 'authentication/api-key-missing,authentication/no-bypass' }

async function elsewhere(): Promise<Started> {
  const { env, ...service } = await onReference({})
  return { ...service, env: { ...env, TARGET_BASE_URL: `${env['TARGET_BASE_URL']}/v1`, TARGET_VERSION: '3' } }
}

async function resetAtTheSixtieth(): Promise<Started> {
  let served = 0
  return onReference({ now: () => ((served += 1) < 60 ? 0 : 86_400_000) })
}

/** Services of which a run knows only a part, or judges only a part. */
export const givenInPart: readonly ProofTarget[] = easilyMisread({
  'without-fixtures': [
    'The settings give the address and a client alone.',
    () => bare(),
    {
      exit: 0,
      says: ['9 rules not tested; needed: --profile acceptance, FIXTURE_NO_CUSTOMER_…, FIXTURE_INACTIVE_…,'],
    },
  ],
  'without-fixtures-in-acceptance': [
    'An acceptance is given the address and a client alone.',
    () => bare(),
    { exit: 3, says: [...needFixtures, 'must be tested in acceptance'], profiles: ['acceptance'] },
  ],
  'without-what-was-selected': [
    'What the selected rules need is not given.',
    () => bare(onlyQuota),
    { exit: 3, says: ['no rule was judged', '4 rules: 0 passed, 0 failed, 4 untested'] },
  ],
  'a-part-of-the-rules': [
    'The settings select one area.',
    () => onReference({}, { RUN_ONLY: 'versioning/*' }),
    {
      exit: 0,
      says: ['only versioning/*'],
    },
  ],
  'second-client-used-up': [
    'The quota of the second client is used up.',
    () => onReference({ quotas: { second: 0 } }, secondUsedUp),
    {
      exit: 3,
      says: [
        'quota/per-client could not be judged: the daily quota of the client of FIXTURE_SECOND_API_KEY is used up',
        '2 rules: 1 passed',
      ],
    },
  ],
  'exhausted-client-reset': [
    'A day begins at the sixtieth request.',
    resetAtTheSixtieth,
    { exit: 0, also: { mayBeIncomplete: true } },
  ],
  'another-version-and-a-path': [
    'The settings look for the endpoint where it is not.',
    elsewhere,
    {
      exit: 3,
      says: [
        '400 / 1010 (endpoint not found',
        'is served with ',
        ' and TARGET_VERSION=1: change the settings',
      ],
      also: { requests: 4 },
    },
  ],
  'query-is-missing': [
    'The list wants a query.',
    answering('permitted', 400, errorWith('1030')),
    { exit: 3, says: ['give it as TARGET_QUERY'] },
  ],
  'budget-of-sixty': [
    'What sixty requests find of a fault counts.',
    () =>
      onReference({ faults: ['missing-api-key-called-invalid'] }, { RUN_MAX_REQUESTS: '60', ...twoRules }),
    { exit: 1, rules: ['authentication/api-key-missing'], also: { requests: 60 } },
  ],
})
