import { plan } from '../engine/plan/plan.ts'
import { withEmbedded } from '../run/judge-target.ts'
import { readSettingsAndSuites } from '../run/settings-and-own.ts'
import { profiles } from '../settings/profiles.ts'
import { clientNames, type ClientName } from '../specification/clients.ts'
import { listPath } from '../specification/endpoints.ts'
import { plannedRequests, type PlannedRequests } from './planned-requests.ts'

/** What a request to a provider names. */
interface ProviderRequest {
  readonly baseUrl: string | null
  readonly label: string | null
}

/** Clients by their names in a plan: what the service must answer each, and how we call it in our settings. */
const clients: Readonly<Record<ClientName, readonly [name: string, answer: string, setting: string]>> = {
  target: ['permitted', 'a success', 'TARGET_API_KEY, TARGET_SECRET_KEY'],
  second: ['second permitted', 'a success', 'FIXTURE_SECOND_…'],
  noCustomer: [
    'no customer',
    '401 with error_code 1012: no customer matches its credentials',
    'FIXTURE_NO_CUSTOMER_…',
  ],
  inactive: [
    'inactive',
    '401 with error_code 1011: the endpoint is inactive for it (or name an endpoint that is inactive for all)',
    'FIXTURE_INACTIVE_…',
  ],
  unauthorized: [
    'unauthorized',
    '401 with error_code 1013: it may not use the endpoint',
    'FIXTURE_UNAUTHORIZED_…',
  ],
  exhausted: [
    'exhausted',
    '429 with error_code 1020: its daily quota is used up, every day',
    'FIXTURE_EXHAUSTED_…',
  ],
  disposable: [
    'disposable',
    'a success, until we have used up its daily quota; then 429 with error_code 1020',
    'FIXTURE_DISPOSABLE_…',
  ],
}

/** Daily quota that is asked for the disposable client. */
const smallQuota = 20

/** A text to send to the provider of a service: asks for the clients, the input and the quota that a run needs. */
export async function providerRequest({ baseUrl, label }: ProviderRequest): Promise<string> {
  const where = baseUrl === null || baseUrl === 'embedded' ? 'your test system' : baseUrl
  return `# Clients for a conformance test${label === null ? '' : ` of ${label}`}

We want to judge ${where} by the documented conventions of the card-switching and customization service. For that we ask you
for seven clients of a test system, each with an API key and a secret key, and for one input.

${table([['client', `what GET ${listPath} must answer it`, 'our setting'], ...Object.values(clients)])}

Please tell us also:

1. How large the daily quota of the disposable client is. A small one, such as ${smallQuota}, is enough. (FIXTURE_DISPOSABLE_QUOTA)
2. A query of the same endpoint that must be answered 400 with error_code 1030, such as \`limit=abc\`. (FIXTURE_INVALID_QUERY)
3. A query that every request to the endpoint needs, if there is one. (TARGET_QUERY)
4. How many requests a day and a second each client may send.

One run sends at most these requests of each client, and at most 25 in a second:

${await quotaTable()}

A gate may run after each deploy, an acceptance whenever something was mended, and a nightly run every night. Retries, confirmations
and longer keys take some more, most of the permitted client. No run ever sends more than the last line says. Please grant daily
quotas for the runs of a day, or tell us which ones are too small.

All clients are needed for an acceptance. Without one of them some rules cannot be judged, and the report says so.

Please send the keys by a way that you use for credentials, and not in an answer to this text.
`
}

/** Requests of a run by client and profile, as planned for the embedded service with every fixture. */
async function quotaTable(): Promise<string> {
  const plans = await Promise.all(Object.keys(profiles).map(requestsOf))
  const figures = (of: (one: PlannedRequests) => number | undefined): readonly string[] =>
    plans.map((one) => (of(one) ?? 0).toLocaleString('en'))
  return table([
    ['requests of', ...Object.keys(profiles)],
    ...clientNames.map((name) => [clients[name][0], ...figures(({ byClient }) => byClient[name])]),
    ['all clients', ...figures(({ total }) => total)],
    [
      'never more than',
      ...Object.values(profiles).map(({ maxRequests }) => maxRequests.toLocaleString('en')),
    ],
  ])
}

async function requestsOf(profile: string): Promise<PlannedRequests> {
  // In a pipeline no .env is read: what it holds is not asked for here.
  const env = { CI: 'true', TARGET_BASE_URL: 'embedded', RUN_PROFILE: profile }
  const read = await readSettingsAndSuites({ env })
  if (read.kind === 'issues')
    throw new TypeError(`the settings of the embedded service are wrong: ${profile}`)
  const settings = withEmbedded(read.settings, 'embedded')
  const fixtures = { ...settings.fixtures, disposableQuota: smallQuota }
  return plannedRequests(plan({ ...settings, fixtures }, read.suites))
}

function table([heads = [], ...rows]: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
