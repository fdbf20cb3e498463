import { settingsOfClient } from '../../engine/plan/model-of-settings.ts'
import { clientEntry } from '../../settings/client-settings.ts'
import { profiles } from '../../settings/profiles.ts'
import type { Texts } from '../../settings/setting-table.ts'
import { refusalOf } from '../../specification/answers.ts'
import { clientCount, clientNames, clientRows, type ClientName } from '../../specification/client-rows.ts'
import { listPath } from '../../specification/endpoints.ts'
import { flawOf } from '../../specification/flaws.ts'

/** A letter to the provider of a service: asks for the clients, the input and the quota that a run needs. */
export function providerRequest({ TARGET_BASE_URL: address, TARGET_LABEL: label }: Texts): string {
  const where = address === undefined || address === 'embedded' ? 'your test system' : address
  const most = Object.entries(profiles).map(
    ([name, { maxRequests }]) => `${maxRequests.toLocaleString('en')} in a ${name} run`,
  )
  return `# Clients for a conformance test${label === undefined ? '' : ` of ${label}`}

We want to judge ${where} by the documented conventions of the card-switching and customization service. For that we ask you
for ${clientCount} clients of a test system, each with an API key and a secret key, and for one input.

| client | what GET ${listPath} must answer it | our setting |
| --- | --- | --- |
${clientNames.map(askedFor).join('\n')}

Please tell us also:

1. How large the daily quota of the disposable client is. A small one, such as 20, is enough. (FIXTURE_DISPOSABLE_QUOTA)
2. A query of the same endpoint that must be answered 400 with error_code 1030, such as \`limit=abc\`. (FIXTURE_INVALID_QUERY)
3. A query that every request to the endpoint needs, if there is one. (TARGET_QUERY)
4. How many requests a day and a second each client may send.

No run ever sends more requests than this, most of them as the permitted client, and at most 25 in a second:
${most.join(', ')}.
A gate may run after each deploy, an acceptance whenever something was fixed, and a nightly run every night. Please grant daily
quotas for the runs of a day, or tell us which ones are too small.

All clients are needed for an acceptance. Without one of them some rules cannot be judged, and the report says so.

Please send the keys by a way that you use for credentials, and not in an answer to this text.
`
}

/** A client's row: its name in a plan, what the service must answer it, and how we call it in our settings. */
function askedFor(client: ClientName): string {
  const { called, asked } = clientRows[client]
  const { apiKey, secretKey } = clientEntry(client)
  const code = flawOf(client)?.code
  const answer = code === undefined ? asked : `${refusalOf(code).status} with error_code ${code}: ${asked}`
  return `| ${called} | ${answer} | ${client === 'target' ? `${apiKey}, ${secretKey}` : settingsOfClient(client)} |`
}
