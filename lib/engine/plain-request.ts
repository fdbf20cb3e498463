import type { Credentials } from '../redact/secret.ts'
import type { KnownEndpoint } from '../judge/knowledge.ts'
import type { ClientName } from '../spec/clients.ts'
import { Stimulus } from './stimulus.ts'

/** How the suite names itself to services; the version is the package's. */
export function userAgent(version: string): string {
  return `card-switch-conformance/${version}`
}

/** A plain valid request for an endpoint, as the specification shows it. Source: Endpoints, Authentication. */
export function plainRequest(
  { method, path, query, version, label, inactive }: KnownEndpoint,
  { apiKey, secretKey }: Credentials,
  { client, agent }: { readonly client: ClientName; readonly agent: string },
): Stimulus {
  const request = {
    method,
    target: query === null ? path : `${path}?${query}`,
    fields: [
      { name: 'x-api-key', value: apiKey },
      { name: 'x-secret-key', value: secretKey },
      { name: 'x-version', value: version },
      { name: 'accept', value: 'application/json' },
      { name: 'user-agent', value: agent },
    ],
  }
  const plain = !inactive && (client === 'target' || client === 'second')

  return new Stimulus(request, {
    client,
    endpoint: label,
    plain,
    observed: false,
    transportMayRefuse: false,
    mayRedirect: false,
    asksForQuota: false,
  })
}
