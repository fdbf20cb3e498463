import { settingsOfClient } from '../../run/plan/model-of-settings.ts'
import { clientEntry } from '../../settings/client-settings.ts'
import { profiles } from '../../settings/profiles.ts'
import type { Texts } from '../../settings/setting-table.ts'
import { refusalOf } from '../../specification/answers.ts'
import { clientCount, clientNames, clientRows, type ClientName } from '../../specification/client-rows.ts'
import { listPath } from '../../specification/endpoints.ts'
import { flawOf } from '../../specification/flaws.ts'

/** A letter that asks the provider for the clients, inputs and quota that a run needs. */
export function providerRequest({ TARGET_BASE_URL: address, TARGET_LABEL: label }: Texts): string {
  const where = address === undefined || address === 'embedded' ? 'your test system' : address
  const most = Object.entries(profiles).map(
    ([name, { maxRequests }]) => `${maxRequests.toLocaleString('en')} in a ${name} run`,
  )
  return `# Clients for a conformance test${label === undefined ? '' : ` of ${label}`}

We want to test ${where} against the documented conventions of the card-switching and customization service. Please give us
${clientCount} clients of a test system, each with an API key and a secret key, and one input.

| client | required answer to GET ${listPath} | our settings |
| --- | --- | --- |
${clientNames.map(askedFor).join('\n')}

Please also tell us:

1. The daily quota of the disposable client. A small quota, such as 20, is enough. (FIXTURE_DISPOSABLE_QUOTA)
2. A query for the same endpoint that must get 400 with error_code 1030, such as \`limit=abc\`. (FIXTURE_INVALID_QUERY)
3. The query that every request to the endpoint needs, if any. (TARGET_QUERY)
4. The maximum number of requests per day and per second for each client.

A run sends at most 25 requests per second, most of them as the permitted client. Its maximum number of requests is
${most.join(', ')}.
A gate may run after each deploy, an acceptance run after each fix, and a nightly run every night. Please grant daily
quotas that cover the runs of a day, or tell us which quotas are too small.

An acceptance run needs all clients. If a client is missing, some rules cannot be judged, and the report lists them.

Please send the keys through a channel that is safe for credentials, and not in a reply to this letter.
`
}

/** A client's row: its name in a plan, the required answer, and our settings for it. */
function askedFor(client: ClientName): string {
  const { called, asked } = clientRows[client]
  const { apiKey, secretKey } = clientEntry(client)
  const code = flawOf(client)?.code ?? null
  const answer = code === null ? asked : `${refusalOf(code).status} with error_code ${code}: ${asked}`
  return `| ${called} | ${answer} | ${client === 'target' ? `${apiKey}, ${secretKey}` : settingsOfClient(client)} |`
}
