import { plan } from '../../engine/plan/plan.ts'
import { settingsOfClient } from '../../engine/plan/model-of-settings.ts'
import { withEmbedded } from '../judge-target.ts'
import { readSettingsAndSuites } from '../settings-and-own.ts'
import { profiles } from '../../settings/profiles.ts'
import { clientEntry } from '../../settings/client-settings.ts'
import { refusalOf } from '../../specification/answers.ts'
import { clientCount, clientNames, clientRows, type ClientName } from '../../specification/client-rows.ts'
import { flawOf } from '../../specification/flaws.ts'
import { listPath } from '../../specification/endpoints.ts'
import { plannedRequests, type PlannedRequests } from './plan-command.ts'

/** What a request to a provider names. */
interface ProviderRequest {
  readonly baseUrl: string | null
  readonly label: string | null
}

/** Daily quota that is asked for the disposable client. */
const smallQuota = 20

/** A text to send to the provider of a service: asks for the clients, the input and the quota that a run needs. */
export async function providerRequest({ baseUrl, label }: ProviderRequest): Promise<string> {
  const where = baseUrl === null || baseUrl === 'embedded' ? 'your test system' : baseUrl
  return `# Clients for a conformance test${label === null ? '' : ` of ${label}`}

We want to judge ${where} by the documented conventions of the card-switching and customization service. For that we ask you
for ${clientCount} clients of a test system, each with an API key and a secret key, and for one input.

${table([['client', `what GET ${listPath} must answer it`, 'our setting'], ...clientNames.map(askedFor)])}

Please tell us also:

1. How large the daily quota of the disposable client is. A small one, such as ${smallQuota}, is enough. (FIXTURE_DISPOSABLE_QUOTA)
2. A query of the same endpoint that must be answered 400 with error_code 1030, such as \`limit=abc\`. (FIXTURE_INVALID_QUERY)
3. A query that every request to the endpoint needs, if there is one. (TARGET_QUERY)
4. How many requests a day and a second each client may send.

One run sends at most these requests of each client, and at most 25 in a second:

${await (quotas ??= quotaTable())}

A gate may run after each deploy, an acceptance whenever something was fixed, and a nightly run every night. Retries, confirmations
and longer keys take some more, most of the permitted client. No run ever sends more than the last line says. Please grant daily
quotas for the runs of a day, or tell us which ones are too small.

All clients are needed for an acceptance. Without one of them some rules cannot be judged, and the report says so.

Please send the keys by a way that you use for credentials, and not in an answer to this text.
`
}

/** A client by its name in a plan: what the service must answer it, and how we call it in our settings. */
function askedFor(client: ClientName): readonly string[] {
  const { called, asked } = clientRows[client]
  const { apiKey, secretKey } = clientEntry(client)
  const code = flawOf(client)?.code
  const answer = code === undefined ? asked : `${refusalOf(code).status} with error_code ${code}: ${asked}`
  return [called, answer, client === 'target' ? `${apiKey}, ${secretKey}` : settingsOfClient(client)]
}

/** The same for every target, and a second of planning. */
let quotas: Promise<string> | undefined

/** Requests of a run by client and profile, as planned for the embedded service with every fixture. */
async function quotaTable(): Promise<string> {
  const plans = await Promise.all(Object.keys(profiles).map(requestsOf))
  const figures = (of: (one: PlannedRequests) => number | undefined): readonly string[] =>
    plans.map((one) => (of(one) ?? 0).toLocaleString('en'))
  return table([
    ['requests of', ...Object.keys(profiles)],
    ...clientNames.map((name) => [clientRows[name].called, ...figures(({ byClient }) => byClient[name])]),
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
