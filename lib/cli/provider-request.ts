import { listPath } from '../spec/endpoints.ts'

/** What a request to a provider names. */
interface ProviderRequest {
  readonly baseUrl: string | null
  readonly label: string | null
}

/** A text to send to the provider of a service: asks for the clients and the input with known behaviour. */
export function providerRequest({ baseUrl, label }: ProviderRequest): string {
  const where = baseUrl === null || baseUrl === 'embedded' ? 'your test system' : baseUrl
  return `# Clients for a conformance test${label === null ? '' : ` of ${label}`}

We want to judge ${where} by the documented conventions of the card-switching and customization service. For that we ask you
for seven clients of a test system, each with an API key and a secret key, and for one input.

| client | what GET ${listPath} must answer it | our setting |
| --- | --- | --- |
| permitted | a success | TARGET_API_KEY, TARGET_SECRET_KEY |
| second permitted | a success | FIXTURE_SECOND_… |
| no customer | 401 with error_code 1012: no customer matches its credentials | FIXTURE_NO_CUSTOMER_… |
| inactive | 401 with error_code 1011: the endpoint is inactive for it (or name an endpoint that is inactive for all) | FIXTURE_INACTIVE_… |
| unauthorized | 401 with error_code 1013: it may not use the endpoint | FIXTURE_UNAUTHORIZED_… |
| exhausted | 429 with error_code 1020: its daily quota is used up, every day | FIXTURE_EXHAUSTED_… |
| disposable | a success, until we have used up its daily quota; then 429 with error_code 1020 | FIXTURE_DISPOSABLE_… |

Please tell us also:

1. How large the daily quota of the disposable client is. A small one, such as 20, is enough. (FIXTURE_DISPOSABLE_QUOTA)
2. A query of the same endpoint that must be answered 400 with error_code 1030, such as \`limit=abc\`. (FIXTURE_INVALID_QUERY)
3. A query that every request to the endpoint needs, if there is one. (TARGET_QUERY)
4. How many requests a day and a second the permitted client may send. A run sends some 320, at most 25 in a second.

All clients are needed for an acceptance. Without one of them some rules cannot be judged, and the report says so.

Please send the keys by a way that you use for credentials, and not in an answer to this text.
`
}
